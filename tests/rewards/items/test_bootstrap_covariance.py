"""Covariances and intervals from resamples: beside the sandwich, and where fits are not finite."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.covariance import item_covariance
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.item_intervals import item_intervals
from rewardlab.rewards.items.model import ItemModel, Ridge
from tests.rewards.items.simulated_battles import World, draw, with_newcomer

RNG_SEED = 7


def world(n: int, m: int, *, n_clusters: int | None = None, seed: int = RNG_SEED) -> Battles:
    rng = np.random.default_rng(seed)
    return draw(World(rng.normal(size=m), n, n_clusters=n_clusters, cluster_sd=0.5), rng)


def test_bootstrap_intervals_do_not_hang_on_an_item_that_most_resamples_lack() -> None:
    battles = world(200, 4, n_clusters=20)
    more = with_newcomer(battles, [3, 3])
    intervals = []
    for one in (battles, more):
        rng, fitted = np.random.default_rng(RNG_SEED), fit_items(one)
        told = item_covariance(
            one, fitted, kind="bootstrap", cluster=one.prompt, n_resamples=400, rng=rng
        )
        intervals.append(item_intervals(fitted, told))
    alone, beside = intervals
    width, more_width = alone.high - alone.low, beside.high[:4] - beside.low[:4]
    # The same clusters are drawn, and two votes more tell next to nothing.
    np.testing.assert_allclose(more_width, width, rtol=0.1)
    np.testing.assert_allclose(beside.std_error[:4], alone.std_error, rtol=0.1)
    assert np.isinf([beside.low[4], beside.high[4]]).all()


def test_a_bootstrap_says_that_it_does_not_show_what_a_prior_does() -> None:
    battles = world(300, 4)
    fitted = fit_items(battles, ItemModel(prior=Ridge(1.0)))
    rng = np.random.default_rng(RNG_SEED)
    found = item_covariance(battles, fitted, kind="bootstrap", n_resamples=20, rng=rng)
    assert "do not show how far the prior draws strengths in" in found.warnings[-1]


def test_the_bootstrap_agrees_with_the_sandwich() -> None:
    battles = world(3000, 5, n_clusters=80)
    fitted = fit_items(battles)
    rng = np.random.default_rng(RNG_SEED)
    drawn = item_covariance(
        battles, fitted, kind="bootstrap", cluster=battles.prompt, n_resamples=800, rng=rng
    )
    sandwich = item_covariance(battles, fitted, cluster=battles.prompt)
    # 800 draws leave 2.5% of a standard error; the jackknife form is a little wider.
    assert np.allclose(drawn.std_error, sandwich.std_error, rtol=0.1)
    quantiles, student = item_intervals(fitted, drawn), item_intervals(fitted, sandwich)
    # A 2.5% quantile of 800 draws is off by .095 standard errors: four of them.
    assert np.allclose(quantiles.low, student.low, atol=0.4 * sandwich.std_error.max())


def test_a_bootstrap_without_its_source_of_draws_is_refused() -> None:
    battles = world(100, 3)
    with pytest.raises(InputError, match="rng"):
        item_covariance(battles, fit_items(battles), kind="bootstrap")


def test_resamples_without_a_fit_widen_quantile_intervals_to_infinity() -> None:
    # Item 0 won 3 of 4: a resample of it without losses, or without votes, is common.
    a, b = np.array([0, 0, 0, 0] + [1, 2] * 50), np.array([1, 2, 1, 2] + [2, 1] * 50)
    outcome = np.array([0, 0, 0, 1] + [0, 0] * 50, dtype=np.int8)
    battles = Battles(("r", "x", "y"), a, b, outcome)
    fitted = fit_items(battles)
    rng = np.random.default_rng(RNG_SEED)
    drawn = item_covariance(battles, fitted, kind="bootstrap", n_resamples=200, rng=rng)
    assert item_intervals(fitted, drawn).high[0] == np.inf
    assert "no finite fit" in drawn.warnings[0]
