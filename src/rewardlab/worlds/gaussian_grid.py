"""A grid of answers with two traits, length and substance, and a goal that punishes padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet, normalised

LENGTH, SUBSTANCE = "length", "substance"
PROMPT = "Explain how the moon causes the tides."
REACH = 6.0
POINTS = 241


class TraitTexts(Sequence[str]):
    """A text for each answer, written only when it is read: a grid has tens of thousands.

    Args:
        traits: Shape [n, 2]; length and substance, in standard units.
    """

    def __init__(self, traits: FloatArray) -> None:
        self._traits = traits

    def __len__(self) -> int:
        return len(self._traits)

    @overload
    def __getitem__(self, idx: int) -> str: ...
    @overload
    def __getitem__(self, idx: slice) -> Sequence[str]: ...
    def __getitem__(self, idx: int | slice) -> str | Sequence[str]:
        if isinstance(idx, slice):
            return TraitTexts(self._traits[idx])
        length, substance = self._traits[idx]
        return f"An answer of length {length:+.2f} and substance {substance:+.2f}."


def gaussian_grid(points: int = POINTS) -> AnswerSet:
    """Answers on a square grid; the base model writes each in proportion to a bell curve.

    The base probability is exp(-(length^2 + substance^2) / 2) / Z, and the gold is length +
    substance - (length^2 - 1): a little length helps, more is padding.

    Args:
        points: Points a side, from -6 to 6 standard units, >= 2.

    Raises:
        InputError: There are fewer than two points a side.
    """
    if points < 2:
        raise InputError(f"points: expected at least 2, got {points}")
    side = np.linspace(-REACH, REACH, points)
    length, substance = (axis.ravel() for axis in np.meshgrid(side, side))
    traits = np.column_stack([length, substance])
    return AnswerSet(
        prompt=PROMPT,
        texts=TraitTexts(traits),
        features=traits,
        feature_names=(LENGTH, SUBSTANCE),
        ref_logprobs=normalised(-(length**2 + substance**2) / 2),
        gold=grid_reward(traits, learned=1.0),
    )


def grid_reward(traits: FloatArray, learned: float = 0.0) -> FloatArray:
    """What a reward model gives that has learned a share of the padding penalty, of shape [n].

    Args:
        traits: Shape [n, 2]; length and substance, in standard units.
        learned: 0 for "longer is better", 1 for the true goal.
    """
    length, substance = traits.T
    return np.asarray(substance + length - learned * (length**2 - 1))
