"""Battles counted once: each distinct pair of items with how often either won and they tied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewardlab.preferences.battles import Battles, Codes
from rewardlab.types import FloatArray, Outcome


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


def count_cells(battles: Battles, *, position: bool = False) -> Cells:
    """The battles as cells.

    Without covariates, margins and position, both orders of a pair fall into one cell, i < j. With
    a position each order is a cell of its own, with the effect 1. Rows with covariates or margins
    are not merged.

    Args:
        battles: Counted.
        position: Whether the position is an effect, the first one.
    """
    m, n = battles.n_items, len(battles)
    merged = battles.margin is None and battles.covariates is None
    if not merged:
        columns = [np.ones((n, 1))] if position else []
        columns += [] if battles.covariates is None else [battles.covariates]
        n_i, n_j, n_tie = (
            (battles.outcome == outcome).astype(float)
            for outcome in (Outcome.A, Outcome.B, Outcome.TIE)
        )
        effects = np.hstack(columns) if columns else np.zeros((n, 0))
        return Cells(m, battles.a, battles.b, n_i, n_j, n_tie, battles.margin, effects)
    a, b = battles.a.astype(np.int64), battles.b.astype(np.int64)
    outcome = battles.outcome
    if not position:
        turned = a > b
        a, b = np.where(turned, b, a), np.where(turned, a, b)
        outcome = np.where(turned & (outcome != Outcome.TIE), 1 - outcome, outcome)
    keys, votes = np.unique((a * m + b) * 3 + outcome, return_counts=True)
    pairs, of_key = np.unique(keys // 3, return_inverse=True)
    counts = np.zeros((3, len(pairs)))
    counts[keys % 3, of_key] = votes
    effects = np.ones((len(pairs), 1)) if position else np.zeros((len(pairs), 0))
    return Cells(m, pairs // m, pairs % m, counts[0], counts[1], counts[2], None, effects)


def cells_of_wins(wins: FloatArray) -> Cells:
    """Cells of a matrix of wins.

    Args:
        wins: Shape [m, m], >= 0; how often the row's item beat the column's. Fractions are soft
            labels; the diagonal is not read.
    """
    i, j = np.nonzero(np.triu(wins + wins.T, 1))
    none = np.zeros(len(i))
    return Cells(len(wins), i, j, wins[i, j], wins[j, i], none, None, np.zeros((len(i), 0)))


def votes_of_items(cells: Cells) -> FloatArray:
    """Shape [m]; votes that each item took part in."""
    n, m = cells.n, cells.n_items
    return sums_by_item(cells.i, n, m) + sums_by_item(cells.j, n, m)


def sums_by_item(item: Codes, summand: NDArray[Any], m: int) -> FloatArray:
    """Shape [m]; what each item's entries sum to.

    Args:
        item: Shape [n], codes below m.
        summand: Shape [n], numbers.
        m: Items.
    """
    return np.bincount(item, summand, m).astype(np.float64, copy=False)
