"""Elo: each game is one gradient step on the Bradley-Terry likelihood."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.preferences.battles import battles_of_games
from rewardlab.rewards.elo import POINTS_PER_LOGIT, expected_score, gradient_step, play
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.losses import logistic

FIRST, SECOND = np.array([0]), np.array([1])


@given(st.floats(-800, 800), st.floats(1, 100))
def test_one_update_is_one_gradient_step(ahead: float, k: float) -> None:
    moved = play(np.array([ahead, 0.0]), FIRST, SECOND, k=k) - [ahead, 0.0]
    # In points: the slope of log P by central differences times K 400 / ln 10.
    p = expected_score(np.array([ahead + 1e-3, ahead - 1e-3]))
    slope = (math.log(p[0]) - math.log(p[1])) / 2e-3
    assert moved[0] == pytest.approx(gradient_step(k) * slope, rel=1e-4, abs=1e-7)
    assert moved[1] == pytest.approx(-moved[0], abs=1e-9)
    # In logits: the analytic gradient times K ln 10 / 400.
    gradient = logistic(np.array([ahead / POINTS_PER_LOGIT])).gradient[0]
    in_logits = moved[0] / POINTS_PER_LOGIT
    assert in_logits == pytest.approx(-k * math.log(10) / 400 * gradient, rel=1e-6, abs=1e-12)


def test_four_hundred_points_are_odds_of_ten_to_one() -> None:
    assert expected_score(np.array(400.0)) == pytest.approx(10 / 11)


def test_many_tables_at_once_are_each_as_if_alone() -> None:
    rng = np.random.default_rng(0)
    winner = rng.integers(3, size=(4, 20))
    loser = (winner + rng.integers(1, 3, size=winner.shape)) % 3
    together = play(np.zeros((4, 3)), winner, loser, k=20)
    alone = [play(np.zeros(3), w, lost, k=20) for w, lost in zip(winner, loser, strict=True)]
    np.testing.assert_allclose(together, alone)


def test_order_matters_to_elo_and_not_to_the_batch_fit() -> None:
    winner, loser = np.array([0, 0, 1, 1, 2]), np.array([1, 2, 0, 2, 0])
    backwards = slice(None, None, -1)
    there = play(np.zeros(3), winner, loser, k=32)
    back = play(np.zeros(3), winner[backwards], loser[backwards], k=32)
    assert np.abs(there - back).max() > 1
    fits = [
        fit_items(battles_of_games(w, lost, 3)).strength
        for w, lost in ((winner, loser), (winner[backwards], loser[backwards]))
    ]
    np.testing.assert_array_equal(fits[0], fits[1])


def test_a_step_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="k:"):
        play(np.zeros(2), FIRST, SECOND, k=0)
    with pytest.raises(InputError, match="winner: expected indices from 0 to 1, got -1"):
        play(np.zeros(2), np.array([-1]), np.array([0]), k=1)
    with pytest.raises(InputError, match="games"):
        play(np.zeros((3, 2)), FIRST, SECOND, k=1)


@given(st.floats(-400, 400))
def test_a_tie_draws_the_two_together_and_half_a_win_is_the_mean_of_both_results(
    ahead: float,
) -> None:
    start = np.array([ahead, 0.0])
    tied = play(start, FIRST, SECOND, k=20, score=0.5)
    won, lost = (play(start, FIRST, SECOND, k=20, score=s) for s in (1.0, 0.0))
    np.testing.assert_allclose(tied, (won + lost) / 2, atol=1e-9)
    assert abs(tied[0] - tied[1]) <= abs(ahead) + 1e-9
    # Who is named first in a tie is arbitrary.
    np.testing.assert_allclose(play(start, SECOND, FIRST, k=20, score=0.5), tied, atol=1e-9)


def test_scores_and_games_outside_their_range_are_named() -> None:
    with pytest.raises(InputError, match="score"):
        play(np.zeros(2), FIRST, SECOND, k=1, score=1.5)
    with pytest.raises(InputError, match="score"):
        play(np.zeros(2), FIRST, SECOND, k=1, score=np.zeros(3))
    with pytest.raises(InputError, match="against itself"):
        play(np.zeros(2), FIRST, FIRST, k=1)
