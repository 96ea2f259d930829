"""Illustrative coefficients of the laws for reward models of different sizes."""

from __future__ import annotations

import numpy as np

from rewardlab.audit.scaling_laws import Law
from rewardlab.errors import InputError

SMALLEST, LARGEST = 3.0, 3000.0
"""Millions of parameters: the sizes that the source trained."""

_SLOPE = 0.7
_BEND = {Law.BEST_OF_N: (0.21, 0.045), Law.RL: (0.32, 0.036)}
"""b at the smallest size, and what each factor of ten takes from it."""


def illustrative_coefficients(law: Law, size_millions: float) -> tuple[float, float]:
    """(a, b) of a law for a reward model of this size, in units of gold.

    b falls with the logarithm of the size, a stays. The source shows its coefficients in figures
    only: these follow their trend and put the peaks at the KL seen there (a few nats for the
    smallest model under best-of-n, dozens for the largest), and are no measurement.

    Args:
        law: Which form.
        size_millions: Parameters of the reward model, in millions, 3 to 3,000.

    Raises:
        InputError: The size is outside that range.

    Source: figure 3 of Gao, Schulman and Hilton (2022), arXiv 2210.10760, for the trend.
    """
    if not SMALLEST <= size_millions <= LARGEST:
        raise InputError(
            f"size_millions: expected {SMALLEST:g} to {LARGEST:g}, got {size_millions:g}"
        )
    at_smallest, per_decade = _BEND[law]
    return _SLOPE, float(at_smallest - per_decade * np.log10(size_millions / SMALLEST))
