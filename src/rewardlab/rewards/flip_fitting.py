"""Flip rates and weights that fit best at each scale of the margins, and what each scale weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.flip_model import At, FlipData, model_at, objective_at
from rewardlab.types import FloatArray

SCALES: FloatArray = 0.25 * np.sqrt(2.0) ** np.arange(11)
"""Scales of the margins that are considered, in logits: .25 (all pairs are close) to 8."""

USUAL_SCALE, SCALE_SPREAD = 2.0, 0.7
"""The prior of log scale, a normal. At 2, two people who never flip agree on 70% of pairs. It
chooses a point where the likelihood does not; the intervals do not use it."""

EDGE = 1e-6
"""Flip rates stay this far from 0 and 1, where a known answer would be impossible."""

FAR_BELOW = 12.0
"""Scales whose log likelihood is this much below the best weigh nothing."""

STEEP, MOST_REFINEMENTS = 1.0, 3
"""Scales are added between neighbours of which the best is higher by more than this."""

MAX_ITERATIONS = 500

MOST_STARTS = 3
"""How often the solver is started anew where its steps ended too early."""

GAIN_LEFT = 1e-3
"""A fit has ended when no step would raise the log likelihood by more."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The best flip rates and weights at one scale.

    Attributes:
        scale: Of the margins, in logits.
        flip: Shape [K].
        v: Shape [d], in units of the scale.
        at: The model there.
        iterations: Steps of the solver.
    """

    scale: float
    flip: FloatArray
    v: FloatArray
    at: At
    iterations: int


def along_scales(data: FlipData) -> list[Fitted]:
    """The best fit at each scale that matters, in rising order.

    From the usual scale up and down until the likelihood has fallen too far to return; then between
    them, where it falls so steeply that two neighbours would miss its peak.
    """
    start = int(np.argmin(np.abs(SCALES - USUAL_SCALE)))
    careful = np.full(data.n_annotators, 0.1)
    fits = [_fitted(data, float(SCALES[start]), careful, np.zeros(data.features.shape[1]))]
    for onward in (range(start + 1, len(SCALES)), range(start - 1, -1, -1)):
        near = fits[0] if onward.step > 0 else min(fits, key=lambda fitted: fitted.scale)
        for i in onward:
            near = _fitted(data, float(SCALES[i]), _inner(near.flip), near.v)
            fits.append(near)
            if near.at.objective < max(f.at.objective for f in fits) - FAR_BELOW:
                break
    fits.sort(key=lambda fitted: fitted.scale)
    for _ in range(MOST_REFINEMENTS):
        between = _between(fits)
        if not len(between):
            break
        near = max(fits, key=lambda fitted: fitted.at.objective)
        fits += [_fitted(data, float(x), _inner(near.flip), near.v) for x in between]
        fits.sort(key=lambda fitted: fitted.scale)
    return fits


def _inner(flip: FloatArray) -> FloatArray:
    """Flip rates to start from, off the bounds."""
    return np.clip(flip, 0.02, 0.98)


def _between(fits: list[Fitted]) -> FloatArray:
    """Scales to add about the peak of a parabola through the best fit and its neighbours."""
    log_scale = np.log([fitted.scale for fitted in fits])
    height = np.array([fitted.at.objective for fitted in fits])
    i = int(np.argmax(height))
    if i in (0, len(fits) - 1) or height[i] - max(height[i - 1], height[i + 1]) < STEEP:
        return np.zeros(0)
    curvature, slope, _ = np.polyfit(
        log_scale[i - 1 : i + 2] - log_scale[i], height[i - 1 : i + 2], 2
    )
    peak, spread = -slope / (2 * curvature), 1 / np.sqrt(-2 * curvature)
    added = log_scale[i] + peak + spread * np.arange(-2, 3)
    inside = (added > log_scale[i - 1]) & (added < log_scale[i + 1])
    return np.asarray(np.exp(added[inside & (np.abs(added - log_scale[i]) > 1e-6)]))


def scale_weights(fits: list[Fitted]) -> FloatArray:
    """Posterior weight of each scale: likelihood and prior, by the trapezoid rule in log scale."""
    log_scale = np.log([fitted.scale for fitted in fits])
    height = np.array([fitted.at.objective for fitted in fits])
    prior = ((log_scale - np.log(USUAL_SCALE)) / SCALE_SPREAD) ** 2 / 2
    gaps = np.diff(log_scale)
    width = (np.append(gaps, 0.0) + np.insert(gaps, 0, 0.0)) / 2 if len(fits) > 1 else np.ones(1)
    return np.asarray(special.softmax(height - prior + np.log(width)))


def _fitted(data: FlipData, scale: float, flip: FloatArray, v: FloatArray) -> Fitted:
    """Flip rates and weights that maximise the penalised likelihood at one scale.

    Were all who flip honest and all who are honest flipping, and all margins turned round, the
    votes would be as likely. Of the two, that is meant in which most votes are honest, unless
    known pairs say otherwise.
    """
    fitted = _climbed(data, scale, flip, v)
    n_votes = np.bincount(
        data.annotator, weights=data.weight[data.pair], minlength=data.n_annotators
    )
    if n_votes @ (1 - 2 * fitted.flip) >= 0:
        return fitted
    turned = _climbed(data, scale, _inner(1 - fitted.flip), -fitted.v)
    tolerance = 2 * GAIN_LEFT * len(fitted.flip)
    return turned if turned.at.objective > fitted.at.objective - tolerance else fitted


def _climbed(data: FlipData, scale: float, flip: FloatArray, v: FloatArray) -> Fitted:
    """A maximum of the penalised likelihood, from a start."""
    k, n = data.n_annotators, max(1.0, float(data.weight.sum()))

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        objective, gradient = objective_at(data, x[:k], x[k:], scale=scale)
        return -objective / n, -gradient / n

    bounds = [(EDGE, 1 - EDGE)] * k + [(None, None)] * len(v)
    x, iterations, gain = np.concatenate([flip, v]), 0, np.inf
    for _ in range(MOST_STARTS):
        found = optimize.minimize(
            loss,
            x,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": MAX_ITERATIONS, "gtol": 1e-7, "ftol": 1e-13, "maxcor": 20},
        )
        x, iterations = np.asarray(found.x, dtype=np.float64), iterations + int(found.nit)
        at = model_at(data, x[:k], x[k:], scale=scale)
        gain = _gain_left(x, at, k)
        if gain <= GAIN_LEFT:
            return Fitted(scale, x[:k], x[k:], at, iterations)
    raise ConvergenceError(
        f"flip rates: a step could still raise the log likelihood by {gain:.2g} after "
        f"{iterations} iterations at scale {scale:.2g}"
    )


def _gain_left(x: FloatArray, at: At, k: int) -> float:
    """What a step in one coordinate would gain at most, to second order and within bounds."""
    slope, curvature = np.abs(at.gradient), np.maximum(np.diag(at.information), 1e-9)
    step = slope / curvature
    room = np.where(at.gradient[:k] > 0, 1 - EDGE - x[:k], x[:k] - EDGE)
    step[:k] = np.minimum(step[:k], np.maximum(room, 0.0))
    return float(np.max(slope * step - curvature * step**2 / 2, initial=0.0))
