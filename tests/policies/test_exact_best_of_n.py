"""The exact best of n against enumeration, hand-computed values and its bounds."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.experiments.lab_reward import learned_reward
from rewardlab.policies.best_of_n import kl_bound
from rewardlab.policies.distributions import kl_nats
from rewardlab.policies.exact_best_of_n import (
    best_of_n,
    best_of_n_logprobs,
    estimated_kl,
    levels,
)
from rewardlab.policies.recording import record
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.leash import leash_reward, leash_world


def by_enumeration(probs: FloatArray, reward: FloatArray, n: int) -> FloatArray:
    """Slow twin: all m^n draws; of tied best answers one is kept by reference probability."""
    best = np.zeros(len(probs))
    for draw in product(range(len(probs)), repeat=n):
        top = reward == max(reward[i] for i in draw)
        best += np.prod(probs[list(draw)]) * np.where(top, probs, 0) / probs[top].sum()
    return best


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_distribution_is_that_of_all_draws(n: int) -> None:
    probs = np.array([0.4, 0.05, 0.25, 0.2, 0.1])
    reward = np.array([1.0, 2.0, 1.0, -1.0, 2.0])
    got = np.exp(best_of_n_logprobs(np.log(probs), reward, n))
    np.testing.assert_allclose(got, by_enumeration(probs, reward, n), atol=1e-14)


def test_two_fair_outcomes_by_hand_and_never_above_ln_2() -> None:
    two = levels(np.log([0.5, 0.5]), np.array([0.0, 1.0]))
    assert two.kl_nats(2) == pytest.approx(np.log(1 / 2) / 4 + 3 * np.log(3 / 2) / 4, abs=1e-15)
    assert two.win_rate(2) == pytest.approx(0.625, abs=1e-15)
    assert two.gap_bound(2) == pytest.approx(2.0)
    for n in (1, 10, 1000, 10**6, 10**12, 10**30):
        assert two.kl_nats(n) <= np.log(2) + 1e-15


def test_a_million_answers_and_draws_stay_exact() -> None:
    n_answers, n = 10**6, 10**6
    ref = np.full(n_answers, -np.log(n_answers))
    world = levels(ref, np.random.default_rng(0).permutation(n_answers).astype(float))
    # Equal answers: P(i-th highest) = (1 - (i-1)/m)^n - (1 - i/m)^n, near exp(-i) (e - 1).
    rank = np.arange(1, 60)
    log_p = n * np.log1p(-(rank - 1) / n_answers) + np.log(
        -np.expm1(n * (np.log1p(-rank / n_answers) - np.log1p(-(rank - 1) / n_answers)))
    )
    np.testing.assert_allclose(world.log_probs(n)[::-1][:59], log_p, atol=1e-9)
    assert 0 < world.kl_nats(n) <= float(kl_bound(np.array(n)))
    assert float(np.exp(world.log_probs(n)).sum()) == pytest.approx(1, abs=1e-12)


def test_reference_probabilities_below_double_precision_leave_finite_figures() -> None:
    ref = normalised(np.array([0.0, -900.0, -2.0, -1000.0]))
    world = levels(ref, np.array([0.0, 1.0, 2.0, 3.0]))
    figures = (world.kl_nats, world.win_rate, world.gap_bound, world.estimated_kl)
    assert np.isfinite([figure(n) for figure in figures for n in (1, 1000)]).all()
    bound = float(kl_bound(np.array(8)))
    np.testing.assert_allclose(estimated_kl(8, np.array([0.0, 1e-300, 1.0])), [bound, bound, 0])


def test_the_estimate_is_exact_for_one_likely_best_answer_among_countless_rare_ones() -> None:
    best, n_rare = 0.3, 200_000
    probs = np.append(np.full(n_rare, (1 - best) / n_rare), best)
    world = levels(np.log(probs), np.arange(n_rare + 1.0))
    for n in (2, 8, 64):
        assert float(estimated_kl(n, np.array(best))) == pytest.approx(world.kl_nats(n), abs=2e-4)
    assert float(estimated_kl(16, np.array(1e-12))) == pytest.approx(
        float(kl_bound(np.array(16))), abs=1e-8
    )


def test_a_path_holds_what_recording_each_policy_gives() -> None:
    world, reward, n = leash_world(), np.array([0.0, 1.2, 1.2, 2.0, 2.0]), [1, 3, 200]
    path = best_of_n(world, reward, n=n)
    policies = [best_of_n_logprobs(world.ref_logprobs, reward, i) for i in n]
    slow = record(world, reward, policies, strength=n, method="best_of_n", settings={})
    for name in ("kl_nats", "proxy_reward", "gold_reward"):
        np.testing.assert_allclose(
            getattr(path.path, name), getattr(slow.path, name), atol=1e-14, err_msg=name
        )
    for name, values in slow.path.tracked.items():
        np.testing.assert_allclose(path.path.tracked[name], values, atol=1e-14, err_msg=name)
    np.testing.assert_allclose(path.logprobs, policies[-1], atol=1e-12)


weights = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=8)


def test_where_every_answer_ties_nothing_moves_even_if_rounding_sums_to_more_than_one() -> None:
    ref = np.log([0.5, 0.3, 0.2]) + 1e-12
    tied = levels(ref, np.zeros(3))
    assert (tied.kl_nats(9), tied.estimated_kl(9), tied.win_rate(9)) == (0.0, 0.0, 0.5)


@given(weights=weights, n=st.integers(1, 5000), seed=st.integers(0, 99), ties=st.booleans())
def test_bounds_on_kl_gap_and_wins_hold(
    weights: list[float], n: int, seed: int, ties: bool
) -> None:
    ref = normalised(np.log(weights))
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal(len(ref))
    reward = np.rint(drawn) if ties else drawn
    world = levels(ref, reward)
    kl, bound = world.kl_nats(n), float(kl_bound(np.array(n)))
    assert kl == pytest.approx(kl_nats(best_of_n_logprobs(ref, reward, n), ref), abs=1e-12)
    assert 0 <= kl <= bound + 1e-12
    assert bound - kl <= world.gap_bound(n) + 1e-12
    assert world.win_rate(n) <= n / (n + 1) + 1e-12
    assert world.estimated_kl(n) <= bound + 1e-12


def test_in_the_lab_true_kl_is_at_most_its_bound_for_every_n_to_4096() -> None:
    world = lab_world()
    reward = learned_reward(world, "hurried", 100, rng=np.random.default_rng(0))
    n = np.arange(1, 4097)
    for proxy in (reward, np.rint(reward)):
        path = best_of_n(world, proxy, n=n).path
        assert (path.kl_nats <= kl_bound(n) + 1e-12).all()
        assert (np.diff(path.kl_nats) > -1e-12).all()
        assert (np.diff(path.proxy_reward) > -1e-12).all()


def test_ties_are_split_by_reference_probability() -> None:
    ref = np.log([0.2, 0.3, 0.5])
    probs = np.exp(best_of_n_logprobs(ref, np.array([1.0, 1.0, 0.0]), 7))
    assert probs[0] / probs[1] == pytest.approx(0.2 / 0.3, abs=1e-14)


@pytest.mark.parametrize("n", [[], [0], [4, -1], [2.5], [np.nan], [10**400]], ids=len)
def test_n_below_one_fractional_or_none_is_refused(n: list[Any]) -> None:
    with pytest.raises(InputError, match="expected at least"):
        best_of_n(leash_world(), leash_reward(), n=n)
