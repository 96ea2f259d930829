"""Shifts of a Gaussian's mean: KL, the optimum, and the curves of equal KL."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.gaussian_mean import equal_kl_ellipse, optimal_shift, shift_kl_nats
from rewardlab.types import FloatArray

COVARIANCE = np.array([[1.0, 0.2], [0.2, 0.3]])
GRADIENT = np.array([0.7, 1.0])


def test_kl_is_half_the_squared_distance_in_units_of_the_spread() -> None:
    shift = np.array([2.0, -1.0])
    expected = 0.5 * shift @ np.linalg.inv(COVARIANCE) @ shift
    assert shift_kl_nats(COVARIANCE, shift) == pytest.approx(expected, abs=1e-13)


def test_no_other_shift_has_a_higher_objective() -> None:
    beta, rng = 0.4, np.random.default_rng(0)

    def objective(shift: FloatArray) -> float:
        return float(GRADIENT @ shift - beta * shift_kl_nats(COVARIANCE, shift))

    best = optimal_shift(COVARIANCE, GRADIENT, beta)
    for _ in range(50):
        assert objective(best) >= objective(best + 0.1 * rng.standard_normal(2))


def test_every_point_of_an_ellipse_has_its_kl() -> None:
    points = equal_kl_ellipse(COVARIANCE, 2.5, n_points=9)
    kl = [shift_kl_nats(COVARIANCE, point) for point in points]
    np.testing.assert_allclose(kl, 2.5, atol=1e-12)
    np.testing.assert_allclose(points[0], points[-1], atol=1e-12)


def test_a_bad_beta_or_covariance_is_refused() -> None:
    with pytest.raises(InputError, match="beta"):
        optimal_shift(COVARIANCE, GRADIENT, 0.0)
    with pytest.raises(InputError, match="positive definite"):
        shift_kl_nats(-COVARIANCE, GRADIENT)
    with pytest.raises(InputError, match="symmetric"):
        shift_kl_nats(np.triu(COVARIANCE), GRADIENT)
    with pytest.raises(InputError, match="shape"):
        shift_kl_nats(COVARIANCE, np.ones(3))
    with pytest.raises(InputError, match="kl_nats >= 0"):
        equal_kl_ellipse(COVARIANCE, -1.0)
