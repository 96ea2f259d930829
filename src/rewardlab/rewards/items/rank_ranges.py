"""Which ranks each item may have, for all items at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from rewardlab.errors import InputError
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.stats.intervals import FEW_CLUSTERS
from rewardlab.types import BoolArray, FloatArray, IntArray

N_DRAWS = 2000
"""Behind a critical value near 3.5; its simulation error is then near .02."""
BLOCK_ROWS = 32
BLOCK_DRAWS = 128
SMALL = 40
MOST_STEPS = 20

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
    apart = _apart(strength[order], error, covariance.dof[order])
    blended = _blended(matrix, covariance.dof[order])
    weight = np.where(compared, 1 / _errors(blended, group[order])[1], 0.0).astype(np.float32)
    draws = _normal_draws(blended, n_draws, rng)
    few = bool(np.nanmin(covariance.dof[:m], initial=np.inf) < FEW_CLUSTERS)
    above, critical = _told_apart(apart, weight, draws, level, few=few)
    place = np.argsort(order)
    size = np.bincount(group)[group]
    low = 1 + above.sum(axis=0)[place]
    high = size - above.sum(axis=1)[place]
    return RankRanges(_ranks(strength, group), low, high, level, critical)


def _ranks(strength: FloatArray, group: IntArray) -> IntArray:
    rank = np.empty(len(strength), dtype=np.int64)
    for g in np.unique(group):
        items = np.flatnonzero(group == g)
        ascending = np.sort(strength[items])
        rank[items] = 1 + len(items) - np.searchsorted(ascending, strength[items], side="right")
    return rank


def _errors(matrix: FloatArray, group: IntArray) -> tuple[BoolArray, FloatArray]:
    """Shape [m, m] each: which pairs can be compared; standard errors, infinite for the others."""
    own = np.diagonal(matrix)
    variance = own[:, None] + own - 2 * matrix
    compared = (group[:, None] == group) & (variance > 1e-10 * np.maximum(own[:, None], own))
    return compared, np.where(compared, np.sqrt(np.where(compared, variance, 1.0)), np.inf)


def _apart(strength: FloatArray, error: FloatArray, dof: FloatArray) -> FloatArray:
    """Shape [m, m]; the row's strength above the column's, in standard errors as of a normal."""
    apart = (strength[:, None] - strength) / error
    pair_dof = np.minimum(dof[:, None], dof)
    finite = np.isfinite(pair_dof) & np.isfinite(error)
    p_value = special.stdtr(pair_dof[finite], -np.abs(apart[finite]))
    apart[finite] = np.sign(apart[finite]) * -special.ndtri(p_value)
    return apart


def _blended(matrix: FloatArray, dof: FloatArray) -> FloatArray:
    """Correlations taken for as much as the degrees of freedom bear, and for none beyond.

    Of few clusters a covariance of many items has few directions, and draws along them only would
    make chance look small.
    """
    m, least = len(dof), np.nanmin(dof, initial=np.inf)
    kept = 1.0 if np.isinf(least) else float(least / (least + m))
    blended = matrix * kept
    own = np.arange(m)
    blended[own, own] = np.diagonal(matrix)
    return blended


def _normal_draws(matrix: FloatArray, n_draws: int, rng: np.random.Generator) -> Matrix32:
    """Shape [B, m]; normal vectors with this covariance; 0 where it is NaN."""
    known = np.flatnonzero(~np.isnan(np.diagonal(matrix)))
    c = matrix[np.ix_(known, known)]
    pivoted, pivot, rank, _ = linalg.lapack.dpstrf(c, lower=True, tol=-1.0)
    root = np.zeros_like(c)
    root[pivot - 1] = np.tril(pivoted)
    root[:, rank:] = 0
    draws = np.zeros((n_draws, len(matrix)), dtype=np.float32)
    noise = rng.standard_normal((n_draws, len(known))).astype(np.float32)
    draws[:, known] = noise @ root.T.astype(np.float32)
    return draws


def _told_apart(
    apart: FloatArray, weight: Matrix32, draws: Matrix32, level: float, *, few: bool
) -> tuple[BoolArray, float]:
    """Shape [m, m]; whether the row's item is above the column's for sure; the last critical."""
    above = np.zeros(apart.shape, dtype=bool)
    critical = np.inf
    for _ in range(MOST_STEPS):
        left = np.where(above, np.float32(0), weight)
        critical = float(np.quantile(_peaks(draws, left), level, method="higher"))
        if few:
            n_pairs = max(np.count_nonzero(left) / 2, 1.0)
            critical = max(critical, float(-special.ndtri((1 - level ** (1 / n_pairs)) / 2)))
        more = apart > critical
        if np.array_equal(more, above):
            break
        above = more
    return above, critical


def _peaks(draws: Matrix32, weight: Matrix32) -> Matrix32:
    """Shape [B]; largest of weight_ij (z_i - z_j) of each draw.

    Most rows cannot hold the largest: those are bounded, and left out without looking. With d the
    deviations of z, weight_ij (z_i - z_j) is at most weight_ij |(d_i, d_j)| |(z_i / d_i, z_j /
    d_j)|, and also at most (z_i - min z) times the row's largest weight.
    """
    if len(weight) <= SMALL:
        return _all_peaks(draws, weight)
    deviation = np.maximum(draws.std(axis=0), np.float32(1e-30))
    widest = weight.max(axis=1)
    together = np.sqrt(deviation[:, None] ** 2 + deviation**2)
    stretch = (weight * together).max(axis=1)
    peaks = np.zeros(len(draws), dtype=np.float32)
    for b, z in enumerate(draws):
        square = (z / deviation) ** 2
        bound = np.minimum((z - z.min()) * widest, stretch * np.sqrt(square + square.max()))
        order = np.argsort(-bound)
        peak = np.float32(0)
        for first in range(0, len(z), BLOCK_ROWS):
            rows = order[first : first + BLOCK_ROWS]
            if bound[rows[0]] <= peak:
                break
            peak = max(peak, ((z[rows, None] - z) * weight[rows]).max())
        peaks[b] = peak
    return peaks


def _all_peaks(draws: Matrix32, weight: Matrix32) -> Matrix32:
    """The same, looking at all pairs: for few items, many draws at a time."""
    peaks = [
        ((z[:, :, None] - z[:, None, :]) * weight).max(axis=(1, 2))
        for z in np.array_split(draws, max(1, len(draws) // BLOCK_DRAWS))
    ]
    return np.concatenate(peaks)
