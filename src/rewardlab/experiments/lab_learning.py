"""What the lab knows after some votes: weights with intervals, and how well they foretell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.experiments.lab_reward import (
    HeldOut,
    fit_reward,
    held_out_accuracy,
    weight_intervals,
)
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Comparisons


@dataclass(frozen=True, slots=True)
class Learned:
    """A reward that was fitted to comparisons.

    Attributes:
        weights: Shape [6].
        low: Shape [6]; lower ends of the weights' intervals, NaN where there are none.
        high: Shape [6]; upper ends.
        held: Agreement with the comparisons that were held back.
        n_fitted: Comparisons fitted.
    """

    weights: FloatArray
    low: FloatArray
    high: FloatArray
    held: HeldOut
    n_fitted: int

    @property
    def reward(self) -> FloatArray:
        """Shape [576]; each answer's reward."""
        return np.asarray(lab_world().features @ self.weights)


def learned_from(comparisons: Comparisons) -> Learned | None:
    """Fit a reward to comparisons; None where there is none to fit.

    Args:
        comparisons: In the order in which they were made; every fifth is held back.
    """
    if not len(comparisons):
        return None
    world = lab_world()
    weights = fit_reward(world, comparisons).weights
    low, high = weight_intervals(world, comparisons)
    held = held_out_accuracy(world, comparisons, weights)
    return Learned(weights, low, high, held, int((~comparisons.held_out).sum()))


def reward_to_climb(learned: Learned | None) -> FloatArray:
    """Each answer's reward, shape [576].

    Raises:
        InputError: Nothing is learned yet.
    """
    if learned is None:
        raise InputError(
            "there is no label to learn from yet: prefer A or B, or call a tie, or label some "
            "pairs automatically"
        )
    return learned.reward
