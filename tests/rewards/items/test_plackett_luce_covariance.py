"""Covariance of strengths from rankings: a slow twin, coverage, and what one ranking tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.battles import battles_of_games
from rewardlab.preferences.item_rankings import (
    ItemRankings,
    rankings_of_orders,
    read_item_rankings,
)
from rewardlab.rewards.items.covariance import item_covariance
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.item_intervals import item_intervals
from rewardlab.rewards.items.model import Ridge
from rewardlab.rewards.items.plackett_luce import fit_rankings
from rewardlab.rewards.items.plackett_luce_covariance import ranking_covariance
from rewardlab.types import BoolArray, FloatArray
from tests.rewards.items.simulated_rankings import drawn_rankings


def one_by_one(rankings: ItemRankings, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(score, Hessian) of each ranking, choice by choice; the slow twin."""
    n, m = len(rankings), rankings.n_items
    score, hessian = np.zeros((n, m)), np.zeros((n, m, m))
    for r in range(n):
        listed = rankings.order[rankings.first[r] : rankings.first[r + 1]]
        for t in range(min(int(rankings.n_ranked[r]), len(listed) - 1)):
            chance = np.zeros(m)
            chance[listed[t:]] = np.exp(s[listed[t:]]) / np.exp(s[listed[t:]]).sum()
            score[r] += chance
            score[r, listed[t]] -= 1
            hessian[r] += np.diag(chance) - np.outer(chance, chance)
    return score, hessian


def some_rankings(n: int = 40, *, ranked: int = 3, seed: int = 0) -> ItemRankings:
    rng = np.random.default_rng(seed)
    return drawn_rankings(rng.normal(size=6), n, 5, rng, ranked=ranked)


def test_the_inverse_hessian_is_that_of_the_choices() -> None:
    rankings = some_rankings()
    fitted = fit_rankings(rankings)
    _, hessian = one_by_one(rankings, fitted.strength)
    expected = np.linalg.pinv(hessian.sum(axis=0))
    found = ranking_covariance(rankings, fitted, kind="hessian")
    assert np.allclose(found.matrix, expected, atol=1e-10)


def test_the_sandwich_leaves_out_one_ranking_at_a_time() -> None:
    rankings = some_rankings()
    fitted = fit_rankings(rankings)
    score, hessian = one_by_one(rankings, fitted.strength)
    moves = np.array(
        [
            np.linalg.pinv(hessian.sum(axis=0) - mine, rcond=1e-9) @ u
            for u, mine in zip(score, hessian, strict=True)
        ]
    )
    found = ranking_covariance(rankings, fitted)
    assert np.allclose(found.matrix, moves.T @ moves * 39 / 40, rtol=1e-8, atol=1e-12)
    assert found.n_clusters == 40 and found.method.endswith("40 rankings")


def test_two_items_a_ranking_have_the_covariance_of_bradley_terry() -> None:
    rng = np.random.default_rng(1)
    rankings = drawn_rankings(rng.normal(size=5), 200, 2, rng)
    winner, loser = rankings.order.reshape(-1, 2).T
    battles = battles_of_games(winner, loser, rankings.names)
    pairs = item_covariance(battles, fit_items(battles, tol=1e-12))
    found = ranking_covariance(rankings, fit_rankings(rankings))
    assert np.allclose(found.matrix, pairs.matrix, atol=1e-9)
    assert np.allclose(found.dof, pairs.dof)


def test_a_weight_is_that_many_rankings_and_a_cluster_is_one() -> None:
    orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1]]
    times = np.array([3, 2, 4, 2])
    weighted = rankings_of_orders(orders, 3, weight=times.astype(float))
    repeated = rankings_of_orders([orders[k] for k in np.repeat(np.arange(4), times)], 3)
    clustered = rankings_of_orders(
        [orders[k] for k in np.repeat(np.arange(4), times)],
        3,
        cluster=np.repeat(np.arange(4), times),
    )
    one, other, together = (
        ranking_covariance(each, fit_rankings(each)) for each in (weighted, repeated, clustered)
    )
    assert np.allclose(one.matrix, other.matrix, atol=1e-9)
    assert (one.n_clusters, together.n_clusters) == (11, 4)
    assert np.trace(together.matrix) > 2 * np.trace(one.matrix)


def test_a_driver_of_one_race_has_no_sandwich_interval(data_dir: Path) -> None:
    races = read_item_rankings(data_dir / "nascar2002.csv.gz", ranking="race", item="driver_id")
    fitted = fit_rankings(races)
    found = ranking_covariance(races, fitted)
    n_races = np.bincount(races.order, minlength=83)
    assert np.array_equal(found.cannot_say, n_races == 1)
    assert np.isinf(item_intervals(fitted, found).high[n_races == 1]).all()


def test_a_ridge_widens_nothing_by_rankings_that_are_not_there() -> None:
    rankings = some_rankings()
    free, held = fit_rankings(rankings), fit_rankings(rankings, prior=Ridge(5.0))
    assert np.all(
        ranking_covariance(rankings, held, kind="hessian").std_error
        < ranking_covariance(rankings, free, kind="hessian").std_error
    )


def test_one_cluster_is_refused() -> None:
    rankings = rankings_of_orders([[0, 1, 2], [2, 1, 0]], 3, cluster=np.zeros(2, dtype=np.int64))
    with pytest.raises(EstimationError, match="one cluster"):
        ranking_covariance(rankings, fit_rankings(rankings))


def test_a_fit_of_other_items_is_refused() -> None:
    rankings = some_rankings()
    other = rankings_of_orders([[0, 1], [1, 0]], ["x", "y"])
    with pytest.raises(InputError, match="expected a fit of these rankings' items"):
        ranking_covariance(rankings, fit_rankings(other))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "ranked"), [(60, 5), (150, 2)])
def test_intervals_cover_planted_strengths(n: int, ranked: int) -> None:
    rng, truth = np.random.default_rng(2), np.linspace(-1.2, 1.2, 8)
    hit: dict[str, list[BoolArray]] = {"sandwich": [], "hessian": []}
    for _ in range(400):
        rankings = drawn_rankings(truth, n, 5, rng, ranked=ranked)
        fitted = fit_rankings(rankings)
        sandwich = item_intervals(fitted, ranking_covariance(rankings, fitted))
        exact = item_intervals(fitted, ranking_covariance(rankings, fitted, kind="hessian"))
        for kind, ends in (("sandwich", sandwich), ("hessian", exact)):
            hit[kind].append((ends.low <= truth) & (truth <= ends.high))
    for covered in hit.values():
        # 3,200 intervals that depend on each other: the share's error is below .01.
        assert 0.935 <= np.mean(covered) <= 0.975
