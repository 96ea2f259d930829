"""How often two people say the same of one thing: raw agreement, and beyond chance (alpha)."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.stats.bootstrap import bootstrap_means
from rewardlab.stats.intervals import Estimate, cluster_codes, cluster_proportion
from rewardlab.types import FloatArray, IntArray

N_RESAMPLES = 2_000
"""Resamples behind an interval of alpha; its ends then move by about 3% of its width."""


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
    rng: np.random.Generator,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
) -> Estimate | None:
    """Krippendorff's alpha for categories without order, 1 - D_observed / D_expected.

    1 is perfect agreement and 0 what chance would give if everybody said each category as often as
    all do together. Judgements on units that nobody else judged do not count.

    Args:
        unit: Shape [n], int64 codes of what was judged; each judgement by another person.
        category: Shape [n], int64 codes of what was said.
        cluster: Shape [n], int64 codes of what is resampled together (prompts); each unit in one.
        rng: Source of randomness for the resamples.
        level: Confidence level.
        n_resamples: Resamples behind the interval.

    Returns:
        ``n`` counts the judgements on units judged twice. None where there are none, or where all
        of them are of one category, so that alpha is 0/0.

    Source: Krippendorff (2011), *Computing Krippendorff's Alpha-Reliability*, section D. The
    interval is the percentile bootstrap over clusters, in place of his resampling of
    disagreements, which takes pairs of judgements for independent.
    """
    same = agreement_with_others(unit, category)
    paired = ~np.isnan(same)
    codes, n_clusters = cluster_codes(cluster[paired])
    _, of_category = np.unique(category[paired], return_inverse=True)
    if not paired.any() or not of_category.any():
        return None
    sums = _sums_by_cluster(1 - same[paired], of_category, codes, n_clusters)
    value = float(_alpha(sums.sum(axis=0)[None])[0])
    n = int(paired.sum())
    if n_clusters < 2:
        return Estimate(value, np.nan, np.nan, np.nan, n, n_clusters, level, "one cluster only")
    means = bootstrap_means(sums, n_resamples=n_resamples, rng=rng)
    drawn = _alpha(means * n_clusters)
    drawn = drawn[~np.isnan(drawn)]
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    method = f"bootstrap over {n_clusters} clusters, {len(drawn)} resamples"
    spread = float(drawn.std(ddof=1))
    return Estimate(value, spread, float(low), float(high), n, n_clusters, level, method)


def _sums_by_cluster(
    apart: FloatArray, category: IntArray, cluster: IntArray, n_clusters: int
) -> FloatArray:
    """Shape [G, 1 + C]: disagreement summed over judgements, and judgements of each category."""
    n_categories = int(category.max()) + 1
    cell = cluster * n_categories + category
    counts = np.bincount(cell, minlength=n_clusters * n_categories)
    disagreement = np.bincount(cluster, weights=apart, minlength=n_clusters)
    return np.column_stack([disagreement, counts.reshape(n_clusters, n_categories)])


def _alpha(sums: FloatArray) -> FloatArray:
    """Alpha of rows of ``_sums_by_cluster`` added up; NaN where only one category is left."""
    counts = sums[:, 1:]
    n = counts.sum(axis=1)
    expected = 1 - (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    observed = sums[:, 0] / n
    some = expected > 1e-12
    return np.where(some, 1 - observed / np.where(some, expected, 1.0), np.nan)
