"""A few items' qualities: recovered, covered by their intervals, independent of order and names."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from rewardlab.errors import EstimationError, InputError, SeparationError
from rewardlab.rewards.item_fit import count_wins, fit_items
from rewardlab.worlds.six_responses import QUALITY, draw_votes, vote_shares

WINS = np.array([[0, 7, 4], [3, 0, 6], [1, 2, 0]], dtype=float)


def test_exact_win_shares_give_the_qualities_back() -> None:
    np.testing.assert_allclose(fit_items(vote_shares()).quality, QUALITY, atol=1e-8)


def test_an_independent_minimiser_finds_the_same_qualities() -> None:
    def loss(rest: np.ndarray) -> float:
        quality = np.append(0.0, rest)
        return float(-np.sum(WINS * special.log_expit(quality[:, None] - quality)))

    found = np.append(0.0, optimize.minimize(loss, np.zeros(2), tol=1e-10).x)
    # BFGS ends when its gradient is below about 1e-6.
    np.testing.assert_allclose(fit_items(WINS).quality, found - found.mean(), atol=1e-5)


def test_renaming_the_items_renames_their_qualities() -> None:
    order = [2, 0, 1]
    renamed = fit_items(WINS[np.ix_(order, order)], l2=0.3)
    original = fit_items(WINS, l2=0.3)
    np.testing.assert_allclose(renamed.quality, original.quality[order], atol=1e-9)
    np.testing.assert_allclose(renamed.std_error, original.std_error[order], atol=1e-9)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(300):
        fitted = fit_items(count_wins(*draw_votes(500, rng), 6))
        covered.append(np.abs(fitted.quality - QUALITY) < 1.96 * fitted.std_error)
    # 1,800 dependent intervals: three standard errors of at most 300 independent ones are .038.
    assert np.mean(covered) == pytest.approx(0.95, abs=0.038)


def test_a_penalty_keeps_an_item_that_never_loses_finite() -> None:
    wins = np.array([[0, 5], [0, 0]], dtype=float)
    with pytest.raises(SeparationError, match="item 0 never lost against the others"):
        fit_items(wins)
    fitted = fit_items(wins, l2=0.1)
    # In the basis of sum zero the gap is d = sqrt(2) w: 5 sigma(-d) = .1 d / 2.
    gap = fitted.quality[0] - fitted.quality[1]
    assert 5 * special.expit(-gap) == pytest.approx(0.1 * gap / 2)


def test_items_that_never_met_are_not_compared() -> None:
    apart = np.kron(np.eye(2), np.array([[0.0, 3.0], [2.0, 0.0]]))
    with pytest.raises(EstimationError, match="from item 0 to items 2, 3"):
        fit_items(apart)


def test_separation_names_the_items_that_only_win() -> None:
    wins = np.kron(np.array([[1.0, 0.0], [1.0, 1.0]]), np.ones((2, 2)))
    with pytest.raises(SeparationError, match="item 2, item 3 never lost") as raised:
        fit_items(wins)
    assert raised.value.names == ("item 2", "item 3")


@pytest.mark.parametrize("items", [[-1], [3], [0, 1]])
def test_games_of_no_item_are_refused(items: list[int]) -> None:
    with pytest.raises(InputError):
        count_wins(np.array(items), np.array([0]), 3)


@pytest.mark.parametrize("wins", [np.zeros((2, 3)), np.zeros((2, 2)), -np.ones((2, 2))])
def test_what_is_no_table_of_wins_is_refused(wins: np.ndarray) -> None:
    with pytest.raises(InputError, match="wins"):
        fit_items(wins)
