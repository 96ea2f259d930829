"""Samples on which a public library is silently wrong, and what is said of them here."""

from __future__ import annotations

from pathlib import Path

import choix
import evalica
import numpy as np
import pytest
from scipy import optimize, special

from rewardlab.errors import InputError, RowError, SeparationError
from rewardlab.preferences.battle_reading import read_battles
from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.items.cells import Cells, cells_of_wins
from rewardlab.rewards.items.covariance import CovarianceKind, item_covariance
from rewardlab.rewards.items.fit import fit_cells, fit_items
from rewardlab.rewards.items.item_intervals import item_intervals
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.types import FloatArray, Outcome

KINDS: tuple[CovarianceKind, ...] = ("sandwich", "hessian")
X, Y = evalica.Winner.X, evalica.Winner.Y


def games_of(wins: FloatArray) -> tuple[list[str], list[str], list[evalica.Winner]]:
    """Each win as a game that its winner plays on side X; items are numbered with two digits."""
    i, j = np.nonzero(wins)
    times = wins[i, j].astype(int)
    left = [f"{k:02}" for k in np.repeat(i, times)]
    right = [f"{k:02}" for k in np.repeat(j, times)]
    return left, right, [X] * len(left)


def centred(values: FloatArray) -> FloatArray:
    return np.asarray(values - values.mean())


def test_two_steps_of_minorisation_are_not_the_maximum() -> None:
    """crowd-kit 1.4.2 keeps one array for the old and the new strengths, so it always stops."""
    truth = np.array([2.0, 1.0, 0.0, -1.0, -2.0])
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(5, 1)
    won = rng.binomial(60, special.expit(truth[i] - truth[j]))
    wins = np.zeros((5, 5))
    wins[i, j], wins[j, i] = won, 60 - won
    strength = fit_cells(cells_of_wins(wins), tol=1e-10).strength

    p = np.ones(5)
    for _ in range(2):  # Hunter (2004), equation 3
        p = wins.sum(axis=1) / ((wins + wins.T) / (p[:, None] + p)).sum(axis=1)
        p /= p.sum()
    assert np.abs(centred(np.log(p)) - strength).max() > 0.5

    def loss(rest: FloatArray) -> float:
        s = np.append(rest, 0.0)
        return float(-np.sum(wins * special.log_expit(s[:, None] - s)))

    found = optimize.minimize(loss, np.zeros(4), options={"gtol": 1e-5})
    np.testing.assert_allclose(strength, centred(np.append(found.x, 0.0)), atol=1e-5)


def test_an_item_that_never_loses_makes_all_items_alike_in_evalica() -> None:
    wins = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 4.0], [0.0, 1.0, 0.0]])
    peer = evalica.bradley_terry(*games_of(wins))
    np.testing.assert_allclose(peer.scores, 1e-6)
    with pytest.raises(SeparationError, match="item 0 never lost against the others"):
        fit_cells(cells_of_wins(wins))


def test_a_chain_of_sixty_is_ten_logits_short_in_evalica() -> None:
    wins = 3.0 * np.eye(60, k=1) + np.eye(60, k=-1)
    peer = np.log(evalica.bradley_terry(*games_of(wins)).scores.sort_index().to_numpy())
    length = 59 * np.log(3)
    assert peer[0] - peer[-1] < length - 10
    strength = fit_cells(cells_of_wins(wins), tol=1e-10).strength
    assert strength[0] - strength[-1] == pytest.approx(length, abs=1e-5)


def test_newmans_iteration_swings_on_a_star_without_ties() -> None:
    wins = np.zeros((6, 6))
    wins[0, 1:], wins[1:, 0] = np.arange(2, 7), 2
    peer = evalica.newman(*games_of(wins))
    gap = np.log(peer.scores["00"] / peer.scores.drop("00").sort_index().to_numpy())
    truth = np.log(np.arange(2, 7) / 2)
    assert peer.iterations == peer.limit
    assert np.abs(gap - truth).max() > 0.5
    strength = fit_cells(cells_of_wins(wins), tol=1e-12).strength
    np.testing.assert_allclose(strength[0] - strength[1:], truth, atol=1e-9)


def test_the_penalty_of_choix_is_twice_its_alpha() -> None:
    games = [(0, 1), (0, 1), (1, 0), (1, 2), (2, 0), (0, 2)]
    peer = choix.opt_pairwise(3, games, alpha=0.5, tol=1e-12)
    winner, loser = np.array(games).T
    played = battles_of_games(winner, loser, 3)
    doubled, named = (
        fit_items(played, ItemModel(prior=Ridge(l2)), tol=1e-10).strength for l2 in (1.0, 0.5)
    )
    np.testing.assert_allclose(peer, doubled, atol=1e-6)
    assert np.abs(peer - named).max() > 0.02


def test_groups_that_never_met_are_ranked_in_silence_by_evalica() -> None:
    wins = np.kron(np.eye(2), np.array([[0.0, 3.0], [1.0, 0.0]]))
    assert np.isfinite(evalica.bradley_terry(*games_of(wins)).scores).all()
    fitted = fit_cells(cells_of_wins(wins), tol=1e-12)
    assert fitted.group.tolist() == [0, 0, 1, 1]
    assert "2 groups of items were never compared with each other" in fitted.warnings[0]
    np.testing.assert_allclose(fitted.strength, np.log(3) / 2 * np.array([1, -1, 1, -1]))


