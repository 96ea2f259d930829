"""Rounds of group-mean REINFORCE against a hand-worked round, enumeration and simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.group_rounds import after_round, expected_after_round, sampled_rounds
from rewardlab.policies.policy_gradient import GroupMethod, sampled_gradient
from rewardlab.worlds.answer_set import normalised

START = np.log([0.2, 0.5, 0.3])
REWARD = np.array([1.0, 0.0, 0.0])


def test_one_round_by_hand() -> None:
    after = np.exp(after_round(START, np.array([0, 1, 2]), REWARD, step_size=2 / 3))
    by_hand = np.array([0.2, 0.5, 0.3]) * np.exp([4 / 9, -2 / 9, -2 / 9])
    np.testing.assert_allclose(after, by_hand / by_hand.sum(), rtol=1e-14)


def test_a_round_is_a_step_of_policy_gradient_without_a_price_on_kl() -> None:
    wrote = np.array([0, 1, 2])
    gradient = sampled_gradient(START, START, wrote, REWARD[wrote], GroupMethod(beta=0.0))
    after = after_round(START, wrote, REWARD, step_size=2 / 3)
    np.testing.assert_allclose(after, normalised(START + 3 * 2 / 3 * gradient), rtol=1e-14)


def test_a_group_that_scores_alike_moves_nothing() -> None:
    after = after_round(START, np.array([1, 1, 2]), REWARD, step_size=2 / 3)
    np.testing.assert_allclose(after, START, atol=1e-15)


def test_the_expected_round_is_the_mean_over_all_ordered_groups() -> None:
    slow = np.zeros(3)
    for group in product(range(3), repeat=3):
        chance = np.exp(START[list(group)].sum())
        slow += chance * np.exp(after_round(START, np.array(group), REWARD, step_size=0.5))
    fast = expected_after_round(START, REWARD, group_size=3, step_size=0.5)
    np.testing.assert_allclose(fast, slow, rtol=1e-13)


def test_sampled_rounds_average_to_the_expected_round() -> None:
    path, attempts = sampled_rounds(
        START,
        REWARD,
        n_rounds=1,
        n_runs=20_000,
        group_size=3,
        step_size=0.5,
        rng=np.random.default_rng(1),
    )
    # Three answers' shares of 60,000 draws: standard errors below .0021.
    shares = np.bincount(attempts.ravel(), minlength=3) / attempts.size
    assert shares == pytest.approx([0.2, 0.5, 0.3], abs=0.008)
    expected = expected_after_round(START, REWARD, group_size=3, step_size=0.5)
    assert np.exp(path[1]).mean(axis=0) == pytest.approx(expected, abs=0.003)


def test_more_runs_and_rounds_leave_earlier_ones_as_they_were() -> None:
    def runs(n_rounds: int, n_runs: int) -> np.ndarray:
        rng = np.random.default_rng(2)
        return sampled_rounds(
            START,
            REWARD,
            n_rounds=n_rounds,
            n_runs=n_runs,
            group_size=3,
            step_size=0.5,
            rng=rng,
        )[0]

    np.testing.assert_array_equal(runs(9, 5)[:5, :2], runs(4, 2))


def test_no_run_is_refused() -> None:
    with pytest.raises(InputError, match="n_runs >= 1"):
        sampled_rounds(
            START,
            REWARD,
            n_rounds=1,
            n_runs=0,
            group_size=3,
            step_size=0.5,
            rng=np.random.default_rng(0),
        )
