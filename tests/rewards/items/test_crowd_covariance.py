"""Covariance of a crowd's strengths: second derivatives, and what not knowing who flips costs."""

from __future__ import annotations

import numpy as np

from rewardlab.rewards.items.covariance import item_covariance
from rewardlab.rewards.items.crowd import fit_crowd
from rewardlab.rewards.items.crowd_covariance import marginal_information
from rewardlab.rewards.items.crowd_fitting import (
    concentration_curvature,
    concentration_penalty,
    fit_votes,
)
from rewardlab.rewards.items.crowd_model import FlipPrior, crowd_point, decided_votes
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.types import FloatArray
from tests.rewards.items.simulated_crowd import centred_normals, crowd_votes

STEP = 1e-5
"""Of central differences, whose error is then near 1e-9 of derivatives near 4."""


def test_the_information_is_minus_the_derivative_of_the_gradient() -> None:
    rng = np.random.default_rng(1)
    battles = crowd_votes(centred_normals(4, rng), np.array([0.1, 0.3, 0.5]), 60, rng)
    assert battles.annotator is not None
    votes, _ = decided_votes(battles, battles.annotator.astype(np.int64))
    fitted = fit_votes(votes, np.zeros(4), Ridge(0.1), tol=1e-6)

    def gradient(x: FloatArray) -> FloatArray:
        at = crowd_point(votes, x[:-2], FlipPrior(*np.exp(x[-2:]).tolist()), fitted.nodes)
        return np.concatenate([at.by_strength, at.by_prior])

    here = np.append(fitted.s, np.log([fitted.prior.a, fitted.prior.b]))
    steps = STEP * np.eye(6)
    slopes = [(gradient(here - step) - gradient(here + step)) / (2 * STEP) for step in steps]
    assert np.allclose(marginal_information(votes, fitted), slopes, atol=1e-7)
    penalty = [
        (concentration_penalty(here + step)[1] - concentration_penalty(here - step)[1]) / (2 * STEP)
        for step in steps[4:]
    ]
    assert np.allclose(concentration_curvature(fitted.prior), penalty, atol=1e-9)


def test_a_crowd_alike_leaves_strengths_surer_than_a_rate_for_each_would() -> None:
    """Ten votes each of 60 who never flip; how the crowd differs is still to be estimated."""
    rng = np.random.default_rng(5)
    battles = crowd_votes(centred_normals(6, rng), np.zeros(60), 10, rng)
    model = ItemModel(ties="leave-out", prior=Ridge(0.1))
    plain = item_covariance(battles, fit_items(battles, model), kind="hessian")
    ratio = fit_crowd(battles).covariance.std_error / plain.std_error
    # Measured 1.38 times the errors with rates known to be 0; 2.38 with a rate for each alone.
    assert 1.0 < ratio.mean() < 1.6
