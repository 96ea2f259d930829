"""What a prior on the strengths adds to the loss and to its first and second derivatives."""

from __future__ import annotations

import math

import numpy as np
import scipy

from rewardlab.rewards.items.model import Gamma, Prior, Ridge
from rewardlab.types import FloatArray


def prior_loss(prior: Prior | None, strength: FloatArray) -> float:
    """In nats, but for a constant."""
    match prior:
        case Ridge(l2):
            return l2 / 2 * float(strength @ strength)
        case Gamma(shape):
            return (shape - 1) * float(np.sum(np.exp(strength) - strength))
    return 0.0


def prior_gradient(prior: Prior | None, strength: FloatArray) -> FloatArray:
    """Shape of ``strength``."""
    match prior:
        case Ridge(l2):
            return l2 * strength
        case Gamma(shape):
            return (shape - 1) * np.expm1(strength)
    return np.zeros_like(strength)


def prior_curvature(prior: Prior | None, strength: FloatArray) -> FloatArray:
    """Shape of ``strength``; what is added to the Hessian's diagonal."""
    match prior:
        case Ridge(l2):
            return np.full_like(strength, l2)
        case Gamma(shape):
            return (shape - 1) * np.exp(strength)
    return np.zeros_like(strength)


def prior_deviation(prior: Prior | None) -> float:
    """Standard deviation of strengths that scatter as the prior says, in logits; inf without one.

    Of a gamma prior that of the density exp(-loss) of strengths: exp(s) then is gamma of shape
    c - 1, and the variance of its logarithm the trigamma function at c - 1.
    """
    match prior:
        case Ridge(l2):
            return 1 / math.sqrt(l2)
        case Gamma(shape):
            return math.sqrt(float(scipy.special.polygamma(1, shape - 1)))
    return math.inf
