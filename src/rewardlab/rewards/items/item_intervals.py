"""Intervals of fitted strengths and effects, from their covariance or their resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.prior_terms import prior_deviation
from rewardlab.stats.quantiles import normal_above, student_of_normal
from rewardlab.types import FloatArray


@dataclass(frozen=True, slots=True)
class ItemIntervals:
    """Intervals of strengths and effects.

    Attributes:
        std_error: Shape [m].
        low: Shape [m], logits; -infinity where the data cannot say.
        high: Shape [m]; infinity likewise.
        effect_std_error: Shape [e].
        effect_low: Shape [e].
        effect_high: Shape [e].
        level: Confidence level of each interval alone.
        method: How they were made.
        warnings: What limits them.
    """

    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    effect_std_error: FloatArray
    effect_low: FloatArray
    effect_high: FloatArray
    level: float
    method: str
    warnings: tuple[str, ...]


def item_intervals(
    fitted: ItemFit, covariance: ItemCovariance, *, level: float = 0.95
) -> ItemIntervals:
    """Intervals of each strength about its group's mean, and of each effect.

    Student intervals about the fit; of a bootstrap, quantiles of the resamples. With a prior,
    intervals of strengths are no wider than normal ones of the prior's own deviation: over
    strengths that scatter as it says, the fit errs no more than the prior's mean would, however
    roughly few clusters tell by how much.

    Raises:
        InputError: ``level`` is not in (0, 1).
    """
    if not 0 < level < 1:
        raise InputError(f"level: expected a number in (0, 1), got {level}")
    m = len(fitted.strength)
    if covariance.draws is None:
        low, high = _student_ends(fitted, covariance, level)
    else:
        low, high = _quantile_ends(covariance.draws, level)
    std_error = covariance.std_error
    std_error[:m] = np.minimum(std_error[:m], prior_deviation(fitted.model.prior))
    return ItemIntervals(
        std_error[:m],
        low[:m],
        high[:m],
        std_error[m:],
        low[m:],
        high[m:],
        level,
        covariance.method,
        covariance.warnings,
    )


def _student_ends(
    fitted: ItemFit, covariance: ItemCovariance, level: float
) -> tuple[FloatArray, FloatArray]:
    value = np.concatenate([fitted.strength, fitted.effect])
    half = np.full(len(value), np.inf)
    known = ~covariance.cannot_say
    quantile = student_quantile(covariance.dof[known], level)
    half[known] = quantile * covariance.std_error[known]
    strengths = half[: len(fitted.strength)]
    most = normal_above((1 - level) / 2) * prior_deviation(fitted.model.prior)
    np.minimum(strengths, most, out=strengths)
    return value - half, value + half


def _quantile_ends(draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """A resample that does not tell an entry may have had it anywhere: below all, and above all."""
    tail = (1 - level) / 2
    below, above = (
        np.where(np.isnan(draws), -np.inf, draws),
        np.where(np.isnan(draws), np.inf, draws),
    )
    low = np.quantile(below, tail, axis=0, method="inverted_cdf")
    high = np.quantile(above, 1 - tail, axis=0, method="inverted_cdf")
    return low, high


def student_quantile(dof: FloatArray, level: float) -> FloatArray:
    """Two-sided Student quantiles, normal ones where ``dof`` is infinite."""
    return student_of_normal(normal_above((1 - level) / 2), dof)
