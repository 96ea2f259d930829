"""Which ranks each item may have, for all items at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.items.chance_peaks import ChancePeaks, Matrix32, normal_draws
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.rewards.items.within_groups import ranks_within
from rewardlab.stats.intervals import FEW_CLUSTERS
from rewardlab.stats.quantiles import normal_above, student_of_normal
from rewardlab.types import BoolArray, FloatArray, IntArray

N_DRAWS = 2000
"""Behind a critical value near 3.5; its simulation error is then near .02."""
MOST_STEPS = 20
BLOCK_ROWS = 64


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
    matrix, dof = covariance.matrix[np.ix_(order, order)], covariance.dof[order]
    blend = _blend(dof)
    statistic, weight = _compared(strength[order], matrix, group[order], blend)
    own = np.diagonal(matrix).copy()
    matrix *= blend
    np.fill_diagonal(matrix, own)
    peaks = ChancePeaks(normal_draws(matrix, n_draws, rng), weight)
    above, critical = _told_apart(statistic, dof, peaks, level)
    place = np.argsort(order)
    size = np.bincount(group)[group]
    low = 1 + above.sum(axis=0)[place]
    high = size - above.sum(axis=1)[place]
    return RankRanges(ranks_within(strength, group), low, high, level, critical)


def _blend(dof: FloatArray) -> float:
    """What correlations are multiplied by: as much as the degrees of freedom bear.

    Of few clusters a covariance of many items has few directions, and draws along them only would
    make chance look small.
    """
    least = float(np.nanmin(dof, initial=np.inf))
    return 1.0 if np.isinf(least) else least / (least + len(dof))


def _compared(
    strength: FloatArray, matrix: FloatArray, group: IntArray, blend: float
) -> tuple[FloatArray, Matrix32]:
    """Shape [m, m] each: differences over standard errors; 1 / those errors of the blend.

    Both are 0 for pairs that cannot be compared.
    """
    own = np.diagonal(matrix)
    statistic, weight = np.zeros(matrix.shape), np.zeros(matrix.shape, dtype=np.float32)
    for first in range(0, len(own), BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        both, twice = own[rows, None] + own, 2 * matrix[rows]
        variance = both - twice
        compared = variance > 1e-10 * np.maximum(own[rows, None], own)
        compared &= group[rows, None] == group
        np.divide(
            strength[rows, None] - strength,
            np.sqrt(variance, out=variance, where=compared),
            out=statistic[rows],
            where=compared,
        )
        twice *= blend
        both -= twice
        np.divide(1.0, np.sqrt(both, out=both, where=compared), out=both, where=compared)
        np.copyto(weight[rows], both, where=compared, casting="same_kind")
    return statistic, weight


def _told_apart(
    statistic: FloatArray, dof: FloatArray, peaks: ChancePeaks, level: float
) -> tuple[BoolArray, float]:
    """Shape [m, m]; whether the row's item is above the column's for sure; the last critical."""
    few = bool(np.nanmin(dof, initial=np.inf) < FEW_CLUSTERS)
    above = np.zeros(statistic.shape, dtype=bool)
    critical = np.inf
    for _ in range(MOST_STEPS):
        critical = peaks.quantile(level)
        if few:
            n_pairs = max(np.count_nonzero(peaks.weight) / 2, 1.0)
            critical = max(critical, normal_above(-math.expm1(math.log(level) / n_pairs) / 2))
        # A pair has the larger quantile of its two.
        own = student_of_normal(critical, dof)
        more = (statistic > own[:, None]) & (statistic > own)
        if np.array_equal(more, above):
            break
        above = more
        peaks.leave_out(above)
    return above, critical