def test_an_unknown_outcome_is_no_vote_for_anybody() -> None:
    with pytest.raises(InputError, match=r"Battles\.outcome: expected A, B or TIE"):
        Battles(("a", "b"), np.array([0]), np.array([1]), np.array([3], dtype=np.int8))


def test_winners_spelt_as_no_label_are_refused_by_line(tmp_path: Path) -> None:
    """arena-rank 0.1.1 reads ten wins spelt so as ties, and ranks their loser first."""
    path = tmp_path / "votes.csv"
    rows = "a,b,Model_A\n" * 10 + "b,a,model_a\n" * 2 + "a,b,model_a\n"
    path.write_text("model_a,model_b,winner\n" + rows)
    with pytest.raises(RowError, match=r"votes\.csv, line 2: column 'winner': got 'Model_A'"):
        read_battles(path)


def _with_a_champion(n_wins: int) -> Battles:
    """Item 0 beat the others each time; of these every second game was won by either."""
    rest = np.tile([1, 2], 30)
    winner = np.concatenate([np.zeros(n_wins, dtype=int), rest])
    loser = np.concatenate([np.tile([1, 2], n_wins)[:n_wins], 3 - rest])
    return battles_of_games(winner, loser, ["champion", "x", "y"])


@pytest.mark.parametrize("n_wins", [4, 400])
def test_an_item_that_never_lost_has_no_interval_of_no_width(n_wins: int) -> None:
    """arena-rank 0.1.1 rates it 3419, give or take nothing."""
    played = _with_a_champion(n_wins)
    with pytest.raises(SeparationError, match="champion never lost against the others"):
        fit_items(played)
    fitted = fit_items(played, ItemModel(prior=Ridge(0.1)))
    assert fitted.warnings == (
        "only the prior keeps these items finite: champion never lost against the others",
    )
    for kind in KINDS:
        intervals = item_intervals(fitted, item_covariance(played, fitted, kind=kind))
        # Any strength from where it would win 99% of its games upwards explains its votes.
        assert intervals.high[0] - intervals.low[0] > 1.0


def test_how_far_a_rare_item_is_known_does_not_hang_on_the_votes_of_others() -> None:
    """arena-rank 0.1.1 adds a ridge in proportion to all votes: .221 for .268."""
    rng = np.random.default_rng(5)
    n_rare, frequent = 60, np.array([1, 2])
    errors = []
    for n_others in (2_000, 200_000):
        others = rng.integers(2, size=n_others)
        winner = np.concatenate([np.tile([0, 1, 2], n_rare // 3), frequent[others]])
        loser = np.concatenate([np.tile([1, 0, 0], n_rare // 3), frequent[1 - others]])
        played = battles_of_games(winner, loser, 3)
        covariance = item_covariance(played, fit_items(played))
        errors.append(float(covariance.difference_std_error(np.array([0]), np.array([1]))[0]))
    # Sixty votes at 1/3 to 2/3: 1 / sqrt(60 p (1 - p)) = .274, and less than 5% of it from x to y.
    assert errors[0] == pytest.approx(errors[1], rel=0.05)
    assert errors[1] == pytest.approx(1 / np.sqrt(n_rare * 2 / 9), rel=0.05)


def test_half_wins_shrink_strengths_where_ties_follow_davidson() -> None:
    """Endless votes under Davidson's model with strengths 1, 0, -1 and nu = 1."""
    truth = np.array([1.0, 0.0, -1.0])
    i, j = np.triu_indices(3, 1)
    d = truth[i] - truth[j]
    p = special.softmax(np.stack([d / 2, -d / 2, np.zeros(3)]), axis=0)
    votes = Cells(3, i, j, p[0], p[1], p[2], None, np.zeros((3, 0)))
    exact = fit_cells(votes, ItemModel(ties="davidson"), tol=1e-12)
    np.testing.assert_allclose(exact.strength, truth, atol=1e-9)
    assert exact.effect[0] == pytest.approx(0, abs=1e-9)
    halves = fit_cells(votes, tol=1e-12).strength
    assert np.ptp(halves) < 0.8 * np.ptp(truth)


def test_the_side_that_is_shown_first_is_not_strength() -> None:
    """Libraries without a position give its effect to whoever is shown first more often."""
    rng = np.random.default_rng(1)
    a = (rng.random(20_000) < 0.2).astype(np.int64)
    outcome = np.where(rng.random(20_000) < special.expit(0.8), Outcome.A, Outcome.B)
    played = Battles(("first", "second"), a, 1 - a, outcome.astype(np.int8))
    plain, aware = fit_items(played), fit_items(played, ItemModel(position=True))
    # Standard errors are below .03: two equals look .45 apart without the position.
    assert np.ptp(plain.strength) > 0.35
    assert np.ptp(aware.strength) < 0.12
    assert aware.effect[0] == pytest.approx(0.8, abs=0.1)
