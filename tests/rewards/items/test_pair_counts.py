"""Votes by pair: the kernels' counts equal numpy's, and those of cells."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.items.cells import cells_of_battles, count_cells
from rewardlab.rewards.items.pair_counts import PairTies, count_pairs, pairs_of_cells
from rewardlab.rewards.items.pair_passes import (
    WIDEST_PRODUCTS,
    beats_lead_everywhere,
    expected_wins,
    summed_loss,
    wins_lead_everywhere,
)
from tests.rewards.items.battles_made import drawn


@pytest.mark.parametrize("ties", ["half", "leave-out"])
@pytest.mark.parametrize(("m", "n"), [(6, 5000), (300, 3000), (300, 50_000), (3000, 20_000)])
def test_kernels_numpy_and_cells_count_alike(ties: PairTies, m: int, n: int) -> None:
    battles = drawn(m, n)
    by_kernels = count_pairs(battles, ties, compiled=True)
    worth = np.exp(np.random.default_rng(1).normal(size=m))
    for other in (
        count_pairs(battles, ties, compiled=False),
        pairs_of_cells(count_cells(battles), ties),
    ):
        assert np.array_equal(by_kernels.wins, other.wins)
        assert np.array_equal(by_kernels.n_votes, other.n_votes)
        assert (by_kernels.n, by_kernels.n_ties) == (other.n, other.n_ties)
        if m <= 300:
            assert np.array_equal(by_kernels.matrix(), other.matrix())
        # Sums of at most 20,000 terms in another order.
        expected = expected_wins(by_kernels, worth, compiled=True)
        assert np.allclose(expected_wins(other, worth, compiled=False), expected, rtol=1e-12)
        loss = summed_loss(by_kernels, np.log(worth), compiled=True)
        assert summed_loss(other, np.log(worth), compiled=False) == pytest.approx(loss, rel=1e-12)


def test_a_pair_with_more_votes_than_a_table_holds_is_counted() -> None:
    winner = np.zeros(70_000, dtype=np.int32)
    battles = battles_of_games(winner, winner + 1, 3)
    assert count_pairs(battles, "half", compiled=True).matrix()[0, 1] == 70_000


@pytest.mark.parametrize("votes", range(1, 9))
def test_losses_of_strengths_as_far_apart_as_products_bear_are_right(votes: int) -> None:
    m = 40
    first, second = np.triu_indices(m, 1)
    battles = battles_of_games(np.tile(first, votes), np.tile(second, votes), m)
    pairs = count_pairs(battles, "half", compiled=True)
    far = np.repeat([WIDEST_PRODUCTS, 0.0], [1, m - 1])
    totals = votes * np.logaddexp(far[first], far[second]).sum()
    loss = summed_loss(pairs, far, compiled=True)
    assert loss == pytest.approx(totals - pairs.wins @ far, abs=1e-9)  # of sums near 20,000


def test_far_apart_strengths_have_a_finite_loss() -> None:
    pairs = count_pairs(drawn(6, 100), "half", compiled=True)
    far = np.array([-900.0, 0, 0, 0, 0, 900.0])
    table = pairs.matrix()
    totals = np.logaddexp(far[:, None], far)
    expected = np.sum(np.triu(table, 1) * totals) - pairs.wins @ far
    assert summed_loss(pairs, far, compiled=True) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("compiled", [True, False])
def test_existence_is_seen_along_wins_and_against_them(compiled: bool) -> None:
    ring = battles_of_games(np.arange(5), np.roll(np.arange(5), -1), 5)
    chain = battles_of_games(np.arange(4), np.arange(1, 5), 5)
    tied = battles_of_games(np.arange(4), np.arange(1, 5), 5, tie=np.ones(4, dtype=bool))

    def leads(battles: Battles, ties_count: bool) -> bool:
        return wins_lead_everywhere(battles, ties_count=ties_count, compiled=compiled)

    assert leads(ring, True)
    assert not leads(chain, True)
    assert leads(tied, True)
    assert not leads(tied, False)


def test_a_table_tells_existence_exactly() -> None:
    beat = np.roll(np.eye(5, dtype=bool), 1, axis=1)
    assert beats_lead_everywhere(beat)
    beat[4, 0] = False
    assert not beats_lead_everywhere(beat)


@pytest.mark.parametrize("position", [True, False])
@pytest.mark.parametrize(("m", "n"), [(6, 500), (2000, 3000)])
def test_classes_of_battles_add_up_to_the_cells(position: bool, m: int, n: int) -> None:
    battles = drawn(m, n)
    cells, of_row = cells_of_battles(battles, position=position)
    counts = np.bincount(of_row, minlength=3 * len(cells.i)).reshape(-1, 3)
    assert np.array_equal(counts, np.stack([cells.n_i, cells.n_j, cells.n_tie], axis=1))
    again = count_cells(battles, position=position)
    assert np.array_equal(cells.n, again.n)
    assert np.array_equal(cells.i, again.i)
