"""Scores of steps made one, Monte-Carlo labels, and the queue of convincing wrong solutions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards.process import (
    ProcessReward,
    convincing_wrong,
    hard_label_chance,
    hard_labels,
    soft_labels,
    solution_score,
)


@pytest.mark.parametrize(("scheme", "score"), [("product", 0.36), ("min", 0.5), ("mean", 2.2 / 3)])
def test_schemes_by_hand(scheme: str, score: float) -> None:
    assert solution_score(np.array([0.9, 0.5, 0.8]), scheme) == pytest.approx(score)
    assert math.isnan(solution_score(np.array([0.9, math.nan]), scheme))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_product_is_at_most_the_least_which_is_at_most_the_mean(scores: list[float]) -> None:
    array = np.array(scores)
    low, middle, high = (solution_score(array, s) for s in ("product", "min", "mean"))
    assert low <= middle <= high + 1e-12
    assert solution_score(np.append(array, 0.97), "product") <= low


def test_rewards_take_solutions_of_different_lengths() -> None:
    given_ = ProcessReward("min")(["q", "q"], ["a", "b"], step_scores=[[0.9], [0.4, 0.8, 1.0]])
    assert given_.tolist() == [0.9, 0.4]


def test_what_is_missing_or_out_of_range_is_refused() -> None:
    with pytest.raises(InputError, match="step_scores"):
        ProcessReward()(["q"], ["a"])
    with pytest.raises(InputError, match="expected 1 rows, got 2"):
        ProcessReward()(["q"], ["a"], step_scores=[[1], [1]])
    with pytest.raises(InputError, match="at least one"):
        solution_score(np.array([]), "min")
    with pytest.raises(InputError, match="from 0 to 1"):
        solution_score(np.array([1.2]), "min")
    with pytest.raises(InputError, match="one of product, min, mean, got 'max'"):
        solution_score(np.array([1.0]), "max")
    with pytest.raises(InputError, match="expected a list of numbers, got 'high'"):
        ProcessReward()(["q"], ["a"], step_scores=["high"])
    with pytest.raises(InputError, match="value in"):
        hard_label_chance(1.5, 8)
    with pytest.raises(InputError, match="right: expected True or False"):
        convincing_wrong(np.array([0.5, 0.4]), np.array([0, 1]))
    with pytest.raises(InputError, match="n_hits"):
        soft_labels(np.array([9]), 8)


def test_one_hit_in_eight_is_a_soft_eighth_and_a_hard_yes() -> None:
    hits = np.array([0, 1, 8])
    assert soft_labels(hits, 8).tolist() == [0, 0.125, 1]
    assert hard_labels(hits, 8).tolist() == [False, True, True]


def test_the_chance_of_a_hard_yes_is_that_of_any_hit() -> None:
    hits = np.random.default_rng(0).binomial(8, 0.125, size=40_000)
    # The standard error of a share of 40,000 is at most .0025.
    assert hard_labels(hits, 8).mean() == pytest.approx(hard_label_chance(0.125, 8), abs=0.01)


def test_the_queue_holds_wrong_solutions_only_the_most_convincing_first() -> None:
    scores = np.array([0.2, 0.9, 0.7, 0.95, 0.7])
    right = np.array([False, False, False, True, False])
    assert convincing_wrong(scores, right).tolist() == [1, 2, 4, 0]
