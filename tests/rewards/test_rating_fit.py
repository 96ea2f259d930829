"""Linear rewards fitted to ratings."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.rewards.rating_fit import fit_ratings

RNG = np.random.default_rng(0)


def test_many_ratings_give_the_true_weights_and_none_the_prior() -> None:
    features, true = RNG.normal(size=(4000, 3)), np.array([1.0, -2.0, 0.0])
    ratings = features @ true + 0.5 * RNG.normal(size=4000)
    prior = np.array([5.0, 5.0, 5.0])
    fitted = fit_ratings(features, ratings, precision=np.ones(3), prior=prior)
    np.testing.assert_allclose(fitted, true, atol=0.05)  # 6 standard errors of 0.5 / sqrt(4000)
    none = fit_ratings(features[:0], ratings[:0], precision=np.ones(3), prior=prior)
    np.testing.assert_allclose(none, prior)


def test_the_gradient_of_the_penalised_squares_is_zero_for_each_of_many_fits() -> None:
    features, ratings = RNG.normal(size=(2, 5, 30, 3)), RNG.normal(size=(2, 5, 30))
    precision, prior = np.array([0.1, 1.0, 10.0]), RNG.normal(size=(2, 5, 3))
    weights = fit_ratings(features, ratings, precision=precision, prior=prior)
    assert weights.shape == (2, 5, 3)
    residuals = ratings - np.einsum("abnd,abd->abn", features, weights)
    pull = np.einsum("abnd,abn->abd", features, residuals)
    np.testing.assert_allclose(pull, precision * (weights - prior), atol=1e-10)


def test_a_precision_of_zero_is_refused() -> None:
    with pytest.raises(InputError, match="precision: expected positive numbers, got 0"):
        fit_ratings(np.ones((2, 1)), np.ones(2), precision=np.zeros(1), prior=np.zeros(1))
