"""Squares of clusters' sums, against matrices of all sums, for clusters of any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.rewards.items import cluster_squares
from rewardlab.rewards.items.cluster_squares import (
    cluster_order,
    squared_shares,
    squares_of_clusters,
)
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.vote_scores import VoteScores, score_matrix, scores_by_cluster, summed
from tests.rewards.items.battles_made import drawn

N, M = 600, 9


def clustered(n_clusters: int, *, model: ItemModel, n_covariates: int = 0) -> VoteScores:
    rng, battles = np.random.default_rng(1), drawn(M, N)
    if n_covariates:
        z = rng.normal(size=(N, n_covariates))
        battles = replace(battles, covariates=z, covariate_names=("x", "y"))
    cluster = rng.integers(n_clusters, size=N)
    cluster[: N // 10] = 0  # one that is larger than all others
    votes = scores_by_cluster(battles, fit_items(battles, model), cluster)
    order = cluster_order(votes.cluster)
    assert order is not None
    times = rng.integers(1, 4, votes.n_rows).astype(float)
    return replace(votes.take(order), times=times[votes.cluster[order]])


@pytest.mark.parametrize("together", [1, 5, 100])
@pytest.mark.parametrize("n_clusters", [3, 40, 400])
@pytest.mark.parametrize("model", [ItemModel(), ItemModel(ties="davidson", position=True)])
def test_squares_are_those_of_the_matrix_of_all_sums(
    together: int, n_clusters: int, model: ItemModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_squares, "MOST_TOGETHER", together)
    monkeypatch.setattr(cluster_squares, "ENTRIES_AT_ONCE", 50)
    votes = clustered(n_clusters, model=model, n_covariates=2)
    root = np.sqrt(votes.times)
    tie = None if votes.tie is None else root * votes.tie[:, 0]
    dense = score_matrix(votes, root * votes.slope, tie, votes.n_rows).toarray()
    # Sums of some hundred products, of either sign.
    np.testing.assert_allclose(squares_of_clusters(votes), dense.T @ dense, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("together", [1, 5, 100])
@pytest.mark.parametrize("n_clusters", [3, 40, 400])
def test_squared_shares_are_those_of_the_matrix_of_all_sums(
    together: int, n_clusters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_squares, "MOST_TOGETHER", together)
    votes = clustered(n_clusters, model=ItemModel())
    share_i, share_j = np.random.default_rng(2).random((2, N))
    sums = summed(votes.cluster, [votes.i, votes.j], [share_i, share_j], (votes.n_rows, M))
    often = np.zeros(votes.n_rows)
    often[votes.cluster] = votes.times
    # Sums of positive terms.
    np.testing.assert_allclose(
        squared_shares(votes, share_i, share_j), often @ sums.toarray() ** 2, rtol=1e-12
    )


@pytest.mark.parametrize("most", [10, 100_000, 10_000_000_000])
def test_the_order_is_that_of_a_stable_sort(most: int) -> None:
    cluster = np.random.default_rng(3).integers(most, size=1000)
    order = cluster_order(cluster)
    assert order is not None
    assert np.array_equal(order, np.argsort(cluster, kind="stable"))
    assert cluster_order(np.sort(cluster)) is None
