"""Squares of single votes' gradients, against the matrix of all gradients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.rewards.items.cells import count_cells
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.vote_scores import (
    score_matrix,
    scores_by_vote,
    squares_of_single,
    summed,
)
from tests.rewards.items.battles_made import drawn


@pytest.mark.parametrize(
    "model", [ItemModel(), ItemModel(ties="davidson", position=True), ItemModel(ties="rao-kupper")]
)
@pytest.mark.parametrize("n_covariates", [0, 2])
def test_squares_are_those_of_the_whole_matrix(model: ItemModel, n_covariates: int) -> None:
    battles = drawn(6, 400)
    if n_covariates:
        z = np.random.default_rng(1).normal(size=(400, n_covariates))
        battles = replace(battles, covariates=z, covariate_names=("x", "y"))
    cells = count_cells(battles, position=model.position)
    votes = scores_by_vote(cells, fit_items(battles, model))
    root = np.sqrt(votes.times)
    tie = None if votes.tie is None else root * votes.tie[:, 0]
    dense = score_matrix(votes, root * votes.slope, tie, votes.n_rows).toarray()
    # Sums of some hundred products, of either sign.
    np.testing.assert_allclose(squares_of_single(votes), dense.T @ dense, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_clusters", [5, 4000])
def test_sums_are_alike_in_a_table_and_sorted_and_zeros_stay(n_clusters: int) -> None:
    rng = np.random.default_rng(2)
    cluster = rng.integers(n_clusters, size=300)
    columns = [rng.integers(4, size=300), np.full(300, 4)]
    values = [rng.normal(size=300), np.zeros(300)]
    found = summed(cluster, columns, values, (n_clusters, 5))
    expected = np.zeros((n_clusters, 5))
    np.add.at(expected, (cluster, columns[0]), values[0])
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-13)
    touched = {*zip(cluster, columns[0], strict=True), *zip(cluster, columns[1], strict=True)}
    assert found.has_sorted_indices and found.nnz == len(touched)
