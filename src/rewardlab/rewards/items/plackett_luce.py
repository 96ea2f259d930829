"""Strengths of items from rankings: Plackett-Luce by maximum likelihood or a posterior mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg

from rewardlab.errors import ConvergenceError
from rewardlab.preferences.item_rankings import ItemRankings
from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.connection import item_groups
from rewardlab.rewards.items.existence import only_by_prior, unlinked
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.model import ItemModel, Prior
from rewardlab.rewards.items.plackett_luce_terms import (
    Block,
    BlockTerms,
    block_terms,
    blocks,
    curvature_of,
    gradient_of,
    hessian_of,
    hessian_product,
)
from rewardlab.rewards.items.prior_terms import prior_curvature, prior_gradient, prior_loss
from rewardlab.rewards.items.within_groups import about_group_means, pin_shifts
from rewardlab.types import FloatArray, IntArray

MAX_ITERATIONS = 100
MAX_HALVINGS = 60
SUFFICIENT_DECREASE = 1e-4
DENSE_ITEMS = 2_000
DENSE_PAIRS = 1_000_000
"""With more items, or more pairs within rankings, Newton's steps are found without the Hessian."""
MOST_EXACT = 1e-6
"""Relative error of the last steps so found; sums over many rankings may bear no less."""
MM_STEPS = 3
SHORT_STEP = 1e-3
"""Standard errors; the error left by Newton's method after a step as short is its square."""


@dataclass(frozen=True, slots=True)
class RankingsPoint:
    """The summed loss with its derivatives at strengths s.

    Attributes:
        s: Shape [m].
        terms: Of each block.
        rankings_loss: Without prior, nats.
        loss: With the prior; infinite where it overflows.
        gradient: Shape [m]; with the prior.
        prior_curvature: Shape [m]; what the prior adds to the Hessian's diagonal.
    """

    s: FloatArray
    terms: list[BlockTerms]
    rankings_loss: float
    loss: float
    gradient: FloatArray
    prior_curvature: FloatArray


def fit_rankings(
    rankings: ItemRankings, *, prior: Prior | None = None, tol: float = 1e-8
) -> ItemFit:
    """Strengths s that maximise the chance of the rankings, times the prior.

    A ranking's chance is the product, over its items in order, of exp(s_i) / (sum of exp(s_j) over
    i and all behind it). Items known only to be lower are behind all that are in order. Of two
    items this is Bradley-Terry. In the result a vote is a ranking.

    Args:
        rankings: Rankings, of all items or of some.
        prior: On the strengths; None for maximum likelihood.
        tol: Largest derivative of the loss by a strength, over the rankings that item took part in.

    Raises:
        SeparationError: Without a prior, some items were never ranked below, or never above, the
            others.
        ConvergenceError: ``tol`` was not reached.

    Source: Plackett (1975), *Applied Statistics* 24; Hunter (2004), *Annals of Statistics* 32,
    384-406, section 5, for the model and (assumption 1) when its maximum exists. The maximum is
    found by Newton's method, not by his MM steps.
    """
    above = _ranked_above(rankings)
    group = item_groups(above)
    warnings = unlinked(above, rankings.names, never="never ranked together")
    never = ("never ranked below", "never ranked above")
    warnings += only_by_prior(above, prior, rankings.names, ties_count=False, never=never)
    parts = blocks(rankings)
    n_votes = _rankings_of_items(rankings)
    at, norm, iterations, solver = _newton(parts, n_votes, group, prior, tol)
    n = float(rankings.weights.sum())
    return ItemFit(
        names=rankings.names,
        strength=about_group_means(at.s, group),
        group=group,
        n_votes=n_votes,
        effect_names=(),
        effect=np.zeros(0),
        model=ItemModel(prior=prior),
        log_loss=at.rankings_loss / n,
        gradient_norm=norm,
        iterations=iterations,
        solver=solver,
        n=n,
        n_ties=0.0,
        warnings=warnings,
    )


def evaluate_rankings(parts: list[Block], s: FloatArray, prior: Prior | None) -> RankingsPoint:
    """Loss and derivatives at s."""
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        terms = [block_terms(block, s) for block in parts]
        gradient = gradient_of(parts, terms, len(s))
        own = float(sum(p.weight @ at.loss for p, at in zip(parts, terms, strict=True)))
        gradient += prior_gradient(prior, s)
        curvature = prior_curvature(prior, s)
        loss = own + prior_loss(prior, s)
    loss = loss if np.isfinite(loss) else np.inf
    return RankingsPoint(s, terms, own, loss, gradient, curvature)


def rankings_hessian(parts: list[Block], at: RankingsPoint) -> FloatArray:
    """Shape [m, m]; with the prior."""
    hessian = hessian_of(parts, at.terms, len(at.s))
    hessian[np.diag_indices(len(at.s))] += at.prior_curvature
    return hessian


