"""A linear reward from gradients of all rows and the curvature of a sample of them.

A sample of a few rows for each feature has nearly the curvature of all rows, at a small share of
the price. Its Cholesky factor turns the loss of all rows into one of nearly the same curvature in
every direction, for which a few steps of L-BFGS are enough, each of one pass for the gradient.
Affine changes of the features alter nothing. Where the sample misleads (a few rows outweigh the
rest, or a feature is hardly ever there), the steps do not shrink fast, and the search says so.

Source: L-BFGS after Nocedal (1980), *Mathematics of Computation* 35, 773-782; curvature of a
sample after Byrd, Chin, Neveitt and Nocedal (2011), *SIAM Journal on Optimization* 21, 977-995.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.linear_newton import (
    Solution,
    evaluate,
    is_short,
    newton_step,
    scaled_factor,
    solve,
)
from rewardlab.rewards.linear_rows import Rows, loss_and_gradient
from rewardlab.types import FloatArray, IntArray

ROWS_A_FEATURE = 32
"""Rows of the sample for each feature, at the least: the curvature is then good to about a
third, and a step removes some five sixths of the distance."""
LEAST_ROWS = 2000
LARGEST_STRIDE = 16
SMALLEST_STRIDE = 4
"""With a smaller one the sample's curvature costs as much as that of all rows."""
MAX_PASSES = 30
MEMORY = 20
GROWTH = 1e3
"""The decrement may grow so much over its least before the search is given up."""
WELL_CONDITIONED = 1e-12
"""Least reciprocal condition number of the sample's scaled curvature."""
_ROUGH = 0.1
_SEED = 0


def sample_stride(n: int, d: int) -> int:
    """Every how many rows one is sampled; 0 where sampling does not pay."""
    stride = min(n // max(ROWS_A_FEATURE * d, LEAST_ROWS), LARGEST_STRIDE)
    return stride if stride >= SMALLEST_STRIDE else 0


@dataclass(frozen=True, slots=True)
class Preconditioner:
    """Units in which the curvature of a sample is the identity.

    Attributes:
        scale: Shape [d]; roots of the diagonal of the curvature.
        factor: Shape [d, d]; upper Cholesky factor of the curvature in these scales.
    """

    scale: FloatArray
    factor: FloatArray

    def gradient(self, gradient: FloatArray) -> FloatArray:
        """A gradient in the new units."""
        return np.asarray(blas.dtrsv(self.factor, gradient / self.scale, trans=1))

    def step(self, step: FloatArray) -> FloatArray:
        """A step in the units of the weights."""
        return np.asarray(blas.dtrsv(self.factor, step) / self.scale)


def solve_preconditioned(
    rows: Rows, start: FloatArray, l2: float, tol: float, stride: int
) -> Solution:
    """L-BFGS in the units of a sample's curvature, from the sample's own fit.

    Args:
        rows: The comparisons.
        start: Shape [d]; where the sample's fit begins.
        l2: Penalty, >= 0.
        tol: The next step is shorter than ``tol`` standard errors at the end.
        stride: One row of so many is sampled.

    Raises:
        ConvergenceError: The sample has no fit or is ill conditioned, or the steps on all rows do
            not shrink fast enough; an exact method may still succeed.
    """
    weights, curvature = _fit_sample(rows, start, l2, stride)
    units = Preconditioner(*scaled_factor(curvature))
    if lapack.dpocon(units.factor, 1.0)[0] < WELL_CONDITIONED:
        raise ConvergenceError("linear fit: the sample's curvature is ill conditioned")
    history: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=MEMORY)
    loss, gradient = loss_and_gradient(rows, weights, l2)
    slope, least = units.gradient(gradient), float("inf")
    for iteration in range(MAX_PASSES):
        step = -_times_inverse(history, slope)
        decrement = float(np.sqrt(max(-float(slope @ step), 0.0)))
        move = units.step(step)
        # A row moves by about scale / sqrt(n / 4) a unit, as the curvature of a row is near 1/4.
        if is_short(move * units.scale * 2 / np.sqrt(rows.total_weight), decrement, tol):
            return Solution(weights, loss, gradient, iteration)
        least = min(least, decrement)
        if not decrement <= GROWTH * least:
            break
        weights = weights + move
        loss, gradient = loss_and_gradient(rows, weights, l2)
        moved = units.gradient(gradient)
        if not step @ (moved - slope) > 0:
            break
        history.append((step, moved - slope))
        slope = moved
    raise ConvergenceError("linear fit: the sample's curvature is unlike that of all rows")


def _times_inverse(history: deque[tuple[FloatArray, FloatArray]], slope: FloatArray) -> FloatArray:
    """The inverse curvature that the past steps and changes of slope imply, times the slope."""
    result = slope.copy()
    along = []
    for step, change in reversed(history):
        along.append((step @ result) / (step @ change))
        result -= along[-1] * change
    for (step, change), a in zip(history, reversed(along), strict=True):
        result += (a - (change @ result) / (step @ change)) * step
    return result


def _fit_sample(
    rows: Rows, start: FloatArray, l2: float, stride: int
) -> tuple[FloatArray, FloatArray]:
    """Weights of a rough fit to a sample, and what its curvature says of that of all rows."""
    n, d = rows.differences.shape
    places = _sampled(n, stride)
    smallest, *larger = _sizes(len(places), d)
    weights = solve(rows.part(places[:smallest]), start, l2 * smallest / n, _ROUGH).weights
    # A part of 4 times the rows starts where the last ended: one step of Newton's is enough.
    for size in larger or [smallest]:
        at = evaluate(rows, weights, l2 * size / n, places=places[:size])
        weights = weights + newton_step(at)[0]
    return weights, at.hessian * (n / len(places))


def _sampled(n: int, stride: int) -> IntArray:
    """One row of each ``stride`` at a random place, so that no period in the data matters, in
    random order; the same for the same n."""
    rng = np.random.default_rng(_SEED)
    places = np.arange(0, n - stride + 1, stride)
    places += rng.integers(0, stride, len(places))
    rng.shuffle(places)
    return places


def _sizes(n_sampled: int, d: int) -> Iterator[int]:
    """Sizes of parts of the sample, each 4 times the last, the smallest first."""
    sizes = [n_sampled]
    while sizes[-1] // 4 >= ROWS_A_FEATURE // 4 * d:
        sizes.append(sizes[-1] // 4)
    return reversed(sizes)
