"""Features whose weights can be told apart: those that mostly move with another are left to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rewardlab.rewards.usable import UsableColumns, unit_triangle
from rewardlab.types import FloatArray, IntArray

MOST_SHARED = 0.7
"""A feature that others explain beyond this share of its variation is not tested apart: its
interval would be wider by (1 - .7)^-1/2 = 1.8, and so would those of the others."""

LENGTH_FIRST = ("log_words",)
"""Of features that move together, these stand for the others: readers ask for length."""


def separable_columns(
    differences: FloatArray, names: Sequence[str], *, most_shared: float = MOST_SHARED
) -> UsableColumns:
    """The columns to test, taken greedily: each must bring variation that those before lack.

    Args:
        differences: Shape [n, d], finite, of columns that differ.
        names: Length d.
        most_shared: Largest share of a column's sum of squares that columns before may explain.

    Returns:
        The columns kept, in their order, and for each other one which column stands for it.
    """
    order = sorted(range(len(names)), key=lambda j: (names[j] not in LENGTH_FIRST, j))
    # Columns at the same angles as those of the differences, however many rows these have.
    unit = unit_triangle(differences, order)
    # The diagonal is what each column has outside those before it: as long as all are kept.
    outside = np.diagonal(unit) ** 2
    if len(outside) == len(order) and np.all(1 - outside <= most_shared):
        return UsableColumns(np.arange(len(names)), tuple(names), ())
    kept: list[int] = []
    left_out: list[str] = []
    for i, j in enumerate(order):
        shared = _explained(unit[:, kept], unit[:, i])
        if shared <= most_shared:
            kept.append(i)
            continue
        partner = order[kept[int(np.argmax((unit[:, i] @ unit[:, kept]) ** 2))]]
        left_out.append(
            f"{names[j]}: {shared:.0%} of it follows from other features, most of all "
            f"{names[partner]}, which is tested for both"
        )
    positions: IntArray = np.array(sorted(order[i] for i in kept), dtype=np.int64)
    return UsableColumns(positions, tuple(names[j] for j in positions), tuple(left_out))


def _explained(columns: FloatArray, column: FloatArray) -> float:
    """Share of a column of length 1 that the columns explain together."""
    if not columns.shape[1]:
        return 0.0
    residual = column - columns @ np.linalg.lstsq(columns, column, rcond=None)[0]
    return 1 - float(residual @ residual)
