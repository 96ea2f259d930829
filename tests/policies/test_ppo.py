"""PPO: where its clip acts, that one pass makes it inert, and where it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.distributions import total_variation
from rewardlab.policies.policy_gradient import sample
from rewardlab.policies.ppo import PpoConfig, ppo, surrogate, surrogate_slope
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised
from rewardlab.worlds.leash import leash_reward, leash_world

WORLD, REWARD = leash_world(), leash_reward()


def run(config: PpoConfig, seed: int = 0) -> Any:
    """One run from a seed."""
    return ppo(WORLD, REWARD, config=config, rng=np.random.default_rng(seed))


def test_the_clip_acts_at_one_plus_and_minus_eps_on_the_side_of_the_advantage() -> None:
    ratio = np.array([0.5, 0.79, 0.81, 1.19, 1.21, 2.0])
    up, down = np.ones(6), -np.ones(6)
    np.testing.assert_allclose(surrogate(ratio, up, 0.2), [0.5, 0.79, 0.81, 1.19, 1.2, 1.2])
    np.testing.assert_allclose(surrogate(ratio, down, 0.2), [-0.8, -0.8, -0.81, -1.19, -1.21, -2])
    np.testing.assert_array_equal(surrogate_slope(ratio, up, 0.2), [1, 1, 1, 1, 0, 0])
    np.testing.assert_array_equal(surrogate_slope(ratio, down, 0.2), [0, 0, -1, -1, -1, -1])


def test_the_slope_is_the_surrogates() -> None:
    ratio = np.linspace(0.31, 1.93, 40)
    advantages = np.where(np.arange(40) % 2, 1.3, -0.7)
    rise = surrogate(ratio + 1e-6, advantages, 0.2) - surrogate(ratio - 1e-6, advantages, 0.2)
    np.testing.assert_allclose(surrogate_slope(ratio, advantages, 0.2), rise / 2e-6, atol=1e-8)


def test_with_one_pass_the_clip_is_inert() -> None:
    config = PpoConfig(n_passes=1, step_size=4.0, n_steps=40)
    tight, none = run(replace(config, clip=1e-9)), run(replace(config, clip=np.inf))
    assert not tight.clipped_share.any()
    np.testing.assert_array_equal(tight.optimised.logprobs, none.optimised.logprobs)


def test_with_more_passes_it_acts_more_in_each_and_holds_the_policy_back() -> None:
    config = PpoConfig(n_passes=4, step_size=2.0, n_steps=10)
    clipped, free = run(config), run(replace(config, clip=np.inf))
    share = clipped.clipped_share.mean(axis=0)
    assert share[0] == 0
    assert share[3] > share[1] > 0
    assert clipped.optimised.path.kl_nats[1] < free.optimised.path.kl_nats[1]


@pytest.mark.parametrize("n_passes", [1, 2])
def test_a_batch_climbs_the_mean_surrogate(n_passes: int) -> None:
    config = PpoConfig(n_passes=n_passes, n_steps=1, step_size=3.0)
    found = run(config).optimised.logprobs
    rng = np.random.default_rng(0)
    idx = sample(WORLD.ref_logprobs, (64,), rng)

    def mean_surrogate(logits: FloatArray) -> float:
        ratio = np.exp((normalised(logits) - WORLD.ref_logprobs)[idx])
        return float(surrogate(ratio, REWARD[idx], 0.2).mean())  # the critic starts at 0

    logits = WORLD.ref_logprobs
    for _ in range(n_passes):
        rise = [mean_surrogate(logits + s) - mean_surrogate(logits - s) for s in 1e-6 * np.eye(5)]
        logits = logits + 3.0 * np.array(rise) / 2e-6
    np.testing.assert_allclose(found, normalised(logits), atol=1e-7)


@pytest.mark.parametrize("n_minibatches", [1, 4])
def test_it_ends_at_the_gibbs_optimum_with_the_critic_at_its_free_energy(
    n_minibatches: int,
) -> None:
    found = run(PpoConfig(n_minibatches=n_minibatches, n_steps=300))
    best = gibbs(WORLD.ref_logprobs, REWARD, 0.5)
    assert total_variation(found.optimised.logprobs, best) < 1e-3
    free_energy = 0.5 * np.log(WORLD.ref_probs @ np.exp(REWARD / 0.5))
    assert found.value[-1] == pytest.approx(free_energy, abs=1e-3)


@pytest.mark.parametrize(
    "bad",
    [{"clip": 0.0}, {"n_passes": 0}, {"n_minibatches": 65}, {"value_step_size": 2.0}],
    ids=str,
)
def test_bad_settings_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="PpoConfig"):
        PpoConfig(**bad)
