"""Whether strengths exist: groups never compared, and items that never lose or never win."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rewardlab.rewards.items.cells import Cells
from rewardlab.stats.connection import linked_groups, mutual_parts
from rewardlab.types import BoolArray, IntArray


def item_groups(cells: Cells) -> IntArray:
    """Shape [m]; codes 0..g-1 of the groups that comparisons link, in order of first item."""
    return linked_groups(cells.i, cells.j, cells.n_items)


def unbounded_items(cells: Cells, *, ties_count: bool) -> tuple[IntArray, IntArray]:
    """Items without a finite strength: those that never lost against the others, and never won.

    A finite fit exists if and only if, in each group, wins lead from every item to every other.

    Args:
        cells: Counted.
        ties_count: Whether a tie bounds both items, as a win for each.

    Returns:
        Positions of the items of parts that nobody outside them beat, and of parts that beat
        nobody outside them, in ascending order; both empty where the fit exists. A part with more
        than half of its group's items is not named: it is the others that stand apart from it.

    Source: Ford (1957), *American Mathematical Monthly* 64, 28-33.
    """
    winner, loser = _wins(cells, ties_count=ties_count)
    part, group = mutual_parts(winner, loser, cells.n_items), item_groups(cells)
    n_parts = np.bincount(np.unique(np.stack([group, part]), axis=1)[0])
    lost_outside = _touched(part, part[winner] != part[loser], loser)
    won_outside = _touched(part, part[winner] != part[loser], winner)
    main = 2 * np.bincount(part)[part] > np.bincount(group)[group]
    several = (n_parts[group] > 1) & ~main
    return np.flatnonzero(several & ~lost_outside), np.flatnonzero(several & ~won_outside)


def wins_part(cells: Cells, *, ties_count: bool) -> IntArray:
    """Shape [m]; codes of the parts within which wins lead from every item to every other.

    Args:
        cells: Counted.
        ties_count: Whether a tie bounds both items, as a win for each.
    """
    return mutual_parts(*_wins(cells, ties_count=ties_count), cells.n_items)


def _wins(cells: Cells, *, ties_count: bool) -> tuple[IntArray, IntArray]:
    """(winner, loser) of each pair that has a win that way round."""
    tied = cells.n_tie > 0 if ties_count else np.zeros(len(cells.i), dtype=bool)
    i_won, j_won = (cells.n_i > 0) | tied, (cells.n_j > 0) | tied
    winner = np.concatenate([cells.i[i_won], cells.j[j_won]])
    return winner, np.concatenate([cells.j[i_won], cells.i[j_won]])


def _touched(part: IntArray, outside: BoolArray, item: IntArray) -> BoolArray:
    """Shape [m]; whether an item's part has such a game with another part."""
    touched = np.zeros(int(part.max()) + 1, dtype=bool)
    touched[part[item[outside]]] = True
    return touched[part]


def named(items: IntArray, names: Sequence[str], *, most: int = 8) -> str:
    """The items' names in a sentence, at most so many of them."""
    shown = ", ".join(names[k] for k in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most:,} more"
