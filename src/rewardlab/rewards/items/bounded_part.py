"""Of votes without a finite fit, the largest part of each group that has one, and its fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.connection import wins_part
from rewardlab.rewards.items.within_groups import about_group_means
from rewardlab.types import BoolArray, FloatArray, IntArray

SELDOM = 0.005
"""Share of resamples that may lack one of the items about whose mean the others stand."""


def fit_of_bounded_part(
    cells: Cells,
    group: IntArray,
    solve: Callable[[Cells], FloatArray | None],
    *,
    ties_count: bool,
) -> FloatArray | None:
    """Shape [m + e]; strengths of the part, about its mean in each group; NaN for other items.

    Where others go to infinity, votes against them tell nothing more of the part: its strengths are
    those of the votes within it.

    Args:
        cells: Votes, none of the cells empty.
        group: Shape [m], codes of the groups of which a part each is taken.
        solve: Theta of cells, None where it has no finite value.
        ties_count: Whether a tie bounds both items, as a win for each.

    Returns:
        None where no part of two or more items has a fit.
    """
    inside = _largest_parts(wins_part(cells, ties_count=ties_count), group)
    kept = inside[cells.i] & inside[cells.j]
    if not kept.any():
        return None
    code = np.cumsum(inside) - 1
    within = cells.take(kept)
    n_inside = int(np.count_nonzero(inside))
    theta = solve(replace(within, n_items=n_inside, i=code[within.i], j=code[within.j]))
    if theta is None:
        return None
    strength = np.full(len(group), np.nan)
    _, own_group = np.unique(group[inside], return_inverse=True)
    strength[inside] = about_group_means(theta[:n_inside], own_group)
    return np.concatenate([strength, theta[n_inside:]])


def _largest_parts(part: IntArray, group: IntArray) -> BoolArray:
    """Shape [m]; items of the largest part of each group, where it has two or more."""
    inside = np.zeros(len(group), dtype=bool)
    for g in range(int(group.max()) + 1):
        items = np.flatnonzero(group == g)
        codes, size = np.unique(part[items], return_counts=True)
        if size.max() > 1:
            inside[items] = part[items] == codes[np.argmax(size)]
    return inside


def usually_bounded(bounded: BoolArray, group: IntArray) -> BoolArray:
    """Shape [m]; items of each group that all but few resamples bound together; at least two.

    All of a group where no two are: then there is nothing that the others could stand about.

    Args:
        bounded: Shape [B, m]; whether the resample has a finite strength of the item.
        group: Shape [m], codes.
    """
    usual = np.ones(len(group), dtype=bool)
    for g in range(int(group.max()) + 1):
        items = np.flatnonzero(group == g)
        items = items[np.argsort(-np.count_nonzero(bounded[:, items], axis=0), kind="stable")]
        lacking = 1 - np.logical_and.accumulate(bounded[:, items], axis=1).mean(axis=0)
        n_usual = int(np.count_nonzero(lacking <= SELDOM))
        usual[items[n_usual:]] = n_usual < 2
    return usual


def about_usual(
    theta: FloatArray, part: FloatArray, group: IntArray, usual: BoolArray
) -> FloatArray:
    """Shape [B, m + e]; resamples with strengths about the mean of the usual items of each group.

    Args:
        theta: Shape [B, m + e]; as ``ItemBootstrap`` has it.
        part: Shape [B, m + e]; strengths of bounded parts, NaN where there is none.
        group: Shape [m], codes.
        usual: Shape [m]; see ``usually_bounded``.
    """
    drawn = theta.copy()
    if usual.all() and np.isfinite(part).all():
        return drawn
    drawn[:, len(group) :] = part[:, len(group) :]
    for g in range(int(group.max()) + 1):
        items = np.flatnonzero(group == g)
        told = items[usual[items]]
        level = part[:, told].mean(axis=1)
        rows = np.flatnonzero(np.isfinite(level))
        moved = part[np.ix_(rows, items)] - level[rows, None]
        drawn[np.ix_(rows, items)] = np.where(np.isnan(moved), theta[np.ix_(rows, items)], moved)
    return drawn
