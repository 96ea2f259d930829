"""Sampled policy gradients: by hand, by their mean, and what a run records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import gibbs, objective
from rewardlab.policies.expected_updates import expected_update
from rewardlab.policies.policy_gradient import (
    GroupMethod,
    Training,
    policy_gradient,
    rloo,
    sample,
    sampled_gradient,
)
from rewardlab.types import FloatArray
from rewardlab.worlds.leash import leash_reward, leash_world

WORLD, REWARD = leash_world(), leash_reward()


def test_one_group_by_hand() -> None:
    logits = np.log([0.2, 0.5, 0.3])
    group = np.array([0, 1, 2])
    method = GroupMethod(beta=0.0, group_size=3)
    found = sampled_gradient(logits, logits, group, np.array([1.0, 0.0, 0.0]), method)
    # Advantages 2/3, -1/3, -1/3 sum to 0, so that a third of each is the whole gradient.
    np.testing.assert_allclose(found, np.array([2, -1, -1]) / 9, atol=1e-15)


def test_a_group_of_equal_rewards_moves_only_by_the_kl() -> None:
    logits = WORLD.ref_logprobs + np.array([0, 0, 0, 0, 2.0])
    group, rewards = np.array([1, 1, 4, 4]), np.ones(4)
    free = GroupMethod(beta=0.0, divide_by_sd=True)
    assert not sampled_gradient(logits, WORLD.ref_logprobs, group, rewards, free).any()
    held = GroupMethod(beta=0.5, kl="k2")
    assert sampled_gradient(logits, WORLD.ref_logprobs, group, rewards, held)[4] < 0


def test_many_groups_average_to_the_exact_update() -> None:
    method = GroupMethod(divide_by_sd=True, kl="k3", group_size=4)
    logits = gibbs(WORLD.ref_logprobs, REWARD, 1.0)
    idx = sample(logits, (100_000, 4), np.random.default_rng(0))
    found = sampled_gradient(logits, WORLD.ref_logprobs, idx, REWARD[idx], method)
    exact = expected_update(logits, WORLD.ref_logprobs, REWARD, method)
    np.testing.assert_allclose(found, exact, atol=0.004)  # 4 standard errors


def test_samples_follow_the_policy() -> None:
    idx = sample(WORLD.ref_logprobs + 7.0, (50_000,), np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(idx) / 50_000, WORLD.ref_probs, atol=0.008)


def test_a_run_climbs_the_objective_and_records_its_path() -> None:
    training = Training(n_steps=300, step_size=0.3, record_every=50)
    method = GroupMethod("leave_one_out")
    runs = [
        policy_gradient(
            WORLD, REWARD, method=method, training=training, rng=np.random.default_rng(3)
        )
        for _ in range(2)
    ]
    path = runs[0].path
    np.testing.assert_array_equal(path.strength, np.arange(0, 301, 50))
    np.testing.assert_array_equal(path.kl_nats, runs[1].path.kl_nats)
    assert path.kl_nats[0] == 0
    assert (path.settings["group_size"], path.settings["shared"]) == (8, False)
    reached = objective(runs[0].logprobs, WORLD.ref_logprobs, REWARD, 0.5)
    assert reached > objective(WORLD.ref_logprobs, WORLD.ref_logprobs, REWARD, 0.5) + 0.1


def test_a_constant_added_to_every_reward_changes_nothing() -> None:
    ends = [
        policy_gradient(
            WORLD,
            REWARD + constant,
            method=GroupMethod(),
            training=Training(n_steps=50),
            rng=np.random.default_rng(0),
        ).logprobs
        for constant in (0.0, 3.0)
    ]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


@pytest.mark.parametrize(
    ("config", "bad", "expected"),
    [
        (GroupMethod, {"group_size": 1}, "group_size"),
        (GroupMethod, {"baseline": "median"}, "group_mean, leave_one_out"),
        (GroupMethod, {"kl": "k4"}, "in_reward, k1, k2, k3"),
        (Training, {"step_size": 0.0}, "step_size"),
        (Training, {"record_every": 0}, "record_every"),
    ],
)
def test_bad_settings_are_refused(config: Any, bad: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        config(**bad)


@pytest.mark.parametrize(("n_steps", "points"), [(0, [0]), (15, [0, 10, 15]), (20, [0, 10, 20])])
def test_the_path_ends_at_the_last_step(n_steps: int, points: list[int]) -> None:
    training = Training(n_steps=n_steps)
    run = policy_gradient(
        WORLD, REWARD, method=GroupMethod(), training=training, rng=np.random.default_rng(0)
    )
    np.testing.assert_array_equal(run.path.strength, points)
    assert len(run.path.kl_nats) == len(points)


def test_a_step_in_shared_weights_moves_logits_by_the_gram_matrix_of_the_features() -> None:
    shared = np.array([[0.0, 1.0], [0.5, 0.0], [1.0, 0.2], [1.0, 1.0], [0.3, 2.0]])
    method = rloo(0.5, group_size=4)
    training = Training(n_steps=1, step_size=0.1, groups_per_step=50_000, record_every=1)
    rng = np.random.default_rng(0)
    run = policy_gradient(WORLD, REWARD, method=method, training=training, rng=rng, shared=shared)
    assert run.path.settings["shared"]
    exact = expected_update(WORLD.ref_logprobs, WORLD.ref_logprobs, REWARD, method)
    moved = run.logprobs - WORLD.ref_logprobs
    wanted = 0.1 * shared @ (shared.T @ exact)
    # Both are known up to a constant; the sampling error of 200,000 answers is about 2e-4.
    np.testing.assert_allclose(moved - moved.mean(), wanted - wanted.mean(), atol=1e-3)


def test_shared_weights_reach_the_optimum_for_a_reward_of_these_features() -> None:
    shared = np.array([[0.0, 1.0], [0.5, 0.0], [1.0, 0.2], [1.0, 1.0], [0.3, 2.0]])
    reward = shared @ np.array([0.6, 0.4])
    training = Training(n_steps=3000, step_size=0.3, groups_per_step=32, record_every=100)
    rng = np.random.default_rng(1)
    run = policy_gradient(
        WORLD, reward, method=rloo(0.5), training=training, rng=rng, shared=shared
    )
    aim = gibbs(WORLD.ref_logprobs, reward, 0.5)
    assert np.abs(np.exp(run.logprobs) - np.exp(aim)).max() < 0.02


@pytest.mark.parametrize("shared", [np.zeros((4, 2)), np.full((5, 2), np.nan), np.zeros(5)])
def test_shared_features_that_are_no_matrix_of_the_answers_are_refused(shared: FloatArray) -> None:
    with pytest.raises(InputError, match="shared"):
        policy_gradient(
            WORLD,
            REWARD,
            method=rloo(0.5),
            training=Training(n_steps=1),
            rng=np.random.default_rng(0),
            shared=shared,
        )
