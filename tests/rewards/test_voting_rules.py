"""Rules of aggregation: a pooled reward is Borda's count, and the others are what they say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards.voting_rules import (
    average_utility,
    borda,
    contested,
    crossing,
    pooled_reward,
    spread_over_groups,
    worst_off,
)
from rewardlab.types import FloatArray
from rewardlab.worlds.annotator_groups import AnnotatorGroups, two_groups

rates = st.lists(st.floats(0.02, 0.98), min_size=6, max_size=6)


def table(of_pairs: list[float]) -> FloatArray:
    """Win rates of four options from those of their six pairs."""
    wins = np.full((4, 4), 0.5)
    i, j = np.triu_indices(4, 1)
    wins[i, j], wins[j, i] = of_pairs, 1 - np.array(of_pairs)
    return wins


@given(rates)
def test_the_pooled_reward_ranks_as_borda_does(of_pairs: list[float]) -> None:
    count, reward = borda(table(of_pairs)), pooled_reward(table(of_pairs))
    for i, j in zip(*np.triu_indices(4, 1), strict=True):
        if abs(count[i] - count[j]) > 1e-6:  # a difference that the fit's tolerance can show
            assert (count[i] > count[j]) == (reward[i] > reward[j])


def test_the_fit_expects_the_win_rates_that_it_was_given() -> None:
    rates = two_groups().win_rates()
    reward = pooled_reward(rates)
    implied = 1 / (1 + np.exp(reward - reward[:, None]))
    np.testing.assert_allclose(borda(implied), borda(rates), atol=1e-8)


@given(st.floats(0.5, 8), st.floats(-1, 1), st.floats(-1, 1))
def test_a_group_alone_gets_its_own_utilities_back(k: float, a: float, b: float) -> None:
    one = np.array([[a, b, 0.0]])
    groups = AnnotatorGroups(np.ones(1), one, one, k)
    np.testing.assert_allclose(
        pooled_reward(groups.win_rates()), groups.own_rewards()[0], atol=1e-6
    )


def test_votes_drawn_one_by_one_come_to_the_win_rates() -> None:
    groups, rng, n = two_groups(sharpness=3.0), np.random.default_rng(0), 90_000
    voter = rng.choice(2, size=n, p=groups.shares)
    a, b = np.array([(0, 1), (0, 2), (1, 2)])[rng.integers(3, size=n)].T
    gap = groups.reports[voter, a] - groups.reports[voter, b]
    a_wins = rng.random(n) < 1 / (1 + np.exp(-groups.sharpness * gap))
    wins = np.zeros((3, 3))
    np.add.at(wins, (np.where(a_wins, a, b), np.where(a_wins, b, a)), 1)
    games = wins + wins.T + np.eye(3)
    # Four standard errors of a share of 30,000 votes are .0115.
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((wins / games)[off], groups.win_rates()[off], atol=0.0115)


def test_the_rules_on_a_table_done_by_hand() -> None:
    shares, utilities = np.array([0.6, 0.4]), np.array([[1.0, 0.8, 0.0], [0.0, 0.8, 1.0]])
    np.testing.assert_allclose(average_utility(shares, utilities), [0.6, 0.8, 0.4])
    np.testing.assert_allclose(worst_off(utilities), [0, 0.8, 0])
    np.testing.assert_allclose(spread_over_groups(shares, utilities), [0.24**0.5, 0, 0.24**0.5])
    assert contested(utilities).tolist() == [True, False, True]
    np.testing.assert_allclose(borda(np.array([[0.5, 0.9], [0.1, 0.5]])), [0.9, 0.1])


@given(st.floats(0, 1))
def test_misreports_change_votes_and_not_what_people_get(share: float) -> None:
    honest = two_groups()
    lying = honest.with_reports(1, share, np.array([0.0, 1.0, 0.8]))
    np.testing.assert_allclose(
        average_utility(lying.shares, lying.utilities),
        average_utility(honest.shares, honest.utilities),
    )
    assert lying.win_rates()[1, 2] == pytest.approx(
        honest.win_rates()[1, 2] + 0.4 * share, abs=0.01
    )


def test_a_crossing_is_found_or_said_to_be_none() -> None:
    grid = np.linspace(0, 2, 9)
    assert crossing(lambda x: x - 0.7, grid) == pytest.approx(0.7)
    assert np.isnan(crossing(lambda x: x + 1, grid))


def test_groups_that_make_no_sense_are_refused() -> None:
    utilities = np.zeros((2, 3))
    with pytest.raises(InputError, match="sum to 1"):
        AnnotatorGroups(np.array([0.6, 0.6]), utilities, utilities, 1.0)
    with pytest.raises(InputError, match="reports"):
        AnnotatorGroups(np.array([0.6, 0.4]), utilities, np.zeros(3), 1.0)
    with pytest.raises(InputError, match="share"):
        two_groups().with_reports(0, 1.5, np.zeros(3))
    with pytest.raises(InputError, match="reports"):
        two_groups().with_reports(0, 0.5, np.zeros(2))
    with pytest.raises(InputError, match="group: expected 0 to 1, got -1"):
        two_groups().with_reports(-1, 0.5, np.zeros(3))
    with pytest.raises(InputError, match="finite"):
        two_groups(compromise=(np.nan, 1.0))
    with pytest.raises(InputError, match="sharpness"):
        two_groups(sharpness=np.inf)


@pytest.mark.parametrize("rule", [borda, pooled_reward])
def test_win_rates_that_are_none_are_refused_and_the_diagonal_is_not_read(
    rule: Callable[[FloatArray], FloatArray],
) -> None:
    with pytest.raises(InputError, match="win_rates: expected shape"):
        rule(np.zeros((2, 3)))
    with pytest.raises(InputError, match="of total 1"):
        rule(np.array([[0.5, 0.9], [0.9, 0.5]]))
    rates = two_groups().win_rates()
    expected = rule(rates)
    np.fill_diagonal(rates, np.nan)
    np.testing.assert_array_equal(rule(rates), expected)
