"""A3, label and fit: six weights learned from comparisons, beside the rubric."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.plots.text import number
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import FEATURE_NAMES, features, lab_world, rubric_points
from rewardlab.worlds.lab_raters import Rater, draw_comparisons, rater_utility
from rewardlab.worlds.lab_reward import HeldOut, fit_reward, held_out_accuracy, weight_intervals


def run(
    n_labels: int = 100,
    rater: Rater = "hurried",
    thumbs_weight: float = 0.0,
    *,
    rng: np.random.Generator,
) -> Result:
    """Label pairs of the reference's answers, and learn the weight of each feature.

    Args:
        n_labels: Comparisons; every fifth is held back.
        rater: Whose taste the labels follow.
        thumbs_weight: Weight of the thumbs-up signal in that taste.
        rng: Source of randomness.
    """
    world = lab_world()
    utility = rater_utility(world, rater, thumbs_weight=thumbs_weight)
    comparisons = draw_comparisons(utility, world.ref_logprobs, n_labels, rng=rng)
    weights = fit_reward(world, comparisons).weights
    low, high = weight_intervals(world, comparisons)
    held = held_out_accuracy(world, comparisons, weights)
    rubric = _rubric_spans()
    against = int((weights * rubric < 0).sum())
    quantities = (
        *(
            Quantity(
                f"weight_{name}",
                f"learned weight of {name}",
                float(weights[j]),
                low=float(low[j]),
                high=float(high[j]),
            )
            for j, name in enumerate(FEATURE_NAMES)
        ),
        Quantity(
            "accuracy",
            "held-out comparisons foretold",
            held.accuracy.value,
            "share",
            held.accuracy.low,
            held.accuracy.high,
        ),
        Quantity("held_out", "comparisons held back", held.n),
        Quantity("fitted", "comparisons fitted", n_labels - held.n),
        Quantity("against", "weights of the opposite sign to the rubric", against),
    )
    return Result(
        sentence=_sentence(n_labels, rater, held, weights, rubric),
        quantities=quantities,
        chart=BarChart(
            bars=tuple(
                bar
                for j, name in enumerate(FEATURE_NAMES)
                for bar in (
                    Bar(
                        "learned",
                        float(weights[j]),
                        float(low[j]),
                        float(high[j]),
                        group=name,
                    ),
                    Bar("rubric", float(rubric[j]), tone="gold", group=name),
                )
            ),
            x_label="points from none of it to all of it",
        ),
        table=Table(
            ("feature", "learned", "low", "high", "rubric"),
            tuple(
                (name, *(None if np.isnan(v) else float(v) for v in row))
                for name, *row in zip(FEATURE_NAMES, weights, low, high, rubric, strict=True)
            ),
        ),
    )


def _rubric_spans() -> FloatArray:
    """Shape [6]; the rubric's points for all of a feature less those for none of it."""
    points, scaled = rubric_points(), features()
    spans = [points[scaled[:, j] == 1, j][0] - points[scaled[:, j] == 0, j][0] for j in range(6)]
    return np.array(spans)


def _sentence(
    n_labels: int, rater: str, held: HeldOut, weights: FloatArray, rubric: FloatArray
) -> str:
    told = (
        f"the reward foretells {held.accuracy.value:.0%} of the {held.n} held back"
        if held.n
        else "nothing is held back to test the reward"
    )
    labels = f"{n_labels} label{'s' * (n_labels > 1)}"
    return f"After {labels} by the {rater} rater {told}; {_signs(weights, rubric)}."


def _signs(weights: FloatArray, rubric: FloatArray) -> str:
    said = []
    for verb, sign in (("rewards", 1), ("punishes", -1)):
        wrong = (sign * weights > 0) & (sign * rubric < 0)
        if wrong.any():
            named = " and ".join(name for name, w in zip(FEATURE_NAMES, wrong, strict=True) if w)
            said.append(f"{verb} {named}")
    if not said:
        return "every weight has the sign of the rubric's points"
    return f"it {' and '.join(said)}, against the rubric"


def _more_labels() -> Answer:
    few, many = (run(n_labels=n, rng=np.random.default_rng(0)) for n in (100, 1000))
    before, after = few.value("weight_length"), many.value("weight_length")
    choice = 0 if after < before - 0.3 else (1 if after < before + 0.3 else 2)
    return Answer(
        choice,
        f"The weight of length goes from {number(before)} to {number(after)}, where the rubric "
        f"gives {number(float(_rubric_spans()[1]))} from 30 to 450 words: more labels teach the "
        "rater's taste, bias included.",
    )


SYSTEM = System(
    row="A3",
    name="label-and-fit",
    title="Label and fit",
    sentence="A reward with six weights is learned from comparisons, biases of the rater included.",
    paragraph=(
        "The reward of an answer is a weighted sum of its six features, each from 0 to 1. The "
        "weights make the comparisons that were seen as likely as possible, where the chance that "
        "one answer is preferred is a logistic function of the difference in reward (the "
        "Bradley-Terry model). A small penalty keeps them finite. The intervals are those of a "
        "fit without it: with few labels they are wide, and missing where the labels can be told "
        "apart perfectly. Every fifth comparison is held back and foretold. A straight line "
        "cannot hold a rubric that likes length up to 150 words and then dislikes it."
    ),
    controls=(
        Slider("n_labels", "comparisons", 100, 1, 1000, log=True, whole=True, plays=True),
        Choice(
            "rater",
            "rater",
            "hurried",
            {"hurried": "hurried: also length, tone, flattery", "careful": "careful: the rubric"},
        ),
        Slider("thumbs_weight", "weight of thumbs-up", 0.0, 0.0, 1.0, step=0.05),
    ),
    run=run,
    questions=(
        Question(
            "The hurried rater labels 1,000 pairs and not 100. What becomes of length's weight?",
            ("It moves towards the rubric", "It stays about the same", "It moves further away"),
            _more_labels,
        ),
    ),
    sources=("Bradley and Terry (1952)", "Singhal et al. (2023), arXiv:2310.03716"),
)
