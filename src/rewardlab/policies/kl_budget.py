"""The highest reward that a KL budget buys: pi = ref exp(t r) / Z with t as large as it may be.

Unlike a fixed beta, a budget means the same to rewards of different scales, so that policies
optimised against different rewards can be compared at equal pressure.
"""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_answers
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised

_N_HALVINGS = 40
_STEEPEST = 30.0
"""log t at most, in units of 1 / range: by then only the best answers are left."""


def best_within(ref_logprobs: FloatArray, rewards: FloatArray, kl_nats: float) -> FloatArray:
    """Log-probabilities of the policy with the highest E[r] whose KL is at most ``kl_nats``.

    Found for all rewards at once by halving the range of log t; its KL grows with t. Where even
    the best answers alone cost no more than the budget, they are all that is left.

    Args:
        ref_logprobs: Shape [n], in nats.
        rewards: Shape [k, n]; a policy for each row.
        kl_nats: The budget, >= 0.

    Returns:
        Shape [k, n].

    Raises:
        InputError: The budget is negative, the shapes do not fit, or a number is not finite.
    """
    if not kl_nats >= 0:
        raise InputError(f"kl_nats: expected a number of at least 0, got {kl_nats:g}")
    if rewards.ndim != 2 or rewards.shape[1] != len(ref_logprobs):
        raise InputError(
            f"rewards: expected shape [k, {len(ref_logprobs)}], got {list(rewards.shape)}"
        )
    check_answers(ref_logprobs, rewards)
    top = rewards.max(axis=1, keepdims=True)
    spread = top - rewards.min(axis=1, keepdims=True)
    # A reward that is the same for every answer moves nothing, whatever its scale.
    shape = (rewards - top) / np.where(spread > 0, spread, 1.0)
    low, high = np.full(len(rewards), -_STEEPEST), np.full(len(rewards), _STEEPEST)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        policies = _tilted(ref_logprobs, shape, middle)
        affordable = (np.exp(policies) * (policies - ref_logprobs)).sum(axis=1) <= kl_nats
        low, high = np.where(affordable, middle, low), np.where(affordable, high, middle)
    return _tilted(ref_logprobs, shape, low)


def _tilted(ref_logprobs: FloatArray, shape: FloatArray, log_t: FloatArray) -> FloatArray:
    """Log-probabilities of ref exp(t r) / Z for each row's t and r, of shape [k, n]."""
    return normalised(ref_logprobs + np.exp(log_t)[:, None] * shape)
