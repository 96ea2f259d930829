"""Plackett-Luce: against published figures, choix, MM steps, Bradley-Terry and derivatives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import SeparationError
from rewardlab.preferences.battles import battles_of_games
from rewardlab.preferences.item_rankings import (
    ItemRankings,
    rankings_of_orders,
    read_item_rankings,
)
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import Gamma, Ridge
from rewardlab.rewards.items.plackett_luce import (
    evaluate_rankings,
    fit_rankings,
    rankings_hessian,
)
from rewardlab.rewards.items.plackett_luce_terms import blocks, hessian_product
from rewardlab.types import FloatArray
from tests.rewards.items.simulated_rankings import drawn_rankings

HUNTER = {"58": 4.15, "68": 3.62, "51": 2.08, "15": 0.03, "17": -0.31, "40": -0.15}
"""Log strengths of PJ Jones, Scott Pruett, Mark Martin, Dave Marcis, Dick Trickle and Joe Varde
(the three of best and of worst average place), less that of driver 1.

Source: Hunter (2004), *Annals of Statistics* 32, table 2, as the documentation of the R package
PlackettLuce 0.4.3 prints them (``?nascar``); drivers have its numbers."""


def by_mm(rankings: ItemRankings, n_steps: int) -> FloatArray:
    """Strengths by Hunter's MM steps, one choice at a time; the slow twin."""
    worth = np.ones(rankings.n_items)
    for _ in range(n_steps):
        wins, spread = np.zeros(len(worth)), np.zeros(len(worth))
        for r in range(len(rankings)):
            listed = rankings.order[rankings.first[r] : rankings.first[r + 1]]
            for t in range(min(int(rankings.n_ranked[r]), len(listed) - 1)):
                wins[listed[t]] += rankings.weights[r]
                spread[listed[t:]] += rankings.weights[r] / worth[listed[t:]].sum()
        worth = wins / spread
        worth /= np.exp(np.log(worth).mean())
    return np.log(worth)


def test_strengths_of_nascar_drivers_are_those_that_hunter_published(data_dir: Path) -> None:
    races = read_item_rankings(data_dir / "nascar2002.csv.gz", ranking="race", item="driver_id")
    fitted = fit_rankings(races)
    strength = dict(zip(fitted.names, fitted.strength - fitted.strength.mean(), strict=True))
    found = {name: round(strength[name] - strength["1"], 2) for name in HUNTER}
    assert (len(races), len(fitted.names)) == (36, 83)
    assert found == HUNTER


def test_strengths_equal_those_of_choix() -> None:
    rng = np.random.default_rng(1)
    rankings = drawn_rankings(rng.normal(size=8), 60, 4, rng)
    listed = [tuple(map(int, each)) for each in rankings.order.reshape(60, 4)]
    peer = choix.ilsr_rankings(8, listed, tol=1e-12)
    assert np.allclose(fit_rankings(rankings).strength, peer - peer.mean(), atol=1e-6)


@pytest.mark.parametrize("ranked", [1, 2, 4])
def test_top_lists_reach_the_fixed_point_of_the_mm_steps(ranked: int) -> None:
    rng = np.random.default_rng(2)
    rankings = drawn_rankings(rng.normal(size=5), 60, 4, rng, ranked=ranked)
    # MM converges linearly, here by a factor below .8 a step: .8^150 is 3e-15.
    assert np.allclose(fit_rankings(rankings).strength, by_mm(rankings, 150), atol=1e-9)


def test_two_items_a_ranking_are_bradley_terry() -> None:
    rng = np.random.default_rng(3)
    rankings = drawn_rankings(rng.normal(size=7), 300, 2, rng)
    winner, loser = rankings.order.reshape(-1, 2).T
    pairs = fit_items(battles_of_games(winner, loser, rankings.names), tol=1e-13)
    fitted = fit_rankings(rankings, tol=1e-13)
    assert np.allclose(fitted.strength, pairs.strength, rtol=0, atol=1e-10)
    assert fitted.log_loss == pytest.approx(pairs.log_loss, abs=1e-12)


def test_the_last_item_of_a_full_ranking_need_not_be_in_order() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=5)
    full = drawn_rankings(truth, 50, 4, np.random.default_rng(5))
    top = drawn_rankings(truth, 50, 4, np.random.default_rng(5), ranked=3)
    assert np.array_equal(fit_rankings(full).strength, fit_rankings(top).strength)


