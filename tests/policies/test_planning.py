"""Exact planning, against value iteration and against every policy there is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.policies.planning import optimal_actions, policy_values
from rewardlab.types import FloatArray, IntArray


def value_iteration(next_state: IntArray, reward: FloatArray, discount: float) -> FloatArray:
    """The slow twin: sweeps until the values no longer move."""
    values = np.zeros(len(reward))
    while True:
        swept = (reward + discount * values[next_state]).max(axis=1)
        if np.abs(swept - values).max() < 1e-12:
            return np.asarray(swept)
        values = swept


@given(seed=st.integers(0, 10**6), discount=st.floats(0.0, 0.95))
def test_the_optimum_has_the_values_of_value_iteration(seed: int, discount: float) -> None:
    rng = np.random.default_rng(seed)
    next_state, reward = rng.integers(8, size=(8, 3)), rng.standard_normal((8, 3))
    best = optimal_actions(next_state, reward, discount=discount)
    values = policy_values(next_state, reward, best, discount=discount)
    np.testing.assert_allclose(values, value_iteration(next_state, reward, discount), atol=1e-9)


def test_no_policy_of_a_small_world_is_better_from_any_state() -> None:
    rng = np.random.default_rng(1)
    next_state, reward = rng.integers(5, size=(5, 2)), rng.standard_normal((5, 2))
    best = policy_values(
        next_state, reward, optimal_actions(next_state, reward, discount=0.9), discount=0.9
    )
    for actions in product((0, 1), repeat=5):
        values = policy_values(next_state, reward, np.array(actions), discount=0.9)
        assert np.all(values <= best + 1e-9)


def test_a_loop_pays_a_geometric_sum() -> None:
    values = policy_values(np.array([[0]]), np.array([[1.0]]), np.array([0]), discount=0.75)
    assert values[0] == pytest.approx(4.0)


def test_shapes_and_discounts_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match="discount"):
        policy_values(np.array([[0]]), np.array([[1.0]]), np.array([0]), discount=1.0)
    with pytest.raises(InputError, match="shape"):
        policy_values(np.array([[0]]), np.array([1.0]), np.array([0]), discount=0.5)


def test_the_unit_of_reward_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    next_state, reward = rng.integers(5, size=(5, 2)), rng.standard_normal((5, 2))
    best = optimal_actions(next_state, reward, discount=0.9)
    assert best.any()
    for unit in (1e-30, 1e30):
        found = optimal_actions(next_state, unit * reward, discount=0.9)
        np.testing.assert_array_equal(found, best)


def test_states_actions_and_rewards_that_do_not_exist_are_refused() -> None:
    reward = np.ones((1, 1))
    with pytest.raises(InputError, match="next_state: expected indices"):
        optimal_actions(np.array([[-1]]), reward, discount=0.5)
    with pytest.raises(InputError, match="actions: expected indices"):
        policy_values(np.array([[0]]), reward, np.array([1]), discount=0.5)
    with pytest.raises(InputError, match="finite"):
        optimal_actions(np.array([[0]]), np.nan * reward, discount=0.5)
