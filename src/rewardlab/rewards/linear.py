"""A linear reward by Bradley-Terry: P(a is better) = sigma(w . (x_a - x_b)).

There is no intercept: which of two responses is called a is arbitrary, and a constant in the
difference would be a preference for a side, not for a response. A tie is a label of 1/2, a soft
label any probability; both enter the log loss as they are.

Few rows are fitted by Newton's method; many by gradients of all rows in the units of a sample's
curvature, or by Newton's method where the sample misleads. Both end at the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.rewards import linear_newton
from rewardlab.rewards.linear_newton import Solution
from rewardlab.rewards.linear_preconditioned import solve_preconditioned
from rewardlab.rewards.linear_rows import (
    Features,
    Rows,
    check_rows,
    loss_gradient_hessian,
    root_mean_squares,
)
from rewardlab.rewards.linear_sample import sample_stride
from rewardlab.rewards.row_terms import RowTerms, log_losses, row_terms
from rewardlab.rewards.separation import check_not_separated
from rewardlab.types import FloatArray

__all__ = ["LinearFit", "RowTerms", "Solver", "fit", "hessian", "log_losses", "row_terms"]

EXTREME = 10.0
"""Logits a typical difference; a fit beyond is checked for separation before it is believed."""


class Solver(StrEnum):
    """How a fit was reached."""

    NEWTON = "Newton"
    PRECONDITIONED = "L-BFGS preconditioned by a sample"
    NEWTON_AFTER_SAMPLE = "Newton, after a sample misled"


@dataclass(frozen=True, slots=True)
class LinearFit:
    """Weights of a linear reward and how they were reached.

    Attributes:
        weights: Shape [d], logits per unit of each feature.
        l2: Penalty that was added to the summed log loss: l2 / 2 * |weights|^2.
        log_loss: Mean over rows (by their weights) of the loss without penalty, in nats.
        gradient_norm: Largest absolute entry of the gradient of the summed, penalised loss before
            the last step, which is shorter than the tolerance.
        iterations: Steps taken on all rows.
        n: Rows used.
        solver: What took them.
    """

    weights: FloatArray
    l2: float
    log_loss: float
    gradient_norm: float
    iterations: int
    n: int
    solver: Solver


def fit(
    differences: Features,
    label: FloatArray,
    *,
    l2: float = 0.0,
    row_weight: FloatArray | None = None,
    margin: FloatArray | None = None,
    offset: FloatArray | None = None,
    start: FloatArray | None = None,
    tol: float = 1e-8,
    names: Sequence[str] = (),
) -> LinearFit:
    """Weights that minimise the summed log loss + l2 / 2 * |w|^2.

    Args:
        differences: Shape [n, d]; features of a less features of b, finite. Single precision is
            read as it is, without a copy of the whole.
        label: Shape [n], in [0, 1]; probability that a is better, 1/2 for a tie.
        l2: Penalty, >= 0.
        row_weight: Shape [n], >= 0; 1 if not given.
        margin: Shape [n], >= 0; by how much the winner's reward must be ahead, in logits: the loss
            is -log sigma(delta - margin) for the winner. NaN and None mean 0.
        offset: Shape [n], finite; logits that each comparison has before any weight, 0 if not
            given.
        start: Shape [d]; first weights, 0 if not given.
        tol: The fit ends with the first step that is shorter than ``tol`` standard errors.
        names: Names of the features for messages, length d.

    Raises:
        InputError: Shapes disagree, or an argument is outside its range.
        SeparationError: A combination of features predicts every outcome, so that there is no
            finite maximum (only without a penalty).
        ConvergenceError: Newton's method did not end; dependent features are named as a cause.

    Source: Bradley and Terry (1952); the margin is equation 2 of Touvron et al. (2023),
    arXiv:2307.09288, here for soft labels too: each side's loss carries the margin.
    """
    rows = _checked(differences, label, l2, row_weight, margin, offset)
    first = np.zeros(differences.shape[1]) if start is None else np.asarray(start, dtype=float)
    try:
        found, solver = _solve(rows, first, l2, tol)
    except ConvergenceError:
        if l2 == 0:
            _check_not_separated(rows, names)
        raise
    # Along a separated direction the loss flattens until rounding ends the steps.
    if l2 == 0 and np.max(np.abs(found.weights) * root_mean_squares(rows)) > EXTREME:
        _check_not_separated(rows, names)
    penalty = l2 / 2 * float(found.weights @ found.weights)
    return LinearFit(
        weights=found.weights,
        l2=l2,
        log_loss=(found.loss - penalty) / rows.total_weight,
        gradient_norm=float(np.max(np.abs(found.gradient))),
        iterations=found.iterations,
        n=len(rows.label),
        solver=solver,
    )


def hessian(
    weights: FloatArray,
    differences: Features,
    label: FloatArray,
    *,
    l2: float = 0.0,
    row_weight: FloatArray | None = None,
    margin: FloatArray | None = None,
    offset: FloatArray | None = None,
) -> FloatArray:
    """Shape [d, d]; of the summed, penalised loss that ``fit`` minimises, at any weights.

    Args:
        weights: Shape [d].
        differences: Shape [n, d]; this and the rest as for ``fit``.
        label: Shape [n].
        l2: Penalty.
        row_weight: Shape [n].
        margin: Shape [n].
        offset: Shape [n].

    Raises:
        InputError: Shapes disagree, or an argument is outside its range.
    """
    rows = _checked(differences, label, l2, row_weight, margin, offset)
    return loss_gradient_hessian(rows, weights, l2)[2]


def _checked(
    differences: Features,
    label: FloatArray,
    l2: float,
    row_weight: FloatArray | None,
    margin: FloatArray | None,
    offset: FloatArray | None,
) -> Rows:
    rows = check_rows(differences, label, row_weight=row_weight, margin=margin, offset=offset)
    if not (np.isfinite(l2) and l2 >= 0):
        raise InputError(f"l2: expected a finite number >= 0, got {l2}")
    return rows


def _solve(rows: Rows, start: FloatArray, l2: float, tol: float) -> tuple[Solution, Solver]:
    """The minimum by the sample's curvature where that pays and works, else by Newton's method."""
    stride = sample_stride(*rows.differences.shape)
    if not stride:
        return linear_newton.solve(rows, start, l2, tol), Solver.NEWTON
    try:
        return solve_preconditioned(rows, start, l2, tol, stride), Solver.PRECONDITIONED
    except ConvergenceError:
        return linear_newton.solve(rows, start, l2, tol), Solver.NEWTON_AFTER_SAMPLE


def _check_not_separated(rows: Rows, names: Sequence[str]) -> None:
    used = rows if rows.row_weight is None else rows.part(rows.row_weight > 0)
    x = np.asarray(used.differences, dtype=np.float64)
    check_not_separated(x, used.label, names=names)
