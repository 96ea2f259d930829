"""Ensembles: combinations by hand, their order, and what a constant may and may not change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rewardlab.errors import InputError
from rewardlab.rewards.ensemble import (
    mean,
    mean_score,
    uncertainty_weighted,
    uncertainty_weighted_score,
    weight_average,
    worst_case,
    worst_case_score,
)
from rewardlab.rewards.linear_reward import LinearReward
from rewardlab.types import FloatArray, RewardFn, Text

NAMES = ("length", "flattery")
WEIGHTS = [np.array([1.0, 2.0]), np.array([3.0, -2.0]), np.array([2.0, 0.6])]
MEMBERS = [LinearReward(w, NAMES, np.array([0.5, 0.0])) for w in WEIGHTS]
COLUMNS = {"length": [0.5, 1.0, 0.0], "flattery": [1.0, 0.0, 1.0]}
scores = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-100, 100),
)


def rewards_of(reward: RewardFn) -> FloatArray:
    """The three answers' rewards."""
    return reward([""] * 3, [""] * 3, **COLUMNS)


def test_combinations_equal_values_worked_by_hand() -> None:
    # Members give the first answer 2, -2 and .6: mean .2, minimum -2, population variance 2.747.
    assert [float(rewards_of(m)[0]) for m in MEMBERS] == pytest.approx([2.0, -2.0, 0.6])
    assert rewards_of(mean(MEMBERS))[0] == pytest.approx(0.2)
    assert rewards_of(worst_case(MEMBERS))[0] == pytest.approx(-2.0)
    variance = (1.8**2 + 2.2**2 + 0.4**2) / 3
    weighted = rewards_of(uncertainty_weighted(MEMBERS, penalty=0.5))
    assert weighted[0] == pytest.approx(0.2 - 0.5 * variance)


@given(scores, st.floats(0, 10))
def test_the_lowest_and_the_penalised_never_exceed_the_mean(values: FloatArray, by: float) -> None:
    middle = mean_score(values)
    slack = 1e-9 * (1 + np.abs(middle))
    assert np.all(worst_case_score(values) <= middle + slack)
    assert np.all(uncertainty_weighted_score(values, by) <= middle + slack)
    np.testing.assert_array_equal(uncertainty_weighted_score(values, 0.0), middle)
    shuffled = values[::-1]
    np.testing.assert_allclose(worst_case_score(shuffled), worst_case_score(values))


def test_averaged_weights_of_linear_rewards_are_the_mean_of_the_members() -> None:
    one = LinearReward(weight_average(WEIGHTS), NAMES, np.array([0.5, 0.0]))
    np.testing.assert_allclose(rewards_of(one), rewards_of(mean(MEMBERS)), atol=1e-15)


def test_members_without_a_common_zero_change_the_worst_case_but_not_the_mean_order() -> None:
    shifted = [*MEMBERS[:2], LinearReward(WEIGHTS[2], NAMES, np.array([9.0, 0.0]))]
    moved, kept = rewards_of(mean(shifted)), rewards_of(mean(MEMBERS))
    np.testing.assert_allclose(np.diff(moved), np.diff(kept), atol=1e-12)
    moved, kept = rewards_of(worst_case(shifted)), rewards_of(worst_case(MEMBERS))
    assert not np.allclose(np.diff(moved), np.diff(kept))


def no_reward(prompts: Sequence[Text], responses: Sequence[Text], /, **_: Any) -> FloatArray:
    """A member that cannot score."""
    return np.full(len(responses), np.nan)


def one_reward(prompts: Sequence[Text], responses: Sequence[Text], /, **_: Any) -> FloatArray:
    """A member that gives one reward to all."""
    return np.zeros(1)


@pytest.mark.parametrize("combine", [mean, worst_case])
def test_an_answer_that_one_member_cannot_score_has_no_reward(combine: Any) -> None:
    assert np.isnan(rewards_of(combine([*MEMBERS, no_reward]))).all()


def test_what_cannot_be_combined_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="members: expected at least one"):
        mean([])
    with pytest.raises(InputError, match="penalty: expected a number of at least 0, got -1"):
        uncertainty_weighted(MEMBERS, penalty=-1.0)
    with pytest.raises(InputError, match="all of one shape"):
        weight_average([np.zeros(2), np.zeros(3)])
    with pytest.raises(InputError, match="one of the name 'flattery', got length"):
        MEMBERS[0]([""], [""], length=[1.0])
    with pytest.raises(InputError, match=r"columns\['length'\]: expected length 1, got 2"):
        MEMBERS[0]([""], [""], length=[1.0, 2.0], flattery=[0.0])
    with pytest.raises(InputError, match="LinearReward: expected weights"):
        LinearReward(np.zeros(3), NAMES, np.zeros(2))
    with pytest.raises(InputError, match=r"members\[0\]: expected rewards of shape \(3,\)"):
        rewards_of(mean([one_reward]))
