"""The two laws of over-optimisation in d = sqrt(KL), fitted to best-of-n curves.

    best-of-n form   R(d) = d (a - b d)         peak at d = a / 2b,          height a^2 / 4b
    RL form          R(d) = d (a - b log d)     peak at d = exp(a/b - 1),    height b d

R is the gain in gold over one sample. Both are linear in (a, b), so the least-squares fit over a
fixed grid is one linear map applied to each prompt's own curve: prompts give independent (a, b),
whose mean and covariance carry all that is uncertain. Points of one curve are far from
independent, which is why no R^2 or AIC is given: a law is judged by whether it misses the curve
by more than chance, and two laws by which predicts large n from small n on held-out prompts.

Source: Gao, Schulman and Hilton (2022), arXiv 2210.10760, equations 1 and 2. Deviation: they fit
one averaged curve; here prompts are resampled. The fit weighs points by their spacing in d, so
that it does not depend on how densely the grid was chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rewardlab.audit.peak import Peak, Where
from rewardlab.audit.prompt_curves import PromptCurves
from rewardlab.policies.best_of_n import kl_bound, n_of_kl
from rewardlab.stats.bootstrap import MeanCurve, bootstrap_means, max_t_quantile, mean_curve
from rewardlab.stats.intervals import t_quantile
from rewardlab.types import Figure, FloatArray

SMALLEST_N_TO_FIT = 4
"""Laws need three points beyond n = 1: two to fit and one that could disagree."""

SMALLEST_N_TO_COMPARE = 8
"""Laws are compared by fitting n <= N/2 and predicting N, so half of N must still be fittable."""

_N_FOLDS = 10


class Law(StrEnum):
    """A form of the gain in gold as a function of d = sqrt(KL)."""

    BEST_OF_N = "d (a - b d)"
    RL = "d (a - b log d)"

    def regressors(self, d: FloatArray) -> FloatArray:
        """Shape [k, 2]; what a and b multiply at each d > 0."""
        bend = d**2 if self is Law.BEST_OF_N else d * np.log(d)
        return np.column_stack([d, -bend])

    def peak_d(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Where the law is highest for d >= 0; inf where it rises without end, 0 where it falls.

        Args:
            a: Any shape.
            b: The same shape.
        """
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            bends = self is Law.BEST_OF_N
            inside = np.maximum(a, 0.0) / (2 * b) if bends else np.exp(a / b - 1)
        return np.where(b > 0, inside, np.where((b < 0) | (a > 0), np.inf, 0.0))

    def gain(self, a: float, b: float, d: FloatArray) -> FloatArray:
        """R(d) for d > 0, of the shape of ``d``."""
        return np.asarray(self.regressors(d) @ np.array([a, b]))


@dataclass(frozen=True, slots=True)
class LawFit:
    """One law fitted to the gain in gold.

    Attributes:
        law: Which form.
        a: Initial slope in d, gold units.
        b: How fast it bends, gold units.
        peak: Where the law peaks, as n; interval by Fieller's method.
        peak_gain: Gain in gold at the law's peak; NaN unless the peak is inside the data.
        resampled_low: Lower end of the percentile interval of the peak over resampled prompts,
            as n, cut at the ends of the data.
        resampled_high: Upper end, likewise.
        resampled_inside: Share of resamples whose peak is inside the data.
        misses: True if the law differs from the measured curve by more than chance at some n.
        worst_n: Where it differs most, in standard errors.
        worst_gap: Measured minus law there, gold units.
        kl_range: Smallest and largest KL bound of the points used, nats.
        n_resamples: Bootstrap resamples of prompts.
    """

    law: Law
    a: Figure
    b: Figure
    peak: Peak
    peak_gain: float
    resampled_low: float
    resampled_high: float
    resampled_inside: float
    misses: bool
    worst_n: int
    worst_gap: float
    kl_range: tuple[float, float]
    n_resamples: int


@dataclass(frozen=True, slots=True)
class LawComparison:
    """Which law predicts gold at the largest n from n up to half of it, on held-out prompts.

    Attributes:
        n_fitted: Largest n that was fitted.
        n_predicted: The n that was predicted.
        difference: Mean squared error of the best-of-n form minus that of the RL form; paired by
            prompt.
        better: The law with the smaller error, or None where the interval holds zero.
        n_folds: Folds of prompts.
    """

    n_fitted: int
    n_predicted: int
    difference: Figure
    better: Law | None
    n_folds: int


