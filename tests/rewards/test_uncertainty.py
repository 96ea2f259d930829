"""Exact uncertainty of a linear reward: against draws of weights, and away from the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import InputError
from rewardlab.rewards.linear import fit, hessian
from rewardlab.rewards.linear_reward import LinearReward
from rewardlab.rewards.uncertainty import CautiousReward, posterior_covariance, reward_sd

RNG = np.random.default_rng(0)
DIFFERENCES = RNG.standard_normal((300, 3)) * np.array([1.0, 1.0, 0.05])
LABEL = (RNG.random(300) < special.expit(DIFFERENCES @ np.array([1.0, -0.5, 1.0]))).astype(float)
FITTED = fit(DIFFERENCES, LABEL, l2=1.0)
COVARIANCE = posterior_covariance(hessian(FITTED.weights, DIFFERENCES, LABEL, l2=1.0))
CENTRE = np.array([0.1, 0.2, 0.3])


def test_the_deviation_is_that_of_rewards_under_drawn_weights() -> None:
    x = RNG.standard_normal((5, 3))
    weights = RNG.multivariate_normal(FITTED.weights, COVARIANCE, size=100_000)
    drawn = ((x - CENTRE) @ weights.T).std(axis=1)
    # The standard error of a standard deviation from 100,000 draws is .22%.
    np.testing.assert_allclose(reward_sd(x, COVARIANCE, CENTRE), drawn, rtol=0.01)


def test_uncertainty_is_zero_at_the_centre_and_grows_in_proportion_to_the_distance() -> None:
    away = np.outer([0.0, 1.0, 2.0, 10.0], [1.0, 1.0, 1.0])
    sd = reward_sd(CENTRE + away, COVARIANCE, CENTRE)
    np.testing.assert_allclose(sd, sd[1] * np.array([0.0, 1.0, 2.0, 10.0]), atol=1e-12)


def test_directions_that_were_hardly_compared_are_the_uncertain_ones() -> None:
    sd = reward_sd(np.eye(3), COVARIANCE, np.zeros(3))
    assert sd[2] > 5 * max(sd[0], sd[1])
    # Nothing but the prior of variance 1 / l2 is known of them.
    assert sd[2] == pytest.approx(1.0, abs=0.1)


def test_caution_of_zero_is_the_plain_reward_and_columns_are_read_by_name() -> None:
    names = ("p", "q", "r")
    x = RNG.standard_normal((4, 3))
    columns = {name: x[:, j].tolist() for j, name in enumerate(names)}
    plain, careful = (
        CautiousReward(LinearReward(FITTED.weights, names, CENTRE), COVARIANCE, caution)
        for caution in (0.0, 2.0)
    )
    expected = (x - CENTRE) @ FITTED.weights
    np.testing.assert_allclose(plain([""] * 4, [""] * 4, **columns), expected, atol=1e-12)
    sd = reward_sd(x, COVARIANCE, CENTRE)
    given = careful([""] * 4, [""] * 4, **columns)
    np.testing.assert_allclose(given, expected - 2 * sd, atol=1e-12)


def test_a_direction_without_uncertainty_has_a_deviation_of_zero_whatever_rounding_does() -> None:
    known = np.array([1.0, 0.1, 0.3])
    x = RNG.standard_normal((1000, 3))
    x -= np.outer(x @ known, known) / (known @ known)
    sd = reward_sd(x, np.outer(known, known), np.zeros(3))
    np.testing.assert_allclose(sd, 0.0, atol=1e-7)


def test_values_outside_their_range_are_refused() -> None:
    linear = LinearReward(FITTED.weights, ("p", "q", "r"), CENTRE)
    with pytest.raises(InputError, match="caution: expected"):
        CautiousReward(linear, COVARIANCE, -1.0)
    with pytest.raises(InputError, match=r"covariance: expected \(3, 3\), got \(2, 2\)"):
        CautiousReward(linear, np.eye(2), 1.0)
    with pytest.raises(InputError, match=r"columns\['p'\]: expected a number for each row"):
        linear([""], [""], p=["x"], q=[1], r=[1])
