"""Whether a model's fit exists: refused in words where it does not, or warned of what it rests on.

Before the fit, graphs decide on strengths and linear algebra on effects. Whether an effect or the
tie parameter grows without bound is decided by a linear program once the fit looks like it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rewardlab.errors import ConvergenceError, EstimationError, SeparationError
from rewardlab.rewards.items import newton
from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.connection import item_groups, named, unbounded_items
from rewardlab.rewards.items.effect_separation import check_not_separated
from rewardlab.rewards.items.identification import check_effects_identified
from rewardlab.rewards.items.model import ItemModel, LinkName, Prior
from rewardlab.rewards.items.newton import Solved

EXTREME: dict[LinkName, float] = {"logistic": 11.0, "probit": 5.5}
"""D, or twice the tie parameter, beyond which a fit is checked before it is believed: one that
stopped on the way to infinity looks the same. Solvers stop there at chances of about 1e-6."""
EXTREME_AFTER_NEWTON: dict[LinkName, float] = {"logistic": 22.0, "probit": 8.0}
"""The same after Newton's method: only rounding, at chances of 1e-16, makes its steps short."""


def used_cells(cells: Cells, model: ItemModel) -> Cells:
    """The cells without the votes that the model leaves out, and without empty ones.

    Raises:
        EstimationError: No vote is left.
    """
    if model.ties == "leave-out":
        cells = replace(cells, n_tie=np.zeros(len(cells.i)))
    kept = cells.n > 0
    if not kept.any():
        raise EstimationError("all votes are ties, and the model leaves ties out")
    return cells if kept.all() else cells.take(kept)


def check_exists(
    cells: Cells, model: ItemModel, names: tuple[str, ...], effect_names: tuple[str, ...]
) -> tuple[str, ...]:
    """What to warn of; raises where no finite fit exists.

    Args:
        cells: With the votes that the model uses.
        model: What votes follow, and the prior.
        names: Length m.
        effect_names: Names of the cells' effects.

    Raises:
        InputError: An effect is 0 in every comparison.
        EstimationError: A tie parameter without ties, or with nothing else; an effect that is not
            told from strengths or other effects.
        SeparationError: Without a prior, some items never lost, or never won, against the others.
    """
    _check_ties(cells, model)
    ties_count = model.ties != "leave-out"
    warnings = unlinked(cells, names)
    warnings += only_by_prior(cells, model.prior, names, ties_count=ties_count)
    if cells.effects.shape[1]:
        has_prior = model.prior is not None
        warnings += check_effects_identified(cells, effect_names, prior=has_prior)
    return warnings


def solved_if_exists(
    solve: Callable[[], Solved], cells: Cells, model: ItemModel, effect_names: tuple[str, ...]
) -> Solved:
    """The solver's result, unless an effect or the tie parameter has no finite value.

    Raises:
        SeparationError: Effects explain every vote that they bear on.
        EstimationError: A tie parameter does, with strengths.
        ConvergenceError: The solver's, where a fit exists.
    """
    try:
        solved = solve()
    except ConvergenceError:
        if _unsure(cells, model):
            check_not_separated(cells, model, effect_names)
        raise
    extreme = EXTREME_AFTER_NEWTON if solved.solver == newton.NAME else EXTREME
    if _unsure(cells, model) and _reached(cells, model, solved) > extreme[model.link]:
        check_not_separated(cells, model, effect_names)
    return solved


def _unsure(cells: Cells, model: ItemModel) -> bool:
    """Whether the graphs of wins leave open that the fit is unbounded."""
    return bool(cells.effects.shape[1]) or model.tie_parameter


def _reached(cells: Cells, model: ItemModel, solved: Solved) -> float:
    """The largest |D| of a comparison, or twice the tie parameter."""
    by_ties = 2 * abs(float(solved.theta[-1])) if model.tie_parameter else 0.0
    return max(float(np.max(np.abs(cells.differences(solved.theta)))), by_ties)


def _check_ties(cells: Cells, model: ItemModel) -> None:
    n, n_ties = float(cells.n.sum()), float(cells.n_tie.sum())
    if model.tie_parameter and not 0 < n_ties < n:
        share = "none is a tie" if not n_ties else "all are ties"
        raise EstimationError(
            f"ties: {model.ties} estimates how often equals tie, but of {n:,.0f} votes {share}",
            remedy="Count ties as half wins.",
        )


def unlinked(
    cells: Cells, names: tuple[str, ...], *, never: str = "never compared with each other"
) -> tuple[str, ...]:
    """Warnings of items without votes, and of groups that nothing links.

    Args:
        cells: With the votes that are used.
        names: Length m.
        never: What the groups' items never were.
    """
    seen = np.bincount(cells.i, minlength=cells.n_items) > 0
    seen |= np.bincount(cells.j, minlength=cells.n_items) > 0
    warnings = []
    alone = np.flatnonzero(~seen)
    if len(alone):
        warnings.append(
            f"no vote to use on {named(alone, names)}: a strength of 0 says nothing there"
        )
    n_groups = len(np.unique(item_groups(cells)[seen]))
    if n_groups > 1:
        warnings.append(
            f"{n_groups:,} groups of items were {never}: ranks and strengths hold within a group "
            "only"
        )
    return tuple(warnings)


def only_by_prior(
    cells: Cells,
    prior: Prior | None,
    names: tuple[str, ...],
    *,
    ties_count: bool,
    never: tuple[str, str] = ("never lost against", "never won against"),
) -> tuple[str, ...]:
    """A warning where only the prior keeps items finite.

    Args:
        cells: With the votes that are used.
        prior: On the strengths.
        names: Length m.
        ties_count: Whether a tie bounds both items, as a win for each.
        never: What sends an item up, and down, without bound.

    Raises:
        SeparationError: There is no prior to keep them so.
    """
    never_lost, never_won = unbounded_items(cells, ties_count=ties_count)
    if not len(never_lost) and not len(never_won):
        return ()
    told = "; ".join(
        f"{named(items, names)} {words} the others"
        for items, words in zip((never_lost, never_won), never, strict=True)
        if len(items)
    )
    if prior is None:
        raise SeparationError(
            f"no finite strengths exist: {told}; give a prior, or leave these items out",
            [names[k] for k in np.union1d(never_lost, never_won)],
        )
    return (f"only the prior keeps these items finite: {told}",)
