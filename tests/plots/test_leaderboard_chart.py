"""A leaderboard's chart: every name whole, groups apart, marks that say who may be first."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.leaderboard_chart import leaderboard_chart
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.leaderboard import LeaderboardOptions, leaderboard
from rewardlab.types import Outcome


def drawn(m: int, n: int, groups: int = 1) -> Battles:
    """Battles of items of equal strength, with names as long as models have."""
    rng = np.random.default_rng(3)
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    at = m * rng.integers(0, groups, n)
    outcome = rng.integers(Outcome.A, Outcome.BOTH_BAD, n).astype(np.int8)
    names = tuple(f"Model-{k:02d} Instruct Long (70B)" for k in range(m * groups))
    return Battles(names, at + i, at + j, outcome)


def test_the_names_of_sixty_items_are_whole() -> None:
    chart = leaderboard_chart(leaderboard(drawn(60, 6000)))
    assert all(f"Model-{k:02d} Instruct Long (70B)<" in chart for k in range(60))
    assert "…" not in chart


def test_groups_have_a_heading_each_and_the_top_alone_is_drawn() -> None:
    board = leaderboard(drawn(5, 2000, groups=2), options=LeaderboardOptions("none"))
    chart = leaderboard_chart(board, top=2)
    assert "Group 1 of 2" in chart
    assert chart.count("Instruct") == 4


def test_marks_are_filled_where_an_item_may_be_first() -> None:
    board = leaderboard(drawn(5, 2000))
    assert board.ranges is not None
    chart = leaderboard_chart(board)
    hollow = int(np.sum(board.ranges.low > 1))
    assert chart.count("rl-hollow") == hollow
