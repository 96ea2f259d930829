"""The lab's reward: six weights learned from comparisons, with intervals and held-out accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import EstimationError, InputError
from rewardlab.rewards.inference import infer_weights
from rewardlab.rewards.linear import LinearFit, fit
from rewardlab.stats.intervals import cluster_proportion
from rewardlab.types import Figure, FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab_raters import Comparisons, Rater, draw_comparisons, rater_utility

L2 = 0.5
"""Penalty on the weights, L2 / 2 |w|^2 beside the summed log loss: it keeps them finite when a few
comparisons can be told apart perfectly, and matters little once there are hundreds."""


def fit_reward(world: AnswerSet, comparisons: Comparisons) -> LinearFit:
    """Weights of the features, by Bradley-Terry on the comparisons that are not held back.

    A tie enters the log loss as a label of 1/2.

    The reward of every answer is ``world.features @ fitted.weights``.

    Args:
        world: Whose answers were compared.
        comparisons: At least one.

    Raises:
        InputError: There is no comparison.
    """
    if not len(comparisons):
        raise InputError("comparisons: expected at least one, got none")
    used = ~comparisons.held_out
    return fit(
        comparisons.differences(world)[used],
        comparisons.label[used],
        l2=L2,
        names=world.feature_names,
    )


def learned_reward(
    world: AnswerSet, rater: Rater, n_labels: int, *, rng: np.random.Generator
) -> FloatArray:
    """Each answer's reward, shape [n], fitted to comparisons of the reference's answers.

    Args:
        world: The lab's.
        rater: Who compares.
        n_labels: How many comparisons are drawn; every fifth is held back from the fit.
        rng: Source of randomness.
    """
    utility = rater_utility(world, rater)
    comparisons = draw_comparisons(utility, world.ref_logprobs, n_labels, rng=rng)
    return np.asarray(world.features @ fit_reward(world, comparisons).weights)


def weight_intervals(
    world: AnswerSet, comparisons: Comparisons, *, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends of an interval for each weight, of shape [d] each.

    From the fit without penalty, so that they are not drawn towards 0; NaN where that fit does not
    exist, as with a handful of comparisons that can be told apart perfectly.
    """
    used = np.flatnonzero(~comparisons.held_out)
    try:
        inferred = infer_weights(
            comparisons.differences(world)[used],
            comparisons.label[used],
            np.arange(len(used)),
            names=world.feature_names,
            level=level,
        )
    except EstimationError:
        nothing = np.full(len(world.feature_names), np.nan)
        return nothing, nothing
    return inferred.low, inferred.high


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How often a reward agrees with comparisons that it was not fitted on.

    Attributes:
        accuracy: Share with its interval; NaN where no comparison with a winner is held back.
        n: Comparisons held back that have a winner.
        n_ties: Ties held back: there is nothing in them to agree with.
    """

    accuracy: Figure
    n: int
    n_ties: int = 0


def held_out_accuracy(world: AnswerSet, comparisons: Comparisons, weights: FloatArray) -> HeldOut:
    """Share of the held-back comparisons whose preferred answer has the higher reward.

    A difference of exactly 0 counts one half. Ties are left out, and counted.

    Args:
        world: Whose answers were compared.
        comparisons: All of them.
        weights: Shape [d].
    """
    decided = comparisons.label != 0.5
    held = comparisons.held_out & decided
    n, n_ties = int(held.sum()), int((comparisons.held_out & ~decided).sum())
    if not n:
        return HeldOut(Figure(np.nan, unit="share", method="nothing held back"), 0, n_ties)
    ahead = np.sign(comparisons.differences(world)[held] @ weights)
    agrees = 0.5 + 0.5 * ahead * np.where(comparisons.label[held] == 1, 1.0, -1.0)
    return HeldOut(cluster_proportion(agrees, np.arange(n)).figure("share"), n, n_ties)
