"""Limited-memory quasi-Newton steps (L-BFGS) on a convex function, from its gradients alone.

The derivative along a line of a convex function never falls, so that the gradient at the end of a
step tells whether the step was too long: the value is not needed, and each step costs one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rewardlab.errors import ConvergenceError
from rewardlab.types import FloatArray

MEMORY = 10
MAX_STEPS = 500
MAX_SHORTENINGS = 40
OVERSHOOT = 0.8
"""A step ends with at most so much of its first slope, upwards; 1 would be a step without gain."""
LONGEST_STEP = 8.0
"""Largest change of one parameter in a step."""
NEAR = 1e-4
"""Largest g' H^-1 g at the end, squared standard errors from the minimum in any direction. Where
one vote in a million goes the other way, a gradient that is small a vote tells nothing."""
NEAR_BEFORE = 1e-2
"""The same before the last whole Newton step, which about squares it."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """Where the steps ended.

    Attributes:
        x: Shape [p].
        gradient: Shape [p].
        norm: As ``norm_fn`` measures the gradient.
        steps: Taken.
    """

    x: FloatArray
    gradient: FloatArray
    norm: float
    steps: int


@dataclass(slots=True)
class _Curvature:
    """Changes of x and of the gradient in the last steps, on top of a diagonal."""

    diagonal: FloatArray
    moved: list[FloatArray] = field(default_factory=list)
    changed: list[FloatArray] = field(default_factory=list)

    def add(self, moved: FloatArray, changed: FloatArray) -> None:
        """Keep a step, unless rounding has left no curvature in it."""
        if float(moved @ changed) <= 1e-14 * float(np.sum(self.diagonal * moved**2)):
            return
        self.moved.append(moved)
        self.changed.append(changed)
        del self.moved[:-MEMORY], self.changed[:-MEMORY]

    def direction(self, gradient: FloatArray) -> FloatArray:
        """Minus the inverse curvature times the gradient, by the two loops."""
        q = gradient.copy()
        taken: list[tuple[FloatArray, FloatArray, float, float]] = []
        for s, y in zip(reversed(self.moved), reversed(self.changed), strict=True):
            rho = 1 / float(s @ y)
            alpha = rho * float(s @ q)
            q -= alpha * y
            taken.append((s, y, rho, alpha))
        q /= self.diagonal
        if self.moved:
            s, y = self.moved[-1], self.changed[-1]
            q *= float(s @ y) / float(y @ (y / self.diagonal))
        for s, y, rho, alpha in reversed(taken):
            q += s * (alpha - rho * float(y @ q))
        return -q


def minimise(
    gradient_fn: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    *,
    diagonal: FloatArray,
    norm_fn: Callable[[FloatArray], float],
    tol: float,
    max_steps: int = MAX_STEPS,
) -> Minimum:
    """Where the gradient of a convex function is at most ``tol``, and the way to go short.

    Args:
        gradient_fn: x -> shape [p]; NaN where the function is not defined.
        start: Shape [p].
        diagonal: Shape [p], > 0; about the function's second derivatives.
        norm_fn: Measures a gradient.
        tol: Largest norm.
        max_steps: Most steps.

    Raises:
        ConvergenceError: The norm was not reached.

    Source: Nocedal and Wright (2006), *Numerical Optimization*, algorithm 7.4; the scale of the
    diagonal is their equation 7.20 in its metric. The line search by slopes only is ours.
    """
    curvature = _Curvature(diagonal)
    x, g = start, gradient_fn(start)
    for step in range(max_steps):
        norm, direction = norm_fn(g), curvature.direction(g)
        fall = -float(g @ direction)
        if norm <= tol and fall <= (NEAR if step else 0.0):  # the diagonal at the start is a guess
            return Minimum(x, g, norm, step)
        moved, after = _along(gradient_fn, x, g, direction)
        curvature.add(moved, after - g)
        x, g = x + moved, after
    raise ConvergenceError(
        f"L-BFGS did not end in {max_steps} steps (gradient {norm_fn(g):.1e} a vote, "
        f"expected {tol:.1e} and less than {NEAR**0.5:g} standard errors to go)"
    )


def _along(
    gradient_fn: Callable[[FloatArray], FloatArray],
    x: FloatArray,
    g: FloatArray,
    direction: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The step taken along the direction, and the gradient at its end."""
    fall = -float(g @ direction)
    size = min(1.0, LONGEST_STEP / float(np.max(np.abs(direction))))
    for _ in range(MAX_SHORTENINGS):
        moved = size * direction
        after = gradient_fn(x + moved)
        rise = float(after @ direction)
        if rise <= OVERSHOOT * fall:
            return moved, after
        # Not finite: outside of where the function is defined.
        size *= min(max(fall / (fall + rise), 0.1), 0.9) if np.isfinite(rise) else 0.5
    raise ConvergenceError("L-BFGS: no step along its direction lowers the loss")
