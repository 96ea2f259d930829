"""L-BFGS for a linear reward, in units in which the curvature is about the identity.

Near enough to the identity whole steps are right, so that each takes one pass over the rows and
none is spent on a search along it. Where the units mislead (a few rows outweigh the rest, or a
feature is hardly ever there), the steps do not shrink fast, and the search says so.

Source: Nocedal (1980), *Mathematics of Computation* 35, 773-782; that no search is made along a
step, and that failure is told instead, is ours.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.linear_newton import Solution, is_short
from rewardlab.rewards.linear_rows import Rows, loss_and_gradient
from rewardlab.types import FloatArray

MAX_PASSES = 30
MEMORY = 20
GROWTH = 1e3
"""The decrement may grow so much over its least before the search is given up."""
NEAR_THE_END = 100
"""After a step shorter than so many tolerances the next may be the last, and the loss is taken."""


@dataclass(frozen=True, slots=True)
class Preconditioner:
    """Units in which a curvature, or its diagonal alone, is the identity.

    Attributes:
        scale: Shape [d]; roots of the diagonal of the curvature.
        factor: Shape [d, d]; upper Cholesky factor of the curvature in these scales; None for the
            identity.
    """

    scale: FloatArray
    factor: FloatArray | None = None

    def gradient(self, gradient: FloatArray) -> FloatArray:
        """A gradient in the new units."""
        scaled = gradient / self.scale
        if self.factor is None:
            return scaled
        return np.asarray(blas.dtrsv(self.factor, scaled, trans=1))

    def step(self, step: FloatArray) -> FloatArray:
        """A step in the units of the weights."""
        turned = step if self.factor is None else blas.dtrsv(self.factor, step)
        return np.asarray(turned / self.scale)


def descend(
    rows: Rows, start: FloatArray, units: Preconditioner, l2: float, tol: float
) -> Solution:
    """L-BFGS by whole steps, from ``start``.

    Args:
        rows: The comparisons.
        start: Shape [d].
        units: In which the curvature is about the identity.
        l2: Penalty, >= 0.
        tol: The last step is shorter than ``tol`` standard errors.

    Raises:
        ConvergenceError: The steps do not shrink fast enough; an exact method may still succeed.
    """
    history: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=MEMORY)
    weights = start
    loss, gradient = loss_and_gradient(rows, weights, l2, with_loss=False)
    slope, least = units.gradient(gradient), float("inf")
    for iteration in range(MAX_PASSES):
        step = -_times_inverse(history, slope)
        decrement = float(np.sqrt(max(-float(slope @ step), 0.0)))
        move = units.step(step)
        # A row moves by about scale / sqrt(n / 4) a unit, as the curvature of a row is near 1/4.
        if is_short(move * units.scale * 2 / np.sqrt(rows.total_weight), decrement, tol):
            if np.isnan(loss):
                loss = loss_and_gradient(rows, weights, l2)[0]
            return Solution(weights + move, loss - decrement**2 / 2, gradient, iteration + 1)
        least = min(least, decrement)
        if not decrement <= GROWTH * least:
            break
        weights, is_near = weights + move, decrement <= NEAR_THE_END * tol
        loss, gradient = loss_and_gradient(rows, weights, l2, with_loss=is_near)
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
