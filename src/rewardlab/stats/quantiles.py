"""Normal and Student quantiles; where degrees of freedom are many, without loading scipy's."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import scipy

from rewardlab.types import FloatArray

MANY_DOF, FARTHEST = 500.0, 6.0
"""From so many degrees of freedom, up to such a quantile, the series errs by 1e-11 at most."""


def normal_above(tail: float) -> float:
    """The number that a standard normal exceeds with probability ``tail``.

    Args:
        tail: In (0, 1).
    """
    return -NormalDist().inv_cdf(tail)


def student_of_normal(z: float, dof: FloatArray) -> FloatArray:
    """The Student quantiles that are exceeded as often as a normal exceeds z.

    Args:
        z: A normal quantile.
        dof: Shape [k], > 0; infinity for normal ones.

    Returns:
        Shape [k].

    Source: Fisher and Cornish (1960), *Technometrics* 2, 209-225, the series in 1 / dof to its
    fifth term.
    """
    few = np.isfinite(dof) if abs(z) > FARTHEST else dof < MANY_DOF
    quantile = _series(z, 1 / dof)
    if few.any():
        quantile[few] = -scipy.special.stdtrit(dof[few], scipy.special.ndtr(-z))
    return quantile


def _series(z: float, r: FloatArray) -> FloatArray:
    s = z * z
    terms = (
        1.0,
        (s + 1) / 4,
        ((5 * s + 16) * s + 3) / 96,
        (((3 * s + 19) * s + 17) * s - 15) / 384,
        ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160,
        (((((27 * s + 339) * s + 930) * s - 1782) * s - 765) * s + 17955) / 368640,
    )
    total = np.zeros_like(r)
    for term in reversed(terms):
        total = total * r + term
    return z * total
