"""What a prior on the strengths adds to the loss and to its first and second derivatives."""

from __future__ import annotations

import numpy as np

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
