"""Many tests at once: adjusted p-values."""

from __future__ import annotations

import numpy as np

from rewardlab.types import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's step-down adjusted p-values, which bound the chance of any false rejection.

    Args:
        p_values: Shape [k]; NaN (a test that could not be made) stays NaN and is not counted.

    Returns:
        Shape [k], in [0, 1].

    Source: Holm (1979), *Scandinavian Journal of Statistics* 6, 65-70.
    """
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    scaled = p_values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(scaled)) if len(order) else scaled
    return adjusted
