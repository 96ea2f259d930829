"""E15, process rewards: one reward for the answer, or one for every step."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Mark, Panel
from rewardlab.policies.closed_form import gibbs
from rewardlab.rewards.process import (
    ProcessReward,
    Scheme,
    convincing_wrong,
    hard_label_chance,
    hard_labels,
    soft_labels,
    solution_score,
)
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.types import FloatArray
from rewardlab.worlds.arithmetic import (
    ANSWER,
    LUCKY,
    MISTAKE,
    N_STEPS,
    RIGHT,
    SURE,
    Slips,
    all_slips,
    arithmetic_world,
    completions,
    results,
    step_scores,
    step_texts,
)

_SLIP_RATE, _BETA = 0.2, 0.1
_SCHEMES: dict[str, Scheme] = {"product": "product", "min": "min", "mean": "mean"}
_FIRST: dict[str, Slips] = {"mistake": MISTAKE, "lucky": LUCKY, "right": RIGHT}
_SAID = {
    "mistake": "The solution with a mistake at step 3",
    "lucky": "The lucky solution",
    "right": "The right solution",
    "convincing": "The most convincing wrong solution",
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
    slips = _chosen(solution, scheme)
    scores, final = step_scores(slips), results(slips)[-1]
    ways = [completions(slips, t, slip_rate=_SLIP_RATE, fixes=fixes) for t in range(1, N_STEPS + 1)]
    hits = np.array([int(rng.choice(w.reaches, rollouts, p=w.probability).sum()) for w in ways])
    values, soft = np.array([w.value for w in ways]), soft_labels(hits, rollouts)
    good = hard_labels(hits, rollouts)
    outcome = float(final == ANSWER)
    here = step - 1
    convincing = float(_rewards(scheme)[_queue(scheme)[0]])
    quantities = (
        Quantity("final_answer", "final answer of this solution", float(final)),
        Quantity("right_answer", "right answer", float(ANSWER)),
        Quantity("outcome", "outcome reward", outcome),
        *(
            Quantity(name, f"process reward by {name}", solution_score(scores, kind))
            for name, kind in _SCHEMES.items()
        ),
        Quantity("step_is_right", f"1 if step {step} is right", float(not slips[here])),
        Quantity("soft_label", f"soft label of step {step}", float(soft[here]), "share"),
        Quantity("hard_label", f"hard label of step {step}", float(good[here])),
        Quantity(
            "exact_value", f"exact chance of {ANSWER} from there", float(values[here]), "share"
        ),
        Quantity(
            "called_good",
            "how often a hard label calls it good",
            hard_label_chance(float(values[here]), rollouts),
            "share",
        ),
        *_policy_quantities(scheme),
        Quantity("convincing", "score of the most convincing wrong solution", convincing),
        *(
            Quantity(
                f"score_of_{n}_steps", f"score of {n} right steps", _score(np.full(n, SURE), scheme)
            )
            for n in (3, 30)
        ),
    )
    rows = zip(
        step_texts(slips), slips, scores.tolist(), values.tolist(), soft.tolist(), strict=True
    )
    return Result(
        sentence=(
            f"{_SAID[solution]} ends at {final}, and {ANSWER} is right: outcome reward {outcome:g}"
            f"{_by(scores, scheme)}. Completed from step {step}, which is "
            f"{'wrong' if slips[here] else 'right'}, it reaches {ANSWER} in {hits[here]} of "
            f"{rollouts} tries: a hard label calls the step {'good' if good[here] else 'bad'}. "
            f"The exact chance is {values[here]:.1%}."
        ),
        quantities=quantities,
        chart=_chart(scores, values, soft, scheme, outcome, step),
        table=Table(
            ("step", "written", "right", "step score", f"exact chance of {ANSWER}", "soft label"),
            tuple(
                (t, text, not slip, *rest) for t, (text, slip, *rest) in enumerate(rows, start=1)
            ),
        ),
    )


def _by(scores: FloatArray, scheme: str) -> str:
    if scheme == "outcome":
        return ""
    return f", process reward by {scheme} {_score(scores, scheme):.2f}"


def _chosen(solution: str, scheme: str) -> Slips:
    if solution != "convincing":
        return _FIRST[solution]
    return all_slips()[_queue("product" if scheme == "outcome" else scheme)[0]]


@cache
def _queue(scheme: str) -> tuple[int, ...]:
    right = arithmetic_world(_SLIP_RATE).feature("reaches") == 1
    return tuple(convincing_wrong(_rewards(scheme), right).tolist())


@cache
def _rewards(scheme: str) -> FloatArray:
    """Each of the 243 solutions' reward."""
    world = arithmetic_world(_SLIP_RATE)
    if scheme == "outcome":
        return world.feature("reaches")
    scores = [step_scores(slips) for slips in all_slips()]
    reward = ProcessReward(_SCHEMES[scheme])
    return reward([world.prompt] * len(world), world.texts, step_scores=scores)


