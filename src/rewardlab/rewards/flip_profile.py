"""Intervals of flip rates: where their profile likelihood, over scales and others, stays high."""

from __future__ import annotations

import numpy as np
from scipy import sparse, special

from rewardlab.rewards.flip_curvature import observed_information
from rewardlab.rewards.flip_fitting import EDGE, Fitted
from rewardlab.rewards.flip_model import FlipData
from rewardlab.types import FloatArray

FLIPS: FloatArray = (1 - np.cos(np.linspace(0, np.pi, 121))) / 2
"""Flip rates at which profiles are computed; closest near 0 and 1."""

MOST_TO_DIFFERENTIATE = 60_000
"""Votes times parameters up to which second derivatives are computed. In simulations with 300 pairs
they cover up to 5 points better than the scores' outer product; with thousands, the same."""

BLOCK = 4096
"""Votes that are looked at together."""

SLACK = 1.3
"""Factor on the chi-squared quantile. Where the scale is weakly known, the 95% quantile of twice
the drop at the truth is 4.7 to 5.7 by simulation with 300 to 600 pairs, not 3.84; where it is well
known, intervals are somewhat too wide."""


def likelihood_drop(level: float) -> float:
    """By how much the log likelihood of what an interval holds may be below the best."""
    return SLACK * float(special.chdtri(1, 1 - level)) / 2


def flip_intervals(
    data: FlipData, fits: list[Fitted], *, level: float
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends, shape [K] each.

    An interval holds the rates whose profile log likelihood is within ``likelihood_drop`` of its
    maximum. At each scale the likelihood of one rate is exact, the others held; it is
    flattened by what estimating the others costs to second order.

    Args:
        data: Votes.
        fits: At each scale that matters.
        level: Confidence level.
    """
    return profile_intervals(_profile(data, fits), likelihood_drop(level))


def _profile(data: FlipData, fits: list[Fitted]) -> FloatArray:
    """Shape [K, F]: log likelihood of each rate in ``FLIPS``, the best over scales."""
    best = np.full((data.n_annotators, len(FLIPS)), -np.inf)
    for fitted in fits:
        flatter = _share_left(_information(data, fitted))[: data.n_annotators]
        change = _alone(data, fitted)
        best = np.maximum(best, fitted.at.objective + flatter[:, None] * change)
    return best


def _information(data: FlipData, fitted: Fitted) -> FloatArray:
    """Observed information where that is cheap, else that of the scores, to which it converges."""
    if len(data.pair) * len(fitted.at.gradient) > MOST_TO_DIFFERENTIATE:
        return fitted.at.information
    return observed_information(data, fitted.flip, fitted.v, scale=fitted.scale)


def _share_left(information: FloatArray) -> FloatArray:
    """Of each parameter's information, the share that is left once the others are estimated."""
    diagonal = np.maximum(np.diag(information), 1e-12)
    scaled = information / np.sqrt(np.outer(diagonal, diagonal))
    inverse = np.linalg.pinv(scaled + 1e-8 * np.eye(len(scaled)), hermitian=True)
    return np.asarray(np.clip(1 / np.maximum(np.diag(inverse), 1e-12), 0.0, 1.0))


def _alone(data: FlipData, fitted: Fitted) -> FloatArray:
    """Shape [K, F]: by how much the log likelihood changes when one rate alone moves."""
    rates = np.clip(FLIPS, EDGE, 1 - EDGE)
    result: FloatArray = np.outer(data.n_right, np.log1p(-rates))
    result += np.outer(data.n_wrong, np.log(rates))
    known = data.n_right * np.log1p(-fitted.flip) + data.n_wrong * np.log(fitted.flip)
    weight, agrees, n = data.weight[data.pair], fitted.at.left_out, len(data.pair)
    here = fitted.flip[data.annotator]
    before = weight * np.log(here + (1 - 2 * here) * agrees)
    known += np.bincount(data.annotator, before, minlength=data.n_annotators)
    result -= known[:, None]
    for first in range(0, n, BLOCK):
        part = slice(first, first + BLOCK)
        now = np.log(rates + np.outer(agrees[part], 1 - 2 * rates))
        places = (data.annotator[part], np.arange(len(now)))
        result += sparse.csr_array((weight[part], places), (len(result), len(now))) @ now
    return result


def profile_intervals(profile: FloatArray, drop: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends, shape [K] each: where a profile crosses its maximum less ``drop``.

    Args:
        profile: Shape [K, F]; log likelihood of each rate in ``FLIPS``.
        drop: > 0, nats.
    """
    low, high = np.zeros(len(profile)), np.ones(len(profile))
    for k, row in enumerate(profile):
        above = row - (row.max() - drop)
        inside = np.flatnonzero(above >= 0)
        first, last = int(inside[0]), int(inside[-1])
        if first > 0:
            low[k] = _crossing(first - 1, first, above)
        if last < len(FLIPS) - 1:
            high[k] = _crossing(last + 1, last, above)
    return low, high


def _crossing(outside: int, inside: int, above: FloatArray) -> float:
    share = above[inside] / (above[inside] - above[outside])
    return float(FLIPS[inside] + share * (FLIPS[outside] - FLIPS[inside]))
