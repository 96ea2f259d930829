"""What every method refuses: a clear error in place of a warning, a NaN or a wrong number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.arguments import LARGEST, check_indices, check_numbers, check_positive
from rewardlab.policies.best_of_n import sort_by_proxy
from rewardlab.policies.closed_form import closed_form, gibbs
from rewardlab.policies.direct import dpo, ipo, ipo_target, learn_from_pairs
from rewardlab.policies.exact_best_of_n import best_of_n_logprobs, levels
from rewardlab.policies.expected_updates import expected_update
from rewardlab.policies.group_rounds import after_round, expected_after_round
from rewardlab.policies.kl_budget import best_within
from rewardlab.policies.kl_estimators import expected_gradient, score_weight
from rewardlab.policies.natural_gradient import natural_gradient
from rewardlab.policies.pairs import given_pairs, population_pairs
from rewardlab.policies.policy_gradient import GroupMethod, Training, sampled_gradient
from rewardlab.policies.ppo import PpoConfig
from rewardlab.policies.targets import (
    forward_kl_optimum,
    highest_reward,
    large_group_target,
    target,
)
from rewardlab.policies.uniform_sets import best_of_n_means, gibbs_means, peak_and_return
from rewardlab.types import FloatArray
from rewardlab.worlds.leash import leash_reward, leash_world

WORLD, REWARD = leash_world(), leash_reward()
REF = WORLD.ref_logprobs
GROUP = np.array([0, 4])

OF_REWARD: dict[str, Callable[[FloatArray], object]] = {
    "gibbs": lambda r: gibbs(REF, r, 1.0),
    "levels": lambda r: levels(REF, r),
    "best of n": lambda r: best_of_n_logprobs(REF, r, 2),
    "KL budget": lambda r: best_within(REF, r[None], 1.0),
    "expected update": lambda r: expected_update(REF, REF, r, GroupMethod()),
    "target": lambda r: target(REF, r, GroupMethod(kl="k3")),
    "target of large groups": lambda r: large_group_target(REF, r, 1.0, start=REF),
    "forward optimum": lambda r: forward_kl_optimum(REF, r, 1.0),
    "highest reward": lambda r: highest_reward(REF, r),
    "IPO's target": lambda r: ipo_target(REF, WORLD.ref_probs, r, 1.0),
    "every pair": lambda r: population_pairs(WORLD.ref_probs, r),
    "round": lambda r: after_round(REF, GROUP, r, step_size=1.0),
    "expected round": lambda r: expected_after_round(REF, r, group_size=2, step_size=1.0),
}


@pytest.mark.parametrize("method", OF_REWARD.values(), ids=OF_REWARD)
@pytest.mark.parametrize("bad", [np.nan * REWARD, np.sign(REWARD - 2) * 1e308, REWARD[:2]])
def test_rewards_that_are_not_numbers_or_too_few_are_refused(
    method: Callable[[FloatArray], object], bad: FloatArray
) -> None:
    with pytest.raises(InputError, match=r"expected (finite numbers|shape)"):
        method(bad)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, 1e-310])
def test_prices_that_double_precision_cannot_divide_by_are_refused(bad: float) -> None:
    world = REWARD[None]
    for priced in (
        lambda: gibbs(REF, REWARD, bad),
        lambda: gibbs_means(world, world, [1.0, bad]),
        lambda: forward_kl_optimum(REF, REWARD, bad),
        lambda: large_group_target(REF, REWARD, bad, start=REF),
        lambda: ipo_target(REF, WORLD.ref_probs, REWARD, bad),
        lambda: dpo(bad),
        lambda: ipo(bad),
    ):
        with pytest.raises(InputError, match="expected a positive number"):
            priced()


def test_an_infinite_price_leaves_the_reference() -> None:
    np.testing.assert_allclose(gibbs(REF, REWARD, np.inf), REF, atol=1e-15)
    with pytest.raises(InputError, match="positive number, got inf"):
        dpo(np.inf)


ONE = np.ones((1, 2))
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "settings of groups": (lambda: GroupMethod(beta=np.inf), "finite beta"),
    "settings of training": (lambda: Training(step_size=np.inf), "finite number above 0"),
    "settings of PPO": (lambda: PpoConfig(beta=np.inf), "finite beta"),
    "batch of PPO": (lambda: PpoConfig(batch_size=0), "batch_size >= 1"),
    "infinite step": (
        lambda: natural_gradient(WORLD, REWARD, beta=0.0, step_size=np.inf, n_steps=1),
        "finite",
    ),
    "no beta": (lambda: closed_form(WORLD, REWARD, betas=[]), "at least one"),
    "an answer against itself": (lambda: given_pairs(5, GROUP, GROUP), "two different"),
    "a certain answer": (lambda: population_pairs(np.array([1.0, 0.0]), ONE[0]), "at least two"),
    "pairs of another world": (
        lambda: learn_from_pairs(
            WORLD, given_pairs(3, GROUP[:1], GROUP[:1] + 1), dpo(1.0), reward=REWARD, n_steps=1
        ),
        "pairs of 5 answers, got 3",
    ),
    "a proxy of NaN": (lambda: sort_by_proxy(ONE * np.nan, ONE), "finite"),
    "values of another shape": (lambda: sort_by_proxy(ONE, ONE[0]), "shape"),
    "attempts that wrap round": (lambda: after_round(REF, -GROUP, REWARD, step_size=1.0), "0 to 4"),
    "rewards of other groups": (
        lambda: sampled_gradient(REF, REF, GROUP, REWARD, GroupMethod()),
        "shape",
    ),
    "a policy without an answer": (
        lambda: expected_gradient(np.array([0.0, -np.inf]), np.log([0.5, 0.5]), "k2"),
        "finite",
    ),
    "ratios beyond k3": (lambda: score_weight(np.array([-1000.0]), "k3"), "at least -700"),
    "a reference beyond k3": (
        lambda: forward_kl_optimum(np.array([0.0, -900.0]), ONE[0], 1.0),
        "at least -700",
    ),
    "a set without a number": (
        lambda: best_of_n_means(ONE * np.nan, ONE, np.array([1])),
        "finite",
    ),
    "no strength": (lambda: peak_and_return(ONE[0, :0], ONE[:, :0], ONE[0, :1]), "at least one"),
}


@pytest.mark.parametrize(("call", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_would_have_been_a_wrong_number_is_refused(
    call: Callable[[], object], expected: str
) -> None:
    with pytest.raises(InputError, match=expected):
        call()


def test_the_limits_themselves_pass() -> None:
    check_numbers("x", np.array([LARGEST, -LARGEST, 0.0]), (3,))
    check_positive("x", 1 / LARGEST)
    check_positive("x", LARGEST)
    check_indices("x", np.array([0, 4]), 5)
    check_indices("x", np.empty(0, dtype=np.int64), 5)
    for bad in (np.array([5]), np.array([-1]), np.array([1.0])):
        with pytest.raises(InputError, match="from 0 to 4"):
            check_indices("x", bad, 5)
