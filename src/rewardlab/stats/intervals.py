"""Means and proportions of rows that come in clusters (prompts), with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from rewardlab.errors import InputError
from rewardlab.types import Figure, FloatArray, IntArray

FEW_CLUSTERS = 40
"""Below about this many clusters, intervals built on between-cluster variation are rough."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over clustered rows.

    Attributes:
        value: The mean of all rows.
        std_error: Its standard error, clusters resampled.
        low: Lower end of the interval.
        high: Upper end.
        n: Rows used.
        n_clusters: Clusters used.
        level: Confidence level.
        method: How the interval was made.
    """

    value: float
    std_error: float
    low: float
    high: float
    n: int
    n_clusters: int
    level: float
    method: str

    def figure(self, unit: str = "") -> Figure:
        """The estimate as a ``Figure``."""
        return Figure(self.value, self.low, self.high, unit, self.level, self.method)


def t_quantile(level: float, dof: float) -> float:
    """The two-sided Student quantile: P(\\|T\\| <= q) = level."""
    return float(scipy.special.stdtrit(dof, 0.5 + level / 2))


def cluster_codes(names: Sequence[str] | IntArray) -> tuple[IntArray, int]:
    """Integer codes 0..G-1 of cluster names (or of other codes), and G.

    In order of first appearance, so that the same clusters get the same codes however they are
    named.
    """
    if isinstance(names, np.ndarray):
        _, first, codes = np.unique(names, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return rank[codes], len(first)
    coded, distinct = name_codes(names)
    return coded, len(distinct)


def name_codes(names: Sequence[str]) -> tuple[IntArray, tuple[str, ...]]:
    """Integer codes of names in order of first appearance, and the distinct names in that order."""
    each = _repeats(names)
    heads = names[::each]
    seen: dict[str, int] = {}
    coded = np.fromiter((seen.setdefault(n, len(seen)) for n in heads), np.int64, len(heads))
    return np.repeat(coded, each), tuple(seen)


def _repeats(names: Sequence[str]) -> int:
    """How often each name stands in a row, if each does equally often; else 1.

    Whole slices are counted, which is much quicker than to look up every name.
    """
    length = next((i for i, name in enumerate(names) if name != names[0]), len(names))
    if length < 2 or len(names) % length:
        return 1
    starts = range(0, len(names), length)
    alike = all(names[i : i + length].count(names[i]) == length for i in starts)
    return length if alike else 1


def cluster_mean(values: FloatArray, clusters: IntArray, *, level: float = 0.95) -> Estimate:
    """Mean over rows with a cluster-robust Student interval.

    The variance is that of a ratio of cluster sums to cluster sizes, with the factor G/(G-1) and
    G-1 degrees of freedom.

    Args:
        values: Shape [n], finite.
        clusters: Shape [n], int64 codes of the clusters (prompts).
        level: Confidence level.

    Raises:
        InputError: The input is empty, not finite, or of unequal lengths.

    Source: Cochran (1977), *Sampling Techniques*, section 9A (ratio to size).
    """
    n, n_clusters, residual = _cluster_residuals(values, clusters)
    mean = float(values.mean())
    if n_clusters < 2:
        return Estimate(mean, np.nan, np.nan, np.nan, n, n_clusters, level, "one cluster only")
    std_error = float(np.sqrt(n_clusters / (n_clusters - 1) * np.sum(residual**2)) / n)
    half = t_quantile(level, n_clusters - 1) * std_error
    method = f"cluster-robust t with {n_clusters - 1} degrees of freedom"
    return Estimate(mean, std_error, mean - half, mean + half, n, n_clusters, level, method)


def cluster_proportion(values: FloatArray, clusters: IntArray, *, level: float = 0.95) -> Estimate:
    """Proportion over rows with a Wilson interval on the effective sample size.

    The effective size is n over the measured design effect, never more than n, so that a
    proportion of 0 or 1 still gets an interval of honest width.

    Args:
        values: Shape [n], each in [0, 1].
        clusters: Shape [n], int64 codes of the clusters (prompts).
        level: Confidence level.

    Raises:
        InputError: The input is empty, of unequal lengths, or outside [0, 1].

    Source: Wilson (1927); Korn and Graubard (1998), *Survey Methodology* 24, for the effective
    sample size with a Student correction.
    """
    if len(values) and (np.min(values) < 0 or np.max(values) > 1):
        raise InputError("cluster_proportion: expected values in [0, 1]")
    base = cluster_mean(values, clusters, level=level)
    if base.n_clusters < 2:
        return base
    p, n = base.value, base.n
    low, high = wilson(p, base.std_error, n=n, n_clusters=base.n_clusters, level=level)
    n_effective = _effective(p, base.std_error, n, base.n_clusters)
    method = f"Wilson on {n_effective:.0f} effective rows in {base.n_clusters} clusters"
    return Estimate(p, base.std_error, low, high, n, base.n_clusters, level, method)


def wilson(
    p: float, std_error: float, *, n: int, n_clusters: int, level: float
) -> tuple[float, float]:
    """Ends of Wilson's interval for a proportion whose standard error is measured.

    Args:
        p: The proportion.
        std_error: Its standard error, from clusters.
        n: Rows.
        n_clusters: Clusters; with fewer than two both ends are NaN.
        level: Confidence level.

    Source: see ``cluster_proportion``.
    """
    if n_clusters < 2:
        return np.nan, np.nan
    n_effective = _effective(p, std_error, n, n_clusters)
    q2 = t_quantile(level, n_clusters - 1) ** 2
    centre = (p + q2 / (2 * n_effective)) / (1 + q2 / n_effective)
    half = np.sqrt(q2) * np.sqrt(p * (1 - p) / n_effective + q2 / (4 * n_effective**2))
    half /= 1 + q2 / n_effective
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def _effective(p: float, std_error: float, n: int, n_clusters: int) -> float:
    """Independent rows that would give this standard error; never more than n.

    With every value alike the design effect cannot be measured: each cluster counts once.
    """
    if not (0 < p < 1 and std_error > 0):
        return float(n_clusters)
    return float(min(n, p * (1 - p) / std_error**2))


def widened(
    estimate: Estimate, factor: float, *, lowest: float = 0.0, highest: float = np.inf
) -> Estimate:
    """The estimate with standard error and interval ``factor`` times as wide.

    Args:
        estimate: With a naive interval.
        factor: >= 1.
        lowest: Least possible value.
        highest: Largest possible value.
    """
    if factor == 1:
        return estimate
    value = estimate.value
    return replace(
        estimate,
        std_error=factor * estimate.std_error,
        low=max(lowest, value - factor * (value - estimate.low)),
        high=min(highest, value + factor * (estimate.high - value)),
        method=f"{estimate.method}, {factor:.2f} times as wide by nested cross-validation",
    )


def _cluster_residuals(values: FloatArray, clusters: IntArray) -> tuple[int, int, FloatArray]:
    n = len(values)
    if n == 0:
        raise InputError("values: expected at least one row, got none")
    if len(clusters) != n:
        raise InputError(f"clusters: expected length {n}, got {len(clusters)}")
    if not np.all(np.isfinite(values)):
        raise InputError("values: expected finite numbers")
    codes, n_clusters = cluster_codes(clusters)
    sums: FloatArray = np.zeros(n_clusters)
    np.add.at(sums, codes, values - values.mean())
    return n, n_clusters, sums
