"""Linear rewards fitted to ratings, many at once, each drawn towards a prior."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray


def fit_ratings(
    features: FloatArray, ratings: FloatArray, *, precision: FloatArray, prior: FloatArray
) -> FloatArray:
    """Weights that minimise sum (y - x.w)^2 + sum lambda_j (w_j - prior_j)^2.

    Args:
        features: Shape [..., n, d].
        ratings: Shape [..., n].
        precision: Shape [d]; lambda, > 0.
        prior: Shape [..., d]; the weights where no rating says otherwise.

    Returns:
        Shape [..., d].

    Raises:
        InputError: A precision is not positive.
    """
    if not np.all(precision > 0):
        raise InputError(f"precision: expected positive numbers, got {precision.min():g}")
    transposed = np.swapaxes(features, -1, -2)
    normal = transposed @ features + np.diag(precision)
    right = (transposed @ ratings[..., None])[..., 0] + precision * prior
    return np.asarray(np.linalg.solve(normal, right[..., None])[..., 0])
