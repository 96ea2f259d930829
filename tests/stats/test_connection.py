"""Linked groups and mutual parts of a graph of comparisons."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.stats.connection import linked_groups, mutual_parts

edges = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=15)


def reaches(pairs: list[tuple[int, int]]) -> np.ndarray:
    """Which of 6 nodes leads to which, by repeated steps: the slow twin."""
    steps = np.eye(6, dtype=int)
    for i, j in pairs:
        steps[i, j] = 1
    return np.linalg.matrix_power(steps, 6) > 0


@given(edges)
def test_groups_and_parts_are_those_of_the_slow_twin(pairs: list[tuple[int, int]]) -> None:
    start, end = (np.array(side) for side in zip(*pairs, strict=True))
    either = reaches(pairs + [(j, i) for i, j in pairs])
    group = linked_groups(start, end, 6)
    np.testing.assert_array_equal(group[:, None] == group, either)
    there = reaches(pairs)
    part = mutual_parts(start, end, 6)
    np.testing.assert_array_equal(part[:, None] == part, there & there.T)


def test_groups_are_numbered_by_their_first_node_and_lone_nodes_are_groups() -> None:
    group = linked_groups(np.array([3, 1], dtype=np.int16), np.array([1, 3], dtype=np.int16), 5)
    np.testing.assert_array_equal(group, [0, 1, 2, 1, 3])


def test_repeated_edges_change_nothing() -> None:
    # 256 copies would be 0 if they were added up in a byte.
    many = np.zeros(256, dtype=np.int64)
    np.testing.assert_array_equal(linked_groups(many, many + 1, 2), [0, 0])
    assert len(np.unique(mutual_parts(many, many + 1, 2))) == 2
