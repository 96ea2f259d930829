"""Features whose weights can be told apart: those that mostly move with another are left to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rewardlab.rewards.usable import UsableColumns
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
    kept: list[int] = []
    left_out: list[str] = []
    for j in order:
        shared = _explained(differences[:, kept], differences[:, j])
        if shared <= most_shared:
            kept.append(j)
            continue
        partner = kept[int(np.argmax(_squared_cosines(differences[:, kept], differences[:, j])))]
        left_out.append(
            f"{names[j]}: {shared:.0%} of it follows from other features, most of all "
            f"{names[partner]}, which is tested for both"
        )
    positions: IntArray = np.array(sorted(kept), dtype=np.int64)
    return UsableColumns(positions, tuple(names[j] for j in positions), tuple(left_out))


def _explained(columns: FloatArray, column: FloatArray) -> float:
    """Share of the column's sum of squares that the columns explain together."""
    if not columns.shape[1]:
        return 0.0
    residual = column - columns @ np.linalg.lstsq(columns, column, rcond=None)[0]
    return 1 - float(residual @ residual) / float(column @ column)


def _squared_cosines(columns: FloatArray, column: FloatArray) -> FloatArray:
    """Shape [k]: share of the column's sum of squares that each column explains alone."""
    cosines: FloatArray = (column @ columns) ** 2 / np.sum(columns**2, axis=0)
    return cosines
