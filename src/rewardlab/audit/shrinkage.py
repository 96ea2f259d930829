"""Regressional shrinkage: what best-of-n gains in gold when the proxy is gold plus noise.

With gold X and independent noise Z, both Gaussian, E[X | X + Z] is linear with slope
s = Var X / (Var X + Var Z), so that whatever is selected by X + Z gains s in gold for each unit
of proxy. The proxy of the best of n gains sqrt(Var X + Var Z) E[max of n standard normals], which
grows almost in proportion to d = sqrt(log n - (n-1)/n). Noise alone therefore lowers the slope of
gold in d and can never turn it down.

Source: Gao, Schulman and Hilton (2022), arXiv 2210.10760, equation 1.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.types import FloatArray

_CENTRES = np.linspace(-9.0, 9.0, 3601)
"""Steps of .005: the trapezium rule is exact to rounding for integrands this smooth."""

_LARGEST_N = 1e12
"""Beyond about 1e16 the highest of n leaves the range of ``_CENTRES``."""


def shrinkage(gold_variance: float, noise_variance: float) -> float:
    """Var X / (Var X + Var Z): gold gained for each unit of proxy, in [0, 1].

    Args:
        gold_variance: Var X, > 0, finite.
        noise_variance: Var Z, >= 0, finite.

    Raises:
        InputError: A variance is outside its range.
    """
    if not (0 < gold_variance < np.inf and 0 <= noise_variance < np.inf):
        raise InputError(
            "shrinkage: expected finite gold_variance > 0 and noise_variance >= 0, got "
            f"{gold_variance:g} and {noise_variance:g}"
        )
    return gold_variance / (gold_variance + noise_variance)


def expected_max_normal(n: FloatArray) -> FloatArray:
    """E[max of n standard normals], the integral of x n phi(x) Phi(x)^(n-1), to about 1e-12.

    Args:
        n: Shape [k], from 1 to 1e12.

    Raises:
        InputError: An n is outside that range.
    """
    count = np.asarray(n, dtype=np.float64)
    if not np.all((count >= 1) & (count <= _LARGEST_N)):
        raise InputError(f"n: expected numbers from 1 to {_LARGEST_N:g}, got {n}")
    log_density = -0.5 * _CENTRES**2 - 0.5 * np.log(2 * np.pi)
    log_weight = log_density + np.outer(count - 1, special.log_ndtr(_CENTRES))
    step = float(_CENTRES[1] - _CENTRES[0])
    return np.asarray(count * (np.exp(log_weight) @ _CENTRES) * step)


def shrunken_gain(n: FloatArray, gold_variance: float, noise_variance: float) -> FloatArray:
    """Gain in gold of the best of n by a noisy proxy, of the shape of ``n``, gold units."""
    share = shrinkage(gold_variance, noise_variance)
    scale = float(np.sqrt(gold_variance + noise_variance))
    return share * scale * expected_max_normal(n)