def _newton(
    parts: list[Block], n_votes: FloatArray, group: IntArray, prior: Prior | None, tol: float
) -> tuple[RankingsPoint, float, int, str]:
    """(where it ended, gradient norm, steps, solver)."""
    m, size = len(n_votes), np.where(n_votes > 0, n_votes, 1.0)
    pairs = sum(p.order.shape[1] * p.order.shape[0] ** 2 / 2 for p in parts)
    dense = m <= DENSE_ITEMS and pairs <= DENSE_PAIRS
    solver = "Plackett-Luce, Newton" + ("" if dense else " with conjugate gradients")
    at, length = _start(parts, m, prior), np.inf
    for iteration in range(MAX_ITERATIONS):
        norm = float(np.max(np.abs(at.gradient) / size))
        if norm <= tol and length <= SHORT_STEP:
            return at, norm, iteration, solver
        step = (
            _dense_step(parts, at, group, prior)
            if dense
            else _cg_step(parts, at, group, prior, norm)
        )
        fall = -float(at.gradient @ step)
        moved = _line_search(parts, at, step, fall, prior)
        length = np.sqrt(max(fall, 0.0)) if moved[1] == 1.0 else np.inf
        at = moved[0]
    raise ConvergenceError(
        f"rankings: Newton's method did not end in {MAX_ITERATIONS} steps (gradient {norm:.1e} a "
        "ranking)"
    )


def _start(parts: list[Block], m: int, prior: Prior | None) -> RankingsPoint:
    """A few of Hunter's MM steps, each item's share of choices matched to what is expected.

    An item far too low has next to no curvature, so that Newton's first steps would overshoot.
    """
    chosen = np.zeros(m)
    for block in parts:
        order = block.order[: block.n_choices]
        weight = np.broadcast_to(block.weight, order.shape)
        chosen += np.bincount(order.ravel(), weight.ravel(), m)
    s = np.zeros(m)
    for _ in range(MM_STEPS):
        with np.errstate(under="ignore"):
            gradient = gradient_of(parts, [block_terms(block, s) for block in parts], m)
        s = s - np.log1p(gradient / (chosen + 0.5))
    return evaluate_rankings(parts, s, prior)


def _dense_step(
    parts: list[Block], at: RankingsPoint, group: IntArray, prior: Prior | None
) -> FloatArray:
    hessian = rankings_hessian(parts, at)
    if prior is None:
        pin_shifts(hessian, group)
    return -np.asarray(linalg.solve(hessian, at.gradient, assume_a="pos"))


def _cg_step(
    parts: list[Block], at: RankingsPoint, group: IntArray, prior: Prior | None, norm: float
) -> FloatArray:
    """Newton's step by conjugate gradients, the more exactly the smaller the gradient.

    Along a group's common shift the Hessian is 0 and so is the gradient: nothing moves there. What
    rounding leaves of the gradient along it is taken off, as no step could.
    """
    m = len(at.s)
    gradient = about_group_means(at.gradient, group) if prior is None else at.gradient
    diagonal = curvature_of(parts, at.terms, m) + at.prior_curvature
    scale = np.where(diagonal > 0, diagonal, 1.0)
    product = LinearOperator(
        (m, m),
        matvec=lambda v: (
            hessian_product(parts, at.terms, v.ravel()) + at.prior_curvature * v.ravel()
        ),
        dtype=np.float64,
    )
    inverse = LinearOperator((m, m), matvec=lambda v: v.ravel() / scale, dtype=np.float64)
    exactness = min(0.1, max(norm, MOST_EXACT))
    step, failed = cg(product, -gradient, rtol=exactness, maxiter=10 * m, M=inverse)
    if failed:
        raise ConvergenceError("rankings: conjugate gradients did not find Newton's step")
    return np.asarray(step)


def _line_search(
    parts: list[Block], at: RankingsPoint, step: FloatArray, fall: float, prior: Prior | None
) -> tuple[RankingsPoint, float]:
    """(where the first step short enough leads, how much of it that is)."""
    size, rounding = 1.0, 1e-12 * max(abs(at.loss), 1.0)
    for _ in range(MAX_HALVINGS):
        moved = evaluate_rankings(parts, at.s + size * step, prior)
        if moved.loss <= at.loss - SUFFICIENT_DECREASE * size * fall + rounding:
            return moved, size
        size /= 2
    raise ConvergenceError("rankings: no step along Newton's direction lowers the loss")


def _rankings_of_items(rankings: ItemRankings) -> FloatArray:
    """Shape [m]; rankings that each item took part in."""
    weight = np.repeat(rankings.weights, np.diff(rankings.first))
    return np.bincount(rankings.order, weight, rankings.n_items).astype(np.float64)


def _ranked_above(rankings: ItemRankings) -> Cells:
    """A cell for each pair of neighbours in a ranking: what is ranked above what, as a win.

    Who is above whom by way of others follows from neighbours. The last item in order is the
    neighbour of all that are known only to be lower.
    """
    size, m = np.diff(rankings.first), rankings.n_items
    place = np.arange(len(rankings.order)) - np.repeat(rankings.first[:-1], size)
    above = np.minimum(place - 1, np.repeat(rankings.n_ranked, size) - 1)
    behind = place > 0
    start = np.repeat(rankings.first[:-1], size)[behind]
    winner = rankings.order[start + above[behind]].astype(np.int64)
    # With counts np.unique sorts, which is far quicker here than its hashing.
    pairs, _ = np.unique(winner * m + rankings.order[behind], return_counts=True)
    none = np.zeros(len(pairs))
    return Cells(
        n_items=m,
        i=pairs // m,
        j=pairs % m,
        n_i=none + 1,
        n_j=none,
        n_tie=none,
        margin=None,
        effects=np.zeros((len(pairs), 0)),
    )
