"""How accuracy grows with the number of comparisons, and how many more would help.

Log loss falls as floor + b n^-c. Accuracy follows the angle between fitted and best weights: with
errors of the weights that fall as n^-c, its lead over a coin is that of the best weights over the
root of 1 + k n^-c, so that 1 / (accuracy - 1/2)^2 is the same kind of curve, also where errors are
as large as the weights. For a fixed number of features c tends to 1, and the estimate is drawn in
to that as far as the points leave it open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.learning_points import LearningPoints
from rewardlab.errors import EstimationError
from rewardlab.types import FloatArray

RATES = np.linspace(0.3, 1.7, 29)
RATE, RATE_SPREAD = 1.0, 0.3
"""Where c is drawn to, and with what deviation: the rate of a fit whose features are fixed."""

N_RESAMPLES = 400
WIDENING = 1.2
"""By how much intervals are wider than the resamples' own: these resample what is predicted, but
the draws' fits share their comparisons."""

LEAST_LEAD = 0.005
"""An accuracy nearer to a coin counts as this far ahead of it, so that the lead has an inverse."""

MULTIPLES = (2.0, 4.0)
"""How far a curve is drawn on: beyond four times the data the floor alone would decide."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the ends of its interval at 95%."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a fit to ``multiple`` times the comparisons would reach.

    Attributes:
        multiple: Of the comparisons there are.
        n: Comparisons.
        accuracy: On unseen prompts, of comparisons like these.
        gain: Accuracy beyond that of a fit to the comparisons there are.
        log_loss: In nats.
    """

    multiple: float
    n: int
    accuracy: Interval
    gain: Interval
    log_loss: Interval


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Measured points and the curve through them.

    Attributes:
        n: Shape [s]; comparisons that were fitted.
        accuracy: Shape [3, s]; measured on prompts left out: value, low, high.
        log_loss: Shape [3, s]; likewise, in nats.
        n_all: Comparisons in all.
        now: The forecast at ``n_all`` itself; its gain is 0.
        forecasts: At each of ``MULTIPLES``.
        rate: c of the accuracy.
        best_accuracy: What these features would reach with any number of comparisons.
        gap_closed_at: Multiple of the comparisons at which accuracy comes within one point of
            ``best_accuracy``; infinite ends are open. 1 where it is that close already.
        drawn_n: Shape [40]; comparisons, from the smallest fit to the last forecast.
        drawn_accuracy: Shape [40]; the fitted curve there.
        flat: True if the points do not tell the curve from a flat one.
        n_draws: Random orders of the prompts behind each point.
        l2: Penalty of the fits.
    """

    n: FloatArray
    accuracy: FloatArray
    log_loss: FloatArray
    n_all: int
    now: Forecast
    forecasts: tuple[Forecast, ...]
    rate: Interval
    best_accuracy: Interval
    gap_closed_at: Interval
    drawn_n: FloatArray
    drawn_accuracy: FloatArray
    flat: bool
    n_draws: int
    l2: float


@dataclass(frozen=True, slots=True)
class _Curves:
    """floor + slope (n / n_all)^-rate for each of B samples; shape [B] each."""

    floor: FloatArray
    slope: FloatArray
    rate: FloatArray

    def at(self, multiple: float) -> FloatArray:
        """Shape [B]; values at a multiple of n_all."""
        return np.asarray(self.floor + self.slope * multiple**-self.rate)


@dataclass(frozen=True, slots=True)
class _AccuracyCurves:
    """1/2 + 1 / sqrt(curve) for each of B samples, the curve being that of the inverse lead."""

    inverse: _Curves

    def at(self, multiple: float) -> FloatArray:
        """Shape [B]; accuracy at a multiple of n_all, at most 1."""
        return _accuracy(self.inverse.at(multiple))

    @property
    def best(self) -> FloatArray:
        """Shape [B]; with any number of comparisons."""
        return _accuracy(self.inverse.floor)

    @property
    def within_a_point(self) -> FloatArray:
        """Shape [B]; multiples at which accuracy is one point below the best, at least 1."""
        lead = np.maximum(self.best - 0.5 - 0.01, 1e-6)
        room = np.maximum(lead**-2 - self.inverse.floor, 1e-12)
        slope = np.maximum(self.inverse.slope, 0.0)
        return np.asarray(np.maximum(1.0, (slope / room) ** (1 / self.inverse.rate)))


def _accuracy(inverse: FloatArray) -> FloatArray:
    return np.asarray(0.5 + 1 / np.sqrt(np.maximum(inverse, 4.0)))


def learning_curve(points: LearningPoints, *, rng: np.random.Generator) -> LearningCurve:
    """The curve through measured points, with intervals from resampled prompts and draws.

    Args:
        points: From ``measure_points``.
        rng: Draws the resamples.

    Raises:
        EstimationError: The largest fits are not told apart from a coin.

    Source: the form is that of Hestness et al. (2017), arXiv:1712.00409; excess log loss falls as
    d / (2 n) in a model of d weights (Akaike, 1973).
    """
    loss, error = _resampled(points, rng)  # the first row is the sample itself
    relative = points.n / points.n_all
    _require_lead(1 - error[:, -1])
    of_loss = _fit_rates(loss, relative)
    inverse = _fit_rates(np.maximum(0.5 - error, LEAST_LEAD) ** -2, relative)
    reached = _AccuracyCurves(inverse)
    drawn = np.geomspace(relative[0], MULTIPLES[-1], 40)
    return LearningCurve(
        n=points.n,
        accuracy=np.clip(1 - _intervals(error)[[0, 2, 1]], 0.0, 1.0),
        log_loss=_intervals(loss),
        n_all=points.n_all,
        now=_forecast(points, of_loss, reached, 1.0),
        forecasts=tuple(_forecast(points, of_loss, reached, m) for m in MULTIPLES),
        rate=_interval(inverse.rate),
        best_accuracy=_at_most(_interval(reached.best), 1.0),
        gap_closed_at=_multiple(reached.within_a_point),
        drawn_n=drawn * points.n_all,
        drawn_accuracy=np.array([reached.at(m)[0] for m in drawn]),
        flat=_interval(of_loss.slope).low <= 0,
        n_draws=len(points.log_loss),
        l2=points.l2,
    )


def _require_lead(accuracy: FloatArray) -> None:
    """Refuse where there is no lead over a coin whose growth could be told."""
    at = _interval(accuracy)
    if at.low <= 0.5:
        raise EstimationError(
            f"held-out accuracy of {at.value:.1%} ({at.low:.1%} to {at.high:.1%}) "
            "is not told apart from a coin, so there is no growth to draw on",
            remedy="Add comparisons, or use features that predict more.",
        )


def _resampled(points: LearningPoints, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Shape [1 + N_RESAMPLES, s] each: mean log loss, and share of decided ones ranked wrong."""
    r, _, g = points.log_loss.shape
    groups = np.vstack([np.ones(g), rng.multinomial(g, np.full(g, 1 / g), N_RESAMPLES)])
    draws = np.vstack([np.ones(r), rng.multinomial(r, np.full(r, 1 / r), N_RESAMPLES)]) / r
    loss, right = (
        np.einsum("rsb,br->bs", cells @ groups.T, draws) / (groups @ n)[:, None]
        for cells, n in ((points.log_loss, points.n_rows), (points.right, points.n_decided))
    )
    return loss, 1 - right


