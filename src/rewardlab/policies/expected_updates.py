"""The mean of a group method's sampled gradient, exactly, as a function of the policy.

Undivided advantages have a closed form: with f the reward (with its KL charge, if it is there)

    E[gradient] = c pi (f - E f) - beta E[gradient of the KL estimate],

where c is 1 for leave-one-out and 1 - 1/G for the group mean. Divided by the group's standard
deviation there is none, but a group's order does not matter: the n^G groups fall into
C(n + G - 1, G) multisets, each with its multinomial number of orders, and these can be listed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.advantages import group_advantages
from rewardlab.policies.arguments import check_answers, check_numbers
from rewardlab.policies.kl_estimators import expected_gradient
from rewardlab.policies.policy_gradient import GroupMethod
from rewardlab.types import FloatArray, IntArray

MOST_MULTISETS = 200_000
"""More than these are not listed."""


def expected_update(
    logprobs: FloatArray, ref_logprobs: FloatArray, reward: FloatArray, method: GroupMethod
) -> FloatArray:
    """The sampled gradient's mean over all groups that the policy can draw, of shape [n].

    Args:
        logprobs: Shape [n]; the policy, finite.
        ref_logprobs: Shape [n].
        reward: Shape [n].
        method: How a group becomes a gradient.

    Raises:
        InputError: Shapes disagree, or a number is not finite; or the advantages are divided by
            the standard deviation, and there are more than ``MOST_MULTISETS`` multisets to list.
    """
    check_answers(ref_logprobs, reward)
    check_numbers("logprobs", logprobs, reward.shape)
    charged = reward
    if method.estimator is None:
        charged = reward - method.beta * (logprobs - ref_logprobs)
    update = advantage_pull(charged, method)(logprobs)
    if method.estimator is None:
        return update
    return update - method.beta * expected_gradient(logprobs, ref_logprobs, method.estimator)


def advantage_pull(charged: FloatArray, method: GroupMethod) -> Callable[[FloatArray], FloatArray]:
    """E[(1/G) sum A_i grad log pi(y_i)] as a function of log pi, for rewards that stay as they are.

    Args:
        charged: Shape [n]; the reward from which the advantages are taken.
        method: Its baseline, division and group size are used.

    Raises:
        InputError: See ``expected_update``.
    """
    if not method.divide_by_sd:
        return lambda logprobs: (
            method.share_of_gradient
            * np.exp(logprobs)
            * (charged - float(np.exp(logprobs) @ charged))
        )
    groups, counts, log_orders = multisets(len(charged), method.group_size)
    advantages = group_advantages(charged[groups], baseline=method.baseline, divide_by_sd=True)
    # Advantages of a group sum to 0, so that only each answer's own term of grad log pi remains.
    pulls = _summed_by_answer(groups, advantages, len(charged)) / method.group_size
    return lambda logprobs: np.exp(log_orders + counts @ logprobs) @ pulls


@lru_cache(maxsize=8)
def multisets(n_answers: int, group_size: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Every group of answers, apart from its order.

    Returns:
        Answers of each group, shape [M, G]; how often each answer is in it, shape [M, n]; log of
        its number of orders, shape [M]. M = C(n + G - 1, G). Read-only.

    Raises:
        InputError: There are no answers, groups are empty, or M is above ``MOST_MULTISETS``.
    """
    if n_answers < 1 or group_size < 1:
        raise InputError(
            f"multisets: expected at least one answer a group, got {n_answers} and {group_size}"
        )
    n_multisets = comb(n_answers + group_size - 1, group_size)
    if n_multisets > MOST_MULTISETS:
        raise InputError(
            f"group_size: {n_answers} answers form {n_multisets} groups of {group_size}; expected "
            f"at most {MOST_MULTISETS}"
        )
    # A multiset is a row of G stars and n - 1 bars; the gaps between bars are the counts.
    last = n_answers + group_size - 1
    bars = np.array(list(combinations(range(last), n_answers - 1)), dtype=np.int64)
    ends = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, last)))
    counts = np.diff(ends, axis=1) - 1
    answers = np.tile(np.arange(n_answers), n_multisets)
    groups = np.repeat(answers, counts.ravel()).reshape(n_multisets, group_size)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, group_size + 1)))])
    log_orders = log_factorial[group_size] - log_factorial[counts].sum(axis=1)
    listed = groups, counts.astype(np.float64), log_orders
    for array in listed:
        array.setflags(write=False)
    return listed


def _summed_by_answer(groups: IntArray, values: FloatArray, n_answers: int) -> FloatArray:
    """Shape [M, n]; the sum of each group's values over the places that hold each answer."""
    cell = groups + n_answers * np.arange(len(groups))[:, None]
    total = np.bincount(cell.ravel(), values.ravel(), minlength=len(groups) * n_answers)
    return np.asarray(total, dtype=np.float64).reshape(len(groups), n_answers)
