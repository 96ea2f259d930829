"""Three estimates of KL(pi || ref) from one answer, and the pull of each when it is in the loss.

With d = log pi(y) - log ref(y) of an answer y drawn from pi:

    k1 = d                      unbiased for KL(pi || ref); may be negative
    k2 = d^2 / 2                biased; never negative
    k3 = exp(-d) - 1 + d        unbiased; never negative

A good estimate of a value need not have a good gradient. Put in the loss, a sampled k is
differentiated with y held fixed. Each gradient is a weight times grad log pi(y), and its mean is

    k1:  1           ->  E[grad log pi] = 0: no pull at all
    k2:  d           ->  grad KL(pi || ref), the reverse divergence, as the objective wants
    k3:  1 - exp(-d) ->  -sum ref grad log pi = grad KL(ref || pi), the forward divergence

For a softmax over listed answers the mean gradients in the logits are 0, pi (d - KL) and pi - ref.

Source: Schulman (2020), "Approximating KL divergence", for the three estimates; Tang and Munos
(2025), arXiv:2506.09477, for their gradients.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_numbers
from rewardlab.policies.distributions import kl_nats
from rewardlab.types import FloatArray

Estimator = Literal["k1", "k2", "k3"]

_LEAST_LOG_RATIO = -700.0
"""exp(-d) is out of double precision not far below."""


def estimate(log_ratio: FloatArray, estimator: Estimator) -> FloatArray:
    """The estimate of KL(pi || ref) from each answer, in nats.

    Args:
        log_ratio: Any shape; d = log pi - log ref of answers drawn from pi.
        estimator: Which.

    Raises:
        InputError: There is no such estimator, or a ratio is not finite or too small for k3.
    """
    check_numbers("log_ratio", log_ratio)
    match _known(estimator):
        case "k1":
            return log_ratio
        case "k2":
            return log_ratio**2 / 2
        case _:
            return _odds_above_one(log_ratio) + log_ratio


def score_weight(log_ratio: FloatArray, estimator: Estimator) -> FloatArray:
    """The weight w of each answer in the estimate's gradient w grad log pi(y): dk / dd.

    Args:
        log_ratio: Any shape.
        estimator: Which.

    Raises:
        InputError: There is no such estimator, or a ratio is not finite or too small for k3.
    """
    check_numbers("log_ratio", log_ratio)
    match _known(estimator):
        case "k1":
            return np.ones_like(log_ratio)
        case "k2":
            return log_ratio
        case _:
            return -_odds_above_one(log_ratio)


def expected_gradient(
    logprobs: FloatArray, ref_logprobs: FloatArray, estimator: Estimator
) -> FloatArray:
    """Mean gradient in the logits of a softmax of the estimate in the loss, over answers from pi.

    Args:
        logprobs: Shape [n]; log pi, finite.
        ref_logprobs: Shape [n].
        estimator: Which.

    Returns:
        Shape [n]; sums to 0.

    Raises:
        InputError: There is no such estimator, shapes disagree, or a number is not finite.
    """
    check_numbers("logprobs", logprobs, ref_logprobs.shape)
    probs = np.exp(logprobs)
    match _known(estimator):
        case "k1":
            return np.zeros_like(probs)
        case "k2":
            return probs * (logprobs - ref_logprobs - kl_nats(logprobs, ref_logprobs))
        case _:
            return probs - np.exp(ref_logprobs)


def _odds_above_one(log_ratio: FloatArray) -> FloatArray:
    """exp(-d) - 1."""
    if not (log_ratio >= _LEAST_LOG_RATIO).all():
        raise InputError(
            f"log_ratio: expected at least {_LEAST_LOG_RATIO:g} for k3, got {log_ratio.min():g}"
        )
    return np.expm1(-log_ratio)


def _known(estimator: Estimator) -> Estimator:
    if estimator not in get_args(Estimator):
        raise InputError(f"estimator: expected k1, k2 or k3, got {estimator!r}")
    return estimator
