"""Whether effects can be told from strengths, and from each other, by any votes on these pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from rewardlab.errors import EstimationError, InputError
from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.connection import item_groups
from rewardlab.rewards.items.within_groups import pin_shifts
from rewardlab.types import FloatArray, IntArray

SMALLEST_SHARE = 1e-9
"""An effect of which strengths and earlier effects leave no larger share is not told from them."""
DENSE_ITEMS = 1500


def check_effects_identified(
    cells: Cells, effect_names: Sequence[str], *, prior: bool
) -> tuple[str, ...]:
    """Refuse effects that no votes on these pairs could tell from something else.

    Each effect is regressed on the items and on the effects before it, votes as weights.

    Args:
        cells: Counted, with votes.
        effect_names: Length e.
        prior: Whether strengths have a prior, which then tells them from an effect.

    Returns:
        Warnings: the effects that only the prior tells from strengths.

    Raises:
        InputError: An effect never varies: it is 0 in every comparison.
        EstimationError: Strengths or other effects could take an effect's place.
    """
    x, n = cells.effects, cells.n
    total = n @ x**2
    for k in map(int, np.flatnonzero(total == 0)):
        raise InputError(
            f"{effect_names[k]}: it is 0 in all comparisons, so that it has no effect to estimate; "
            "leave it out"
        )
    alone = x.T @ (x * n[:, None])
    dependent = _first_dependent(alone, total)
    if dependent is not None:
        raise _not_told(effect_names[dependent], "from the other effects")
    dependent = _first_dependent(alone - _explained_by_items(cells), total)
    if dependent is None:
        return ()
    if not prior:
        raise _not_told(effect_names[dependent], "from the strengths of the items")
    return (f"only the prior tells {effect_names[dependent]} from the strengths of the items",)


def _not_told(name: str, others: str) -> EstimationError:
    return EstimationError(
        f"{name} cannot be told {others}: they explain it in every comparison",
        remedy=f"Leave out {name}, or compare items where it differs from what they say.",
    )


def _first_dependent(gram: FloatArray, total: FloatArray) -> int | None:
    """The first column that those before it explain, by Cholesky's pivots; None if none."""
    left = gram.copy()
    for k in range(len(left)):
        if left[k, k] <= SMALLEST_SHARE * total[k]:
            return k
        left[k + 1 :, k + 1 :] -= np.outer(left[k + 1 :, k], left[k, k + 1 :]) / left[k, k]
    return None


def _explained_by_items(cells: Cells) -> FloatArray:
    """Shape [e, e]; what a weighted regression on the items takes from the effects' products."""
    m, n, i, j = cells.n_items, cells.n, cells.i, cells.j
    weighted = cells.effects * n[:, None]
    by_item = np.column_stack(
        [np.bincount(i, column, m) - np.bincount(j, column, m) for column in weighted.T]
    )
    sides = (np.concatenate([i, j]), np.concatenate([j, i]))
    between = scipy.sparse.csr_matrix((np.tile(n, 2), sides), shape=(m, m))
    laplacian = scipy.sparse.diags(np.asarray(between.sum(axis=1)).ravel()) - between
    return np.asarray(by_item.T @ _solved(laplacian, by_item, item_groups(cells)))


def _solved(laplacian: scipy.sparse.csr_matrix, right: FloatArray, group: IntArray) -> FloatArray:
    """Shape [m, e]; a solution of the singular system, whose right side sums to 0 in each group."""
    from scipy.sparse.linalg import cg

    m = len(group)
    if m <= DENSE_ITEMS:
        dense = laplacian.toarray()
        dense += np.eye(m) * (dense.diagonal() == 0)
        pin_shifts(dense, group)
        return np.asarray(scipy.linalg.solve(dense, right, assume_a="pos"))
    own = np.maximum(laplacian.diagonal(), 1e-300)
    columns = [cg(laplacian, c, rtol=1e-8, M=scipy.sparse.diags(1 / own))[0] for c in right.T]
    return np.column_stack(columns)