def test_a_weight_is_that_many_rankings() -> None:
    orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    weighted = rankings_of_orders(orders, 3, weight=np.array([3.0, 1.0, 2.0]))
    repeated = rankings_of_orders([orders[k] for k in (0, 0, 0, 1, 2, 2)], 3)
    one, other = fit_rankings(weighted), fit_rankings(repeated)
    assert np.allclose(one.strength, other.strength, atol=1e-10)
    assert one.n == other.n and one.n_votes.tolist() == other.n_votes.tolist()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_derivatives_are_those_of_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(5)[: rng.integers(2, 6)].tolist() for _ in range(6)]
    cut = [int(rng.integers(1, len(order) + 1)) for order in orders]
    rankings = rankings_of_orders(
        [order[:k] for order, k in zip(orders, cut, strict=True)],
        5,
        lower=[order[k:] for order, k in zip(orders, cut, strict=True)],
        weight=rng.uniform(0.5, 2, size=6),
    )
    parts, prior = blocks(rankings), Gamma(2.0)
    s, v, h = rng.normal(size=5), rng.normal(size=5), 1e-5
    at = evaluate_rankings(parts, s, prior)
    ahead, behind = (evaluate_rankings(parts, s + side * h * v, prior) for side in (1, -1))
    # Central differences err by h^2 times a third derivative of order 100, and by rounding / h.
    assert at.gradient @ v == pytest.approx((ahead.loss - behind.loss) / (2 * h), abs=1e-7)
    hessian = rankings_hessian(parts, at)
    assert np.allclose(hessian @ v, (ahead.gradient - behind.gradient) / (2 * h), atol=1e-6)
    product = hessian_product(parts, at.terms, v) + at.prior_curvature * v
    assert np.allclose(hessian @ v, product, atol=1e-12)


def test_steps_without_the_hessian_lead_to_the_same_strengths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(6)
    rankings = drawn_rankings(rng.normal(size=30), 200, 5, rng)
    dense = fit_rankings(rankings)
    monkeypatch.setattr("rewardlab.rewards.items.plackett_luce.DENSE_ITEMS", 0)
    free = fit_rankings(rankings)
    assert (dense.solver, free.solver) == (
        "Plackett-Luce, Newton",
        "Plackett-Luce, Newton with conjugate gradients",
    )
    assert np.allclose(dense.strength, free.strength, atol=1e-8)


@pytest.mark.parametrize("weight", [3.3, 1.1e3, 1.1e7])
def test_steps_without_the_hessian_bear_rounding_of_many_rankings(
    weight: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rewardlab.rewards.items.plackett_luce.DENSE_ITEMS", 0)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        once = drawn_rankings(rng.normal(size=30), 300, 6, rng)
        many = replace(once, weight=np.full(300, weight))
        # The last steps are found to 1e-6 of their lengths, which are below 1 here.
        assert np.allclose(fit_rankings(many).strength, fit_rankings(once).strength, atol=1e-5)


def test_a_long_chain_is_solved_to_its_end() -> None:
    # Item k is ranked above k + 1 in 19 of 20 rankings, so that they are log 19 apart.
    orders = [[k, k + 1] for k in range(59)] + [[k + 1, k] for k in range(59)]
    rankings = rankings_of_orders(orders, 60, weight=np.repeat([19.0, 1.0], 59))
    gaps = -np.diff(fit_rankings(rankings).strength)
    assert np.allclose(gaps, np.log(19), atol=1e-7)


def test_items_never_ranked_below_others_are_named() -> None:
    rankings = rankings_of_orders([[0, 1, 2], [0, 2, 1]], ["best", "x", "y"])
    with pytest.raises(SeparationError, match="best never ranked below the others"):
        fit_rankings(rankings)


def test_an_item_only_known_to_be_lower_is_named() -> None:
    rankings = rankings_of_orders([[0, 1], [1, 0]], ["x", "y", "last"], lower=[[2], [2]])
    with pytest.raises(SeparationError, match="last never ranked above the others"):
        fit_rankings(rankings)


@pytest.mark.parametrize("prior", [Ridge(0.5), Gamma(2.0)])
def test_a_prior_keeps_unbounded_items_finite_and_says_so(prior: Ridge | Gamma) -> None:
    rankings = rankings_of_orders([[0, 1, 2], [0, 2, 1]], ["best", "x", "y"])
    fitted = fit_rankings(rankings, prior=prior)
    assert np.argmax(fitted.strength) == 0
    assert fitted.model.prior == prior
    assert "only the prior keeps these items finite: best" in fitted.warnings[0]


def test_groups_never_ranked_together_are_centred_each() -> None:
    rankings = rankings_of_orders([[0, 1], [1, 0], [2, 3, 4], [4, 3, 2], [3, 4, 2]], 5)
    fitted = fit_rankings(rankings)
    assert fitted.group.tolist() == [0, 0, 1, 1, 1]
    assert np.allclose(np.bincount(fitted.group, fitted.strength), 0, atol=1e-12)
    assert "2 groups of items were never ranked together" in fitted.warnings[0]


@pytest.mark.parametrize("prior", [None, Ridge(2.0)])
def test_renaming_items_moves_strengths_with_them(prior: Ridge | None) -> None:
    rng = np.random.default_rng(7)
    rankings = drawn_rankings(rng.normal(size=6), 40, 4, rng)
    new = rng.permutation(6)
    orders = new[rankings.order].reshape(-1, 4).tolist()
    moved = fit_rankings(rankings_of_orders(orders, 6), prior=prior)
    assert np.allclose(moved.strength[new], fit_rankings(rankings, prior=prior).strength, atol=1e-9)


def test_strengths_are_recovered_from_many_rankings() -> None:
    rng = np.random.default_rng(8)
    truth = rng.normal(size=20)
    fitted = fit_rankings(drawn_rankings(truth, 5000, 6, rng))
    # Each item is in 1,500 rankings: standard errors are near .03, and 20 stay within four.
    assert np.abs(fitted.strength - (truth - truth.mean())).max() < 0.12
