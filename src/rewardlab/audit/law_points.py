"""The laws of over-optimisation fitted to points (d, gain in gold), or to recorded paths.

Both laws are linear in (a, b). Points of one curve give residuals to resample; several paths of
one method give an (a, b) each, and the paths are resampled. A law's peak is only reported where
points lie on both sides of it: one that the fit puts further out is *beyond the data*.

Each point counts once, as a measurement of its own (``scaling_laws.fit_law`` weighs the points of a
curve over prompts by their spacing instead), and the RL form, whose slope at d = 0 is infinite, is
not meant for the neighbourhood of 0: thin a path that crowds there. The residuals of points, or of
a single path, are taken as independent. Where they follow each other more than chance allows, as on
a smooth path that is not the law, the law *misses* the points: its peak need not be theirs, and no
interval is given.

Source: Gao, Schulman and Hilton (2022), arXiv 2210.10760, for the laws and the term of fresh reward
models; percentile intervals by resampling after Efron (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from rewardlab.audit.peak import Where
from rewardlab.audit.scaling_laws import Law
from rewardlab.errors import EstimationError, InputError
from rewardlab.stats.bootstrap import bootstrap_means, max_t_quantile, mean_curve
from rewardlab.stats.intervals import t_quantile
from rewardlab.types import Figure, FloatArray, OptimizationPath

FEWEST_POINTS = 4
"""Two to fit, one that could disagree, and one more for the spread to be worth a figure."""
_MISSED_AT = 0.01
"""Residuals that follow each other so much in fewer orders than this share are no scatter."""
_EXACT = 1e-9
"""Residuals below this share of the largest gain are rounding."""
_N_ORDERS = 1999


@dataclass(frozen=True, slots=True)
class PointFit:
    """One law fitted to points or to paths.

    Attributes:
        law: Which form.
        a: Initial slope in d, gold units, with its Student interval.
        b: How fast the law bends, likewise.
        std_error: Shape [2]; of a and b.
        peak_d: Where the law is highest, cut at the ends of the data; its interval is made of
            percentiles over resamples, and infinite above where it reaches the end of the data.
        peak_gain: The law's gain in gold there; NaN unless the peak is inside the data.
        misses: True if the points do not scatter around the law but follow another curve (of
            several paths, their mean). Points and single paths then have no intervals (NaN).
        where: Whether the peak is inside the data, beyond them, or at their start.
        kl_range: Smallest and largest KL of the points used, nats.
        n_points: Points used; those at KL 0, where the gain is 0 by definition, are not.
        n_paths: Paths; 1 where points were given.
        n_resamples: Resamples behind the interval of the peak.
    """

    law: Law
    a: Figure
    b: Figure
    std_error: FloatArray
    peak_d: Figure
    peak_gain: float
    misses: bool
    where: Where
    kl_range: tuple[float, float]
    n_points: int
    n_paths: int
    n_resamples: int


def refreshed(a: float, b: float, refreshes: float) -> float:
    """The RL law's a after k rounds, each with a fresh reward model: d b log k more gold.

    The law keeps its form with a + b log k for a, so that its peak moves to k exp(a/b - 1).

    Args:
        a: Initial slope with one reward model.
        b: How fast the law bends.
        refreshes: k, >= 1.

    Raises:
        InputError: ``refreshes`` is below 1.
    """
    if not refreshes >= 1:
        raise InputError(f"refreshes: expected at least 1, got {refreshes:g}")
    return float(a + b * np.log(refreshes))


def fit_points(
    law: Law,
    d: FloatArray,
    gain: FloatArray,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator,
) -> PointFit:
    """Least squares for one law, residuals resampled (each over root 1 - its leverage).

    Args:
        law: Which form.
        d: Shape [k], root nats, >= 0; those of 0 are left out.
        gain: Shape [k]; gold above its value at d = 0.
        level: Confidence level.
        n_resamples: Resamples of the residuals.
        rng: Source of randomness.

    Raises:
        InputError: Shapes disagree, numbers are not finite, or an option is out of range.
        EstimationError: There are fewer than four points above d = 0, or all are at one d.
    """
    _check_options(level, n_resamples)
    d, gain = _usable(d, gain)
    order = np.argsort(d, kind="stable")
    d, gain = d[order], gain[order]
    x = law.regressors(d)
    solve = np.linalg.pinv(x)
    estimate = solve @ gain
    residual = gain - x @ estimate
    dof = len(d) - 2
    covariance = float(residual @ residual) / dof * (solve @ solve.T)
    # A point that decides its own fit leaves no residual to resample; its own is 0 as well.
    spread = residual / np.sqrt(np.maximum(1 - np.einsum("ij,ji->i", x, solve), 1e-12))
    drawn = rng.choice(spread - spread.mean(), size=(n_resamples, len(d)))
    fit = _fitted(law, estimate, covariance, dof, drawn @ solve.T, d, n_paths=1, level=level)
    scatters = float(np.abs(residual).max()) <= _EXACT * float(np.abs(gain).max())
    if scatters or not _follow_each_other(residual, rng):
        return fit
    a, b, peak = (_without_interval(figure) for figure in (fit.a, fit.b, fit.peak_d))
    return replace(fit, a=a, b=b, peak_d=peak, misses=True)


def fit_paths(
    law: Law,
    paths: Sequence[OptimizationPath],
    *,
    start_gold: float | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator,
) -> PointFit:
    """One law fitted to recorded paths: to its points, or to replicates, which are resampled.

    Args:
        law: Which form.
        paths: Paths of one method; several are taken as independent replicates.
        start_gold: Gold of the reference policy; by default each path's own first point, which
            must then lie at KL 0.
        level: Confidence level.
        n_resamples: Resamples.
        rng: Source of randomness.

    Raises:
        InputError: There is no path, one does not start at KL 0 and ``start_gold`` is missing, or
            an option is out of range.
        EstimationError: A path has fewer than four points above KL 0.
    """
    _check_options(level, n_resamples)
    for path in paths:
        if not isinstance(path, OptimizationPath):
            raise InputError(
                "paths: expected a sequence of OptimizationPath (of a method's result its .path), "
                f"got one of {type(path).__name__}"
            )
    points = [_points(path, start_gold) for path in paths]
    if not points:
        raise InputError("paths: expected at least one, got none")
    if len(points) == 1:
        return fit_points(law, *points[0], level=level, n_resamples=n_resamples, rng=rng)
    each = np.array([np.linalg.pinv(law.regressors(d)) @ gain for d, gain in points])
    fit = mean_curve(each)
    n_paths = len(each)
    drawn = bootstrap_means(each - fit.mean, n_resamples=n_resamples, rng=rng)
    drawn *= np.sqrt(n_paths / (n_paths - 1))
    d = np.concatenate([d for d, _ in points])
    found = _fitted(law, fit.mean, fit.covariance, fit.dof, drawn, d, n_paths=n_paths, level=level)
    return replace(found, misses=_miss_together(law, points, each, rng))


def _follow_each_other(residual: FloatArray, rng: np.random.Generator) -> bool:
    """Whether neighbouring residuals agree more than in nearly all other orders of them."""
    orders = rng.permuted(np.tile(residual, (_N_ORDERS, 1)), axis=1)
    agreement = float(residual[1:] @ residual[:-1])
    as_much = int(((orders[:, 1:] * orders[:, :-1]).sum(axis=1) >= agreement).sum())
    return (1 + as_much) / (1 + _N_ORDERS) < _MISSED_AT


def _miss_together(
    law: Law,
    points: Sequence[tuple[FloatArray, FloatArray]],
    each: FloatArray,
    rng: np.random.Generator,
) -> bool:
    """Whether the paths' residuals, averaged over quarters of their points, are not all about 0.

    Paths may have different points. Quarters differ from 0 for all paths alike if the law has the
    wrong shape; the four means are tested together over paths.
    """
    quarters = np.array(
        [
            [part.mean() for part in np.array_split(gain - law.regressors(d) @ ab, 4)]
            for (d, gain), ab in zip(points, each, strict=True)
        ]
    )
    residuals = mean_curve(quarters)
    if not residuals.std_error.any():
        return False
    critical = max_t_quantile(
        residuals.covariance, dof=residuals.dof, level=1 - _MISSED_AT, two_sided=True, rng=rng
    )
    return bool(np.any(np.abs(residuals.mean) > critical * residuals.std_error))


def _without_interval(figure: Figure) -> Figure:
    method = "no interval: the points follow another curve than the law"
    return replace(figure, low=np.nan, high=np.nan, method=method)


def _check_options(level: float, n_resamples: int) -> None:
    if not (0 < level < 1 and n_resamples >= 1):
        raise InputError(
            f"expected level between 0 and 1 and n_resamples >= 1, got {level:g} and {n_resamples}"
        )


def _usable(d: FloatArray, gain: FloatArray) -> tuple[FloatArray, FloatArray]:
    d, gain = np.asarray(d, dtype=np.float64), np.asarray(gain, dtype=np.float64)
    if d.ndim != 1 or gain.shape != d.shape:
        raise InputError(f"gain: expected the shape of d, {d.shape}, got {gain.shape}")
    if not (np.isfinite(d).all() and np.isfinite(gain).all() and np.all(d >= 0)):
        raise InputError("d, gain: expected finite numbers, and d of at least 0")
    above = d > 0
    if above.sum() < FEWEST_POINTS or np.ptp(d[above]) == 0:
        raise EstimationError(
            f"law: expected at least {FEWEST_POINTS} points above d = 0, not all at one d, got "
            f"{int(above.sum())}"
        )
    return d[above], gain[above]


def _points(path: OptimizationPath, start_gold: float | None) -> tuple[FloatArray, FloatArray]:
    if start_gold is None and path.kl_nats[0] > 1e-9:
        raise InputError(
            f"start_gold: the path of {path.method} starts at KL {path.kl_nats[0]:.3g}, so the "
            "gold of the reference policy must be given"
        )
    start = float(path.gold_reward[0]) if start_gold is None else start_gold
    return _usable(np.sqrt(path.kl_nats), path.gold_reward - start)


def _fitted(
    law: Law,
    estimate: FloatArray,
    covariance: FloatArray,
    dof: int,
    moves: FloatArray,
    d: FloatArray,
    *,
    n_paths: int,
    level: float,
) -> PointFit:
    """The fit from its estimate [2], covariance [2, 2] and resampled moves [B, 2] around it."""
    t = t_quantile(level, dof)
    std_error = np.sqrt(np.diag(covariance))
    a, b = (
        Figure(float(v), float(v - t * s), float(v + t * s), "gold", level, f"t with {dof} dof")
        for v, s in zip(estimate, std_error, strict=True)
    )
    # Few residuals or paths understate the spread as a normal quantile does a Student's.
    widened = estimate + moves * (t / float(special.ndtri(0.5 + level / 2)))
    peak, where = _peak(law, estimate, widened, d, level)
    at = np.array([peak.value])
    return PointFit(
        law=law,
        a=a,
        b=b,
        std_error=std_error,
        peak_d=peak,
        misses=False,
        peak_gain=float(law.gain(a.value, b.value, at)[0]) if where is Where.INSIDE else np.nan,
        where=where,
        kl_range=(float(d.min()) ** 2, float(d.max()) ** 2),
        n_points=len(d),
        n_paths=n_paths,
        n_resamples=len(moves),
    )


def _peak(
    law: Law, estimate: FloatArray, resampled: FloatArray, d: FloatArray, level: float
) -> tuple[Figure, Where]:
    """The peak's d with its interval, cut at the ends of the data, and where it lies."""
    first, last = float(d.min()), float(d.max())
    peaks = law.peak_d(resampled[:, 0], resampled[:, 1])
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = (float(value) for value in np.quantile(peaks, tails, method="nearest"))
    at = float(law.peak_d(estimate[:1], estimate[1:])[0])
    where = Where.BEYOND if at >= last else (Where.START if at < first else Where.INSIDE)
    high = high if high < last else float("inf")
    method = f"percentiles of {len(resampled)} resamples"
    return Figure(min(at, last), min(low, last), high, "root nats", level, method), where