@cache
def _policy_quantities(scheme: str) -> tuple[Quantity, ...]:
    """What the policy writes before and after it is optimised for the scheme."""
    world = arithmetic_world(_SLIP_RATE)
    flawed, sound = world.feature("flawed"), world.gold
    before = world.ref_probs
    after = np.exp(gibbs(world.ref_logprobs, _rewards(scheme), _BETA))

    def lucky(policy: FloatArray) -> float:
        return float(policy @ flawed / (policy @ world.feature("reaches")))

    return (
        Quantity("lucky_before", "lucky among right answers at first", lucky(before), "share"),
        Quantity("lucky_after", "lucky among them after optimising", lucky(after), "share"),
        Quantity("sound_before", "all steps right at first", float(before @ sound), "share"),
        Quantity("sound_after", "all steps right after optimising", float(after @ sound), "share"),
    )


def _score(scores: FloatArray, scheme: str, outcome: float = 1.0) -> float:
    return outcome if scheme == "outcome" else solution_score(scores, _SCHEMES[scheme])


def _chart(
    scores: FloatArray,
    values: FloatArray,
    soft: FloatArray,
    scheme: str,
    outcome: float,
    step: int,
) -> LineChart:
    steps = np.arange(1.0, N_STEPS + 1)
    if scheme == "outcome":
        so_far, said = np.full(N_STEPS, outcome), "outcome reward, the same for every step"
    else:
        so_far = np.array([_score(scores[:t], scheme) for t in range(1, N_STEPS + 1)])
        said = f"{scheme} of the step scores so far"
    return LineChart(
        panels=(
            Panel(
                "of each step",
                (
                    Line("step score", steps, scores),
                    Line("exact chance", steps, values, tone="gold", stroke="dashed"),
                    Line("soft label", steps, soft, tone="other", stroke="dotted"),
                ),
            ),
            Panel(said, (Line("reward", steps, so_far),), height=90),
        ),
        x_label="step",
        mark=Mark(float(step), math.nan, math.nan, f"step {step}"),
    )


def _called_good() -> Answer:
    shown = run(rng=np.random.default_rng(0))
    value, good = shown.value("exact_value"), shown.value("called_good")
    return Answer(
        0 if good < 0.2 else (1 if good < 0.5 else 2),
        f"Each completion reaches the answer with a chance of {value:.1%}, mostly by silently "
        f"fixing the error; at least one of eight does with {good:.0%}, and one is enough.",
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
    sentence="Rewarding answers pays lucky solutions; rewarding steps needs labels, which can mislead.",
    paragraph=(
        "A word problem is solved in five steps, and each may slip. An outcome reward looks only "
        "at the final answer, so that two errors which cancel earn full pay. A process reward "
        "scores every step and combines the scores by product, least or mean. Labels for steps can "
        "be had without people: let a model finish the solution several times and see how often "
        "it arrives. A soft label is that share, a hard label asks for one arrival. A completer "
        "that silently fixes an error makes a wrong step look good."
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
    ),
    sources=(
        "Lightman et al. (2023), arXiv:2305.20050",
        "Uesato et al. (2022), arXiv:2211.14275",
        "Wang et al. (2023), arXiv:2312.08935",
        "Zhang et al. (2025), arXiv:2501.07301",
    ),
)
