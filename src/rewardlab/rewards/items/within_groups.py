"""Strengths are told within a group only, up to a common shift: means, ranks and curvature."""

from __future__ import annotations

import numpy as np

from rewardlab.types import BoolArray, FloatArray, IntArray


def about_group_means(strength: FloatArray, group: IntArray) -> FloatArray:
    """Shape [m]; each strength less the mean of its group.

    Args:
        strength: Shape [m].
        group: Shape [m], codes.
    """
    return strength - (np.bincount(group, strength) / np.bincount(group))[group]


def ranks_within(strength: FloatArray, group: IntArray) -> IntArray:
    """Shape [m]; 1 + how many items of the group are stronger.

    Args:
        strength: Shape [m].
        group: Shape [m], codes.
    """
    order = np.lexsort((-strength, group))
    new_group = np.diff(group[order], prepend=-1) != 0
    new_rank = new_group | (np.diff(strength[order], prepend=0.0) != 0)
    place = np.arange(len(order))
    first, begin = (np.maximum.accumulate(np.where(new, place, 0)) for new in (new_rank, new_group))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = 1 + first - begin
    return rank


def pin_shifts(hessian: FloatArray, group: IntArray) -> None:
    """Make a Hessian regular, in place: as much curvature along each group's shift as elsewhere.

    Args:
        hessian: Shape [m + e, m + e], the m strengths first; flat along each group's common shift.
        group: Shape [m], codes.
    """
    m = len(group)
    scale = float(np.mean(np.diagonal(hessian)[:m]))
    same = group[:, None] == group
    hessian[:m, :m] += scale * same / np.bincount(group)[group][:, None]


def centred(matrix: FloatArray, group: IntArray, known: BoolArray) -> FloatArray:
    """The covariance of strengths less the mean of the known ones of their group.

    Args:
        matrix: Shape [m + e, m + e].
        group: Shape [m].
        known: Shape [m].
    """
    m = len(group)
    moved = matrix.copy()
    for g in range(int(group.max(initial=-1)) + 1):
        items = np.flatnonzero(group == g)
        told = items[known[items]]
        if not len(told):
            continue
        which = slice(m) if len(items) == m else items
        moved[which] -= moved[told].mean(axis=0)
        moved[:, which] -= moved[:, told].mean(axis=1)[:, None]
    return moved
