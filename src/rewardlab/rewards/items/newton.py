"""Newton's method on strengths and effects together, for up to a few thousand items."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.items.cells import Cells, laplacian
from rewardlab.rewards.items.connection import item_groups
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.outcome_terms import CellTerms, cell_terms, tie_start
from rewardlab.rewards.items.prior_terms import prior_curvature, prior_gradient, prior_loss
from rewardlab.rewards.items.quasi_newton import NEAR_BEFORE
from rewardlab.rewards.items.within_groups import pin_shifts
from rewardlab.types import FloatArray, IntArray

NAME = "Newton"
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
    """Theta at which no entry of the gradient exceeds ``tol`` a vote.

    Raises:
        ConvergenceError: It was not reached.
    """
    group, size = item_groups(cells), gradient_sizes(cells, model)
    at, fall_before = evaluate(cells, model, start(cells, model)), math.inf
    for iteration in range(MAX_ITERATIONS):
        norm = float(np.max(np.abs(at.gradient) / size))
        if not math.isfinite(norm):
            break
        is_near = fall_before <= NEAR_BEFORE or not at.gradient.any()
        if norm <= tol and is_near and not _effects(model, cells):
            return _solved(float(used_votes(cells, model).sum()), at, norm, iteration)
        step = _newton_step(model, at, group)
        fall_before = -float(at.gradient @ step)
        # Along a separated direction the gradient dies away, but each step is a whole logit.
        is_short = fall_before <= NEAR_BEFORE and _reach(cells, model, step) <= math.sqrt(tol)
        if norm <= tol and is_short:
            return _solved(float(used_votes(cells, model).sum()), at, norm, iteration)
        at = _line_search(cells, model, at, step)
    raise ConvergenceError(
        f"items: Newton's method did not end in {MAX_ITERATIONS} steps (gradient {norm:.1e} a vote,"
        f" {tol:.1e} asked for)"
    )


def start(cells: Cells, model: ItemModel) -> FloatArray:
    """Shape [m + e]; all alike, with the tie parameter that equals have."""
    theta = np.zeros(cells.n_items + _effects(model, cells))
    if model.tie_parameter:
        theta[-1] = tie_start(model, cells)
    return theta


def gradient_sizes(cells: Cells, model: ItemModel) -> FloatArray:
    """Shape [m + e]; what each entry of the gradient is measured by: the sum of |dD| over votes.

    For a strength that is the number of its votes, for an effect the sum of its sizes, so that the
    unit of a covariate does not matter; for the tie parameter it is the number of all votes.
    """
    n = used_votes(cells, model)
    own = np.bincount(cells.i, n, cells.n_items) + np.bincount(cells.j, n, cells.n_items)
    tie = np.full(int(model.tie_parameter), n.sum())
    size = np.concatenate([own, n @ np.abs(cells.effects), tie])
    return np.where(size > 0, size, 1.0)


def used_votes(cells: Cells, model: ItemModel) -> FloatArray:
    """Shape [c]; the votes of each cell that the model does not leave out."""
    return cells.n_i + cells.n_j if model.ties == "leave-out" else cells.n


def evaluate(cells: Cells, model: ItemModel, theta: FloatArray) -> Point:
    """Loss, gradient and Hessian at theta."""
    m, i, j = cells.n_items, cells.i, cells.j
    s, e = theta[:m], cells.effects.shape[1]
    at = _terms(cells, model, theta)
    gradient = np.zeros(len(theta))
    gradient[:m] = np.bincount(i, at.slope, m) - np.bincount(j, at.slope, m)
    gradient[:m] += prior_gradient(model.prior, s)
    gradient[m : m + e] = cells.effects.T @ at.slope
    if at.tie_slope is not None:
        gradient[-1] = at.tie_slope.sum()
    votes_loss = float(at.loss.sum())
    loss = votes_loss + prior_loss(model.prior, s)
    return Point(theta, votes_loss, loss, gradient, _hessian(cells, model, theta, at))


def hessian_at(cells: Cells, model: ItemModel, theta: FloatArray) -> FloatArray:
    """Shape [m + e, m + e]; the Hessian at theta alone."""
    return _hessian(cells, model, theta, _terms(cells, model, theta))


def _terms(cells: Cells, model: ItemModel, theta: FloatArray) -> CellTerms:
    tie = float(theta[-1]) if model.tie_parameter else 0.0
    return cell_terms(model, cells, cells.differences(theta), tie)


def _hessian(cells: Cells, model: ItemModel, theta: FloatArray, at: CellTerms) -> FloatArray:
    m, p = cells.n_items, len(theta)
    hessian = laplacian(cells.i, cells.j, at.curvature, m)
    if p > m:
        whole = np.zeros((p, p))
        whole[:m, :m] = hessian
        hessian = whole
    if cells.effects.shape[1]:
        _add_effects(cells, at.curvature, hessian)
    if at.cross is not None and at.tie_curvature is not None:
        _add_tie(cells, at.cross, float(at.tie_curvature.sum()), hessian)
    own = np.arange(m)
    hessian[own, own] += prior_curvature(model.prior, theta[:m])
    return hessian


def _add_effects(cells: Cells, curvature: FloatArray, hessian: FloatArray) -> None:
    """The rows and columns of effects, in place."""
    m, e = cells.n_items, cells.effects.shape[1]
    weighted = cells.effects * curvature[:, None]
    for k in range(m, m + e):
        by_item = np.bincount(cells.i, weighted[:, k - m], m)
        by_item -= np.bincount(cells.j, weighted[:, k - m], m)
        hessian[:m, k] = hessian[k, :m] = by_item
    hessian[m : m + e, m : m + e] = cells.effects.T @ weighted


def _add_tie(cells: Cells, cross: FloatArray, tie_curvature: float, hessian: FloatArray) -> None:
    """The last row and column, those of the tie parameter, in place."""
    m, e = cells.n_items, cells.effects.shape[1]
    by_item = np.bincount(cells.i, cross, m) - np.bincount(cells.j, cross, m)
    hessian[:m, -1] = hessian[-1, :m] = by_item
    hessian[m : m + e, -1] = hessian[-1, m : m + e] = cells.effects.T @ cross
    hessian[-1, -1] = tie_curvature


def _effects(model: ItemModel, cells: Cells) -> int:
    """e, the tie parameter included."""
    return int(cells.effects.shape[1]) + int(model.tie_parameter)


def _newton_step(model: ItemModel, at: Point, group: IntArray) -> FloatArray:
    """Minus the inverse Hessian times the gradient, without moving a group's mean."""
    regular = at.hessian.copy()
    if model.prior is None:
        pin_shifts(regular, group)
    # LAPACK itself: small fits by the hundred spend half their time in wrappers' checks.
    _, step, failed = scipy.linalg.lapack.dposv(regular, -at.gradient, lower=True)
    if failed:
        raise ConvergenceError(
            "items: singular curvature: an effect cannot be told from the strengths or another "
            "effect, or grows without bound"
        )
    return np.asarray(step)


def _reach(cells: Cells, model: ItemModel, step: FloatArray) -> float:
    """By how many logits a step moves the tie parameter or a comparison, at most."""
    reach = float(np.max(np.abs(cells.differences(step))))
    return max(reach, abs(float(step[-1]))) if model.tie_parameter else reach


def _solved(n: float, at: Point, norm: float, iterations: int) -> Solved:
    return Solved(at.theta, at.votes_loss / n, norm, iterations, NAME)


def _line_search(cells: Cells, model: ItemModel, at: Point, step: FloatArray) -> Point:
    size, fall = 1.0, -float(at.gradient @ step)
    rounding = 1e-12 * max(abs(at.loss), 1.0)
    for _ in range(MAX_HALVINGS):
        moved = evaluate(cells, model, at.theta + size * step)
        if moved.loss <= at.loss - SUFFICIENT_DECREASE * size * fall + rounding:
            return moved
        size /= 2
    raise ConvergenceError(
        f"items: no step along Newton's direction lowers the loss, {at.loss:.6g} nats"
    )
