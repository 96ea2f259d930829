"""Quantities of policies over listed answers: divergence, entropy, expectation, all in nats."""

from __future__ import annotations

import numpy as np

from rewardlab.types import FloatArray


def kl_nats(logprobs: FloatArray, ref_logprobs: FloatArray) -> float:
    """KL(p || q) = sum p (log p - log q), in nats.

    Args:
        logprobs: Shape [n]; log p, -inf where p is zero.
        ref_logprobs: Shape [n]; log q, finite.

    Returns:
        >= 0. Rounding can leave a sum of -1e-17 where p equals q; it is returned as 0.
    """
    probs = np.exp(logprobs)
    return max(float(probs @ (_where_possible(logprobs, probs) - ref_logprobs)), 0.0)


def entropy_nats(logprobs: FloatArray) -> float:
    """-sum p log p, in nats.

    Args:
        logprobs: Shape [n]; -inf where p is zero.
    """
    probs = np.exp(logprobs)
    return max(-float(probs @ _where_possible(logprobs, probs)), 0.0)


def total_variation(logprobs: FloatArray, other_logprobs: FloatArray) -> float:
    """Half the sum of |p - q|, in [0, 1]: the most by which any event's probability differs."""
    return 0.5 * float(np.abs(np.exp(logprobs) - np.exp(other_logprobs)).sum())


def _where_possible(logprobs: FloatArray, probs: FloatArray) -> FloatArray:
    """log p, and 0 where p is zero, since p log p goes to 0."""
    return np.where(probs > 0, logprobs, 0.0)
