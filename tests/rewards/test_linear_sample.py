"""What a sample tells: whole curvature of dependent features, scales alone of independent ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from rewardlab.rewards import linear_newton
from rewardlab.rewards.linear import Solver, fit
from rewardlab.rewards.linear_rows import check_rows
from rewardlab.rewards.linear_sample import sample_stride, sampled, start_and_units
from rewardlab.types import FloatArray

N, D = 8_000, 40


def simulate(*, dependent: bool, d: int = D, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Features in units of their own, independent or with common factors."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N, d))
    if dependent:
        x = 0.6 * x + 0.8 * rng.normal(size=(N, 4)) @ rng.normal(size=(4, d)) / 2
    label = rng.random(N) < special.expit(x @ rng.normal(size=d) / np.sqrt(d))
    return x * np.geomspace(1e-4, 1e4, d), label.astype(float)


@pytest.mark.parametrize("dependent", [False, True])
def test_a_noisy_samples_correlations_are_used_where_the_features_depend(dependent: bool) -> None:
    x, label = simulate(dependent=dependent)
    rows = check_rows(x, label, row_weight=None, margin=None, offset=None)
    start, units = start_and_units(rows, np.zeros(D), 1.0, sample_stride(N, D))
    assert (units.factor is not None) == dependent
    assert not start.any()


def test_a_sample_of_many_rows_a_feature_is_fitted_and_used_whole() -> None:
    x, label = simulate(dependent=False, d=4)
    rows = check_rows(x, label, row_weight=None, margin=None, offset=None)
    start, units = start_and_units(rows, np.zeros(4), 1.0, sample_stride(N, 4))
    assert units.factor is not None
    assert start.all()


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("l2", [0.0, 1.0])
def test_many_features_lead_to_newtons_weights(dependent: bool, l2: float) -> None:
    x, label = simulate(dependent=dependent)
    found = fit(x, label, l2=l2)
    rows = check_rows(x, label, row_weight=None, margin=None, offset=None)
    exact = linear_newton.solve(rows, np.zeros(D), l2, 1e-10).weights
    assert found.solver is Solver.PRECONDITIONED
    # 1e-8 standard errors, each of at most .1 in the units of its feature.
    scale = x.std(axis=0)
    np.testing.assert_allclose(found.weights * scale, exact * scale, atol=1e-8)


def test_rows_are_sampled_from_all_over_and_the_same_each_time() -> None:
    places = sampled(N, 8)
    assert np.array_equal(places // 8, np.arange(N // 8))
    assert len(np.unique(places % 8)) == 8
    assert np.array_equal(places, sampled(N, 8))
