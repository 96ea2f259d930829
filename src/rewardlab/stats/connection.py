"""Which nodes of a graph of comparisons are linked, and which can reach each other by wins."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from rewardlab.types import IntArray

Nodes = NDArray[np.integer[Any]]
"""Codes 0..m-1 of nodes (items, responses)."""


def linked_groups(left: Nodes, right: Nodes, n_nodes: int) -> IntArray:
    """Groups of nodes that edges link, whichever way they point.

    Strengths of items of different groups cannot be compared.

    Args:
        left: Shape [n]; one end of each edge.
        right: Shape [n]; the other.
        n_nodes: m, nodes without an edge among them.

    Returns:
        Shape [m]; codes 0..g-1 in order of each group's first node.
    """
    from scipy.sparse.csgraph import connected_components  # slow to import, and rarely needed

    _, group = connected_components(_graph(left, right, n_nodes), directed=False)
    return np.asarray(group, dtype=np.int64)


def mutual_parts(winner: Nodes, loser: Nodes, n_nodes: int) -> IntArray:
    """Parts of nodes within which wins lead from every node to every other, and back.

    Finite Bradley-Terry strengths exist if and only if each linked group is one such part; an edge
    lies on a cycle if and only if both its ends are in one part.

    Args:
        winner: Shape [n]; where each edge starts.
        loser: Shape [n]; where it ends.
        n_nodes: m.

    Returns:
        Shape [m]; codes 0..p-1.

    Source: Ford (1957), *American Mathematical Monthly* 64, 28-33.
    """
    from scipy.sparse.csgraph import connected_components  # slow to import, and rarely needed

    _, part = connected_components(_graph(winner, loser, n_nodes), connection="strong")
    return np.asarray(part, dtype=np.int64)


def _graph(start: Nodes, end: Nodes, n_nodes: int) -> scipy.sparse.csr_matrix:
    # Copies of an edge add up: in floats never to 0, as in narrow integers they could.
    return scipy.sparse.csr_matrix((np.ones(len(start)), (start, end)), shape=(n_nodes, n_nodes))
