"""Which ranks each item may have, for all items at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from rewardlab.errors import InputError
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.rewards.items.within_groups import ranks_within
from rewardlab.stats.intervals import FEW_CLUSTERS
from rewardlab.types import BoolArray, FloatArray, IntArray

N_DRAWS = 2000
"""Behind a critical value near 3.5; its simulation error is then near .02."""
BLOCK_DRAWS = 128
SMALL = 40
MOST_STEPS = 20
ROUNDING = np.float32(1 + 1e-5)
"""By how much a bound is raised, lest rounding puts it below what it bounds."""

Matrix32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RankRanges:
    """Ranks within each group, 1 the strongest, with ranges that hold together.

    Attributes:
        rank: Shape [m]; 1 + how many items of the group are stronger by the fit.
        low: Shape [m]; best rank that the data allow.
        high: Shape [m]; worst rank.
        level: Probability that all m ranges hold the true ranks at once.
        critical: Standard errors (as of a normal) that two items must be apart to be told apart.
    """

    rank: IntArray
    low: IntArray
    high: IntArray
    level: float
    critical: float

    @property
    def may_be_first(self) -> IntArray:
        """Items that nothing tells from the first of their group: nobody is above them for sure."""
        return np.flatnonzero(self.low == 1)


def rank_ranges(
    strength: FloatArray,
    covariance: ItemCovariance,
    group: IntArray,
    *,
    level: float = 0.95,
    rng: np.random.Generator,
    n_draws: int = N_DRAWS,
) -> RankRanges:
    """Ranges of ranks that hold for all items at once with probability ``level``.

    Two items of a group are told apart where their difference exceeds a critical number of its
    standard errors; of the items told to be above it, an item's best rank follows, and of those
    below it the worst. The critical number is the quantile of the largest such difference by
    chance, first among all ordered pairs, then again among those not yet told apart, until no more
    are. Items whose uncertainty cannot be told are told from none. Of few clusters standard errors
    are rough, each in its own way, so that differences are less alike than normal ones: the
    critical number is then not taken below that of as many independent pairs.

    Args:
        strength: Shape [m], logits.
        covariance: Of the same fit; of effects is not read.
        group: Shape [m], codes.
        level: Joint confidence level.
        rng: Source of the draws behind the critical number.
        n_draws: How many.

    Raises:
        InputError: Shapes disagree, or ``level`` is not in (0, 1).

    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), *Review of Economic Studies* 91, 476-518;
    Romano and Wolf (2005), *Econometrica* 73, 1237-1282, for the steps. Student statistics are
    compared on the normal scale of equal p-values, so that pairs may differ in degrees of freedom.
    """
    m = len(strength)
    if group.shape != (m,) or len(covariance.matrix) < m:
        raise InputError(
            f"rank_ranges: expected a covariance and groups of {m} items, got "
            f"{len(covariance.matrix)} and {len(group)}"
        )
    if not 0 < level < 1:
        raise InputError(f"level: expected a number in (0, 1), got {level}")
    order = np.argsort(-strength, kind="stable")
    matrix = covariance.matrix[np.ix_(order, order)]
    compared, error = _errors(matrix, group[order])
    statistic = (strength[order, None] - strength[order]) / error
    dof = covariance.dof[order]
    blended = _blended(matrix, dof)
    if blended is not matrix:
        error = np.where(compared, _errors(blended, group[order])[1], np.inf)
    draws = _normal_draws(blended, n_draws, rng)
    weight = (1 / error).astype(np.float32)
    above, critical = _told_apart(statistic, dof, weight, draws, level)
    place = np.argsort(order)
    size = np.bincount(group)[group]
    low = 1 + above.sum(axis=0)[place]
    high = size - above.sum(axis=1)[place]
    return RankRanges(ranks_within(strength, group), low, high, level, critical)


def _errors(matrix: FloatArray, group: IntArray) -> tuple[BoolArray, FloatArray]:
    """Shape [m, m] each: which pairs can be compared; standard errors, infinite for the others."""
    own = np.diagonal(matrix)
    variance = own[:, None] + own - 2 * matrix
    compared = (group[:, None] == group) & (variance > 1e-10 * np.maximum(own[:, None], own))
    return compared, np.where(compared, np.sqrt(np.where(compared, variance, 1.0)), np.inf)


def _blended(matrix: FloatArray, dof: FloatArray) -> FloatArray:
    """Correlations taken for as much as the degrees of freedom bear, and for none beyond.

    Of few clusters a covariance of many items has few directions, and draws along them only would
    make chance look small.
    """
    m, least = len(dof), np.nanmin(dof, initial=np.inf)
    if np.isinf(least):
        return matrix
    blended = matrix * float(least / (least + m))
    own = np.arange(m)
    blended[own, own] = np.diagonal(matrix)
    return blended


def _normal_draws(matrix: FloatArray, n_draws: int, rng: np.random.Generator) -> Matrix32:
    """Shape [B, m]; normal vectors with this covariance; 0 where it is NaN."""
    known = np.flatnonzero(~np.isnan(np.diagonal(matrix)))
    c = matrix[np.ix_(known, known)]
    pivoted, pivot, rank, _ = linalg.lapack.dpstrf(c, lower=True, tol=-1.0)
    pivoted[:, rank:] = 0
    draws = np.zeros((n_draws, len(matrix)), dtype=np.float32)
    noise = rng.standard_normal((n_draws, len(known))).astype(np.float32)
    root = pivoted.astype(np.float32, order="F")  # what stands above the diagonal is not read
    draws[:, known[pivot - 1]] = linalg.blas.strmm(
        1.0, root, noise.T, lower=True, overwrite_b=True
    ).T
    return draws


def _told_apart(
    statistic: FloatArray, dof: FloatArray, weight: Matrix32, draws: Matrix32, level: float
) -> tuple[BoolArray, float]:
    """Shape [m, m]; whether the row's item is above the column's for sure; the last critical."""
    few = bool(np.nanmin(dof, initial=np.inf) < FEW_CLUSTERS)
    drawn = _Draws(draws)
    above = np.zeros(statistic.shape, dtype=bool)
    critical = np.inf
    for _ in range(MOST_STEPS):
        left = np.where(above, np.float32(0), weight)
        critical = drawn.peak_quantile(left, level)
        if few:
            n_pairs = max(np.count_nonzero(left) / 2, 1.0)
            critical = max(critical, float(-special.ndtri((1 - level ** (1 / n_pairs)) / 2)))
        own = _student_critical(critical, dof)
        more = (statistic > own[:, None]) & (statistic > own)
        if np.array_equal(more, above):
            break
        above = more
    return above, critical


def _student_critical(critical: float, dof: FloatArray) -> FloatArray:
    """Shape [m]; the Student quantile of the p-value of a normal one; a pair has the larger."""
    own = np.full(len(dof), critical)
    finite = np.isfinite(dof)
    own[finite] = -special.stdtrit(dof[finite], special.ndtr(-critical))
    return own


class _Draws:
    """Normal vectors, with what bounds how far apart two of their entries can be.

    With d the deviations of z, weight_ij (z_i - z_j) is at most weight_ij |(d_i, d_j)| times
    |(max(z_i, 0) / d_i, min(z_j, 0) / d_j)|.
    """

    def __init__(self, z: Matrix32) -> None:
        self.z = z
        deviation = np.maximum(np.sqrt(np.einsum("bi,bi->i", z, z) / len(z)), np.float32(1e-30))
        scaled = z / deviation
        self.together = np.hypot(deviation[:, None], deviation) * ROUNDING
        squared = scaled * scaled
        self.up = np.where(scaled > 0, squared, np.float32(0))
        self.down = squared - self.up
        self.highest, self.lowest = self.up.max(axis=1), self.down.max(axis=1)

    def peak_quantile(self, weight: Matrix32, level: float) -> float:
        """Quantile over the draws of the largest of weight_ij (z_i - z_j).

        Few draws can matter, and of these few items: those whose bound exceeds what so many draws
        as lie above the quantile are known to reach.

        Args:
            weight: Shape [m, m], >= 0.
            level: Of the quantile; the next higher draw.
        """
        z, n = self.z, len(self.z)
        place = int(np.ceil(level * (n - 1)))
        if len(weight) <= SMALL:
            return float(np.partition(_all_peaks(z, weight), place)[place])
        stretched = (weight * self.together) ** 2
        by_row, by_column = stretched.max(axis=1), stretched.max(axis=0)
        of_row = (self.up + self.lowest[:, None]) * by_row
        of_column = (self.down + self.highest[:, None]) * by_column
        each, high, low = np.arange(n), of_row.argmax(axis=1), of_column.argmax(axis=1)
        bounds = np.minimum(of_row[each, high], of_column[each, low])
        peaks = np.maximum(weight[high, low] * (z[each, high] - z[each, low]), 0)
        for b in np.argsort(-bounds):
            known = np.partition(peaks, place)[place]
            if bounds[b] <= known**2:
                break
            rows = np.flatnonzero(of_row[b] > known**2)
            columns = np.flatnonzero(of_column[b] > known**2)
            apart = (z[b, rows, None] - z[b, columns]) * weight[rows[:, None], columns]
            peaks[b] = max(peaks[b], apart.max(initial=0))
        return float(np.partition(peaks, place)[place])


def _all_peaks(draws: Matrix32, weight: Matrix32) -> Matrix32:
    """Shape [B]; those largest, of few items: all pairs looked at, many draws at a time."""
    peaks = [
        ((z[:, :, None] - z[:, None, :]) * weight).max(axis=(1, 2))
        for z in np.array_split(draws, max(1, len(draws) // BLOCK_DRAWS))
    ]
    return np.concatenate(peaks)
