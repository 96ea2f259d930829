"""A method's target is where its exact update vanishes, and where its flow and its runs end."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.policies.advantages import Baseline
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.distributions import kl_nats, total_variation
from rewardlab.policies.expected_updates import expected_update
from rewardlab.policies.policy_gradient import GroupMethod, KlTerm, Training, policy_gradient
from rewardlab.policies.targets import forward_kl_optimum, large_group_target, target
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised
from rewardlab.worlds.leash import leash_reward, leash_world

WORLD, REWARD = leash_world(), leash_reward()
REF = WORLD.ref_logprobs
METHODS = [
    GroupMethod(baseline, divide, kl, beta=0.5, group_size=4)
    for baseline in get_args(Baseline)
    for divide in (False, True)
    for kl in get_args(KlTerm)
]
each_method = pytest.mark.parametrize("method", METHODS, ids=str)


def flow(method: GroupMethod, *, step_size: float, n_steps: int) -> FloatArray:
    """Steps of the exact update, preconditioned by 1 / pi so that rare answers move too."""
    logprobs = REF
    for _ in range(n_steps):
        update = expected_update(logprobs, REF, REWARD, method) / np.exp(logprobs)
        logprobs = normalised(logprobs + step_size * update)
    return logprobs


@each_method
def test_the_exact_update_vanishes_at_the_target(method: GroupMethod) -> None:
    logprobs = np.maximum(target(REF, REWARD, method), -700.0)
    update = expected_update(logprobs, REF, REWARD, method)
    np.testing.assert_allclose(update, 0, atol=1e-9)


@each_method
def test_the_exact_flow_ends_at_the_target(method: GroupMethod) -> None:
    # Where all of f is divided, its update keeps its size, so that fixed steps hover at a distance.
    all_divided = method.divide_by_sd and method.kl == "in_reward"
    step_size = 0.002 if all_divided else 0.02
    end = flow(method, step_size=step_size, n_steps=4000)
    distance = total_variation(end, target(REF, REWARD, method))
    assert distance < 0.003


@pytest.mark.parametrize(
    "method",
    [
        GroupMethod("leave_one_out", kl="in_reward"),
        GroupMethod("group_mean", divide_by_sd=True, kl="in_reward"),
        GroupMethod("group_mean", kl="k2"),
        GroupMethod("leave_one_out", kl="k3"),
        GroupMethod("group_mean", divide_by_sd=True, kl="k3"),
    ],
    ids=str,
)
def test_a_long_sampled_run_ends_near_its_target(method: GroupMethod) -> None:
    training = Training(n_steps=6000, step_size=0.2, groups_per_step=16, record_every=100)
    run = policy_gradient(
        WORLD, REWARD, method=method, training=training, rng=np.random.default_rng(1)
    )
    nonsense = run.path.tracked["nonsense"][-20:].mean()
    expected = float(np.exp(target(REF, REWARD, method))[-1])
    assert nonsense == pytest.approx(expected, abs=0.03)


def test_with_k1_in_the_loss_nothing_holds_a_run_back() -> None:
    training = Training(n_steps=3000, step_size=0.2)
    method = GroupMethod("leave_one_out", kl="k1")
    run = policy_gradient(
        WORLD, REWARD, method=method, training=training, rng=np.random.default_rng(1)
    )
    # The plain gradient moves rare answers slowly: it is first the best of the common ones that
    # takes everything, which the target under a price of .5 would never let it do.
    assert np.exp(run.logprobs).max() > 0.99
    assert run.path.kl_nats[-1] > 1.9 * kl_nats(gibbs(REF, REWARD, 0.5), REF)


def test_the_divided_reward_with_kl_in_the_reward_has_the_gibbs_target() -> None:
    found = target(REF, REWARD, GroupMethod(divide_by_sd=True, beta=0.3))
    np.testing.assert_array_equal(found, gibbs(REF, REWARD, 0.3))


def test_the_group_mean_weakens_the_reward_against_a_kl_in_the_loss() -> None:
    found = target(REF, REWARD, GroupMethod("group_mean", kl="k2", beta=0.5, group_size=5))
    np.testing.assert_allclose(found, gibbs(REF, REWARD, 0.5 / 0.8))


_worlds = st.tuples(st.integers(0, 10_000), st.floats(0.01, 20.0))


@given(_worlds)
def test_the_forward_optimum_beats_its_neighbours(world: tuple[int, float]) -> None:
    seed, beta = world
    rng = np.random.default_rng(seed)
    ref, reward = normalised(2 * rng.normal(size=5)), rng.normal(size=5)

    def value(logprobs: FloatArray) -> float:
        return float(np.exp(logprobs) @ reward) - beta * kl_nats(ref, logprobs)

    best = forward_kl_optimum(ref, reward, beta)
    assert np.exp(best).sum() == pytest.approx(1, abs=1e-12)
    for _ in range(5):
        moved = normalised(best + 0.1 * rng.normal(size=5))
        assert value(moved) <= value(best) + 1e-12 * (1 + beta)


def test_without_a_price_all_goes_to_the_highest_reward() -> None:
    for kl in get_args(KlTerm):
        found = target(REF, REWARD, GroupMethod(kl=kl, beta=0.0))
        np.testing.assert_array_equal(np.exp(found), [0, 0, 0, 0, 1])
    tied = target(REF, leash_reward(2.0), GroupMethod(kl="k1"))
    np.testing.assert_allclose(np.exp(tied)[[3, 4]], [28 / 29, 1 / 29])


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InputError, match="positive"):
        forward_kl_optimum(REF, REWARD, 0.0)
    with pytest.raises(InputError, match="beta >= 0"):
        replace(METHODS[0], beta=-1.0)


def test_growing_groups_lead_to_the_limit_of_large_ones() -> None:
    limit = np.exp(large_group_target(REF, REWARD, 0.5, start=REF))[-1]
    method = GroupMethod("group_mean", divide_by_sd=True, kl="k2", beta=0.5)
    shares = [
        np.exp(target(REF, REWARD, replace(method, group_size=size)))[-1] for size in (8, 16, 32)
    ]
    errors = limit - np.array(shares)
    assert errors[0] > errors[1] > errors[2] > 0
    # Errors of order 1/sqrt(G) or faster: four times the size at least halves what is left.
    assert errors[2] < errors[0] / 2


def test_with_large_groups_the_start_decides_between_two_ends() -> None:
    from_reference = large_group_target(REF, REWARD, 0.5, start=REF)
    collapsed = large_group_target(REF, REWARD, 0.5, start=gibbs(REF, REWARD, 0.02))
    assert np.exp(from_reference)[-1] == pytest.approx(0.576, abs=0.001)
    assert np.exp(collapsed)[-1] > 0.999
    loosened = large_group_target(REF, REWARD, 0.4, start=REF)
    assert np.exp(loosened)[-1] > 0.999


@pytest.mark.parametrize("rare", [0, 1])
def test_a_divided_reward_has_its_target_with_answers_below_double_precision(rare: int) -> None:
    ref, reward = normalised(np.array([-900.0, 0.0, -1.0])), np.array([1.0, 0.5, 0.0])
    ref, reward = np.roll(ref, rare), np.roll(reward, rare)
    method = GroupMethod(divide_by_sd=True, kl="k2", group_size=4)
    kept = ref > -800
    found = np.exp(target(ref, reward, method))
    np.testing.assert_allclose(found[kept], np.exp(target(ref[kept], reward[kept], method)))
