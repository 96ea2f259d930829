"""Rubric rewards by hand, with pitfalls, mixed with judgements, and as a verifiable reward."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards.rubric import Criterion, RubricReward, exact_match
from rewardlab.worlds.medical_questions import NAMES, medical_question, rubric

SHORT = Criterion("short", 1.0, lambda _, response: float(len(response) < 10))
CORRECT = Criterion("correct", 2.0)
RUDE = Criterion("rude", -1.0)


def test_weights_of_met_criteria_are_divided_by_the_sum_of_their_sizes() -> None:
    reward = RubricReward((SHORT, CORRECT, RUDE))
    given_ = reward(["q"] * 3, ["yes", "yes", "a long answer"], correct=[1, 1, 0], rude=[0, 1, 1])
    assert given_.tolist() == [3 / 4, 2 / 4, -1 / 4]


def test_one_exact_match_is_the_verifiable_reward() -> None:
    as_messages = [{"role": "assistant", "content": "50"}]
    given_ = RubricReward(exact_match("50 "))(["q"] * 4, [" 50", "72", "50", as_messages])
    assert given_.tolist() == [1, 0, 1, 1]


def test_each_row_can_carry_its_own_rubric() -> None:
    own = [(SHORT,), (SHORT, CORRECT)]
    given_ = RubricReward()(["q", "q"], ["yes", "yes"], rubric=own, correct=[0, 0])
    assert given_.tolist() == [1, 1 / 3]


def test_soft_degrees_are_taken_as_they_are() -> None:
    assert RubricReward((CORRECT,), binary=False)(["q"], ["a"], correct=[0.3]).tolist() == [0.3]
    assert RubricReward((CORRECT,))(["q"], ["a"], correct=[0.3]).tolist() == [0]


@pytest.mark.parametrize("binary", [True, False])
def test_a_criterion_that_cannot_be_decided_gives_no_reward(binary: bool) -> None:
    reward = RubricReward((SHORT, CORRECT), binary=binary)
    assert math.isnan(reward(["q"], ["yes"], correct=[math.nan])[0])


def test_what_is_missing_or_out_of_range_is_named() -> None:
    with pytest.raises(InputError, match="column 'rubric'"):
        RubricReward()(["q"], ["a"])
    with pytest.raises(InputError, match="'correct': expected a program, or a column"):
        RubricReward((CORRECT,))(["q"], ["a"])
    with pytest.raises(InputError, match="from 0 to 1, got 2 in row 0"):
        RubricReward((CORRECT,))(["q"], ["a"], correct=[2])
    with pytest.raises(InputError, match="NaN, got None in row 0"):
        RubricReward((CORRECT,))(["q"], ["a"], correct=[None])
    with pytest.raises(InputError, match="correct: expected length 2, got 1"):
        RubricReward((CORRECT,))(["q"] * 2, ["a"] * 2, correct=[1])
    with pytest.raises(InputError, match="rubric: expected length 2, got 1"):
        RubricReward()(["q"] * 2, ["a"] * 2, rubric=[(SHORT,)])
    with pytest.raises(InputError, match="no criterion"):
        RubricReward(())(["q"], ["a"])
    with pytest.raises(InputError, match="other than 0"):
        Criterion("empty", 0.0)


@given(
    st.lists(st.tuples(st.floats(0.1, 5), st.floats(0, 1)), min_size=1, max_size=5),
    st.floats(0.1, 10),
)
def test_the_scale_of_all_weights_does_not_matter(
    lines: list[tuple[float, float]], scale: float
) -> None:
    def reward(factor: float) -> float:
        criteria = tuple(Criterion(f"c{i}", factor * w) for i, (w, _) in enumerate(lines))
        columns = {f"c{i}": [c] for i, (_, c) in enumerate(lines)}
        return float(RubricReward(criteria, binary=False)(["q"], ["a"], **columns)[0])

    assert reward(scale) == pytest.approx(reward(1.0), rel=1e-12)
    assert 0 <= reward(scale) <= 1 + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_programs_read_from_the_text_what_the_world_put_there(name: str) -> None:
    world = medical_question(name)
    assert len(set(world.texts)) == len(world) == 8
    expected = world.features @ np.array([2.0, 1.0, 3.0]) / 6
    np.testing.assert_allclose(world.rewards(RubricReward(rubric(3.0))), expected)
