"""Moving the mean of a Gaussian policy: KL is a distance in units of the reference's own spread.

With the covariance S of the reference kept, KL = 1/2 d' S^-1 d for a shift d of the mean, and the
shift that maximises g' d - beta KL is S g / beta: furthest where the reference already varies.
For a linear reward the Gaussian with that mean is ref exp(r / beta) / Z itself.
"""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_numbers, check_positive
from rewardlab.types import FloatArray


def optimal_shift(covariance: FloatArray, gradient: FloatArray, beta: float) -> FloatArray:
    """S g / beta, of shape [d].

    Args:
        covariance: Shape [d, d]; S, of the reference; positive definite.
        gradient: Shape [d]; g, what a unit of each coordinate adds to the reward.
        beta: Price of a nat of KL, > 0; inf gives no shift.

    Raises:
        InputError: ``beta`` is not positive, or the covariance not positive definite.
    """
    check_positive("beta", beta, most=np.inf)
    check_numbers("gradient", gradient, covariance.shape[:1])
    _root(covariance)
    return np.asarray(covariance @ gradient / beta)


def shift_kl_nats(covariance: FloatArray, shift: FloatArray) -> float:
    """KL of the shifted Gaussian from the reference, 1/2 d' S^-1 d, in nats.

    Args:
        covariance: Shape [d, d]; positive definite.
        shift: Shape [d].

    Raises:
        InputError: The covariance is not positive definite.
    """
    check_numbers("shift", shift, covariance.shape[:1])
    half = np.linalg.solve(_root(covariance), shift)
    return 0.5 * float(half @ half)


def equal_kl_ellipse(covariance: FloatArray, kl_nats: float, *, n_points: int = 97) -> FloatArray:
    """Shifts in the plane with the same KL, as a closed curve of shape [n_points, 2].

    Args:
        covariance: Shape [2, 2]; positive definite.
        kl_nats: >= 0.
        n_points: How many, >= 2, the first repeated at the end.

    Raises:
        InputError: An argument is not as asked for.
    """
    if covariance.shape != (2, 2) or not kl_nats >= 0 or n_points < 2:
        raise InputError(
            "equal_kl_ellipse: expected a covariance of shape (2, 2), kl_nats >= 0 and n_points "
            f">= 2, got {covariance.shape}, {kl_nats:g} and {n_points}"
        )
    angle = np.linspace(0.0, 2 * np.pi, n_points)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(np.sqrt(2 * kl_nats) * circle @ _root(covariance).T)


def _root(covariance: FloatArray) -> FloatArray:
    """L with L L' = S."""
    check_numbers("covariance", covariance, covariance.shape[:1] * 2)
    if not np.allclose(covariance, covariance.T):
        raise InputError("covariance: expected a symmetric matrix")
    try:
        return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InputError("covariance: expected a positive definite matrix") from None
