"""Squares of single votes' gradients, against the matrix of all gradients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.rewards.items.cells import count_cells
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.vote_scores import score_matrix, scores_by_vote, squares_of_single
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
