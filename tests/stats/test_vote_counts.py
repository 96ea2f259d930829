"""Counted votes: what is kept, and estimates of moments that are right on average."""

from __future__ import annotations

from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.stats.vote_counts import VoteCounts, count_votes, even_moments


def counts_of(n: int, for_a: int, for_b: int) -> VoteCounts:
    return VoteCounts(*(np.array([k]) for k in (n, for_a, for_b, 0)))


def test_votes_are_counted_by_pair_and_pairs_with_one_vote_left_out() -> None:
    pair = np.array([5, 5, 5, 2, 2, 9])
    counts = count_votes(pair, np.array([1, 0.5, 0, 1, 1, 0]), pair + 1)
    assert counts.n.tolist() == [2, 3]
    assert counts.for_a.tolist() == [2, 1]
    assert counts.for_b.tolist() == [0, 1]
    assert counts.cluster.tolist() == [3, 6]
    assert not counts.sided
    assert counts.take(np.array([0])).sided


@pytest.mark.parametrize("votes", list(product([1, 0, -1], repeat=4))[::7])
def test_a_moment_is_the_mean_product_over_all_sets_of_votes(votes: tuple[int, ...]) -> None:
    counts = counts_of(4, votes.count(1), votes.count(-1))
    by_hand = [
        1.0,
        float(np.mean([prod(chosen) for chosen in combinations(votes, 2)])),
        float(prod(votes)),
    ]
    np.testing.assert_allclose(even_moments(counts, 2)[0], by_hand, atol=1e-15)


def test_moments_are_those_of_the_pairs_on_average() -> None:
    rng = np.random.default_rng(0)
    n_pairs, n, q = 40_000, 6, 0.8
    for_a = rng.binomial(n, q, n_pairs)
    full = np.full(n_pairs, n)
    counts = VoteCounts(full, for_a, full - for_a, np.arange(n_pairs))
    # Each estimate lies in [-1, 1]: four standard errors are at most .02.
    expected = [(2 * q - 1) ** (2 * j) for j in range(4)]
    np.testing.assert_allclose(even_moments(counts, 3).mean(axis=0), expected, atol=0.02)


def test_what_cannot_be_counted_is_refused() -> None:
    two, three = np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64)
    with pytest.raises(InputError, match="of one length"):
        count_votes(two, np.zeros(3), two)
    with pytest.raises(InputError, match="side: expected"):
        count_votes(two, np.full(2, 0.3), two)
    with pytest.raises(InputError, match="for_a: expected shape"):
        VoteCounts(two + 2, three, two, two)
    with pytest.raises(InputError, match="at least 2 votes"):
        VoteCounts(two + 1, two, two, two)
    with pytest.raises(InputError, match="no more votes"):
        counts_of(2, 2, 1)
    with pytest.raises(InputError, match="at least 4 votes"):
        even_moments(counts_of(3, 2, 1), 2)
