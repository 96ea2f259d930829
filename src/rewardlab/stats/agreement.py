"""How often two people say the same of one thing: raw agreement, and beyond chance (alpha)."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.stats.intervals import Estimate, cluster_mean, cluster_proportion, wilson
from rewardlab.types import FloatArray, IntArray

_NOTHING = 1e-12
"""An expected disagreement that is 0 but for rounding."""


def agreement_with_others(unit: IntArray, category: IntArray) -> FloatArray:
    """For each judgement, the share of the other judgements on its unit that say the same.

    Args:
        unit: Shape [n], int64 codes of what was judged; each judgement by another person.
        category: Shape [n], int64 codes of what was said.

    Returns:
        Shape [n], in [0, 1]; NaN where nobody else judged the unit.

    Raises:
        InputError: The lengths differ.
    """
    if unit.shape != category.shape or unit.ndim != 1:
        raise InputError(f"category: expected shape {unit.shape}, got {category.shape}")
    if not len(unit):
        return np.zeros(0)
    _, of_unit, n = np.unique(unit, return_inverse=True, return_counts=True)
    _, of_category = np.unique(category, return_inverse=True)
    both = of_unit * (int(of_category.max()) + 1) + of_category
    _, cell, n_same = np.unique(both, return_inverse=True, return_counts=True)
    others = n[of_unit] - 1
    share = (n_same[cell] - 1) / np.maximum(others, 1)
    return np.where(others > 0, share, np.nan)


def coin_agreement_with_others(unit: IntArray, side: FloatArray) -> FloatArray:
    """The same where a tie agrees half with everything, as if a coin broke it.

    Args:
        unit: Shape [n], int64 codes of what was judged; each judgement by another person.
        side: Shape [n], 1 and 0 for the two sides, .5 for a tie.

    Returns:
        Shape [n], in [0, 1]; NaN where nobody else judged the unit.

    Raises:
        InputError: The lengths differ, or a side is outside [0, 1].
    """
    if unit.shape != side.shape or unit.ndim != 1:
        raise InputError(f"side: expected shape {unit.shape}, got {side.shape}")
    if len(side) and not (side.min() >= 0 and side.max() <= 1):
        raise InputError("side: expected 1, 0 or .5")
    lean = 2 * side - 1
    _, of_unit, n = np.unique(unit, return_inverse=True, return_counts=True)
    others = n[of_unit] - 1
    sums = np.bincount(of_unit, weights=lean, minlength=len(n))
    product = lean * (sums[of_unit] - lean) / np.maximum(others, 1)
    return np.where(others > 0, (1 + product) / 2, np.nan)


def pairwise_agreement(
    unit: IntArray, category: IntArray, cluster: IntArray, *, level: float = 0.95
) -> Estimate | None:
    """Chance that a judgement and another one on the same unit say the same.

    Each judgement counts once, however many there are on its unit: a unit with m judgements counts
    m times, not m (m - 1) times. This is 1 less the observed disagreement of Krippendorff's alpha.

    Args:
        unit: Shape [n], int64 codes of what was judged; each judgement by another person.
        category: Shape [n], int64 codes of what was said.
        cluster: Shape [n], int64 codes of what is resampled together (prompts).
        level: Confidence level.

    Returns:
        With a Wilson interval on the effective sample size; None where no unit was judged twice.
    """
    same = agreement_with_others(unit, category)
    paired = ~np.isnan(same)
    if not paired.any():
        return None
    return cluster_proportion(same[paired], cluster[paired], level=level)


def krippendorff_alpha(
    unit: IntArray,
    category: IntArray,
    cluster: IntArray,
    *,
    exchangeable: tuple[int, int] | None = None,
    level: float = 0.95,
) -> Estimate | None:
    """Krippendorff's alpha for categories without order, 1 - D_observed / D_expected.

    1 is perfect agreement and 0 what chance would give if everybody said each category as often as
    all do together. Judgements on units that nobody else judged do not count.

    Args:
        unit: Shape [n], int64 codes of what was judged; each judgement by another person.
        category: Shape [n], int64 codes of what was said.
        cluster: Shape [n], int64 codes of what is resampled together (prompts); each unit in one.
        exchangeable: Two categories that could change names on any unit, as the sides of a pair
            could. By chance either is then as likely as the other, so that alpha does not depend on
            which response of a pair comes first in a file.
        level: Confidence level.

    Returns:
        ``n`` counts the judgements on units judged twice. None where there are none, or where
        chance alone would make all agree, so that alpha is 0/0.

    Source: Krippendorff (2011), *Computing Krippendorff's Alpha-Reliability*, section D. The
    interval is Wilson's for the observed agreement, with the standard error of alpha (by its
    influence function, over clusters) for that of the agreement. A bootstrap covers far too little
    near 1, where it may never draw the rare disagreement.
    """
    same = agreement_with_others(unit, category)
    paired = ~np.isnan(same)
    if not paired.any():
        return None
    same, said = same[paired], category[paired]
    kinds, of_kind = np.unique(said, return_inverse=True)
    counts = np.bincount(of_kind).astype(np.float64)
    n = len(said)
    expected = 1 - _equal_by_chance(kinds, counts, exchangeable)
    if expected <= _NOTHING:
        return None
    raw = cluster_proportion(same, cluster[paired], level=level)
    share = even_shares(kinds, counts / n, exchangeable)
    # How alpha moves with each judgement, in units of agreement.
    ratio = (1 - raw.value) / expected
    moves = same - raw.value - 2 * ratio * (share[of_kind] - counts @ share / n)
    std_error = cluster_mean(moves, cluster[paired], level=level).std_error
    ends = wilson(raw.value, std_error, n=n, n_clusters=raw.n_clusters, level=level)
    low, value, high = (1 - (1 - x) / expected for x in (ends[0], raw.value, ends[1]))
    method = f"Wilson with the standard error of alpha over {raw.n_clusters} clusters"
    return Estimate(value, std_error / expected, low, high, n, raw.n_clusters, level, method)


def _equal_by_chance(
    kinds: IntArray, counts: FloatArray, exchangeable: tuple[int, int] | None
) -> float:
    """Chance that two of the judgements, drawn without replacement, are of one category."""
    n = counts.sum()
    either = np.isin(kinds, exchangeable or ())
    both = counts[either].sum()
    alike = (counts[~either] * (counts[~either] - 1)).sum() + both * (both - 1) / 2
    return float(alike / (n * (n - 1)))


def even_shares(
    kinds: IntArray, share: FloatArray, exchangeable: tuple[int, int] | None
) -> FloatArray:
    """Shares of the categories, with those of the two exchangeable ones made the same.

    Where only one of the two was ever said, its share is halved all the same: chance would have
    given the other half to the one that does not appear.

    Args:
        kinds: Shape [c], int64 codes of the categories.
        share: Shape [c].
        exchangeable: Two codes; None to leave the shares as they are.
    """
    either = np.isin(kinds, exchangeable or ())
    return np.where(either, share[either].sum() / 2, share)
