"""Strengths are told within a group only up to a common shift: how it is fixed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rewardlab.types import BoolArray, FloatArray, IntArray


def about_group_means(strength: FloatArray, group: IntArray) -> FloatArray:
    """Shape [m]; each strength less the mean of its group.

    Args:
        strength: Shape [m].
        group: Shape [m], codes.
    """
    return strength - (np.bincount(group, strength) / np.bincount(group))[group]


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
    size = np.maximum(np.bincount(group, known), 1.0)
    entries = (known / size[group], (group, np.arange(m)))
    mean = sparse.csr_matrix(entries, shape=(len(size), m))
    moved = matrix.copy()
    moved[:m] -= np.asarray(mean @ moved[:m])[group]
    moved[:, :m] -= np.asarray(mean @ moved[:, :m].T).T[:, group]
    return moved
