"""Cluster-robust covariance: against plain loops and known special cases."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import EstimationError
from rewardlab.stats import clusters
from rewardlab.stats.clusters import cluster_covariance
from rewardlab.types import FloatArray, IntArray


def rows(n_clusters: int, d: int, seed: int = 0) -> tuple[FloatArray, FloatArray, IntArray]:
    """Features, residuals of least squares and clusters of unequal sizes, in random order."""
    rng = np.random.default_rng(seed)
    cluster = rng.permutation(np.repeat(np.arange(n_clusters), rng.integers(1, 9, n_clusters)))
    x = rng.normal(size=(len(cluster), d))
    y = x @ np.ones(d) + rng.normal(size=n_clusters)[cluster] + rng.normal(size=len(cluster))
    return x, y - x @ np.linalg.lstsq(x, y, rcond=None)[0], cluster


def test_the_jackknife_is_the_spread_of_least_squares_without_each_cluster() -> None:
    x, residual, cluster = rows(12, 3)
    y = residual  # the fit to residuals is 0, so that each move is the estimate itself
    moves = np.array(
        [np.linalg.lstsq(x[cluster != g], y[cluster != g], rcond=None)[0] for g in range(12)]
    )
    found = cluster_covariance(x, residual, np.ones(len(x)), cluster)
    # Least squares is linear, so the first-order move is exact; 1e-10 is rounding.
    np.testing.assert_allclose(found.matrix, 11 / 12 * moves.T @ moves, rtol=1e-10)
    assert "jackknife" in found.method


def test_the_sandwich_is_its_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "JACKKNIFE_CLUSTERS", 5)
    x, residual, cluster = rows(12, 3)
    curvature = np.random.default_rng(1).uniform(0.1, 1, len(x))
    bread = np.linalg.inv(x.T @ (x * curvature[:, None]))
    scores = np.array([x[cluster == g].T @ residual[cluster == g] for g in range(12)])
    found = cluster_covariance(x, residual, curvature, cluster)
    expected = bread @ scores.T @ scores @ bread * 12 / 11
    np.testing.assert_allclose(found.matrix, expected, rtol=1e-10)
    assert "sandwich" in found.method


def test_jackknife_and_sandwich_agree_with_many_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    x, residual, cluster = rows(2000, 2)
    jackknife = cluster_covariance(x, residual, np.ones(len(x)), cluster).std_error
    monkeypatch.setattr(clusters, "JACKKNIFE_CLUSTERS", 5)
    sandwich = cluster_covariance(x, residual, np.ones(len(x)), cluster).std_error
    # They differ by the leverage of a cluster, about d / G = .001.
    np.testing.assert_allclose(jackknife, sandwich, rtol=0.01)


def test_equal_clusters_give_one_degree_of_freedom_less_than_clusters() -> None:
    x = np.tile(np.eye(2), (10, 1))
    cluster = np.repeat(np.arange(10), 2)
    score = np.random.default_rng(0).normal(size=20)
    found = cluster_covariance(x, score, np.ones(20), cluster)
    np.testing.assert_allclose(found.dof, 9, rtol=1e-12)


def test_a_feature_that_lives_in_few_clusters_has_few_degrees_of_freedom() -> None:
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(50), 4)
    x = rng.normal(size=(200, 2))
    x[cluster >= 5, 1] = 0
    found = cluster_covariance(x, rng.normal(size=200), np.ones(200), cluster)
    assert found.dof[0] > 30
    assert found.dof[1] < 4


def test_no_more_clusters_than_estimates_plus_one_is_refused_and_fewer_features_cure_it() -> None:
    x, residual, cluster = rows(5, 4)
    with pytest.raises(EstimationError, match=r"5 clusters cannot bear 4 estimates.*6 clusters"):
        cluster_covariance(x, residual, np.ones(len(x)), cluster)
    assert cluster_covariance(x[:, :2], residual, np.ones(len(x)), cluster).n_clusters == 5


def test_an_estimate_that_hangs_on_one_cluster_is_refused() -> None:
    x, residual, cluster = rows(12, 3)
    x[cluster != 4, 1] = 0
    with pytest.raises(EstimationError, match="one cluster alone carries"):
        cluster_covariance(x, residual, np.ones(len(x)), cluster)


def test_one_cluster_is_refused() -> None:
    with pytest.raises(EstimationError, match="one cluster"):
        cluster_covariance(np.ones((3, 1)), np.ones(3), np.ones(3), np.zeros(3, dtype=np.int64))
