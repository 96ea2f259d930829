"""The closed form against enumeration by hand, and natural-gradient steps against it."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.policies.closed_form import closed_form, gibbs, objective
from rewardlab.policies.distributions import entropy_nats, kl_nats, total_variation
from rewardlab.policies.natural_gradient import natural_gradient
from rewardlab.policies.recording import ENTROPY
from rewardlab.worlds.leash import NONSENSE, leash_reward, leash_world

WORLD, REWARD = leash_world(), leash_reward()


def test_the_optimum_multiplies_each_probability_by_exp_reward_over_beta() -> None:
    by_hand = WORLD.ref_probs * np.exp(REWARD / 0.5)
    probs = np.exp(gibbs(WORLD.ref_logprobs, REWARD, 0.5))
    np.testing.assert_allclose(probs, by_hand / by_hand.sum(), rtol=1e-12)


def test_a_path_tracks_kl_proxy_gold_features_and_entropy() -> None:
    found = closed_form(WORLD, REWARD, betas=[2.0, 0.5])
    probs = np.exp(gibbs(WORLD.ref_logprobs, REWARD, 0.5))
    path = found.path
    np.testing.assert_allclose(path.strength, [0.5, 2.0])
    assert path.kl_nats[1] == pytest.approx(probs @ np.log(probs / WORLD.ref_probs))
    assert path.proxy_reward[1] == pytest.approx(probs @ REWARD)
    assert path.gold_reward[1] == pytest.approx(probs @ WORLD.gold)
    assert path.tracked[NONSENSE][1] == pytest.approx(probs[-1])
    assert path.tracked[ENTROPY][1] == pytest.approx(-probs @ np.log(probs))
    np.testing.assert_allclose(np.exp(found.logprobs), probs)


def test_at_a_small_beta_nothing_overflows() -> None:
    probs = np.exp(gibbs(WORLD.ref_logprobs, REWARD, 1e-5))
    np.testing.assert_array_equal(probs, [0, 0, 0, 0, 1])


def test_beta_zero_has_no_optimum_and_is_refused() -> None:
    with pytest.raises(InputError, match="beta: expected a positive number, got 0"):
        closed_form(WORLD, REWARD, betas=[1.0, 0.0])


def test_a_step_of_one_over_beta_lands_on_the_optimum() -> None:
    found = natural_gradient(WORLD, REWARD, beta=0.5, step_size=2.0, n_steps=1)
    assert total_variation(found.logprobs, gibbs(WORLD.ref_logprobs, REWARD, 0.5)) < 1e-14


def test_small_steps_reach_the_optimum_and_never_lower_the_objective() -> None:
    found = natural_gradient(WORLD, REWARD, beta=0.5, step_size=0.2, n_steps=300)
    assert total_variation(found.logprobs, gibbs(WORLD.ref_logprobs, REWARD, 0.5)) < 1e-8
    j = found.path.proxy_reward - 0.5 * found.path.kl_nats
    assert np.all(np.diff(j) >= -1e-12)
    last = objective(found.logprobs, WORLD.ref_logprobs, REWARD, 0.5)
    assert last == pytest.approx(float(j[-1]))


def test_steps_beyond_twice_one_over_beta_diverge_and_say_so() -> None:
    with pytest.raises(ConvergenceError, match=r"step_size x beta is 6, expected at most 2"):
        natural_gradient(WORLD, REWARD, beta=2.0, step_size=3.0, n_steps=1000)


def test_a_point_mass_has_no_entropy_and_a_finite_divergence() -> None:
    logprobs = np.array([-np.inf, -np.inf, -np.inf, -np.inf, 0.0])
    assert entropy_nats(logprobs) == 0
    assert kl_nats(logprobs, WORLD.ref_logprobs) == pytest.approx(-np.log(0.005))


def test_divergence_counts_impossible_answers_and_refuses_nan() -> None:
    first, second, both = np.array([0.0, -np.inf]), np.array([-np.inf, 0.0]), np.log([0.5, 0.5])
    assert kl_nats(first, first) == 0
    assert kl_nats(first, both) == pytest.approx(np.log(2))
    assert kl_nats(first, second) == kl_nats(both, first) == np.inf
    with pytest.raises(InputError, match="NaN"):
        kl_nats(np.array([0.0, np.nan]), both)
    with pytest.raises(InputError, match="shape"):
        kl_nats(first, np.zeros(1))
