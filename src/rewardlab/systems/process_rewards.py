"""E15, process rewards: one reward for the answer, or one for every step."""

from __future__ import annotations

from functools import cache

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.closed_form import gibbs
from rewardlab.rewards import process
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, gold_line, other_line, place
from rewardlab.types import FloatArray
from rewardlab.worlds import arithmetic
from rewardlab.worlds.arithmetic import ANSWER, N_STEPS, SURE

_SLIP_RATE, _BETA = 0.2, 0.1
_SOLUTIONS = {
    "mistake": ("The solution with a mistake at step 3", arithmetic.MISTAKE),
    "lucky": ("The lucky solution", arithmetic.LUCKY),
    "right": ("The right solution", arithmetic.RIGHT),
    "convincing": ("The most convincing wrong solution", None),
}


def run(
    solution: str = "mistake",
    scheme: str = "product",
    step: int = 3,
    rollouts: int = 8,
    fixes: float = 0.08,
    *,
    rng: np.random.Generator,
) -> Result:
    """One solution under outcome and process rewards, and what each makes of a policy.

    Args:
        solution: Which solution is looked at.
        scheme: "outcome", or how step scores become one.
        step: The step whose labels are given.
        rollouts: Completions from each step.
        fixes: Chance that the completer silently fixes an error.
        rng: Draws the completions.
    """
    first = _queue(scheme)[0]
    name, given = _SOLUTIONS[solution]
    slips = arithmetic.all_slips()[first] if given is None else given
    ways = [
        arithmetic.completions(slips, t + 1, slip_rate=_SLIP_RATE, fixes=fixes)
        for t in range(N_STEPS)
    ]
    hits = np.array([int(rng.choice(w.reaches, rollouts, p=w.probability).sum()) for w in ways])
    values, soft = np.array([w.value for w in ways]), process.soft_labels(hits, rollouts)
    scores, final = arithmetic.step_scores(slips), arithmetic.results(slips)[-1]
    outcome, here = float(final == ANSWER), step - 1
    good, value = bool(process.hard_labels(hits, rollouts)[here]), float(values[here])
    called_good = process.hard_label_chance(value, rollouts)
    by_scheme = {kind: process.solution_score(scores, kind) for kind in process.SCHEMES}
    tries = "try" if rollouts == 1 else "tries"
    convincing = float(_rewards(scheme)[first])
    paid = f", process reward by {scheme} {by_scheme[scheme]:.2f}" if scheme in by_scheme else ""
    return Result(
        sentence=(
            f"{name} ends at {final} where {ANSWER} is right: outcome reward {outcome:g}{paid}; "
            f"completed from step {step} ({'wrong' if slips[here] else 'right'}) it reaches "
            f"{ANSWER} in {hits[here]} of {rollouts} {tries}, so a hard label calls the step "
            f"{'good' if good else 'bad'} (exact chance {value:.1%})."
        ),
        quantities=(
            Quantity("final_answer", "final answer of this solution", float(final)),
            Quantity("outcome", "outcome reward", outcome),
            *(Quantity(k, f"process reward by {k}", score) for k, score in by_scheme.items()),
            Quantity("step_is_right", f"step {step} is right", float(not slips[here]), YES_NO),
            Quantity("soft_label", f"soft label of step {step}", float(soft[here]), "share"),
            Quantity("hard_label", f"a hard label calls step {step} good", float(good), YES_NO),
            Quantity("exact_value", f"exact chance of {ANSWER} from there", value, "share"),
            Quantity("called_good", "chance that a hard label calls it good", called_good, "share"),
            Quantity("convincing", "reward of the most convincing wrong one", convincing),
            *_policy(scheme),
            *_lengths(scheme),
        ),
        chart=_chart(scores, values, soft, scheme, outcome, step),
        table=column_table(
            {
                "step": range(1, N_STEPS + 1),
                "written": arithmetic.step_texts(slips),
                "right": [not slip for slip in slips],
                "step score": scores,
                f"exact chance of {ANSWER}": values,
                "soft label": soft,
            }
        ),
    )


@cache
def _rewards(scheme: str) -> FloatArray:
    """Each of the 243 solutions' reward."""
    world = arithmetic.arithmetic_world(_SLIP_RATE)
    if scheme == "outcome":
        return world.feature("reaches")
    scores = [arithmetic.step_scores(slips) for slips in arithmetic.all_slips()]
    reward = process.ProcessReward(scheme)
    return reward([world.prompt] * len(world), world.texts, step_scores=scores)


@cache
def _queue(scheme: str) -> tuple[int, ...]:
    """Wrong solutions, the most convincing first; by product where the answer alone is paid."""
    right = arithmetic.arithmetic_world(_SLIP_RATE).feature("reaches") == 1
    scores = _rewards("product" if scheme == "outcome" else scheme)
    return tuple(process.convincing_wrong(scores, right).tolist())


@cache
def _policy(scheme: str) -> tuple[Quantity, ...]:
    """What is written before and after a policy is optimised for the scheme."""
    world = arithmetic.arithmetic_world(_SLIP_RATE)
    after = np.exp(gibbs(world.ref_logprobs, _rewards(scheme), _BETA))
    found = []
    for slug, when, probs in (
        ("before", "at first", world.ref_probs),
        ("after", "after optimising", after),
    ):
        lucky = float(probs @ world.feature("flawed") / (probs @ world.feature("reaches")))
        sound = float(probs @ world.gold)
        found += [
            Quantity(f"lucky_{slug}", f"lucky among right answers {when}", lucky, "share"),
            Quantity(f"sound_{slug}", f"all steps right {when}", sound, "share"),
        ]
    return tuple(found)


