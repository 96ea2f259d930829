"""The exact mean of every method's sampled gradient, against all n^G groups one by one."""

from __future__ import annotations

from itertools import product
from math import factorial
from typing import get_args

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.advantages import Baseline
from rewardlab.policies.closed_form import objective
from rewardlab.policies.expected_updates import expected_update, multisets
from rewardlab.policies.policy_gradient import GroupMethod, KlTerm, sampled_gradient
from rewardlab.worlds.answer_set import normalised

N, G = 3, 4
_RNG = np.random.default_rng(2)
LOGPROBS, REF, REWARD = (
    normalised(_RNG.normal(size=N)),
    normalised(_RNG.normal(size=N)),
    _RNG.normal(size=N),
)


@pytest.mark.parametrize("kl", get_args(KlTerm))
@pytest.mark.parametrize("divide", [False, True])
@pytest.mark.parametrize("baseline", get_args(Baseline))
def test_it_equals_the_mean_over_all_ordered_groups(
    baseline: Baseline, divide: bool, kl: KlTerm
) -> None:
    method = GroupMethod(baseline, divide, kl, beta=0.7, group_size=G)
    mean = np.zeros(N)
    for group in map(np.array, product(range(N), repeat=G)):
        chance = np.exp(LOGPROBS[group].sum())
        mean += chance * sampled_gradient(LOGPROBS, REF, group, REWARD[group], method)
    exact = expected_update(LOGPROBS, REF, REWARD, method)
    np.testing.assert_allclose(exact, mean, atol=1e-14)


@pytest.mark.parametrize("kl", ["in_reward", "k2"])
def test_leave_one_out_is_the_objectives_gradient(kl: KlTerm) -> None:
    steps = 1e-6 * np.eye(N)
    rise = [
        objective(normalised(LOGPROBS + s), REF, REWARD, 0.7)
        - objective(normalised(LOGPROBS - s), REF, REWARD, 0.7)
        for s in steps
    ]
    found = expected_update(LOGPROBS, REF, REWARD, GroupMethod("leave_one_out", False, kl, 0.7, G))
    np.testing.assert_allclose(found, np.array(rise) / 2e-6, atol=1e-8)


@pytest.mark.parametrize("size", [2, 8])
def test_a_mean_that_holds_the_answer_itself_gives_one_part_in_g_less(size: int) -> None:
    itself, others = (
        expected_update(LOGPROBS, REF, REWARD, GroupMethod(baseline, beta=0.0, group_size=size))
        for baseline in ("group_mean", "leave_one_out")
    )
    np.testing.assert_allclose(itself, (1 - 1 / size) * others, atol=1e-15)


def test_multisets_are_all_there_with_their_numbers_of_orders() -> None:
    groups, counts, log_orders = multisets(4, 6)
    assert len({tuple(row) for row in counts}) == len(groups) == 84  # C(9, 6)
    assert np.exp(log_orders).sum() == pytest.approx(4**6)
    for group, count, log_order in zip(groups, counts, log_orders, strict=True):
        np.testing.assert_array_equal(np.bincount(group, minlength=4), count)
        ways = factorial(6) / np.prod([factorial(int(c)) for c in count])
        assert np.exp(log_order) == pytest.approx(ways)


def test_too_many_multisets_are_refused() -> None:
    with pytest.raises(InputError, match="at most 200000"):
        multisets(576, 8)
