"""Strengths of items: exact, against an independent library, and where no fit exists."""

from __future__ import annotations

import choix
import numpy as np
import pytest
from scipy import special

from rewardlab.errors import InputError, SeparationError
from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.items.cells import cells_of_wins, count_cells
from rewardlab.rewards.items.fit import fit_cells, fit_items
from rewardlab.rewards.items.model import Gamma, ItemModel, Ridge
from rewardlab.rewards.items.newton import evaluate
from rewardlab.types import FloatArray
from rewardlab.worlds.six_responses import QUALITY, vote_shares


def games(n: int, m: int, seed: int = 0) -> Battles:
    """n games of m items by Bradley-Terry, without ties."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=m)
    a = rng.integers(m, size=n)
    b = (a + rng.integers(1, m, size=n)) % m
    won = rng.random(n) < 1 / (1 + np.exp(truth[b] - truth[a]))
    return battles_of_games(np.where(won, a, b), np.where(won, b, a), m)


def test_strengths_equal_those_of_choix() -> None:
    played = games(2000, 8)
    peer = choix.ilsr_pairwise(8, list(zip(played.a, played.b, strict=True)), tol=1e-12)
    assert np.allclose(fit_items(played, tol=1e-10).strength, peer - peer.mean(), atol=1e-6)


def test_an_item_that_never_loses_is_named() -> None:
    played = battles_of_games(np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), ["best", "x", "y"])
    with pytest.raises(SeparationError, match="best never lost"):
        fit_items(played)


@pytest.mark.parametrize("n", [1_500, 100_000])
def test_a_step_far_beyond_what_a_gamma_prior_allows_is_taken_back_without_a_word(n: int) -> None:
    won = Battles(("w", "l"), np.zeros(n, int), np.ones(n, int), np.zeros(n, dtype=np.int8))
    worth = fit_items(won, ItemModel(prior=Gamma(3.0)), tol=1e-12).theta
    # Each gradient is 0: of the votes, n sigma(-D), and of the prior, 2 (exp(s) - 1).
    lost = n / (1 + np.exp(worth[0] - worth[1]))
    assert np.allclose(2 * np.expm1(worth), [lost, -lost], rtol=1e-6)


@pytest.mark.parametrize("prior", [Ridge(0.5), Gamma(2.0)])
def test_a_prior_keeps_an_item_that_never_loses_finite_and_says_so(prior: Ridge | Gamma) -> None:
    played = battles_of_games(np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), ["best", "x", "y"])
    fitted = fit_items(played, ItemModel(prior=prior))
    assert np.argmax(fitted.strength) == 0
    assert "best never lost" in fitted.warnings[0]


def test_disconnected_groups_are_centred_each() -> None:
    played = battles_of_games(np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2]), 4)
    fitted = fit_items(played)
    assert fitted.group.tolist() == [0, 0, 1, 1]
    assert "2 groups" in fitted.warnings[0]


def test_exact_shares_of_wins_give_the_strengths_back() -> None:
    fitted = fit_cells(cells_of_wins(vote_shares()), tol=1e-12)
    np.testing.assert_allclose(fitted.strength, QUALITY, atol=1e-8)


def test_a_ridge_balances_the_votes() -> None:
    wins = np.array([[0.0, 5.0], [0.0, 0.0]])
    fitted = fit_cells(cells_of_wins(wins), ItemModel(prior=Ridge(0.1)), tol=1e-12)
    # By hand: 5 sigma(-d) = .1 d / 2 for the gap d.
    gap = fitted.strength[0] - fitted.strength[1]
    assert 5 * special.expit(-gap) == pytest.approx(0.1 * gap / 2)


def test_a_ridge_does_not_grow_with_the_votes() -> None:
    wins = np.array([[0.0, 3.0], [1.0, 0.0]])
    few, many = (
        fit_cells(cells_of_wins(n * wins), ItemModel(prior=Ridge(1.0)), tol=1e-12).strength[0]
        for n in (1, 10_000)
    )
    limit = np.log(3) / 2
    assert few < 0.8 * limit
    assert many == pytest.approx(limit, rel=1e-3)


def test_a_chain_of_sixty_is_exact() -> None:
    wins = 3.0 * np.eye(60, k=1) + np.eye(60, k=-1)
    strength = fit_cells(cells_of_wins(wins), tol=1e-10).strength
    np.testing.assert_allclose(-np.diff(strength), np.log(3), atol=1e-7)


def test_items_of_a_matrix_are_named_by_their_place() -> None:
    wins = np.kron(np.array([[1.0, 0.0], [1.0, 1.0]]), np.ones((2, 2)))
    with pytest.raises(SeparationError, match="item 2, item 3 never lost") as raised:
        fit_cells(cells_of_wins(wins))
    assert raised.value.names == ("item 0", "item 1", "item 2", "item 3")


@pytest.mark.parametrize("wins", [np.zeros((2, 3)), np.zeros((2, 2)), -np.ones((2, 2))])
def test_what_is_no_table_of_wins_is_refused(wins: FloatArray) -> None:
    with pytest.raises(InputError, match="wins"):
        cells_of_wins(wins)


@pytest.mark.parametrize("prior", [None, Ridge(0.5), Gamma(2.0)])
def test_theta_is_where_the_loss_with_the_prior_is_least(prior: Ridge | Gamma | None) -> None:
    model, cells = ItemModel(prior=prior), count_cells(games(50, 4))
    fitted = fit_cells(cells, model, tol=1e-10)
    at = evaluate(cells, model, fitted.theta)
    assert np.abs(at.gradient).max() < 1e-7


def test_votes_of_an_item_are_those_used_whichever_way_the_fit_is_made() -> None:
    rng = np.random.default_rng(4)
    a = rng.integers(3, size=90)
    b = (a + rng.integers(1, 3, 90)) % 3
    outcome = rng.integers(3, size=90).astype(np.int8)
    played = Battles(("x", "y", "z"), a, b, outcome)
    decided = outcome < 2
    expected = np.bincount(a[decided], minlength=3) + np.bincount(b[decided], minlength=3)
    for position in (False, True):
        fitted = fit_items(played, ItemModel(ties="leave-out", position=position))
        np.testing.assert_array_equal(fitted.n_votes, expected)
