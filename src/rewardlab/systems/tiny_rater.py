"""D2, the tiny rater: what a reward model of three features learns from five choices."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.rewards.linear import fit
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table
from rewardlab.types import FloatArray
from rewardlab.worlds.tiny_rater import CANDIDATES, FEATURES, PAIRS, chosen_differences

_L2 = 0.1
_LABELS = ("correct", "length, for each 100 words", "praise")
_RATERS = {
    "careful": "careful: correct first, then plain, then short",
    "likes_long": "likes the longer answer",
    "likes_praise": "likes to be praised",
}
_NAMES = tuple(CANDIDATES)


def run(rater: str = "careful", answered: int = 5) -> Result:
    """Weights fitted to a rater's choices, and the unseen answer that they rank first.

    Args:
        rater: Who chose.
        answered: How many of the pairs were answered.
    """
    weights = fit(chosen_differences(rater, answered), np.ones(answered), l2=_L2).weights
    rewards = np.array([reply.features @ weights for reply in CANDIDATES.values()])
    favourite = int(np.argmax(rewards))
    chances = expit(chosen_differences(rater, len(PAIRS)) @ weights)
    firm, mild = chances[1:3].tolist()
    return Result(
        sentence=_sentence(answered, weights, _NAMES[favourite]),
        quantities=(
            *(
                Quantity(f"weight_{name}", f"weight of {label}", float(w), "logits")
                for name, label, w in zip(FEATURES, _LABELS, weights, strict=True)
            ),
            *(
                Quantity(
                    f"prefers_{name.replace(' ', '_')}",
                    f"its favourite is {name}",
                    float(i == favourite),
                    YES_NO,
                )
                for i, name in enumerate(_NAMES)
            ),
            Quantity(
                "correct_plus_praise",
                "weights of correct and praise added",
                float(weights[0] + weights[2]),
                "logits",
            ),
            Quantity("firm_chance", "how sure it is of pair 2 (right or wrong)", firm, "share"),
            Quantity("mild_chance", "how sure it is of pair 3 (short or long)", mild, "share"),
            Quantity("intensity_kept", "how much surer of 2 than of 3", firm - mild),
        ),
        chart=BarChart(
            bars=(
                *(
                    Bar(label, float(w), tone="other", group="learned weights")
                    for label, w in zip(_LABELS, weights, strict=True)
                ),
                *(
                    Bar(name, float(r), group="reward of three new answers")
                    for name, r in zip(_NAMES, rewards, strict=True)
                ),
            ),
            x_label="logits",
        ),
        table=column_table(
            {
                "pair": range(1, len(PAIRS) + 1),
                "question": [prompt for prompt, *_ in PAIRS],
                "answered": [i < answered for i in range(len(PAIRS))],
                "it expects this choice": chances,
            }
        ),
    )


def _sentence(answered: int, weights: FloatArray, favourite: str) -> str:
    correct, length, praise = np.round(weights, 1) + 0.0  # No minus before a zero.
    return (
        f"After {answered} choice{'s' * (answered > 1)} the reward model gives {correct:+.1f} for "
        f"being correct, {length:+.1f} for each 100 words and {praise:+.1f} for praise; of three "
        f"new answers it ranks {favourite} first."
    )


def _never_cared() -> Answer:
    praise = run("likes_long").value("weight_praise")
    return Answer(
        0 if praise > 0.1 else 1 if praise >= -0.1 else 2,
        f"Praise gets {praise:+.1f}. In pair 4 the longer answer is longer only because it opens "
        "with praise, and the model cannot know which of the two was liked.",
    )


def _mildly() -> Answer:
    careful = run()
    firm, mild = careful.value("firm_chance"), careful.value("mild_chance")
    return Answer(
        0 if mild < firm - 0.1 else 1,
        f"It is {mild:.0%} sure of the shorter answer and {firm:.0%} sure of the right one: a "
        "choice tells which answer won, never by how much.",
    )


SYSTEM = System(
    row="D2",
    name="tiny-rater",
    title="The tiny rater",
    sentence="A reward model learns a rater's choices, not the intentions behind them.",
    paragraph=(
        "A rater picks the better of two answers, five times. The reward model sees three things "
        "of an answer: whether it is correct, how long it is, and whether it praises. It learns a "
        "weight for each by fitting Bradley-Terry to the choices, with a small penalty on large "
        "weights. Then it judges three new answers: a fix, 240 words that never find the fault, "
        "and a flattering denial. What went together in the pairs it cannot tell apart, and how "
        "strongly the rater felt it never learns."
    ),
    controls=(
        Choice("rater", "who chooses", "careful", _RATERS),
        Slider("answered", "pairs answered", 5, 1, len(PAIRS), step=1, whole=True, plays=True),
    ),
    run=run,
    questions=(
        Question(
            "One rater only ever picks the longer answer. Which weight does praise get?",
            ("A positive one", "None", "A negative one"),
            _never_cared,
        ),
        Question(
            "The careful rater minds a wrong answer much more than a long one. Is the reward "
            "model less sure of the shorter answer than of the right one?",
            ("Much less sure", "About as sure"),
            _mildly,
        ),
    ),
    sources=(
        "Bradley and Terry (1952), Biometrika 39:324",
        "Sharma et al. (2023), arXiv:2310.13548",
    ),
)
