"""Elo's order dependence: what random orders do to ratings that a batch fit leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError, SeparationError
from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.elo import POINTS_PER_LOGIT, play
from rewardlab.rewards.elo_orders import order_spread, spread_sentence
from rewardlab.rewards.items.fit import fit_items
from rewardlab.types import Outcome


def simulated(n: int, m: int, seed: int) -> Battles:
    """Battles of m items half a logit apart, an eighth of them ties."""
    rng = np.random.default_rng(seed)
    a = rng.integers(m, size=n)
    b = (a + rng.integers(1, m, size=n)) % m
    a_wins = rng.random(n) < 1 / (1 + np.exp((a - b) / 2))
    outcome = np.where(a_wins, Outcome.A, Outcome.B).astype(np.int8)
    outcome[rng.random(n) < 1 / 8] = Outcome.TIE
    return Battles(tuple(f"item {i}" for i in range(m)), a, b, outcome)


def test_each_order_is_a_plain_run_of_elo_in_that_order() -> None:
    battles = simulated(40, 3, seed=0)
    spread = order_spread(battles, k=24, n_orders=2, rng=np.random.default_rng(1))
    rng = np.random.default_rng(1)
    score = np.array([1, 0, 0.5])[battles.outcome]
    for found, order in zip(
        (spread.as_given, *spread.ratings),
        (np.arange(40), rng.permutation(40), rng.permutation(40)),
        strict=True,
    ):
        alone = play(np.zeros(3), battles.a[order], battles.b[order], k=24, score=score[order])
        np.testing.assert_allclose(found, alone, atol=1e-9)


def test_a_smaller_step_leaves_less_to_the_order() -> None:
    battles = simulated(3_000, 6, seed=2)
    wide, narrow = (
        order_spread(battles, k=k, n_orders=60, rng=np.random.default_rng(3)) for k in (32, 4)
    )
    # A gradient method's spread goes with the root of its step: sqrt(32 / 4) = 2.8; the
    # standard deviations of 60 orders of 6 items are known to about a tenth.
    assert 2.2 < wide.typical_std / narrow.typical_std < 3.5
    assert narrow.swapped_share <= wide.swapped_share


def test_over_many_games_and_small_steps_elo_comes_to_the_batch_fit() -> None:
    battles = simulated(30_000, 5, seed=4)
    spread = order_spread(battles, k=1, n_orders=8, rng=np.random.default_rng(5))
    np.testing.assert_allclose(spread.batch, fit_items(battles).strength * POINTS_PER_LOGIT)
    # What order leaves at K = 1 is about sqrt(K POINTS_PER_LOGIT / 2) / sqrt(8) = 3 points a
    # rating; four of these.
    np.testing.assert_allclose(spread.mean, spread.batch, atol=13)
    np.testing.assert_array_equal(spread.batch_rank, [1, 2, 3, 4, 5])
    np.testing.assert_array_equal(spread.rank_range, [[1, 2, 3, 4, 5]] * 2)
    assert spread.swapped_share == 0


def test_ranks_are_taken_within_groups_never_compared() -> None:
    winner, loser = np.array([0, 1, 2, 3, 0, 2]), np.array([1, 0, 3, 2, 1, 3])
    spread = order_spread(
        battles_of_games(winner, loser, 4), k=10, n_orders=5, rng=np.random.default_rng(6)
    )
    np.testing.assert_array_equal(spread.batch_rank, [1, 2, 1, 2])
    np.testing.assert_allclose(spread.ratings[:, :2].sum(axis=1), 0, atol=1e-12)


def test_an_item_that_never_loses_has_no_batch_fit_to_compare_with() -> None:
    always = battles_of_games(np.array([0, 0]), np.array([1, 1]), 2)
    with pytest.raises(SeparationError, match="never lost"):
        order_spread(always, k=10, n_orders=5, rng=np.random.default_rng(0))


def test_the_sentence_names_the_item_that_the_order_moves_most() -> None:
    battles = simulated(300, 6, seed=7)
    spread = order_spread(battles, k=64, n_orders=50, rng=np.random.default_rng(8))
    best, worst = spread.rank_range
    widest = int(np.argmax(worst - best))
    assert f"item {widest} ranges from rank {best[widest]} to rank" in spread_sentence(spread)
    assert np.all(spread.rating_range(0.5)[0] <= spread.rating_range(0.5)[1])


def test_arguments_outside_their_range_are_named() -> None:
    battles, rng = simulated(40, 3, seed=0), np.random.default_rng(0)
    with pytest.raises(InputError, match="n_orders"):
        order_spread(battles, k=1, n_orders=1, rng=rng)
    other = fit_items(simulated(40, 2, seed=0))
    with pytest.raises(InputError, match="batch"):
        order_spread(battles, k=1, n_orders=2, rng=rng, batch=other)
