"""The highest reward that a KL budget buys: pi = ref exp(t r) / Z with t as large as it may be.

Unlike a fixed beta, a budget means the same to rewards of different scales, so that policies
optimised against different rewards can be compared at equal pressure.
"""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised

_N_HALVINGS = 40
_STEEPEST = 30.0
"""log t at most, in units of 1 / sd: by then only the best answers are left."""


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
        InputError: The budget is negative, or the shapes do not fit.
    """
    if not kl_nats >= 0:
        raise InputError(f"kl_nats: expected a number of at least 0, got {kl_nats:g}")
    if rewards.ndim != 2 or rewards.shape[1] != len(ref_logprobs):
        raise InputError(
            f"rewards: expected shape [k, {len(ref_logprobs)}], got {list(rewards.shape)}"
        )
    probs = np.exp(ref_logprobs)
    spread = np.sqrt(np.square(rewards - (rewards @ probs)[:, None]) @ probs)[:, None]
    # A reward that is the same for every answer moves nothing, whatever its scale.
    shape = (rewards - rewards.max(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    low, high = np.full(len(rewards), -_STEEPEST), np.full(len(rewards), _STEEPEST)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        affordable = _kl(ref_logprobs, shape, middle) <= kl_nats
        low, high = np.where(affordable, middle, low), np.where(affordable, high, middle)
    return normalised(ref_logprobs + np.exp(low)[:, None] * shape)


def _kl(ref_logprobs: FloatArray, shape: FloatArray, log_t: FloatArray) -> FloatArray:
    """KL(pi || ref) = t E[r] - log Z of each row, of shape [k]."""
    tilt = np.exp(log_t)[:, None] * shape
    weights = np.exp(ref_logprobs + tilt)
    total = weights.sum(axis=1)
    return np.asarray((weights * tilt).sum(axis=1) / total - np.log(total))
