"""Counting ties: a fit to such labels comes to the stated gaps, and each is biased its own way."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards.linear import fit
from rewardlab.rewards.tie_counting import TieModel, vote_shares

models = st.sampled_from(get_args(TieModel))
shares_of_ties = st.floats(0.01, 0.9)


@given(models, shares_of_ties)
def test_equal_responses_tie_the_stated_share_of_the_time(model: TieModel, ties: float) -> None:
    at = vote_shares(np.zeros(1), model=model, ties=ties)
    assert at.tie[0] == pytest.approx(ties)
    assert at.a[0] == pytest.approx(at.b[0])


@given(models, shares_of_ties, st.floats(0.05, 5))
def test_halves_shrink_the_gap_and_dropping_never_does(
    model: TieModel, ties: float, gap: float
) -> None:
    at = vote_shares(np.array([gap]), model=model, ties=ties)
    assert at.gap_with_halves()[0] < at.gap_without_ties()[0]
    assert at.gap_without_ties()[0] >= gap - 1e-9
    if model == "davidson":
        assert at.gap_without_ties()[0] == pytest.approx(gap)
        assert at.gap_with_halves()[0] < gap


@pytest.mark.parametrize("model", get_args(TieModel))
def test_a_fit_to_such_votes_comes_to_the_stated_gaps(model: TieModel) -> None:
    at = vote_shares(np.array([1.5]), model=model, ties=0.4)
    votes = np.array([at.a[0], at.b[0], at.tie[0]])
    one = np.ones((3, 1))
    halves = fit(one, np.array([1.0, 0.0, 0.5]), row_weight=votes)
    dropped = fit(one, np.array([1.0, 0.0, 0.5]), row_weight=votes * [1, 1, 0])
    assert halves.weights[0] == pytest.approx(at.gap_with_halves()[0])
    assert dropped.weights[0] == pytest.approx(at.gap_without_ties()[0])


def test_without_ties_all_gaps_are_the_true_one() -> None:
    at = vote_shares(np.array([1.5]), model="rao-kupper", ties=0.0)
    assert at.gap_with_halves()[0] == pytest.approx(1.5)
    with pytest.raises(InputError, match="ties"):
        vote_shares(np.zeros(1), model="davidson", ties=1.0)
