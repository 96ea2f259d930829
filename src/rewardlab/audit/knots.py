"""The n of a curve that are tested: about two an octave."""

from __future__ import annotations

import numpy as np

from rewardlab.types import IntArray


def knots(n: IntArray) -> IntArray:
    """Positions of about two n an octave: neighbours say the same and would only cost power.

    Args:
        n: Shape [k], int64, increasing from 1.

    Returns:
        Increasing positions, the first and last included.
    """
    wanted = np.unique(np.rint(2.0 ** np.arange(0, np.log2(n[-1]) + 0.25, 0.5)))
    at = np.unique(np.searchsorted(n, wanted[wanted <= n[-1]]))
    crowded = n[at] > 0.85 * n[-1]
    return np.append(at[~crowded], len(n) - 1).astype(np.int64)
