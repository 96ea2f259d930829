"""The highest reward within a KL budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.distributions import kl_nats
from rewardlab.policies.kl_budget import best_within
from rewardlab.worlds.answer_set import normalised

REF = normalised(np.random.default_rng(0).normal(size=40))
REWARD = np.random.default_rng(1).normal(size=40)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.0, 2.5), st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_the_budget_is_spent_whatever_the_scale_of_the_reward(
    budget: float, scale: float, shift: float
) -> None:
    (policy,) = best_within(REF, (scale * REWARD + shift)[None], budget)
    assert kl_nats(policy, REF) == pytest.approx(budget, abs=1e-6)


def test_it_is_the_closed_form_at_the_beta_that_costs_as_much() -> None:
    wanted = gibbs(REF, REWARD, 0.4)
    (policy,) = best_within(REF, REWARD[None], kl_nats(wanted, REF))
    np.testing.assert_allclose(policy, wanted, atol=1e-6)


def test_no_policy_within_the_budget_has_a_higher_reward() -> None:
    rng = np.random.default_rng(2)
    (best,) = best_within(REF, REWARD[None], 0.7)
    others = [normalised(best + 0.3 * rng.normal(size=40)) for _ in range(300)]
    within = [p for p in others if kl_nats(p, REF) <= 0.7]
    assert len(within) > 20
    assert max(np.exp(p) @ REWARD for p in within) <= np.exp(best) @ REWARD + 1e-9


def test_a_budget_beyond_the_best_answers_leaves_them_alone_by_their_shares() -> None:
    ref = np.log([0.5, 0.3, 0.2])
    (policy,) = best_within(ref, np.array([[0.0, 1.0, 1.0]]), 10.0)
    np.testing.assert_allclose(np.exp(policy), [0.0, 0.6, 0.4], atol=1e-12)


def test_rows_are_independent_and_a_constant_reward_moves_nothing() -> None:
    rows = np.vstack([REWARD, np.full(40, 3.0), -REWARD])
    together = best_within(REF, rows, 1.0)
    np.testing.assert_allclose(together[1], REF, atol=1e-12)
    np.testing.assert_array_equal(together[2:], best_within(REF, rows[2:], 1.0))


def test_each_reward_may_have_a_budget_of_its_own() -> None:
    budgets = np.array([0.0, 0.3, 2.0, np.inf])
    together = best_within(REF, np.tile(REWARD, (4, 1)), budgets)
    for policy, budget in zip(together, budgets.tolist(), strict=True):
        np.testing.assert_array_equal(policy, best_within(REF, REWARD[None], budget)[0])


@pytest.mark.parametrize("budget", [1e-4, 0.1, 1.0, 2.5])
def test_the_budget_is_met_to_the_rounding_of_its_sum(budget: float) -> None:
    rewards = np.random.default_rng(3).normal(size=(50, 40))
    spent = [kl_nats(policy, REF) for policy in best_within(REF, rewards, budget)]
    np.testing.assert_allclose(spent, budget, rtol=1e-10)


def test_a_budget_within_the_leap_to_a_rare_answer_is_met() -> None:
    ref = normalised(np.array([0.0, -0.5, -1.0, -9.0, -12.0]))
    rewards = np.array([[0.0, 0.3, 0.1, 3.0, 9.0], [0.0, 0.1, 0.2, 5.0, 5.5]])
    for budget in (0.06, 1.0, 5.0, 8.0):
        for policy in best_within(ref, rewards, budget):
            assert kl_nats(policy, ref) == pytest.approx(budget, rel=1e-10)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="kl_nats: expected numbers of at least 0"):
        best_within(REF, REWARD[None], -1.0)
    with pytest.raises(InputError, match=r"rewards: expected shape \[k, 40\]"):
        best_within(REF, REWARD, 1.0)
    with pytest.raises(InputError, match=r"kl_nats: expected shape \[1\], got \[2\]"):
        best_within(REF, REWARD[None], np.ones(2))


def test_a_high_reward_of_a_very_rare_answer_does_not_break_the_budget() -> None:
    ref = normalised(np.array([0.0, -690.0, -900.0]))
    rewards = np.array([[0.0, 1000.0, 0.0], [0.0, 0.0, 1e-9]])
    for policy in best_within(ref, rewards, 0.5):
        assert kl_nats(policy, ref) == pytest.approx(0.5, abs=1e-6)
