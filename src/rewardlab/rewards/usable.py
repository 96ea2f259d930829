"""Which features can be estimated at all: those that differ, often enough, and not in step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray

MIN_COMPARISONS = 10
"""A feature that differs in fewer comparisons is left out: its weight would be a few votes."""
BLOCK_ROWS = 16_384
DEPENDENT = 1e-7
"""A column whose part outside the others is below this share of its length is dependent."""


@dataclass(frozen=True, slots=True)
class UsableColumns:
    """Columns to fit, and why the others are left out.

    Attributes:
        kept: Shape [k], int64; positions of the columns to fit.
        names: Length k; their names.
        left_out: A sentence for each column that is not, such as "headings: differs in 3 of 1,442
            comparisons, fewer than 10".
    """

    kept: IntArray
    names: tuple[str, ...]
    left_out: tuple[str, ...]


def usable_columns(
    differences: FloatArray, names: Sequence[str], *, min_comparisons: int = MIN_COMPARISONS
) -> UsableColumns:
    """The columns that can be fitted together.

    Left out, in the order of the columns: those that never differ or differ in fewer than
    ``min_comparisons``, and those that are a linear combination of columns before them.

    Args:
        differences: Shape [n, d], finite.
        names: Length d.
        min_comparisons: Comparisons that a feature must differ in.

    Raises:
        InputError: The number of names is not d.
    """
    n, d = differences.shape
    if len(names) != d:
        raise InputError(f"names: expected length {d}, got {len(names)}")
    n_different = np.count_nonzero(differences, axis=0)
    frequent: list[int] = []
    left_out: list[str] = []
    for j, count in enumerate(n_different.tolist()):
        if count == 0:
            left_out.append(f"{names[j]}: never differs between the two responses")
        elif count < min_comparisons:
            left_out.append(
                f"{names[j]}: differs in {count} of {n:,} comparisons, fewer than {min_comparisons}"
            )
        else:
            frequent.append(j)
    kept: list[int] = []
    triangle = unit_triangle(differences, frequent) if frequent else np.empty((0, 0))
    outside = np.abs(np.diagonal(triangle))
    if len(outside) == len(frequent) and np.all(outside > DEPENDENT):
        # The diagonal is what each column has outside those before it.
        return UsableColumns(
            np.array(frequent, np.int64), tuple(names[j] for j in frequent), tuple(left_out)
        )
    for i, j in enumerate(frequent):
        others = [frequent.index(k) for k in kept]
        partners = _combination(triangle[:, others], triangle[:, i])
        if partners is None:
            kept.append(j)
        else:
            of = ", ".join(names[kept[k]] for k in partners)
            left_out.append(f"{names[j]}: its differences are a combination of those of {of}")
    return UsableColumns(np.array(kept, np.int64), tuple(names[j] for j in kept), tuple(left_out))


def unit_triangle(differences: FloatArray, columns: Sequence[int]) -> FloatArray:
    """Shape [k, k], upper: vectors of length 1 with the same angles as those columns, for any n.

    Blocks of rows are reduced one after the other (a sequential QR).
    """
    triangle = np.empty((0, len(columns)))
    for first in range(0, len(differences), BLOCK_ROWS):
        block = differences[first : first + BLOCK_ROWS, list(columns)]
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, block]), mode="r"))
    return np.asarray(triangle / np.linalg.norm(triangle, axis=0))


def _combination(columns: FloatArray, column: FloatArray) -> IntArray | None:
    """Positions of the columns that ``column`` is a combination of; None if it is independent."""
    if not columns.shape[1]:
        return None
    coefficients = linalg.lstsq(columns, column)[0]
    if np.linalg.norm(column - columns @ coefficients) > DEPENDENT:
        return None
    return np.flatnonzero(np.abs(coefficients) > DEPENDENT).astype(np.int64)
