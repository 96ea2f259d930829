"""Strengths of items by maximum likelihood (or a posterior mode), with what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.cells import Cells, count_cells, votes_of_items
from rewardlab.rewards.items.compiled import Engine
from rewardlab.rewards.items.connection import item_groups
from rewardlab.rewards.items.existence import check_exists, solved_if_exists, used_cells
from rewardlab.rewards.items.model import Gamma, ItemModel
from rewardlab.rewards.items.solver import SolvedBattles, solve, solve_battles
from rewardlab.rewards.items.within_groups import about_group_means
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
        n_votes: Shape [m]; votes used that each item took part in.
        effect_names: Length e: "position", the covariates, "tie" (log nu, or the threshold), as far
            as the model has them.
        effect: Shape [e], logits (a unit of the covariate).
        model: What was fitted.
        log_loss: Mean over votes of the loss without prior, in nats.
        gradient_norm: Largest derivative of the loss by a strength, over the votes that item took
            part in: by how much expected and observed shares of wins still differ. An effect's is
            over the sum of its sizes, the tie parameter's over all votes.
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

    @property
    def theta(self) -> FloatArray:
        """Shape [m + e]; strengths and effects where the loss with the prior is least.

        A gamma prior does not sit about the mean: it asks for exp(strength) of mean 1 in a group.
        """
        s = self.strength
        if isinstance(self.model.prior, Gamma):
            size = np.bincount(self.group)
            s = s - np.log(np.bincount(self.group, np.exp(s)) / size)[self.group]
        return np.concatenate([s, self.effect])


def fit_items(
    battles: Battles,
    model: ItemModel = MAXIMUM_LIKELIHOOD,
    *,
    tol: float = 1e-6,
    engine: Engine = "auto",
    cells: Cells | None = None,
) -> ItemFit:
    """Strengths that maximise the likelihood of the battles under the model, times its prior.

    Args:
        battles: Votes.
        model: What votes follow, and the prior.
        tol: Largest ``gradient_norm``.
        engine: What counts and fits: numpy, or compiled kernels (the extra ``fast``); "auto" takes
            these where they repay their loading.
        cells: ``count_cells`` of the battles with the model's position, where they are counted
            already; they are not counted again.

    Raises:
        InputError: The model needs what the battles lack (sides for a position), or a covariate is
            0 in all of them.
        EstimationError: A tie parameter without ties, or with nothing else; an effect that is not
            told from strengths or other effects; no vote to use.
        SeparationError: Without a prior, some items never lost, or never won, against the others;
            or effects explain every vote that they bear on.
        ConvergenceError: The solver did not reach ``tol``.

    Source: Bradley and Terry (1952), *Biometrika* 39, 324-345; Ford (1957) for when a fit exists.
    """
    if model.position and not battles.sides_recorded:
        raise InputError(
            "position: the file does not say which side was shown first, so that no effect of the "
            "position can be estimated"
        )
    quick = solve_battles(battles, model, tol=tol, engine=engine, cells=cells)
    if quick is not None:
        return _without_cells(quick, model, battles.names)
    names = (("position",) if model.position else ()) + battles.covariate_names
    if cells is None:
        cells = count_cells(battles, position=model.position)
    return fit_cells(cells, model, battles.names, names, tol, engine)


def fit_cells(
    cells: Cells,
    model: ItemModel = MAXIMUM_LIKELIHOOD,
    names: tuple[str, ...] = (),
    effect_names: tuple[str, ...] = (),
    tol: float = 1e-6,
    engine: Engine = "auto",
) -> ItemFit:
    """The same from counts.

    Args:
        cells: Counts.
        model: As ``fit_items``.
        names: Length m; "item 0" and so on where none are given.
        effect_names: Names of the cells' effects.
        tol: As ``fit_items``.
        engine: As ``fit_items``.

    Raises:
        InputError, EstimationError, SeparationError, ConvergenceError: As ``fit_items``.
    """
    names = names or tuple(f"item {k}" for k in range(cells.n_items))
    used = used_cells(cells, model)
    warnings = check_exists(used, model, names, effect_names)
    solved = solved_if_exists(
        lambda: solve(used, model, tol=tol, engine=engine), used, model, effect_names
    )
    m, group = cells.n_items, item_groups(used)
    tie = ("tie",) if model.tie_parameter else ()
    return ItemFit(
        names=names,
        strength=about_group_means(solved.theta[:m], group),
        group=group,
        n_votes=votes_of_items(used),
        effect_names=effect_names + tie,
        effect=solved.theta[m:],
        model=model,
        log_loss=solved.log_loss,
        gradient_norm=solved.gradient_norm,
        iterations=solved.iterations,
        solver=solved.solver,
        n=float(used.n.sum()),
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