def _lengths(scheme: str) -> tuple[Quantity, ...]:
    """Rewards of right solutions of 3 and 30 steps."""
    return tuple(
        Quantity(
            f"score_of_{n}_steps",
            f"reward of {n} right steps",
            1.0 if scheme == "outcome" else process.solution_score(np.full(n, SURE), scheme),
        )
        for n in (3, 30)
    )


def _chart(
    scores: FloatArray, values: FloatArray, soft: FloatArray, scheme: str, outcome: float, step: int
) -> LineChart:
    steps = np.arange(1.0, N_STEPS + 1)
    said, so_far = "outcome reward, the same for every step", np.full(N_STEPS, outcome)
    if scheme != "outcome":
        said = f"{scheme} of the step scores so far"
        parts = (scores[: t + 1] for t in range(N_STEPS))
        so_far = np.array([process.solution_score(part, scheme) for part in parts])
    return LineChart(
        panels=(
            Panel(
                "score and labels of each step",
                (
                    Line("step score", steps, scores),
                    gold_line("exact chance", steps, values),
                    other_line("soft label", steps, soft, "dotted"),
                ),
            ),
            Panel(said, (Line("reward", steps, so_far),), height=90),
        ),
        x_label="step",
        mark=place(step, f"step {step}"),
    )


def _called_good() -> Answer:
    shown = run(rng=np.random.default_rng(0))
    without = run(fixes=0.0, rng=np.random.default_rng(0)).value("exact_value")
    value, good = shown.value("exact_value"), shown.value("called_good")
    return Answer(
        0 if good < 0.2 else (1 if good < 0.5 else 2),
        f"Each completion reaches the answer with a chance of {value:.1%}; {without:.1%} if it "
        "never fixed the error, since a second slip can cancel it. At least one of eight does with "
        f"{good:.0%}, and one is enough.",
    )


def _label_first() -> Answer:
    def believed(places: tuple[int, ...]) -> float:
        """Mean score that the process model gives to the slips of these solutions."""
        chosen = [arithmetic.all_slips()[i] for i in places]
        slipped = [arithmetic.step_scores(slips)[np.array(slips) != 0] for slips in chosen]
        return float(np.concatenate(slipped).mean())

    queue = _queue("product")
    lowest, all_wrong, highest = believed(queue[-10:]), believed(queue), believed(queue[:10])
    ends = ", ".join(str(arithmetic.results(arithmetic.all_slips()[i])[-1]) for i in queue[:5])
    return Answer(
        int(np.argmax([lowest, all_wrong, highest])),
        f"The process model gives a mean score of {highest:.2f} to the slips in the ten wrong "
        f"solutions that it scores highest (they start with those that end at {ends}), "
        f"{all_wrong:.2f} to those in all wrong ones and {lowest:.2f} in the lowest ten: labels "
        "correct it most where it is most wrong.",
    )


def _length() -> Answer:
    shown = run(rng=np.random.default_rng(0))
    short, long = shown.value("score_of_3_steps"), shown.value("score_of_30_steps")
    return Answer(
        0 if short > long + 0.1 else 1,
        f"With {SURE:.0%} for every step, 3 right steps score {short:.2f} and 30 right steps "
        f"{long:.2f}: the product favours short solutions.",
    )


SYSTEM = System(
    row="E15",
    name="process-rewards",
    title="Outcome and process rewards",
    sentence="Rewarding answers pays lucky solutions; labels for steps can mislead.",
    paragraph=(
        "A word problem is solved in five steps, and each may slip. An outcome reward looks only "
        "at the final answer, so that two errors which cancel earn full pay. A process reward "
        "scores every step and combines the scores by product, least or mean. Labels for steps can "
        "be had without people: let a model finish the solution several times and see how often "
        "it arrives. A soft label is that share, a hard label asks for one arrival. A completer "
        "that silently fixes an error, or cancels it by another, makes a wrong step look good."
    ),
    controls=(
        Choice(
            "solution",
            "solution to look at",
            "mistake",
            {
                "mistake": "a mistake at step 3",
                "lucky": "the same, then an error that cancels it",
                "right": "every step right",
                "convincing": "wrong, with the highest score: the first to have labelled",
            },
        ),
        Choice(
            "scheme",
            "reward",
            "product",
            {
                "outcome": "the final answer only",
                "product": "product of step scores",
                "min": "least step score",
                "mean": "mean step score",
            },
        ),
        Slider("step", "step", 3, 1, N_STEPS, step=1, whole=True, plays=True),
        Slider("rollouts", "completions from each step", 8, 1, 64, step=1, whole=True),
        Slider("fixes", "chance that the completer fixes an error", 0.08, 0.0, 0.5, step=0.01),
    ),
    run=run,
    questions=(
        Question(
            "From a wrong step a completion reaches the answer one time in eight. How often does "
            "a hard label by eight completions call the step good?",
            ("Hardly ever", "One time in eight to one in two", "More often than not"),
            _called_good,
        ),
        Question(
            "Two solutions are right throughout, one in 3 steps, one in 30. Which has the higher "
            "product of step scores?",
            ("The short one", "They score the same"),
            _length,
        ),
        Question(
            "People can label ten wrong solutions. In which is the process model most mistaken?",
            ("The ten it scores lowest", "Ten at random", "The ten it scores highest"),
            _label_first,
        ),
    ),
    sources=(
        "Lightman et al. (2023), arXiv:2305.20050",
        "Uesato et al. (2022), arXiv:2211.14275",
        "Wang et al. (2023), arXiv:2312.08935",
        "Zhang et al. (2025), arXiv:2501.07301",
    ),
)