def _whitened(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What each size has beyond the largest one, whitened, and the matrix that whitens.

    All sizes are judged on the same prompts, whose difficulty they share: it drops out of these
    differences, and the curve's shape is fitted to them alone.
    """
    beyond = values[:, :-1] - values[:, -1:]
    covariance = np.cov(beyond[1:].T)
    # A trace of independent noise: what the curve's form itself misses.
    covariance += 1e-3 * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    factor = np.linalg.inv(np.linalg.cholesky(covariance))
    return beyond @ factor.T, factor


def _design(factor: FloatArray, relative: FloatArray, rate: float) -> FloatArray:
    """Shape [s - 1]: what a slope of 1 adds to each whitened difference."""
    drop = relative**-rate
    return np.asarray(factor @ (drop[:-1] - drop[-1]))


def _through_last(
    values: FloatArray, relative: FloatArray, slope: FloatArray, rate: FloatArray
) -> _Curves:
    """The curves of these shapes through each sample's value at the largest size."""
    return _Curves(values[:, -1] - slope * relative[-1] ** -rate, slope, rate)


def _fit_rates(values: FloatArray, relative: FloatArray) -> _Curves:
    """Each sample's curve, by generalised least squares, with c drawn to ``RATE``."""
    white, factor = _whitened(values)
    best = np.full(len(values), np.inf)
    slope, rate = np.empty(len(values)), np.empty(len(values))
    for one in RATES:
        design = _design(factor, relative, one)
        slopes = white @ design / (design @ design)
        misfit = np.sum((white - np.outer(slopes, design)) ** 2, axis=1)
        misfit += ((one - RATE) / RATE_SPREAD) ** 2
        better = misfit < best
        best[better], slope[better], rate[better] = misfit[better], slopes[better], one
    return _through_last(values, relative, slope, rate)


def _forecast(
    points: LearningPoints, of_loss: _Curves, reached: _AccuracyCurves, multiple: float
) -> Forecast:
    accuracy, now = reached.at(multiple), reached.at(1.0)
    return Forecast(
        multiple,
        round(multiple * points.n_all),
        _at_most(_interval(accuracy), 1.0),
        _at_most(_interval(accuracy - now), 1 - float(now[0])),
        _interval(of_loss.at(multiple)),
    )


def _at_most(interval: Interval, most: float) -> Interval:
    """The interval without what no accuracy can reach, into which widening may lead."""
    return Interval(interval.value, interval.low, min(interval.high, most))


def _interval(samples: FloatArray) -> Interval:
    value, low, high = _intervals(samples[:, None])[:, 0].tolist()
    return Interval(value, low, high)


def _intervals(values: FloatArray) -> FloatArray:
    """Shape [3, s]: value, low and high of each column, widened."""
    ends = np.quantile(values[1:], [0.025, 0.975], axis=0)
    return np.vstack([values[0], values[0] + WIDENING * (ends - values[0])])


def _multiple(samples: FloatArray) -> Interval:
    """An interval made in logarithms, as a multiple's are; never below 1."""
    logs = _interval(np.log(samples))
    value, low, high = (float(np.exp(min(x, 50.0))) for x in (logs.value, logs.low, logs.high))
    return Interval(value, max(1.0, low), high)
