"""Battles counted once: each distinct pair of items with how often either won and they tied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles, Codes
from rewardlab.types import BoolArray, FloatArray, IntArray, Outcome

DENSE_KEYS = 4_000_000
"""Pairs times outcomes up to which battles are counted in a table of all of them."""
_AS_SEEN_BY_LOWER = np.array(
    [[Outcome.A, Outcome.B, Outcome.TIE], [Outcome.B, Outcome.A, Outcome.TIE]]
)


@dataclass(frozen=True, slots=True)
class Cells:
    """Distinct comparisons with their votes; all of a cell's votes have the same D.

    Attributes:
        n_items: m.
        i: Shape [c], codes of the first item.
        j: Shape [c], codes of the second.
        n_i: Shape [c], >= 0; votes for i. Fractions are soft labels.
        n_j: Shape [c], >= 0.
        n_tie: Shape [c], >= 0.
        margin: Shape [c], >= 0; None for 0.
        effects: Shape [c, e]; what else D is made of: D = s_i - s_j + effects . w.
    """

    n_items: int
    i: Codes
    j: Codes
    n_i: FloatArray
    n_j: FloatArray
    n_tie: FloatArray
    margin: FloatArray | None
    effects: FloatArray

    @property
    def n(self) -> FloatArray:
        """Shape [c]; votes of each cell."""
        return self.n_i + self.n_j + self.n_tie

    def differences(self, theta: FloatArray) -> FloatArray:
        """Shape [c]; D of each cell.

        Args:
            theta: Shape [m + e] or more; strengths, then effects. What follows is not read.
        """
        m, e = self.n_items, self.effects.shape[1]
        delta = theta[self.i] - theta[self.j]
        return delta + self.effects @ theta[m : m + e] if e else delta

    def take(self, kept: BoolArray) -> Cells:
        """The cells of a mask of shape [c]."""
        return Cells(
            self.n_items,
            self.i[kept],
            self.j[kept],
            self.n_i[kept],
            self.n_j[kept],
            self.n_tie[kept],
            None if self.margin is None else self.margin[kept],
            self.effects[kept],
        )


def count_cells(battles: Battles, *, position: bool = False) -> Cells:
    """The battles as cells.

    Without covariates, margins and position, both orders of a pair fall into one cell, i < j. With
    a position each order is a cell of its own, with the effect 1. Rows with covariates or margins
    are not merged.

    Args:
        battles: Counted.
        position: Whether the position is an effect, the first one.
    """
    if battles.margin is not None or battles.covariates is not None:
        return _cells_of_rows(battles, position=position)
    if _n_keys(battles) <= max(DENSE_KEYS, len(battles)):
        return _cells_of_table(battles, position=position)
    keys, votes = np.unique(_keys(battles, position=position), return_counts=True)
    return _cells_of_keys(keys, votes, battles.n_items, position=position)


def cells_of_battles(battles: Battles, *, position: bool = False) -> tuple[Cells, IntArray]:
    """The cells, and the class of each battle: cell * 3 + outcome, i the winner where it is A.

    Args:
        battles: Counted.
        position: Whether the position is an effect, the first one.

    Returns:
        Cells, and classes of shape [n].
    """
    if battles.margin is not None or battles.covariates is not None:
        cells = _cells_of_rows(battles, position=position)
        return cells, np.arange(len(battles)) * 3 + battles.outcome
    key = _keys(battles, position=position)
    keys, votes = _distinct(key, _n_keys(battles))
    cells = _cells_of_keys(keys, votes, battles.n_items, position=position)
    pairs = np.asarray(cells.i, dtype=np.int64) * cells.n_items + cells.j
    return cells, np.searchsorted(pairs, key // 3) * 3 + key % 3


def _cells_of_table(battles: Battles, *, position: bool) -> Cells:
    """Cells counted in a table of all pairs by each outcome, for few items."""
    a, b, outcome, m = battles.a, battles.b, battles.outcome, battles.n_items
    if not position:
        outcome = _AS_SEEN_BY_LOWER.ravel()[3 * (a > b).view(np.int8) + outcome]
        a, b = np.minimum(a, b), np.maximum(a, b)
    key = np.multiply(outcome, m, dtype=np.int64)
    key += a
    key *= m
    key += b
    table = np.bincount(key, minlength=_n_keys(battles)).reshape(3, m * m)
    pairs = np.flatnonzero(table[0] | table[1] | table[2])
    n_i, n_j, n_tie = (table[kind][pairs].astype(float) for kind in range(3))
    i, j = np.divmod(pairs, m)
    effects = np.ones((len(pairs), 1)) if position else np.zeros((len(pairs), 0))
    return Cells(m, i, j, n_i, n_j, n_tie, None, effects)


def _cells_of_rows(battles: Battles, *, position: bool) -> Cells:
    """A cell for each battle."""
    n = len(battles)
    columns = [np.ones((n, 1))] if position else []
    columns += [] if battles.covariates is None else [battles.covariates]
    n_i, n_j, n_tie = (
        (battles.outcome == outcome).astype(float)
        for outcome in (Outcome.A, Outcome.B, Outcome.TIE)
    )
    effects = np.hstack(columns) if columns else np.zeros((n, 0))
    m, a, b = battles.n_items, battles.a, battles.b
    return Cells(m, a, b, n_i, n_j, n_tie, battles.margin, effects)


def _keys(battles: Battles, *, position: bool) -> IntArray:
    """Shape [n]; (i * m + j) * 3 + outcome, both orders of a pair alike without a position."""
    a, b, m = battles.a, battles.b, battles.n_items
    if position:
        return (a.astype(np.int64) * m + b) * 3 + battles.outcome
    key = np.minimum(a, b).astype(np.int64)
    key *= m
    key += np.maximum(a, b)
    key *= 3
    key += _AS_SEEN_BY_LOWER[(a > b).view(np.int8), battles.outcome]
    return key


def _n_keys(battles: Battles) -> int:
    return 3 * battles.n_items**2


def _distinct(keys: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """The keys in ascending order, each once, and how often each came; counted where few can be."""
    if n_keys <= max(DENSE_KEYS, len(keys)):
        times = np.bincount(keys, minlength=n_keys)
        found = np.flatnonzero(times)
        return found, times[found]
    found, times = np.unique(keys, return_counts=True)
    return found, times


def _cells_of_keys(keys: IntArray, votes: IntArray, m: int, *, position: bool) -> Cells:
    pair, outcome = np.divmod(keys, 3)
    starts = np.concatenate([[True], pair[1:] != pair[:-1]])
    of_key = np.cumsum(starts) - 1
    pairs = pair[starts]
    counts = np.zeros((3, len(pairs)))
    counts[outcome, of_key] = votes
    effects = np.ones((len(pairs), 1)) if position else np.zeros((len(pairs), 0))
    return Cells(m, pairs // m, pairs % m, counts[0], counts[1], counts[2], None, effects)


def cells_of_wins(wins: FloatArray) -> Cells:
    """Cells of a matrix of wins.

    Args:
        wins: Shape [m, m], >= 0; how often the row's item beat the column's. Fractions are soft
            labels; the diagonal is not read.

    Raises:
        InputError: The wins are not square, not counts, or all zero.
    """
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or len(wins) < 2:
        raise InputError(f"wins: expected shape [m, m] with m >= 2, got {wins.shape}")
    wins = np.where(np.eye(len(wins), dtype=bool), 0.0, wins)
    if not bool(np.all((wins >= 0) & np.isfinite(wins))):
        raise InputError("wins: expected finite numbers >= 0")
    if not wins.any():
        raise InputError("wins: expected at least one comparison, got none")
    i, j = np.nonzero(np.triu(wins + wins.T, 1))
    none = np.zeros(len(i))
    return Cells(len(wins), i, j, wins[i, j], wins[j, i], none, None, np.zeros((len(i), 0)))


def votes_of_items(cells: Cells) -> FloatArray:
    """Shape [m]; votes that each item took part in."""
    n, m = cells.n, cells.n_items
    return sums_by_item(cells.i, n, m) + sums_by_item(cells.j, n, m)


def laplacian(i: Codes, j: Codes, weight: FloatArray, m: int) -> FloatArray:
    """Shape [m, m]; the sum over cells of weight x x', where x has 1 at i and -1 at j.

    Args:
        i: Shape [c], codes below m.
        j: Shape [c].
        weight: Shape [c].
        m: Items.
    """
    key = np.multiply(i, m, dtype=np.int64)
    key += j
    between = np.bincount(key, weight, m * m).reshape(m, m)
    total = np.asarray(between + between.T, dtype=np.float64)
    np.negative(total, out=total)
    total.ravel()[:: m + 1] = -total.sum(axis=1)
    return total


def sums_by_item(item: Codes, summand: NDArray[Any], m: int) -> FloatArray:
    """Shape [m]; what each item's entries sum to.

    Args:
        item: Shape [n], codes below m.
        summand: Shape [n], numbers.
        m: Items.
    """
    return np.bincount(item, summand, m).astype(np.float64, copy=False)
