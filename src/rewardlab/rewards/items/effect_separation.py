"""Whether an effect, with strengths or alone, explains every vote, so that it grows for ever.

A vote bounds its loss along a direction of strengths, effects and the tie parameter only if it is
not contradicted there: with d the direction's difference and l its tie parameter, a win for a
needs d >= l, one for b -d >= l, and a tie |d| <= l, for Davidson's model (l twice log nu's) as for
thresholds. Where ties are half wins or left out, l is 0. If a direction satisfies all votes and
some of them strictly, the likelihood has no maximum; a linear program finds one or proves that
there is none.

Source: Albert and Anderson (1984), *Biometrika* 71, 1-10, for the definition; the conditions of
ties follow from the losses' limits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from rewardlab.errors import EstimationError, SeparationError
from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.separation import sparsest_direction
from rewardlab.types import BoolArray, FloatArray


def check_not_separated(cells: Cells, model: ItemModel, effect_names: Sequence[str]) -> None:
    """Raise where the fit is unbounded along an effect or the tie parameter.

    Args:
        cells: Counted, with votes that the model uses.
        model: What votes follow; a prior holds all strengths.
        effect_names: Length e, without the tie parameter.

    Raises:
        SeparationError: Effects (with strengths, maybe) explain every vote; it names them.
        EstimationError: A tie parameter does, with strengths; or the program was not solved.
    """
    direction = unbounded_direction(cells, model)
    if direction is None:
        return
    m, e = cells.n_items, cells.effects.shape[1]
    names = [effect_names[int(k)] for k in np.flatnonzero(direction[m : m + e])]
    with_strengths = ", with strengths," if np.any(direction[:m]) else ""
    if names:
        raise SeparationError(
            f"no finite fit exists: {', '.join(names)}{with_strengths} explains every vote that "
            f"{'it bears' if len(names) == 1 else 'they bear'} on",
            names,
        )
    raise EstimationError(
        f"no finite fit exists under {model.ties} ties: the stronger item won every vote that was "
        "not a tie, and ties were between neighbours only",
        remedy="Count ties as half wins, give a prior, or add votes.",
    )


def unbounded_direction(cells: Cells, model: ItemModel) -> FloatArray | None:
    """Shape [m + e, and 1 with a tie parameter]; along which no vote's loss grows, or None.

    Args:
        cells: Counted, with votes that the model uses.
        model: As ``check_not_separated``.

    Raises:
        EstimationError: The linear program was not solved.
    """
    rows, kept = _rows(cells, model)
    size = np.sqrt(np.asarray(rows.multiply(rows).mean(axis=0)).ravel())
    moving = np.flatnonzero(kept & (size > 0))
    if not len(moving):
        return None
    x = scipy.sparse.csr_matrix(rows[:, moving] @ scipy.sparse.diags(1 / size[moving]))
    above, level = _votes(cells, model, x)
    found = sparsest_direction(above, level)
    if found is None:
        return None
    direction = np.zeros(rows.shape[1] + int(model.tie_parameter))
    if model.tie_parameter:
        direction[-1], found = found[-1], found[:-1]
    direction[moving] = found / size[moving]
    return direction


def _rows(cells: Cells, model: ItemModel) -> tuple[scipy.sparse.csr_matrix, BoolArray]:
    """Each cell's d as a row, [c, m + e], and which columns may move: strengths without a prior."""
    c, m = len(cells.i), cells.n_items
    where = (np.tile(np.arange(c), 2), np.concatenate([cells.i, cells.j]))
    items = scipy.sparse.csr_matrix((np.repeat([1.0, -1.0], c), where), shape=(c, m))
    rows = scipy.sparse.hstack([items, scipy.sparse.csr_matrix(cells.effects)], format="csr")
    return rows, np.arange(rows.shape[1]) >= (m if model.prior else 0)


def _votes(
    cells: Cells, model: ItemModel, x: scipy.sparse.csr_matrix
) -> tuple[scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
    """Rows whose product with the direction must be >= 0, and those where it must be 0."""
    won, lost, tied = cells.n_i > 0, cells.n_j > 0, cells.n_tie > 0
    if model.tie_parameter:
        parts = [(x[won], -1.0), (-x[lost], -1.0), (x[tied], 1.0), (-x[tied], 1.0)]
        above = scipy.sparse.vstack(
            [scipy.sparse.hstack([d, np.full((d.shape[0], 1), sign)]) for d, sign in parts],
            format="csr",
        )
        return above, above[:0]
    if model.ties == "half":
        won, lost = won | tied, lost | tied
    both = won & lost
    return scipy.sparse.vstack([x[won & ~both], -x[lost & ~both]], format="csr"), x[both]
