"""Which solver an item fit takes: dense Newton for few items, limited-memory steps beyond.

Half wins and ties left out need no more than votes by pair and wins by item (``pair_counts``). All
other models are fitted from cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import ConvergenceError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items import newton
from rewardlab.rewards.items.cells import Cells, sums_by_item
from rewardlab.rewards.items.compiled import Engine, takes_compiled
from rewardlab.rewards.items.connection import item_groups
from rewardlab.rewards.items.model import ItemModel, Prior
from rewardlab.rewards.items.newton import Solved
from rewardlab.rewards.items.outcome_terms import CellTerms, cell_terms
from rewardlab.rewards.items.pair_counts import (
    PairCounts,
    PairTies,
    count_pairs,
    outcome_table,
    pairs_of_cells,
)
from rewardlab.rewards.items.pair_newton import WIDEST, newton_on_pairs, table_loss
from rewardlab.rewards.items.pair_passes import (
    beats_lead_everywhere,
    expected_wins,
    summed_loss,
    wins_lead_everywhere,
)
from rewardlab.rewards.items.prior_terms import prior_curvature, prior_gradient
from rewardlab.rewards.items.quasi_newton import Minimum, minimise
from rewardlab.rewards.items.share_start import strengths_of_shares
from rewardlab.types import FloatArray, IntArray, Outcome

DENSE_PAIRS = 256
"""Items up to which Newton's method on a table of pairs is the fastest."""
MAX_PASSES = 200
"""Steps of L-BFGS before Newton's method takes over."""
DENSE_FALLBACK = 3000
"""Items up to which it does so with a dense Hessian."""
SPARSE_PAIRS = 64
"""Pairs an item up to which it does so with a sparse one beyond."""
DENSE_CELLS = 1500
"""Parameters up to which a dense Hessian is made from cells."""


@dataclass(frozen=True, slots=True)
class SolvedBattles:
    """A fit straight from battles whose wins lead from every item to every other.

    Attributes:
        solved: Where the solver ended.
        n_votes: Shape [m]; votes that each item took part in.
        n: Votes used.
        n_ties: Ties among all votes.
    """

    solved: Solved
    n_votes: FloatArray
    n: float
    n_ties: float


def solve_battles(
    battles: Battles,
    model: ItemModel,
    *,
    tol: float,
    engine: Engine = "auto",
    cells: Cells | None = None,
) -> SolvedBattles | None:
    """The fit without cells; None where the model needs them, or the existence has to be studied.

    Args:
        battles: Votes.
        model: What they follow, and the prior.
        tol: Largest gradient of a strength, a vote.
        engine: See ``takes_compiled``.
        cells: The battles, where they are counted already.

    Raises:
        InputError: The engine is not there.
        ConvergenceError: The tolerance was not reached.
    """
    compiled = takes_compiled(engine, len(battles))
    ties = _pair_ties(model)
    if ties is None or battles.margin is not None or battles.covariates is not None:
        return None
    if battles.n_items <= DENSE_PAIRS:
        return _solve_table(battles, model.prior, ties, tol)
    if not wins_lead_everywhere(battles, ties_count=ties == "half", compiled=compiled):
        return None
    if cells is None:
        pairs = count_pairs(battles, ties, compiled=compiled)
    else:
        pairs = pairs_of_cells(cells, ties)
    group = np.zeros(pairs.n_items, dtype=np.int64)
    solved = _solve_pairs(pairs, model.prior, group, tol=tol, compiled=compiled)
    return SolvedBattles(solved, pairs.n_votes, pairs.n, pairs.n_ties)


def solve(cells: Cells, model: ItemModel, *, tol: float, engine: Engine = "auto") -> Solved:
    """Theta at which no entry of the gradient exceeds ``tol`` a vote.

    Args:
        cells: Counted.
        model: What votes follow, and the prior.
        tol: Largest gradient of a parameter, a vote.
        engine: See ``takes_compiled``.

    Raises:
        InputError: The engine is not there.
        ConvergenceError: The tolerance was not reached.
    """
    compiled = takes_compiled(engine, len(cells.i))
    ties = _pair_ties(model)
    if ties is not None and needs_pairs_only(model, cells):
        pairs = pairs_of_cells(cells, ties)
        return _solve_pairs(pairs, model.prior, item_groups(cells), tol=tol, compiled=compiled)
    p = len(newton.start(cells, model))
    return newton.solve(cells, model, tol=tol) if p <= DENSE_CELLS else _on_cells(cells, model, tol)


def needs_pairs_only(model: ItemModel, cells: Cells) -> bool:
    """True if votes by pair and wins by item are all that the fit needs."""
    return _pair_ties(model) is not None and cells.margin is None and not cells.effects.shape[1]


def _pair_ties(model: ItemModel) -> PairTies | None:
    """How ties enter votes by pair; None where these are not enough for the model."""
    if model.link != "logistic" or model.position:
        return None
    return model.ties if model.ties == "half" or model.ties == "leave-out" else None


