"""Six responses: no score beats the ceiling, and the truth reaches it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.worlds.six_responses import QUALITY, accuracy, ceiling, draw_votes, vote_shares


@pytest.mark.parametrize("flips", [0.0, 0.1, 0.3])
def test_no_score_beats_the_ceiling_and_the_true_qualities_reach_it(flips: float) -> None:
    # Accuracy depends on the order alone, so that all orders are all scores without ties.
    accuracies = [accuracy(np.array(order), flips) for order in permutations(range(6))]
    assert max(accuracies) <= ceiling(flips) + 1e-12
    assert accuracy(QUALITY, flips) == pytest.approx(ceiling(flips), abs=1e-12)


def test_flips_draw_every_share_towards_a_half() -> None:
    np.testing.assert_allclose(vote_shares(0.3) - 0.5, 0.4 * (vote_shares() - 0.5))
    with pytest.raises(InputError, match="flips"):
        vote_shares(1.2)


def test_votes_are_drawn_with_their_shares_from_all_pairs() -> None:
    winner, loser = draw_votes(60_000, np.random.default_rng(0), flips=0.2)
    for i, j in zip(*np.triu_indices(6, 1), strict=True):
        won = np.sum((winner == i) & (loser == j))
        met = won + np.sum((winner == j) & (loser == i))
        # Four standard errors of a count of 4,000, and of a share of as many votes.
        assert met == pytest.approx(4000, abs=250)
        assert won / met == pytest.approx(vote_shares(0.2)[i, j], abs=0.033)
