"""Which pairs first: how often two votes of an ensemble would differ."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.audit.queue_order import expected_disagreement, places
from rewardlab.errors import InputError
from rewardlab.types import FloatArray

probability = st.floats(0, 1)


@given(st.lists(probability, min_size=2, max_size=6))
def test_it_is_the_mean_over_ordered_pairs_of_members(p: list[float]) -> None:
    slow = np.mean([a * (1 - b) + (1 - a) * b for a, b in permutations(p, 2)])
    found = expected_disagreement(np.array(p)[:, None])[0]
    assert found == pytest.approx(slow, abs=1e-12)  # rounding of sums of squares


def test_one_member_is_asked_twice_and_two_sure_ones_may_be_opposed() -> None:
    one = expected_disagreement(np.array([[0.0, 0.5, 0.9]]))
    np.testing.assert_allclose(one, [0, 0.5, 0.18])
    two = expected_disagreement(np.array([[0.0, 1.0, 0.5], [1.0, 1.0, 0.5]]))
    np.testing.assert_allclose(two, [1, 0, 0.5])


@given(st.lists(st.tuples(probability, probability, probability), min_size=1, max_size=5))
def test_swapping_the_sides_changes_nothing(p: list[tuple[float, ...]]) -> None:
    array = np.array(p)
    np.testing.assert_allclose(
        expected_disagreement(array), expected_disagreement(1 - array), atol=1e-12
    )


def test_the_highest_priority_is_first_and_equals_are_drawn() -> None:
    priority = np.array([0.1, 0.9, 0.5, 0.5])
    drawn = {tuple(places(priority, np.random.default_rng(seed))) for seed in range(20)}
    assert drawn == {(3, 0, 1, 2), (3, 0, 2, 1)}


@pytest.mark.parametrize("p", [np.zeros(3), np.zeros((0, 3)), np.full((1, 2), 1.5)])
def test_what_are_no_probabilities_are_refused(p: FloatArray) -> None:
    with pytest.raises(InputError, match=r"^p: expected"):
        expected_disagreement(p)
