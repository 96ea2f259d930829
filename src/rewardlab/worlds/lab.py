"""The lab's world: 576 answers to a question, made of six features, judged by a hidden rubric.

Correct or not, one of 8 lengths, 3 grades of warmth and of confidence, bullet points or none,
flattery or none: 2 x 8 x 3 x 3 x 2 x 2. A rubric of points is the gold; a linear reward over the
six features cannot hold it, because length helps up to about 150 words and then hurts. The
reference policy mostly writes short answers, so that what it writes says little of long ones.

The source names the features, the shortest and longest answer, and where length turns. The points
and the reference's probabilities are ours: being right counts most, and the mean answer has some
90 words.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import TypeVar

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab_prompts import PROMPTS
from rewardlab.worlds.lab_texts import LENGTHS, LabTexts

Numbers = TypeVar("Numbers", FloatArray, IntArray)

FEATURE_NAMES = ("correct", "length", "warmth", "confidence", "bullets", "flattery")
LEVELS = (2, len(LENGTHS), 3, 3, 2, 2)
"""How many grades each feature has; answer i has the i-th combination, the last running fastest."""

BEST_LENGTH = 150.0
_LENGTH_SCALE = 120.0
_CORRECT, _WARMTH, _BULLETS, _FLATTERY = 4.0, 0.4, 0.2, -0.8
_CONFIDENCE = np.array([0.0, 0.3, -0.5])
"""Points for hedged, plain and emphatic: it pays to be plain and costs to be too sure."""

_REFERENCE = (
    (0.5, 0.5),
    (0.4, 0.35, 0.15, 0.06, 0.02, 0.01, 0.006, 0.004),
    (0.5, 0.35, 0.15),
    (0.25, 0.6, 0.15),
    (0.8, 0.2),
    (0.9, 0.1),
)
"""Probability of each grade of each feature, which the reference policy picks independently."""


@cache
def grades() -> IntArray:
    """Shape [576, 6]; each answer's grades, from 0."""
    return _fixed(np.array(list(itertools.product(*(range(n) for n in LEVELS)))))


@cache
def features() -> FloatArray:
    """Shape [576, 6]; each answer's features scaled to [0, 1], as a reward sees them."""
    return _fixed(grades() / (np.array(LEVELS) - 1.0))


@cache
def word_counts() -> FloatArray:
    """Shape [576]; about how many words each answer has."""
    return _fixed(np.array(LENGTHS, dtype=np.float64)[grades()[:, 1]])


@cache
def rubric_points(best_length: float = BEST_LENGTH) -> FloatArray:
    """Shape [576, 6]; the rubric's points for each feature of each answer.

    Args:
        best_length: Up to how many words length helps.
    """
    correct, _, warmth, _, bullets, flattery = features().T
    length = 1 - ((word_counts() - best_length) / _LENGTH_SCALE) ** 2
    return _fixed(
        np.column_stack(
            [
                _CORRECT * correct,
                length,
                _WARMTH * warmth,
                _CONFIDENCE[grades()[:, 3]],
                _BULLETS * bullets,
                _FLATTERY * flattery,
            ]
        )
    )


@cache
def _reference() -> FloatArray:
    chosen = [np.array(p)[grades()[:, j]] for j, p in enumerate(_REFERENCE)]
    probability = np.prod(chosen, axis=0)
    return _fixed(np.log(probability / probability.sum()))


def lab_world(prompt: str = "coding", *, best_length: float = BEST_LENGTH) -> AnswerSet:
    """The 576 answers to one prompt; only the texts differ from prompt to prompt.

    Args:
        prompt: A subject of ``lab_prompts.PROMPTS``.
        best_length: Up to how many words length helps.

    Raises:
        InputError: There is no such subject.
    """
    if prompt not in PROMPTS:
        raise InputError(f"prompt: expected one of {', '.join(PROMPTS)}, got {prompt!r}")
    return AnswerSet(
        prompt=PROMPTS[prompt].question,
        texts=LabTexts(PROMPTS[prompt], grades()),
        features=features(),
        feature_names=FEATURE_NAMES,
        ref_logprobs=_reference(),
        gold=rubric_points(best_length).sum(axis=1),
    )


def _fixed(values: Numbers) -> Numbers:
    """The same array, read-only: it is shared by all worlds."""
    values.setflags(write=False)
    return values