def fit_law(
    curves: PromptCurves,
    law: Law,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator,
) -> LawFit:
    """Fit one law to the gain of each prompt's curve over its first point.

    Args:
        curves: Curves up to n >= 4.
        law: Which form.
        level: Confidence level.
        n_resamples: Bootstrap resamples of prompts.
        rng: Source of randomness.
    """
    d = np.sqrt(kl_bound(curves.n[1:]))
    gain = curves.gold[:, 1:] - curves.gold[:, :1]
    solve = _least_squares(law, d)
    per_prompt = gain @ solve.T
    fit = mean_curve(per_prompt)
    t = t_quantile(level, fit.dof)
    peak = _law_peak(law, fit, t, curves, level)
    resampled = bootstrap_means(per_prompt, n_resamples=n_resamples, rng=rng)
    peaks = law.peak_d(resampled[:, 0], resampled[:, 1])
    d_first = float(np.sqrt(kl_bound(curves.marginal_n[:1]))[0])
    tails = np.quantile(np.minimum(peaks, d[-1]), [(1 - level) / 2, (1 + level) / 2])
    residuals = mean_curve(gain - per_prompt @ law.regressors(d).T)
    misses, worst = _worst_miss(residuals, level, rng)
    a, b = fit.mean
    return LawFit(
        law=law,
        a=_figure(fit, 0, t, level),
        b=_figure(fit, 1, t, level),
        peak=peak,
        peak_gain=_gain_at(law, a, b, peak),
        resampled_low=min(n_of_kl(float(tails[0]) ** 2), float(curves.n[-1])),
        resampled_high=min(n_of_kl(float(tails[1]) ** 2), float(curves.n[-1])),
        resampled_inside=float(np.mean((peaks >= d_first) & (peaks < d[-1]))),
        misses=misses,
        worst_n=int(curves.n[1 + worst]),
        worst_gap=float(residuals.mean[worst]),
        kl_range=(float(d[0] ** 2), float(d[-1] ** 2)),
        n_resamples=n_resamples,
    )


def compare_laws(
    curves: PromptCurves, *, level: float = 0.95, rng: np.random.Generator
) -> LawComparison:
    """Which law, fitted to other prompts at n <= N/2, predicts each prompt's gain at N better.

    The difference of two squared errors is linear in the prompt's own gain, so its interval
    over prompts behaves well although single prompts are noisy.

    Args:
        curves: Curves up to N >= 8.
        level: Confidence level.
        rng: Source of randomness (the folds).
    """
    n_half = int(curves.n[-1]) // 2
    fitted = (curves.n > 1) & (curves.n <= n_half)
    d = np.sqrt(kl_bound(curves.n))
    gain = curves.gold - curves.gold[:, :1]
    n_folds = min(_N_FOLDS, len(curves))
    fold = rng.permutation(len(curves)) % n_folds
    error = np.zeros((len(curves), 2))
    for column, law in enumerate(Law):
        to_last = law.regressors(d[-1:]) @ _least_squares(law, d[fitted])
        extrapolated = gain[:, fitted] @ to_last[0]
        sums = np.bincount(fold, weights=extrapolated, minlength=n_folds)
        sizes = np.bincount(fold, minlength=n_folds)
        predicted = (sums.sum() - sums) / (sizes.sum() - sizes)
        error[:, column] = (gain[:, -1] - predicted[fold]) ** 2
    difference = mean_curve(error[:, :1] - error[:, 1:])
    figure = _figure(difference, 0, t_quantile(level, difference.dof), level)
    better = Law.BEST_OF_N if figure.high < 0 else (Law.RL if figure.low > 0 else None)
    return LawComparison(n_half, int(curves.n[-1]), figure, better, n_folds)


def _least_squares(law: Law, d: FloatArray) -> FloatArray:
    """Shape [2, k]; maps a gain at each d to (a, b), points weighed by their spacing in d."""
    edges = np.concatenate([[0.0], (d[1:] + d[:-1]) / 2, d[-1:]])
    root = np.sqrt(np.diff(edges))
    return np.asarray(np.linalg.pinv(law.regressors(d) * root[:, None]) * root)


