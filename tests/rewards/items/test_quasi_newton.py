"""Steps from gradients alone: to the minimum, back from where nothing is defined, or an error."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.items.quasi_newton import minimise
from rewardlab.types import FloatArray


def largest(gradient: FloatArray) -> float:
    return float(np.max(np.abs(gradient)))


def test_a_badly_scaled_quadratic_is_minimised() -> None:
    curvature = np.geomspace(0.1, 100, 40)
    centre = np.linspace(-2, 3, 40)
    end = minimise(
        lambda x: curvature * (x - centre),
        np.zeros(40),
        diagonal=np.ones(40),
        norm_fn=largest,
        tol=1e-10,
    )
    assert np.allclose(end.x, centre, rtol=0, atol=1e-10 / curvature.min())


def test_a_step_out_of_the_domain_is_shortened() -> None:
    # x - log x, defined for x > 0 only; its minimum is at 1.
    def gradient(x: FloatArray) -> FloatArray:
        return np.where(x > 0, 1 - 1 / np.where(x > 0, x, 1), np.nan)

    end = minimise(gradient, np.full(1, 7.0), diagonal=np.full(1, 0.1), norm_fn=largest, tol=1e-9)
    assert end.x[0] == pytest.approx(1, abs=1e-8)


def test_what_is_not_reached_raises_with_the_figure() -> None:
    curvature = np.geomspace(1e-6, 1, 50)
    with pytest.raises(ConvergenceError, match=r"3 steps \(gradient .*e.* expected 1.0e-12"):
        minimise(
            lambda x: curvature * (x - 1),
            np.zeros(50),
            diagonal=np.ones(50),
            norm_fn=largest,
            tol=1e-12,
            max_steps=3,
        )
