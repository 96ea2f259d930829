"""Means over clusters, their resampling, and critical values of the largest statistic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import InputError
from rewardlab.stats.bootstrap import bootstrap_means, max_t_quantile, mean_curve


def test_mean_curve_agrees_with_numpy() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 3))
    curve = mean_curve(rows)
    np.testing.assert_allclose(curve.mean, rows.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(curve.covariance, np.cov(rows.T) / 50, rtol=1e-12)
    assert curve.dof == 49


def test_columns_without_variation_have_no_standard_error() -> None:
    rows = np.column_stack([np.full(20, 0.1) * 3, np.arange(20.0)])
    assert mean_curve(rows).std_error[0] == 0.0
    with pytest.raises(InputError, match="at least 2 clusters"):
        mean_curve(rows[:1])


def test_bootstrap_spread_equals_the_analytic_standard_error() -> None:
    rng = np.random.default_rng(2)
    rows = rng.gamma(2.0, size=(200, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]])
    means = bootstrap_means(rows, n_resamples=4000, rng=rng)
    # Resampling divides by G, the estimate by G - 1; a spread of 4,000 draws is good to 1.1%.
    expected = mean_curve(rows).std_error * np.sqrt(199 / 200)
    np.testing.assert_allclose(means.std(axis=0), expected, rtol=0.04)
    np.testing.assert_allclose(means.mean(axis=0), rows.mean(axis=0), atol=4 * expected.max() / 63)


def test_bootstrap_in_blocks_weighs_every_cluster_alike() -> None:
    rows = np.eye(3000)[:, :5]
    means = bootstrap_means(rows, n_resamples=3000, rng=np.random.default_rng(3))
    # Each cluster is drawn once on average in each resample: 3,000 Poisson counts, sd 1/sqrt(3000).
    np.testing.assert_allclose(means.mean(axis=0) * 3000, 1.0, atol=0.08)


@pytest.mark.parametrize(("two_sided", "tail"), [(True, 0.975), (False, 0.95)])
def test_one_statistic_has_the_student_quantile(two_sided: bool, tail: float) -> None:
    found = max_t_quantile(
        np.array([[4.0]]),
        dof=9,
        level=0.95,
        two_sided=two_sided,
        rng=np.random.default_rng(4),
        n_draws=200_000,
    )
    # 200,000 draws place the quantile within about .01.
    assert found == pytest.approx(float(special.stdtrit(9, tail)), abs=0.04)


def test_independent_statistics_have_the_sidak_quantile() -> None:
    found = max_t_quantile(
        np.eye(10),
        dof=100_000,
        level=0.95,
        two_sided=True,
        rng=np.random.default_rng(5),
        n_draws=200_000,
    )
    expected = float(special.ndtri(0.5 + 0.95**0.1 / 2))
    assert found == pytest.approx(expected, abs=0.03)


def test_equal_statistics_count_once_and_still_ones_not_at_all() -> None:
    covariance = np.ones((5, 5))
    covariance[4] = covariance[:, 4] = 0.0
    found = max_t_quantile(
        covariance,
        dof=100_000,
        level=0.95,
        two_sided=True,
        rng=np.random.default_rng(6),
        n_draws=100_000,
    )
    assert found == pytest.approx(1.96, abs=0.03)
    nothing = max_t_quantile(
        np.zeros((2, 2)), dof=5, level=0.95, two_sided=True, rng=np.random.default_rng(7)
    )
    assert nothing == pytest.approx(float(special.stdtrit(5, 0.975)))
