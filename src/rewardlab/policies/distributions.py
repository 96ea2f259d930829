"""Quantities of policies over listed answers: divergence, entropy, expectation, all in nats."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray


def kl_nats(logprobs: FloatArray, ref_logprobs: FloatArray) -> float:
    """KL(p || q) = sum p (log p - log q), in nats.

    Args:
        logprobs: Shape [n]; log p, -inf where p is zero.
        ref_logprobs: Shape [n]; log q, likewise.

    Returns:
        >= 0; infinite where p holds what q does not. Rounding can leave a sum of -1e-17 where p
        equals q; it is returned as 0.

    Raises:
        InputError: Shapes disagree, or a log-probability is not a number.
    """
    if logprobs.shape != ref_logprobs.shape:
        raise InputError(
            f"logprobs: expected the reference's shape, {ref_logprobs.shape}, got {logprobs.shape}"
        )
    return float(each_kl_nats(logprobs, ref_logprobs))


def each_kl_nats(logprobs: FloatArray, ref_logprobs: FloatArray) -> FloatArray:
    """``kl_nats`` of each of several policies.

    Args:
        logprobs: Shape [..., n].
        ref_logprobs: Shape [n].

    Returns:
        Shape [...].
    """
    probs = np.exp(logprobs)
    held = probs > 0
    if held.all():
        log_ratio = logprobs - ref_logprobs
    else:
        log_ratio = np.subtract(logprobs, ref_logprobs, out=np.zeros_like(probs), where=held)
    return _at_least_zero(np.vecdot(probs, log_ratio))


def entropy_nats(logprobs: FloatArray) -> float:
    """-sum p log p, in nats.

    Args:
        logprobs: Shape [n]; -inf where p is zero.

    Raises:
        InputError: A log-probability is not a number.
    """
    return float(each_entropy_nats(logprobs))


def each_entropy_nats(logprobs: FloatArray) -> FloatArray:
    """``entropy_nats`` of each of several policies.

    Args:
        logprobs: Shape [..., n].

    Returns:
        Shape [...].
    """
    probs = np.exp(logprobs)
    return _at_least_zero(-np.vecdot(probs, np.where(probs > 0, logprobs, 0.0)))


def total_variation(logprobs: FloatArray, other_logprobs: FloatArray) -> float:
    """Half the sum of |p - q|, in [0, 1]: the most by which any event's probability differs.

    Args:
        logprobs: Shape [n]; log p, -inf where p is zero.
        other_logprobs: Shape [n]; log q, likewise.
    """
    return 0.5 * float(np.abs(np.exp(logprobs) - np.exp(other_logprobs)).sum())


def _at_least_zero(total: FloatArray) -> FloatArray:
    """Sums that only rounding takes below 0."""
    if np.isnan(total).any():
        raise InputError("logprobs: expected numbers, got NaN")
    return np.asarray(np.maximum(total, 0.0))
