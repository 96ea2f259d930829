"""Newton's method for a linear reward, with exact curvature at every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.linear_rows import Rows, loss_gradient_hessian, root_mean_squares
from rewardlab.types import FloatArray, IntArray

MAX_ITERATIONS = 60
MAX_HALVINGS = 30
SUFFICIENT_DECREASE = 1e-4


@dataclass(frozen=True, slots=True)
class Solution:
    """Where a solver of a linear reward ended.

    Attributes:
        weights: Shape [d].
        loss: Summed, penalised loss there, as its value and slope before the last step tell it:
            good to a small part of the square of that step's length in standard errors.
        gradient: Shape [d]; of that loss before the last step.
        iterations: Steps taken.
    """

    weights: FloatArray
    loss: float
    gradient: FloatArray
    iterations: int


@dataclass(frozen=True, slots=True)
class Point:
    """Weights, and the summed, penalised loss there with its gradient and Hessian."""

    weights: FloatArray
    loss: float
    gradient: FloatArray
    hessian: FloatArray


def evaluate(
    rows: Rows, weights: FloatArray, l2: float, *, places: IntArray | None = None
) -> Point:
    """Loss, gradient and Hessian in one pass over the rows, or over those at ``places``."""
    return Point(weights, *loss_gradient_hessian(rows, weights, l2, places=places))


def solve(rows: Rows, start: FloatArray, l2: float, tol: float) -> Solution:
    """Newton's method with halved steps, from ``start``.

    Args:
        rows: The comparisons.
        start: Shape [d].
        l2: Penalty, >= 0.
        tol: The last step is shorter than ``tol`` standard errors.

    Raises:
        ConvergenceError: The end was not reached.
    """
    scale = root_mean_squares(rows)
    at = evaluate(rows, start, l2)
    for iteration in range(MAX_ITERATIONS):
        step, decrement = newton_step(at)
        if is_short(step * scale, decrement, tol):
            loss = at.loss - decrement**2 / 2
            return Solution(at.weights + step, loss, at.gradient, iteration + 1)
        at = _line_search(rows, at, step, decrement, l2)
    raise ConvergenceError(f"linear fit: Newton's method did not end in {MAX_ITERATIONS} steps")


def is_short(step_logits: FloatArray, decrement: float, tol: float) -> bool:
    """Whether a step is shorter than ``tol`` standard errors, and short in logits.

    In standard errors alone a step along a separated direction looks short, because its standard
    error grows without bound; so it must also be short in logits.

    Args:
        step_logits: Shape [d]; by how many logits each entry moves a typical comparison.
        decrement: Length of the step in standard errors.
        tol: Bound on the decrement; its root bounds the logits.
    """
    return decrement <= tol and float(np.max(np.abs(step_logits))) <= np.sqrt(tol)


def newton_step(at: Point) -> tuple[FloatArray, float]:
    """The step, and its length in standard errors (the Newton decrement)."""
    scale, factor = scaled_factor(at.hessian)
    step = -lapack.dpotrs(factor, at.gradient / scale)[0] / scale
    return step, float(np.sqrt(max(-(at.gradient @ step), 0.0)))


def scaled_factor(hessian: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Roots s of the diagonal, and the upper Cholesky factor of the Hessian over s s'.

    Raises:
        ConvergenceError: The Hessian is singular.
    """
    scale = np.sqrt(hessian.diagonal())
    if not (scale > 0).all():
        raise ConvergenceError("linear fit: a feature has no curvature: it never differs")
    # LAPACK itself: small fits by the hundred spend a quarter of their time in wrappers' checks.
    factor, failed = lapack.dpotrf(hessian / (scale[:, None] * scale))
    if failed:
        raise ConvergenceError("linear fit: singular curvature: features are linearly dependent")
    return scale, factor


def _line_search(rows: Rows, at: Point, step: FloatArray, decrement: float, l2: float) -> Point:
    """The point after the longest halved step that lowers the loss enough."""
    size = 1.0
    rounding = 1e-12 * max(abs(at.loss), 1.0)
    for _ in range(MAX_HALVINGS):
        moved = evaluate(rows, at.weights + size * step, l2)
        if moved.loss <= at.loss - SUFFICIENT_DECREASE * size * decrement**2 + rounding:
            return moved
        size /= 2
    raise ConvergenceError("linear fit: no step along Newton's direction lowers the loss")
