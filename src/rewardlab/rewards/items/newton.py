"""Newton's method on strengths and effects together, for up to a few thousand items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.items.cells import Cells, votes_of_items
from rewardlab.rewards.items.connection import item_groups
from rewardlab.rewards.items.model import Gamma, ItemModel, Ridge
from rewardlab.rewards.items.outcome_terms import cell_terms
from rewardlab.types import FloatArray, IntArray

MAX_ITERATIONS = 100
MAX_HALVINGS = 40
SUFFICIENT_DECREASE = 1e-4


@dataclass(frozen=True, slots=True)
class Solved:
    """Where a solver ended.

    Attributes:
        theta: Shape [m + e]; strengths, then effects, then the tie parameter.
        log_loss: Mean over votes of the loss without prior, in nats.
        gradient_norm: See ``ItemFit``.
        iterations: Steps.
        solver: Which solver, in a few words.
    """

    theta: FloatArray
    log_loss: float
    gradient_norm: float
    iterations: int
    solver: str


@dataclass(frozen=True, slots=True)
class Point:
    """The summed loss with its derivatives at theta.

    Attributes:
        theta: Shape [m + e].
        votes_loss: Without prior, nats.
        loss: With the prior.
        gradient: Shape [m + e].
        hessian: Shape [m + e, m + e]; singular along each group's common shift.
    """

    theta: FloatArray
    votes_loss: float
    loss: float
    gradient: FloatArray
    hessian: FloatArray


def solve(cells: Cells, model: ItemModel, *, tol: float) -> Solved:
    """Theta at which no strength's gradient exceeds ``tol`` a vote.

    Raises:
        ConvergenceError: It was not reached.
    """
    group = item_groups(cells)
    votes = np.maximum(votes_of_items(cells), 1.0)
    size = np.concatenate([votes, np.full(_n_effects(cells, model), max(cells.n.sum(), 1.0))])
    at = evaluate(cells, model, np.zeros(len(size)), group)
    for iteration in range(MAX_ITERATIONS):
        norm = float(np.max(np.abs(at.gradient) / size))
        if norm <= tol:
            n = float(cells.n.sum())
            return Solved(at.theta, at.votes_loss / n, norm, iteration, "Newton")
        regular = at.hessian if model.prior else _pinned(at.hessian, group)
        step = -linalg.solve(regular, at.gradient, assume_a="pos")
        at = _line_search(cells, model, at, step, group)
    raise ConvergenceError(
        f"items: Newton's method did not end in {MAX_ITERATIONS} steps (gradient {norm:.1e} a vote)"
    )


def evaluate(cells: Cells, model: ItemModel, theta: FloatArray, group: IntArray) -> Point:
    """Loss, gradient and Hessian at theta."""
    m, i, j = cells.n_items, cells.i, cells.j
    s, e = theta[:m], cells.effects.shape[1]
    delta = s[i] - s[j] + cells.effects @ theta[m : m + e]
    tie = float(theta[-1]) if model.tie_parameter else 0.0
    at = cell_terms(model, cells, delta, tie)
    gradient = np.zeros(len(theta))
    gradient[:m] = np.bincount(i, at.slope, m) - np.bincount(j, at.slope, m)
    gradient[m : m + e] = cells.effects.T @ at.slope
    hessian = np.zeros((len(theta), len(theta)))
    between = np.bincount(np.asarray(i, dtype=np.int64) * m + j, at.curvature, m * m).reshape(m, m)
    own = np.bincount(i, at.curvature, m) + np.bincount(j, at.curvature, m)
    hessian[:m, :m] = np.diag(own) - between - between.T
    weighted = cells.effects * at.curvature[:, None]
    for k in range(e):
        hessian[:m, m + k] = np.bincount(i, weighted[:, k], m) - np.bincount(j, weighted[:, k], m)
    hessian[m : m + e, :m] = hessian[:m, m : m + e].T
    hessian[m : m + e, m : m + e] = cells.effects.T @ weighted
    votes_loss = float(at.loss.sum())
    penalty = _add_prior(model, s, gradient, hessian)
    return Point(theta, votes_loss, votes_loss + penalty, gradient, hessian)


def _add_prior(model: ItemModel, s: FloatArray, gradient: FloatArray, hessian: FloatArray) -> float:
    """The prior's loss; adds its derivatives in place."""
    m = len(s)
    own = np.arange(m)
    match model.prior:
        case Ridge(l2):
            gradient[:m] += l2 * s
            hessian[own, own] += l2
            return l2 / 2 * float(s @ s)
        case Gamma(shape):
            gradient[:m] += (shape - 1) * np.expm1(s)
            hessian[own, own] += (shape - 1) * np.exp(s)
            return (shape - 1) * float(np.sum(np.exp(s) - s))
    return 0.0


def _pinned(hessian: FloatArray, group: IntArray) -> FloatArray:
    """The Hessian made regular: a unit of curvature along each group's common shift."""
    m = len(group)
    pinned = hessian.copy()
    scale = float(np.mean(np.diag(hessian)[:m]))
    same = group[:, None] == group[None, :]
    pinned[:m, :m] += scale * same / np.bincount(group)[group][:, None]
    return pinned


def _n_effects(cells: Cells, model: ItemModel) -> int:
    return int(cells.effects.shape[1]) + int(model.tie_parameter)


def _line_search(
    cells: Cells, model: ItemModel, at: Point, step: FloatArray, group: IntArray
) -> Point:
    size, fall = 1.0, -float(at.gradient @ step)
    rounding = 1e-12 * max(abs(at.loss), 1.0)
    for _ in range(MAX_HALVINGS):
        moved = evaluate(cells, model, at.theta + size * step, group)
        if moved.loss <= at.loss - SUFFICIENT_DECREASE * size * fall + rounding:
            return moved
        size /= 2
    raise ConvergenceError("items: no step along Newton's direction lowers the loss")
