"""How near the maximum a fit of many comparisons ends, against where a library stops by default."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, special
from sklearn.linear_model import LogisticRegression

from rewardlab.rewards.linear import fit
from rewardlab.types import FloatArray


@pytest.mark.slow
def test_a_million_comparisons_are_fitted_nearer_than_by_a_default_tolerance() -> None:
    """scikit-learn's default leaves a part of a standard error at 1e6 comparisons by 100."""
    rng = np.random.default_rng(0)
    n, d = 1_000_000, 100
    x = rng.standard_normal((n, d), dtype=np.float32) * np.geomspace(0.3, 3, d, dtype=np.float32)
    truth = rng.normal(size=d) / np.geomspace(0.3, 3, d) * 0.15
    label = (rng.random(n) < special.expit(x @ truth)).astype(float)
    weights = fit(x, label).weights

    def gradient_and_curvature(w: FloatArray) -> tuple[FloatArray, FloatArray]:
        p = special.expit(x @ w)
        scaled = x * np.sqrt(p * (1 - p))[:, None].astype(np.float32)
        return (p - label) @ x, (scaled.T @ scaled).astype(float)

    def short_by(w: FloatArray) -> float:
        """Standard errors to the maximum, in the worst direction: the length of Newton's step."""
        gradient, curvature = gradient_and_curvature(w)
        return float(np.sqrt(gradient @ linalg.solve(curvature, gradient, assume_a="pos")))

    peer = LogisticRegression(C=np.inf, fit_intercept=False).fit(x, label).coef_[0].astype(float)
    assert short_by(peer) > 0.1
    assert short_by(weights) < 1e-4
