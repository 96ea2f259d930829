"""A3, label and fit: six weights learned from comparisons, beside the rubric."""

from __future__ import annotations

import numpy as np

from rewardlab.experiments.lab_reward import (
    HeldOut,
    fit_reward,
    held_out_accuracy,
    weight_intervals,
)
from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.plots.text import listed, number
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table
from rewardlab.systems.lab_controls import THUMBS, labellers, rater_choice
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import FEATURE_NAMES, features, lab_world, rubric_points
from rewardlab.worlds.lab_raters import Rater, draw_comparisons, rater_utility

_NAMES = ("correctness", *FEATURE_NAMES[1:])
"""The features in words."""


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
    return Result(
        sentence=_sentence(n_labels, labellers(rater, thumbs_weight), held, weights, rubric),
        quantities=(
            *(
                Quantity(f"weight_{slug}", f"learned weight of {name}", w, low=a, high=b)
                for slug, name, w, a, b in zip(
                    FEATURE_NAMES,
                    _NAMES,
                    weights.tolist(),
                    low.tolist(),
                    high.tolist(),
                    strict=True,
                )
            ),
            Quantity.of("accuracy", "held-out comparisons foretold", held.accuracy),
            Quantity("held_out", "comparisons held back", held.n),
            Quantity("fitted", "comparisons fitted", n_labels - held.n),
            Quantity("against", "weights of the opposite sign to the rubric", against),
        ),
        chart=BarChart(
            bars=tuple(
                bar
                for name, w, a, b, points in zip(_NAMES, weights, low, high, rubric, strict=True)
                for bar in (
                    Bar("learned", float(w), float(a), float(b), group=name),
                    Bar("rubric", float(points), tone="gold", group=name),
                )
            ),
            x_label="points from none of it to all of it",
        ),
        table=column_table(
            {"feature": _NAMES, "learned": weights, "low": low, "high": high, "rubric": rubric}
        ),
    )


def _rubric_spans() -> FloatArray:
    """Shape [6]; the rubric's points for all of a feature less those for none of it."""
    points, scaled = rubric_points(), features()
    spans = [points[scaled[:, j] == 1, j][0] - points[scaled[:, j] == 0, j][0] for j in range(6)]
    return np.array(spans)


def _sentence(
    n_labels: int, who: str, held: HeldOut, weights: FloatArray, rubric: FloatArray
) -> str:
    told = (
        f"the reward foretells {held.accuracy.value:.0%} of the {held.n} held back"
        if held.n
        else "nothing is held back to test the reward"
    )
    labels = f"{n_labels:,} label{'s' * (n_labels > 1)}"
    return f"After {labels} by {who} {told}; {_signs(weights, rubric)}."


def _signs(weights: FloatArray, rubric: FloatArray) -> str:
    said = []
    for verb, sign in (("rewards", 1), ("punishes", -1)):
        wrong = (sign * weights > 0) & (sign * rubric < 0)
        if wrong.any():
            said.append(f"{verb} {listed([_NAMES[i] for i in np.flatnonzero(wrong)])}")
    if not said:
        return "no weight has the opposite sign to the rubric's"
    return f"against the rubric it {' and it '.join(said)}"


def _more_labels() -> Answer:
    few, many = (run(n_labels=n, rng=np.random.default_rng(0)) for n in (100, 1000))
    before, after = few.value("weight_length"), many.value("weight_length")
    return Answer(
        0 if after < before - 0.3 else 1 if after < before + 0.3 else 2,
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
        rater_choice("hurried"),
        THUMBS,
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
