"""Advantages within a group, by hand and by their invariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.policies.advantages import group_advantages, signal_probability

_groups = st.lists(st.integers(-8, 8).map(lambda k: k / 4), min_size=2, max_size=9).map(np.array)


def test_two_of_four_right_give_plus_and_minus_one() -> None:
    found = group_advantages(np.array([1.0, 1.0, 0.0, 0.0]), divide_by_sd=True)
    np.testing.assert_array_equal(found, [1, 1, -1, -1])


@pytest.mark.parametrize("value", [0.0, 0.1, 1.0, -3e9])
@pytest.mark.parametrize("divide", [False, True])
def test_equal_rewards_give_exact_zeros(value: float, divide: bool) -> None:
    assert not group_advantages(np.full((2, 3), value), divide_by_sd=divide).any()


def test_rounding_is_not_divided_into_full_advantages() -> None:
    rewards = np.array([0.1 + 0.2, 0.3, 0.3])
    assert not group_advantages(rewards, divide_by_sd=True).any()


@given(_groups, st.integers(-5, 5), st.booleans())
def test_a_shift_changes_nothing(rewards: np.ndarray, shift: int, divide: bool) -> None:
    before = group_advantages(rewards, divide_by_sd=divide)
    after = group_advantages(rewards + shift, divide_by_sd=divide)
    np.testing.assert_allclose(after, before, atol=1e-12)


@given(_groups, st.sampled_from([0.01, 3.0, 1e4]))
def test_divided_advantages_forget_the_scale(rewards: np.ndarray, scale: float) -> None:
    before = group_advantages(rewards, divide_by_sd=True)
    after = group_advantages(rewards * scale, divide_by_sd=True)
    np.testing.assert_allclose(after, before, atol=1e-12)  # a zero may be off by rounding
    assert np.isclose((before**2).mean(), float(np.ptp(rewards) > 0))


@given(_groups)
def test_leave_one_out_compares_with_the_mean_of_the_others(rewards: np.ndarray) -> None:
    others = [r - np.delete(rewards, i).mean() for i, r in enumerate(rewards)]
    found = group_advantages(rewards, baseline="leave_one_out")
    np.testing.assert_allclose(found, others, atol=1e-12)


def test_signal_probability_of_a_hard_problem() -> None:
    assert signal_probability(np.array(0.02), 8) == pytest.approx(0.1492, abs=5e-5)
    np.testing.assert_allclose(signal_probability(np.array([0.0, 1.0, 0.5]), 2), [0, 0, 0.5])


def test_signal_probability_is_how_often_sampled_advantages_are_not_zero() -> None:
    right = np.random.default_rng(0).random((20_000, 8)) < 0.1
    share = group_advantages(right.astype(float)).any(axis=1).mean()
    assert share == pytest.approx(float(signal_probability(np.array(0.1), 8)), abs=0.012)  # 3.5 se


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="at least 2"):
        group_advantages(np.ones((3, 1)))
    with pytest.raises(InputError, match="finite"):
        group_advantages(np.array([1.0, np.nan]))
    with pytest.raises(InputError, match="0 to 1"):
        signal_probability(np.array(1.2), 8)
    with pytest.raises(InputError, match="at least 1"):
        signal_probability(np.array(0.2), 0)


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1e140])
def test_divided_advantages_forget_any_scale(size: float) -> None:
    found = group_advantages(size * np.array([1.0, 1.0, 0.0, 0.0]), divide_by_sd=True)
    np.testing.assert_allclose(found, [1, 1, -1, -1], rtol=1e-15)


def test_passes_and_failures_may_be_booleans() -> None:
    passed: Any = np.array([True, False])
    np.testing.assert_array_equal(group_advantages(passed), [0.5, -0.5])


def test_signal_probability_keeps_small_chances() -> None:
    found = signal_probability(np.array([1e-20, 1 - 2**-50]), 8)
    np.testing.assert_allclose(found, [8e-20, 8 * 2**-50], rtol=1e-13)
    assert signal_probability(np.array(0.3), 1) == pytest.approx(0, abs=1e-16)


def test_an_unknown_baseline_is_refused() -> None:
    unknown: Any = "median"
    with pytest.raises(InputError, match="leave_one_out"):
        group_advantages(np.array([1.0, 0.0]), baseline=unknown)