def _solve_table(
    battles: Battles, prior: Prior | None, ties: PairTies, tol: float
) -> SolvedBattles | None:
    """The fit of few items; None unless wins lead from every item to every other."""
    table = outcome_table(battles).astype(float)
    a_won, b_won, tied = (table[:, :, outcome] for outcome in (Outcome.A, Outcome.B, Outcome.TIE))
    half = (tied + tied.T) / 2 if ties == "half" else 0.0
    beat = a_won + b_won.T + half
    if not beats_lead_everywhere(beat > 0):
        return None
    votes, wins = beat + beat.T, beat.sum(1)
    end = newton_on_pairs(votes, wins, prior, np.zeros(len(wins), dtype=np.int64), tol=tol)
    n = float(wins.sum())
    loss = table_loss(votes, wins, end.x) / n
    solved = Solved(end.x, loss, end.norm, end.steps, "Newton on a table of pairs")
    return SolvedBattles(solved, votes.sum(1), n, float(tied.sum()))


def _solve_pairs(
    pairs: PairCounts, prior: Prior | None, group: IntArray, *, tol: float, compiled: bool
) -> Solved:
    if pairs.n_items > DENSE_PAIRS:
        end, solver = _of_many(pairs, prior, group, tol=tol, compiled=compiled)
        loss = summed_loss(pairs, end.x, compiled=compiled) / pairs.n
        return Solved(end.x, loss, end.norm, end.steps, solver)
    votes = pairs.matrix()
    end = newton_on_pairs(votes, pairs.wins, prior, group, tol=tol)
    loss = table_loss(votes, pairs.wins, end.x) / pairs.n
    return Solved(end.x, loss, end.norm, end.steps, "Newton on a table of pairs")


def _of_many(
    pairs: PairCounts, prior: Prior | None, group: IntArray, *, tol: float, compiled: bool
) -> tuple[Minimum, str]:
    """L-BFGS that reads the pairs once a step; Newton's method where it is slow, and its name."""
    size = np.maximum(pairs.n_votes, 1.0)

    def gradient(strength: FloatArray) -> FloatArray:
        if np.ptp(strength) > WIDEST:
            return np.full_like(strength, np.nan)
        worth = np.exp(strength - strength.mean())
        wins = expected_wins(pairs, worth, compiled=compiled)
        return wins - pairs.wins + prior_gradient(prior, strength)

    start, curvature = strengths_of_shares(pairs)
    # No vote curves the loss by more than the chance of its rarer outcome.
    rarer = np.minimum(pairs.wins, pairs.n_votes - pairs.wins)
    curvature = np.minimum(curvature, np.maximum(rarer, 0.25))
    try:
        end = minimise(
            gradient,
            start,
            diagonal=curvature + prior_curvature(prior, start),
            norm_fn=lambda g: float(np.max(np.abs(g) / size)),
            tol=tol,
            max_steps=MAX_PASSES,
        )
    except ConvergenceError:
        if pairs.n_items <= DENSE_FALLBACK:
            end = newton_on_pairs(pairs.matrix(), pairs.wins, prior, group, tol=tol)
            return end, "Newton on a table of pairs, as L-BFGS was slow"
        upper = pairs.distinct()
        if upper.nnz <= SPARSE_PAIRS * pairs.n_items:
            from rewardlab.rewards.items.sparse_newton import sparse_newton

            end = sparse_newton(upper, pairs.wins, prior, start, tol=tol)
            return end, "sparse Newton, as L-BFGS was slow"
        raise
    return end, f"L-BFGS over pairs ({'compiled' if compiled else 'numpy'})"


def _on_cells(cells: Cells, model: ItemModel, tol: float) -> Solved:
    """L-BFGS for any model of many items."""
    m = cells.n_items
    size = newton.gradient_sizes(cells, model)

    def gradient(theta: FloatArray) -> FloatArray:
        at = _terms(cells, model, theta)
        by_tie = [] if at.tie_slope is None else [at.tie_slope.sum()]
        by_item = sums_by_item(cells.i, at.slope, m) - sums_by_item(cells.j, at.slope, m)
        by_item += prior_gradient(model.prior, theta[:m])
        whole = np.concatenate([by_item, cells.effects.T @ at.slope, by_tie])
        return whole if np.isfinite(at.loss).all() else np.full_like(whole, np.nan)

    start = newton.start(cells, model)
    try:
        end = minimise(
            gradient,
            start,
            diagonal=_diagonal(cells, model, start),
            norm_fn=lambda g: float(np.max(np.abs(g) / size)),
            tol=tol,
        )
    except ConvergenceError:
        if len(start) > DENSE_FALLBACK:
            raise
        return newton.solve(cells, model, tol=tol)
    n = float(newton.used_votes(cells, model).sum())
    loss = float(_terms(cells, model, end.x).loss.sum())
    return Solved(end.x, loss / n, end.norm, end.steps, "L-BFGS over cells (numpy)")


def _terms(cells: Cells, model: ItemModel, theta: FloatArray) -> CellTerms:
    m, e = cells.n_items, cells.effects.shape[1]
    delta = theta[cells.i] - theta[cells.j] + cells.effects @ theta[m : m + e]
    return cell_terms(model, cells, delta, float(theta[-1]) if model.tie_parameter else 0.0)


def _diagonal(cells: Cells, model: ItemModel, theta: FloatArray) -> FloatArray:
    """Second derivatives by each parameter alone; 1 for one that bears on nothing."""
    m, at = cells.n_items, _terms(cells, model, theta)
    by_item = sums_by_item(cells.i, at.curvature, m) + sums_by_item(cells.j, at.curvature, m)
    by_item += prior_curvature(model.prior, theta[:m])
    by_tie = [] if at.tie_curvature is None else [at.tie_curvature.sum()]
    whole = np.concatenate([by_item, (cells.effects**2).T @ at.curvature, by_tie])
    return np.where(whole > 0, whole, 1.0)
