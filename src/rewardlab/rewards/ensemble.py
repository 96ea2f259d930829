"""Several rewards as one: their mean, the lowest, the mean less their disagreement.

Only the last two are conservative: in a mean, one member that overestimates is enough to be
exploited. All of them see no further than where their members differ; a mistake that every member
makes passes through unchanged. An answer without a reward (NaN) from one member has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, RewardFn, Text


def mean_score(scores: FloatArray) -> FloatArray:
    """Mean over the members, of shape [...]; ``scores`` has shape [k, ...]."""
    return np.asarray(scores.mean(axis=0))


def worst_case_score(scores: FloatArray) -> FloatArray:
    """min_i r_i, worst-case optimisation (WCO), of shape [...]; ``scores`` has shape [k, ...].

    Source: Coste et al. (2023), arXiv:2310.02743.
    """
    return np.asarray(scores.min(axis=0))


def uncertainty_weighted_score(scores: FloatArray, penalty: float) -> FloatArray:
    """Mean less ``penalty`` times the variance (UWO), of shape [...].

    The variance is that of the members themselves, divided by k and not by k - 1; a penalty of 0
    gives the mean exactly.

    Args:
        scores: Shape [k, ...].
        penalty: lambda, >= 0, in units of 1 / reward.

    Raises:
        InputError: The penalty is negative.

    Source: Coste et al. (2023), arXiv:2310.02743.
    """
    if not penalty >= 0:
        raise InputError(f"penalty: expected a number of at least 0, got {penalty:g}")
    if penalty == 0:
        return mean_score(scores)
    return np.asarray(scores.mean(axis=0) - penalty * scores.var(axis=0))


def mean(members: Sequence[RewardFn]) -> RewardFn:
    """The members' mean as a reward; see ``mean_score``."""
    return _combined(members, mean_score)


def worst_case(members: Sequence[RewardFn]) -> RewardFn:
    """The lowest member's score as a reward; see ``worst_case_score``.

    The members must share a scale and a zero: shift each by its mean over the same answers.
    """
    return _combined(members, worst_case_score)


def uncertainty_weighted(members: Sequence[RewardFn], *, penalty: float) -> RewardFn:
    """The mean less ``penalty`` variances as a reward; see ``uncertainty_weighted_score``.

    The members must share a scale and a zero, as for ``worst_case``.
    """
    uncertainty_weighted_score(np.zeros((1, 1)), penalty)
    return _combined(members, lambda scores: uncertainty_weighted_score(scores, penalty))


def weight_average(weights: Sequence[FloatArray]) -> FloatArray:
    """One model of averaged weights (WARM), of the members' shape.

    For linear rewards it is the ensemble's mean at the price of one member; for networks it is
    not, and works only where the members were tuned from one pretrained model.

    Args:
        weights: Length k >= 1; of one shape.

    Raises:
        InputError: There is none, or shapes differ.

    Source: Ramé et al. (2024), arXiv:2401.12187.
    """
    shapes = {w.shape for w in weights}
    if len(shapes) != 1:
        raise InputError(f"weights: expected at least one, all of one shape, got {sorted(shapes)}")
    return np.asarray(np.mean(weights, axis=0))


def _combined(members: Sequence[RewardFn], combine: Callable[[FloatArray], FloatArray]) -> RewardFn:
    if not members:
        raise InputError("members: expected at least one reward, got none")

    def reward(
        prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Sequence[Any]
    ) -> FloatArray:
        scores = [np.asarray(m(prompts, responses, **columns), dtype=float) for m in members]
        for i, score in enumerate(scores):
            if score.shape != (len(responses),):
                raise InputError(
                    f"members[{i}]: expected rewards of shape ({len(responses)},), got "
                    f"{score.shape}"
                )
        return combine(np.array(scores))

    return reward
