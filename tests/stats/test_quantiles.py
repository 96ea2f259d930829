"""Normal and Student quantiles, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from rewardlab.stats.quantiles import FARTHEST, MANY_DOF, normal_above, student_of_normal


@pytest.mark.parametrize("tail", [0.5, 0.3, 0.025, 1e-4, 1e-9])
def test_a_normal_exceeds_its_quantile_as_often_as_asked(tail: float) -> None:
    assert normal_above(tail) == pytest.approx(-special.ndtri(tail), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("z", [0.0, 1.0, -1.96, 3.5, FARTHEST])
def test_the_series_errs_no_more_than_it_says(z: float) -> None:
    dof = np.array([MANY_DOF, 777.7, 5e3, 1e6])
    exact = -special.stdtrit(dof, special.ndtr(-z))
    np.testing.assert_allclose(student_of_normal(z, dof), exact, rtol=0, atol=1e-11)


@pytest.mark.parametrize("z", [1.96, 7.5])
def test_few_and_infinite_degrees_of_freedom_stand_beside_many(z: float) -> None:
    dof = np.array([1.0, 12.5, np.inf, 1e5, 499.0])
    exact = -special.stdtrit(dof, special.ndtr(-z))
    exact[2] = z
    np.testing.assert_allclose(student_of_normal(z, dof), exact, rtol=1e-11)
