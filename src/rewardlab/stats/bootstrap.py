"""Resampling of clusters, and critical values for many correlated statistics at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.types import FloatArray

_BLOCK_CELLS = 4_000_000
"""Resampling weights held in memory at a time (32 MB)."""

_N_DRAWS = 10_000
"""Gaussian draws behind a critical value; its simulation error is then near .02."""


@dataclass(frozen=True, slots=True)
class MeanCurve:
    """Means over clusters of several quantities, with the covariance of those means.

    Attributes:
        mean: Shape [k].
        covariance: Shape [k, k]; of the means, clusters taken as independent draws.
        n_clusters: G >= 2.
    """

    mean: FloatArray
    covariance: FloatArray
    n_clusters: int

    @property
    def std_error(self) -> FloatArray:
        """Shape [k]; standard errors of the means."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def dof(self) -> int:
        """Degrees of freedom of a Student interval, G - 1."""
        return self.n_clusters - 1


def mean_curve(rows: FloatArray) -> MeanCurve:
    """Means of the columns of ``rows`` and the covariance of those means.

    Args:
        rows: Shape [G, k]; one row a cluster, which counts once whatever its size.

    Raises:
        InputError: There are fewer than two clusters.
    """
    n_clusters = len(rows)
    if n_clusters < 2:
        raise InputError(f"rows: expected at least 2 clusters, got {n_clusters}")
    mean = rows.mean(axis=0)
    centred = rows - mean
    covariance = centred.T @ centred / (n_clusters * (n_clusters - 1))
    # What is constant over clusters leaves rounding noise that must not look like a signal.
    scale = np.sqrt(np.mean(rows**2, axis=0)) * 1e-13
    still = np.sqrt(np.diag(covariance) * n_clusters) <= scale
    covariance[still] = 0.0
    covariance[:, still] = 0.0
    return MeanCurve(mean, covariance, n_clusters)


def bootstrap_means(rows: FloatArray, *, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Means of the columns over clusters drawn with replacement.

    Args:
        rows: Shape [G, k]; one row a cluster.
        n_resamples: B.
        rng: Source of randomness.

    Returns:
        Shape [B, k].

    Source: Efron (1979); resampling whole clusters, Davison and Hinkley (1997), section 3.8.
    """
    n_clusters, k = rows.shape
    result = np.empty((n_resamples, k))
    block = max(1, _BLOCK_CELLS // n_clusters)
    for start in range(0, n_resamples, block):
        stop = min(start + block, n_resamples)
        drawn = rng.integers(0, n_clusters, size=(stop - start, n_clusters))
        drawn += n_clusters * np.arange(stop - start)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=(stop - start) * n_clusters)
        result[start:stop] = counts.reshape(stop - start, n_clusters) @ rows / n_clusters
    return result


def max_t_quantile(
    covariance: FloatArray,
    *,
    dof: int,
    level: float,
    two_sided: bool,
    rng: np.random.Generator,
    n_draws: int = _N_DRAWS,
) -> float:
    """Critical value c with P(max_j t_j <= c) = level for correlated Student statistics.

    ``two_sided`` takes the maximum of \\|t_j\\|. Statistics without variance are left out. Drawn
    as Gaussian vectors over a common chi, that is from the multivariate t distribution.

    Args:
        covariance: Shape [c, c]; any scale.
        dof: Degrees of freedom, >= 1.
        level: In (0, 1).
        two_sided: Take absolute values.
        rng: Source of randomness.
        n_draws: Draws behind the quantile.

    Source: Hothorn, Bretz and Westfall (2008), *Biometrical Journal* 50, 346-363.
    """
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    moving = scale > 1e-12 * scale.max()
    if not moving.any():
        return float(special.stdtrit(dof, (1 + level) / 2 if two_sided else level))
    unit = scale[moving]
    correlation = covariance[np.ix_(moving, moving)] / np.outer(unit, unit)
    values, vectors = np.linalg.eigh(correlation)
    kept = values > 1e-10 * values[-1]
    root = vectors[:, kept] * np.sqrt(values[kept])
    # A row a statistic: the maximum over rows runs along memory. The chi is common to a draw, so
    # that it divides the maximum as it would each statistic.
    draws = root @ rng.standard_normal((n_draws, int(kept.sum()))).T
    peaks = np.abs(draws, out=draws).max(axis=0) if two_sided else draws.max(axis=0)
    peaks /= np.sqrt(rng.chisquare(dof, n_draws) / dof)
    return float(np.quantile(peaks, level))
