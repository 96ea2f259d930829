"""A2, the raters: whose taste is learned, and whose answers they see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import numpy as np

from rewardlab.experiments.feedback_loop import Feedback, LoopRound, feedback_rounds, right_labels
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel, Stroke, Tone
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import row_table
from rewardlab.systems.lab_controls import THUMBS, labellers, rater_choice
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world, word_counts
from rewardlab.worlds.lab_raters import Rater, rater_utility

Sampling = Literal["current", "reference"]
_WAYS = ("current", "reference")


def run(
    rater: Rater = "careful",
    sampling: Sampling = "current",
    thumbs_weight: float = 0.0,
    n_labels: int = 25,
    refreshes: int = 5,
    beta: float = 0.1,
    n_seeds: int = 20,
    *,
    rng: np.random.Generator,
) -> Result:
    """True quality after each round of labels, with labels on fresh and on old answers.

    Args:
        rater: Whose taste the labels follow.
        sampling: Whose answers are compared after the first round, in the figures.
        thumbs_weight: Weight of the thumbs-up signal in that taste.
        n_labels: Comparisons a round.
        refreshes: Rounds after the first.
        beta: Price of a nat of KL in each round's optimum.
        n_seeds: Runs, of which medians are shown.
        rng: Source of randomness.
    """
    world = lab_world()
    utility = rater_utility(world, rater, thumbs_weight=thumbs_weight)
    seeds = rng.integers(2**32, size=n_seeds)
    runs = {
        way: [
            feedback_rounds(
                world,
                Feedback(utility, fresh=way == "current"),
                n_rounds=refreshes + 1,
                n_labels=n_labels,
                beta=beta,
                rng=np.random.default_rng(seed),
            )
            for seed in seeds
        ]
        for way in _WAYS
    }
    gold = {way: _per_round(made, _quality) for way, made in runs.items()}
    words = {way: _per_round(made, _words) for way, made in runs.items()}
    own = gold[sampling]
    ahead = gold["current"][:, -1] - gold["reference"][:, -1]
    first = runs[sampling][0][-1].so_far
    agree = float(np.mean([right_labels(world, one[0].new) for one in runs[sampling]]))
    start, lead = float(world.ref_probs @ world.gold), float(np.median(ahead))
    gain = float(np.median(own[:, -1] - own[:, 0]))
    made = n_labels * np.arange(1.0, refreshes + 2)
    return Result(
        sentence=_sentence(labellers(rater, thumbs_weight), sampling, len(first), _mid(own), lead),
        quantities=(
            Quantity("words", "mean words of the answers compared last", _mid(words[sampling])[-1]),
            Quantity("labels", "comparisons made in a run", len(first)),
            Quantity("held_out", "of them held back", int(first.held_out.sum())),
            Quantity("agreement", "first labels that agree with the rubric", agree, "share"),
            Quantity("start_quality", "true quality before", start),
            Quantity("first_quality", "true quality after the first round", _mid(own)[0]),
            Quantity("final_quality", "true quality after the last", _mid(own)[-1]),
            Quantity("gain", "gain in a run since its first round", gain),
            Quantity(
                "refresh_gain",
                "lead over as many labels on old answers (and the middle half of the runs)",
                lead,
                low=float(np.quantile(ahead, 0.25)),
                high=float(np.quantile(ahead, 0.75)),
            ),
            Quantity(
                "leads", "runs in which fresh answers lead", float((ahead > 0).mean()), "share"
            ),
        ),
        chart=LineChart(
            panels=(
                Panel("true quality, median", _lines(made, gold, band=sampling)),
                Panel("words of the answers compared, median", _lines(made, words), height=90),
            ),
            x_label="comparisons made",
        ),
        table=row_table(
            ("comparisons", "fresh: quality", "fresh: words", "old: quality", "old: words"),
            zip(made, *(_mid(v[way]) for way in _WAYS for v in (gold, words)), strict=True),
        ),
    )


def _mid(values: FloatArray) -> FloatArray:
    """The median over runs, round by round."""
    return cast(FloatArray, np.median(values, axis=0))


def _per_round(
    runs: list[tuple[LoopRound, ...]], figure: Callable[[LoopRound], float]
) -> FloatArray:
    """A figure of each round of each run, shape [runs, rounds]."""
    return np.array([[figure(one) for one in made] for made in runs])


def _quality(after: LoopRound) -> float:
    return float(np.exp(after.policy) @ lab_world().gold)


def _words(after: LoopRound) -> float:
    """Mean number of words of the answers that were compared."""
    return float(word_counts()[after.new.pairs].mean())


def _lines(
    made: FloatArray, values: dict[str, FloatArray], band: str | None = None
) -> tuple[Line, ...]:
    """The median of both ways over the rounds, one of them with its middle half as a band."""
    lines = []
    for way, v in values.items():
        low, high = np.quantile(v, (0.25, 0.75), axis=0) if way == band else (None, None)
        fresh = way == "current"
        label = "fresh answers" if fresh else "old answers"
        tone: Tone = "gold" if fresh else "other"
        stroke: Stroke = "solid" if fresh else "dashed"
        lines.append(Line(label, made, _mid(v), low, high, tone, stroke))
    return tuple(lines)


def _sentence(who: str, sampling: str, n: int, quality: FloatArray, lead: float) -> str:
    first, last = f"{quality[0]:.2f}", f"{quality[-1]:.2f}"
    if len(quality) == 1:
        return (
            f"After one round of {n} labels by {who} true quality is {last} (median); no round has "
            "compared fresh answers yet."
        )
    how = "the current model" if sampling == "current" else "the reference"
    moved = "rises" if quality[-1] > quality[0] else "falls"
    went = f"stays at {last}" if first == last else f"{moved} from {first} to {last}"
    ahead = f"{abs(lead):.2f} points {'above' if lead > 0 else 'below'} where" * (
        abs(lead) >= 0.005
    )
    return (
        f"With {n} labels by {who}, after the first round on answers of {how}, true quality "
        f"{went}; fresh answers end {ahead or 'where'} as many labels on the reference's "
        "end (medians)."
    )


def _hurried() -> Answer:
    quality = {
        rater: run(rater=rater, rng=np.random.default_rng(0)) for rater in ("careful", "hurried")
    }
    hurried, careful = (quality[r].value("final_quality") for r in ("hurried", "careful"))
    start = quality["hurried"].value("start_quality")
    return Answer(
        0 if hurried > careful - 0.1 else 1 if hurried > start else 2,
        f"The hurried rater's model ends at {hurried:.2f}, the careful one's at {careful:.2f}; "
        f"both began at {start:.2f}. Of the hurried rater's first labels "
        f"{quality['hurried'].value('agreement'):.0%} agree with the rubric.",
    )


SYSTEM = System(
    row="A2",
    name="raters",
    title="The raters",
    sentence="What is learned depends on who compares the answers, and on whose answers they see.",
    paragraph=(
        "A rater sees two answers and says which is better, with some noise. The careful one goes "
        "by the rubric. The hurried one also likes length, a confident tone and compliments. A "
        "signal of users' thumbs-up can be mixed in. Every fifth comparison is held back to test "
        "the reward learned from the others. At first the answers come from the reference, which "
        "rarely writes long ones, so the labels say little about them. After each round the model "
        "is optimised and can write the next answers to compare: what it overdoes is then seen."
    ),
    controls=(
        rater_choice("careful"),
        Choice(
            "sampling",
            "answers compared after the first round",
            "current",
            {"current": "the current model's", "reference": "the reference's"},
        ),
        THUMBS,
        Slider("n_labels", "comparisons a round", 25, 5, 100, whole=True),
        Slider("refreshes", "rounds after the first", 5, 0, 8, whole=True, plays=True),
        Slider("beta", "beta, the price of a nat of KL", 0.1, 0.05, 2.0, log=True),
        Slider("n_seeds", "runs", 20, 1, 20, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "The hurried rater takes over, and also compares fresh answers. Where does true "
            "quality end?",
            (
                "About where the careful rater's model ends",
                "Below the careful rater's model, above the start",
                "Below the start",
            ),
            _hurried,
        ),
    ),
    sources=(
        "Bai et al. (2022), arXiv:2204.05862",
        "Sharma et al. (2023), arXiv:2310.13548",
        "Singhal et al. (2023), arXiv:2310.03716",
    ),
)