def _figure(fit: MeanCurve, j: int, t: float, level: float) -> Figure:
    value, half = float(fit.mean[j]), float(t * fit.std_error[j])
    method = f"t over {fit.n_clusters} prompts"
    return Figure(value, value - half, value + half, "gold", level, method)


def _law_peak(law: Law, fit: MeanCurve, t: float, curves: PromptCurves, level: float) -> Peak:
    """The law's peak as n, cut at the ends of the data, with Fieller's interval."""
    n_last, n_first = float(curves.n[-1]), float(curves.marginal_n[0])
    low, high = _peak_interval(law, fit, t)
    estimate = float(law.peak_d(fit.mean[:1], fit.mean[1:])[0])
    n, low_n, high_n = (n_of_kl(min(value, 1e3) ** 2) for value in (estimate, low, high))
    where = Where.BEYOND if n >= n_last else (Where.START if n < n_first else Where.INSIDE)
    return Peak(
        n=min(n, n_last) if where is not Where.START else 1.0,
        low=min(low_n, n_last) if low_n >= n_first else 1.0,
        high=min(high_n, n_last),
        reaches_start=low_n < n_first,
        reaches_end=high_n >= n_last,
        where=where,
        level=level,
    )


def _peak_interval(law: Law, fit: MeanCurve, t: float) -> tuple[float, float]:
    """Fieller's set of the peak in d: from the directions of (a, b) that are not excluded.

    In coordinates where (a, b) has unit covariance these directions form a cone of half-angle
    arcsin(t / length); it is everything where the length is within t. The peak falls as the
    direction turns from a > 0, b = 0 (no peak ahead) to b > 0, a < 0.
    """
    values, vectors = np.linalg.eigh(fit.covariance)
    floor = 1e-12 * max(float(values[-1]), 1e-300)
    root = vectors * np.sqrt(np.maximum(values, floor))
    root[:, 0] *= np.sign(np.linalg.det(vectors))
    white = np.linalg.solve(root, fit.mean)
    length = float(np.hypot(*white))
    if length <= t:
        return 0.0, float("inf")
    turn = np.arcsin(t / length)
    ends = []
    middle = np.arctan2(fit.mean[1], fit.mean[0])
    for side in (-turn, turn):
        cos, sin = np.cos(side), np.sin(side)
        a, b = root @ np.array([cos * white[0] - sin * white[1], sin * white[0] + cos * white[1]])
        away = (np.arctan2(b, a) - middle + np.pi) % (2 * np.pi) - np.pi
        ends.append(middle + away)
    clockwise, counter = ends
    # Past a half turn the law falls first and rises later: it has no highest point to bound.
    endless = counter > np.pi or clockwise <= 0
    high = np.inf if endless else _peak_at(law, clockwise)
    if clockwise < -np.pi:
        return 0.0, float(high)
    return (np.inf if counter <= 0 else _peak_at(law, counter)), float(high)


def _peak_at(law: Law, angle: float) -> float:
    angle = min(max(angle, 0.0), np.pi)
    return float(law.peak_d(np.array([np.cos(angle)]), np.array([np.sin(angle)]))[0])


def _gain_at(law: Law, a: float, b: float, peak: Peak) -> float:
    if peak.where is not Where.INSIDE:
        return float("nan")
    d = np.sqrt(kl_bound(np.array([peak.n])))
    return float(law.gain(a, b, d)[0])


def _worst_miss(residuals: MeanCurve, level: float, rng: np.random.Generator) -> tuple[bool, int]:
    """Whether a mean residual differs from zero by more than chance, and the worst index."""
    scale = residuals.std_error
    moving = scale > 1e-9 * scale.max()
    if not moving.any():
        return False, 0
    statistic = np.where(moving, np.abs(residuals.mean) / np.where(moving, scale, 1.0), 0.0)
    worst = int(np.argmax(statistic))
    critical = max_t_quantile(
        residuals.covariance, dof=residuals.dof, level=level, two_sided=True, rng=rng
    )
    return bool(statistic[worst] > critical), worst
