"""Strengths of items by maximum likelihood (or a posterior mode), with what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import SeparationError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.cells import Cells, count_cells, votes_of_items
from rewardlab.rewards.items.compiled import Engine
from rewardlab.rewards.items.connection import item_groups, named, unbounded_items
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.solver import SolvedBattles, solve, solve_battles
from rewardlab.types import FloatArray, IntArray

MAXIMUM_LIKELIHOOD = ItemModel()


@dataclass(frozen=True, slots=True)
class ItemFit:
    """Strengths of m items; only differences within a group are identified.

    Attributes:
        names: Length m.
        strength: Shape [m], logits (probit: noise deviations of one response); sums to zero in each
            group.
        group: Shape [m], codes; items of different groups were never compared, not even by way of
            others, and their strengths cannot be either.
        n_votes: Shape [m]; votes that each item took part in.
        effect_names: Length e: "position", the covariates, "tie" (log nu, or the threshold), as far
            as the model has them.
        effect: Shape [e], logits (a unit of the covariate).
        model: What was fitted.
        log_loss: Mean over votes of the loss without prior, in nats.
        gradient_norm: Largest derivative of the loss by a strength, over the votes that item took
            part in: by how much expected and observed shares of wins still differ.
        iterations: Steps of the solver.
        solver: Which solver ran, in a few words.
        n: Votes used.
        n_ties: Ties among all votes, used or left out as the model says.
        warnings: What limits the result, such as items that only the prior keeps finite.
    """

    names: tuple[str, ...]
    strength: FloatArray
    group: IntArray
    n_votes: FloatArray
    effect_names: tuple[str, ...]
    effect: FloatArray
    model: ItemModel
    log_loss: float
    gradient_norm: float
    iterations: int
    solver: str
    n: float
    n_ties: float
    warnings: tuple[str, ...]


def fit_items(
    battles: Battles,
    model: ItemModel = MAXIMUM_LIKELIHOOD,
    *,
    tol: float = 1e-6,
    engine: Engine = "auto",
) -> ItemFit:
    """Strengths that maximise the likelihood of the battles under the model, times its prior.

    Args:
        battles: Votes.
        model: What votes follow, and the prior.
        tol: Largest ``gradient_norm``.
        engine: What counts and fits: numpy, or compiled kernels (the extra ``fast``); "auto" takes
            these where they repay their loading.

    Raises:
        InputError: The model needs what the battles lack (sides for a position).
        SeparationError: Without a prior, some items never lost, or never won, against the others.
        ConvergenceError: The solver did not reach ``tol``.

    Source: Bradley and Terry (1952), *Biometrika* 39, 324-345; Ford (1957) for when a fit exists.
    """
    quick = solve_battles(battles, model, tol=tol, engine=engine)
    if quick is not None:
        return _without_cells(quick, model, battles.names)
    names = (("position",) if model.position else ()) + battles.covariate_names
    return fit_cells(
        count_cells(battles, position=model.position), model, battles.names, names, tol
    )


def fit_cells(
    cells: Cells,
    model: ItemModel,
    names: tuple[str, ...],
    effect_names: tuple[str, ...] = (),
    tol: float = 1e-6,
) -> ItemFit:
    """The same from counts.

    Args:
        cells: Counts.
        model: As ``fit_items``.
        names: Length m.
        effect_names: Names of the cells' effects.
        tol: As ``fit_items``.

    Raises:
        InputError, SeparationError, ConvergenceError: As ``fit_items``.
    """
    warnings = _existence(cells, model, names)
    solved = solve(cells, model, tol=tol)
    m, group = cells.n_items, item_groups(cells)
    strength = solved.theta[:m]
    strength = strength - (np.bincount(group, strength) / np.bincount(group))[group]
    tie = ("tie",) if model.tie_parameter else ()
    return ItemFit(
        names=names,
        strength=strength,
        group=group,
        n_votes=votes_of_items(cells),
        effect_names=effect_names + tie,
        effect=solved.theta[m:],
        model=model,
        log_loss=solved.log_loss,
        gradient_norm=solved.gradient_norm,
        iterations=solved.iterations,
        solver=solved.solver,
        n=float(cells.n.sum()),
        n_ties=float(cells.n_tie.sum()),
        warnings=warnings,
    )


def _without_cells(quick: SolvedBattles, model: ItemModel, names: tuple[str, ...]) -> ItemFit:
    """A fit of items that wins all connect: one group, no effects, nothing to warn of."""
    solved = quick.solved
    return ItemFit(
        names=names,
        strength=solved.theta - solved.theta.mean(),
        group=np.zeros(len(names), dtype=np.int64),
        n_votes=quick.n_votes,
        effect_names=(),
        effect=np.zeros(0),
        model=model,
        log_loss=solved.log_loss,
        gradient_norm=solved.gradient_norm,
        iterations=solved.iterations,
        solver=solved.solver,
        n=quick.n,
        n_ties=quick.n_ties,
        warnings=(),
    )


def _existence(cells: Cells, model: ItemModel, names: tuple[str, ...]) -> tuple[str, ...]:
    """What to warn of; raises where no finite fit exists."""
    never_lost, never_won = unbounded_items(cells, ties_count=model.ties != "leave-out")
    warnings = []
    group = item_groups(cells)
    if group.max() > 0:
        warnings.append(
            f"{group.max() + 1:,} groups of items were never compared with each other: ranks and "
            "strengths hold within a group only"
        )
    if not len(never_lost) and not len(never_won):
        return tuple(warnings)
    told = "; ".join(
        f"{named(items, names)} never {verb} against the others"
        for items, verb in ((never_lost, "lost"), (never_won, "won"))
        if len(items)
    )
    if model.prior is None:
        unbounded = np.union1d(never_lost, never_won)
        raise SeparationError(
            f"no finite strengths exist: {told}; give a prior, or leave these items out",
            [names[k] for k in unbounded],
        )
    warnings.append(f"only the prior keeps these items finite: {told}")
    return tuple(warnings)
