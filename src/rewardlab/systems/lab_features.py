"""The lab's features in words: their names, what each grade of them is called, what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.worlds.lab import grades, rubric_points
from rewardlab.worlds.lab_texts import LENGTHS


@dataclass(frozen=True, slots=True)
class FeatureWords:
    """One feature.

    Attributes:
        name: As in ``lab.FEATURE_NAMES``.
        label: In a word or two.
        about: What it measures.
        levels: What each grade is called, from 0.
    """

    name: str
    label: str
    about: str
    levels: tuple[str, ...]


FEATURES = (
    FeatureWords("correct", "correct", "whether the answer is right", ("wrong", "right")),
    FeatureWords(
        "length",
        "length",
        "how many words it has, about 30 to 450",
        tuple(f"{n} words" for n in LENGTHS),
    ),
    FeatureWords("warmth", "warmth", "how friendly it is", ("cool", "friendly", "very friendly")),
    FeatureWords(
        "confidence", "confidence", "how sure it sounds", ("unsure", "plain", "very sure")
    ),
    FeatureWords("bullets", "bullet points", "whether it is a list", ("none", "a list")),
    FeatureWords(
        "flattery", "flattery", "whether it compliments the reader", ("none", "flattering")
    ),
)
"""In the order of ``lab.FEATURE_NAMES``."""

LABELS = tuple(feature.label for feature in FEATURES)


@dataclass(frozen=True, slots=True)
class LevelPoints:
    """What the rubric gives for one grade of a feature.

    Attributes:
        label: The grade in words.
        points: The rubric's points.
    """

    label: str
    points: float


def levels_of(answer: int) -> dict[str, str]:
    """Each feature of an answer in words, by the feature's name."""
    return {
        feature.name: feature.levels[grade]
        for feature, grade in zip(FEATURES, grades()[answer].tolist(), strict=True)
    }


def rubric_rows() -> dict[str, tuple[LevelPoints, ...]]:
    """The hidden rubric: the points for each grade of each feature, by the feature's name."""
    rows = {}
    for column, feature in enumerate(FEATURES):
        first = [int(np.argmax(grades()[:, column] == g)) for g in range(len(feature.levels))]
        rows[feature.name] = tuple(
            LevelPoints(label, float(rubric_points()[answer, column]))
            for label, answer in zip(feature.levels, first, strict=True)
        )
    return rows
