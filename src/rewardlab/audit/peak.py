"""Where gold peaks along best-of-n, as measured: no law is assumed.

The peak is where the gain of one more sample, G(n+1) - G(n), turns from positive to negative.
Its interval runs from the first n at which the gain is no longer significantly positive to the
first later n at which it is significantly negative. If gold rises before its peak and falls after
it, missing the peak takes a gain near zero that looks significant, so a two-sided Student
quantile at each n gives the interval its level.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rewardlab.audit.prompt_curves import PromptCurves
from rewardlab.stats.bootstrap import MeanCurve, mean_curve
from rewardlab.stats.intervals import t_quantile
from rewardlab.types import FloatArray


class Where(StrEnum):
    """Where a peak lies relative to the n that were measured."""

    INSIDE = "inside the data"
    BEYOND = "at or beyond the end of the data"
    START = "at the start"
    NOWHERE = "nowhere: gold does not change"


@dataclass(frozen=True, slots=True)
class Peak:
    """The n at which gold is highest, with its interval.

    Attributes:
        n: Estimate, not rounded; the first or last n measured if it is at an end.
        low: Lower end of the interval.
        high: Upper end of the interval.
        reaches_start: The interval holds "gold only falls": its lower end is open.
        reaches_end: The interval holds "the peak is beyond the data": its upper end is open.
        where: Where the estimate lies.
        level: Confidence level.
    """

    n: float
    low: float
    high: float
    reaches_start: bool
    reaches_end: bool
    where: Where
    level: float


def measured_peak(curves: PromptCurves, *, level: float = 0.95) -> Peak:
    """The peak of gold without a law, from the gain of one more sample along n.

    Between measured points the gain is a linear interpolation in log n, whose standard error
    follows from the covariance of the two points over prompts.

    Args:
        curves: Curves of at least two prompts.
        level: Confidence level.

    Source: inverts pointwise tests of a linear combination, as Fieller (1954), *JRSS B* 16, does
    for a ratio; that one-sided errors of ordered tests do not add up is the argument of Hsu and
    Berger (1999), *JASA* 94, on stepwise intervals without adjustment.
    """
    gain = mean_curve(curves.marginal)
    t = t_quantile(level, gain.dof)
    first, last = float(curves.n[0]), float(curves.n[-1])
    half = t * gain.std_error
    not_rising = np.flatnonzero(gain.mean <= half)
    low_idx = int(not_rising[0]) if len(not_rising) else len(half)
    falling = np.flatnonzero(gain.mean < -half)
    falling = falling[falling >= low_idx]
    log_n = np.log(curves.marginal_n)
    low, high = first, last
    if low_idx > 0:
        low = last
    if 0 < low_idx < len(half):
        low = float(np.exp(_crossing(gain, log_n, low_idx, t)))
    if len(falling):
        high = first
    if len(falling) and falling[0] > 0:
        high = float(np.exp(_crossing(gain, log_n, int(falling[0]), -t)))
    estimate, where = _estimate(curves, gain.mean)
    return Peak(
        n=estimate,
        low=low,
        high=high,
        reaches_start=low_idx == 0,
        reaches_end=len(falling) == 0,
        where=where,
        level=level,
    )


def no_peak(n_max: int, level: float) -> Peak:
    """The peak of a curve that cannot change: there is none, and both ends are open.

    Args:
        n_max: The last n.
        level: Confidence level, recorded.
    """
    return Peak(1.0, 1.0, float(n_max), True, True, Where.NOWHERE, level)


def _crossing(gain: MeanCurve, log_n: FloatArray, right: int, t: float) -> float:
    """log n at which the gain, falling, equals t standard errors, left of knot ``right``.

    On the segment the gain is D = (1-s) D0 + s D1, and D^2 = t^2 Var D is a quadratic in s; of
    its roots in [0, 1] the one with the sign of t is meant.
    """
    left = right - 1
    d0, step = gain.mean[left], gain.mean[right] - gain.mean[left]
    v0, v1 = gain.covariance[left, left], gain.covariance[right, right]
    shared = gain.covariance[left, right]
    a = step**2 - t**2 * (v0 + v1 - 2 * shared)
    b = 2 * (d0 * step - t**2 * (shared - v0))
    c = d0**2 - t**2 * v0
    inside = [s for s in _roots(a, b, c) if 0 <= s <= 1 and (d0 + s * step) * t >= 0]
    share = inside[0] if inside else 1.0
    return float(log_n[left] + share * (log_n[right] - log_n[left]))


def _estimate(curves: PromptCurves, gain: FloatArray) -> tuple[float, Where]:
    """The downward crossing of the mean gain that is nearest to the highest measured mean."""
    gold = curves.gold.mean(axis=0)
    best = int(np.argmax(gold))
    if best == len(gold) - 1:
        return float(curves.n[-1]), Where.BEYOND
    falls = np.flatnonzero((gain[:-1] > 0) & (gain[1:] <= 0))
    if best == 0 or len(falls) == 0:
        return float(curves.n[0]), Where.START
    log_n = np.log(curves.marginal_n)
    share = gain[falls] / (gain[falls] - gain[falls + 1])
    crossings = log_n[falls] + share * (log_n[falls + 1] - log_n[falls])
    nearest = np.argmin(np.abs(crossings - np.log(curves.n[best])))
    return float(np.exp(crossings[nearest])), Where.INSIDE


def _roots(a: float, b: float, c: float) -> list[float]:
    """Real roots of a s^2 + b s + c, in the form that does not cancel."""
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return []
    q = -0.5 * (b + np.copysign(np.sqrt(discriminant), b))
    roots = [q / a] if a != 0 else []
    return [*roots, c / q] if q != 0 else roots
