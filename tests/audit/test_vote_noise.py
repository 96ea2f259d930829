"""Votes on two kinds of pairs: their ceiling runs from the agreement rate to equal noise."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.audit.ceiling import equal_noise_ceiling
from rewardlab.audit.vote_noise import two_kinds
from rewardlab.errors import InputError

rates, shares = st.floats(0.5, 1.0), st.floats(0.0, 1.0)


@given(rates, shares)
def test_the_votes_agree_as_often_as_they_should(agreement: float, unevenness: float) -> None:
    kinds = two_kinds(agreement, unevenness)
    q = kinds.favourite
    implied = kinds.settled + (1 - kinds.settled) * (q**2 + (1 - q) ** 2)
    assert implied == pytest.approx(agreement, abs=1e-12)


@given(rates, shares)
def test_the_ceiling_lies_between_the_rate_and_equal_noise(a: float, unevenness: float) -> None:
    ceiling = two_kinds(a, unevenness).ceiling
    assert a - 1e-7 <= ceiling <= float(equal_noise_ceiling(a)) + 1e-12
    assert two_kinds(a, 0).ceiling == pytest.approx(float(equal_noise_ceiling(a)))
    assert two_kinds(a, 1).ceiling == pytest.approx(a, abs=1e-7)  # a root of rounding error


@given(rates, st.sampled_from([1, 3, 5, 7]))
def test_a_majority_is_the_sum_over_its_ways(agreement: float, votes: int) -> None:
    kinds = two_kinds(agreement)
    q = kinds.favourite
    ways = [
        comb(votes, k) * q**k * (1 - q) ** (votes - k) for k in range(votes // 2 + 1, votes + 1)
    ]
    assert kinds.against_majority(votes) == pytest.approx(sum(ways))


def test_simulated_voters_reach_the_rate_and_the_ceiling() -> None:
    rng = np.random.default_rng(0)
    kinds = two_kinds(0.7, 0.6)
    n = 200_000
    q = np.where(rng.random(n) < kinds.settled, 1.0, kinds.favourite)
    votes = rng.random((3, n)) < q
    # Four standard errors of a share of n pairs are below .0045.
    assert np.mean(votes[0] == votes[1]) == pytest.approx(0.7, abs=0.0045)
    assert votes[0].mean() == pytest.approx(kinds.ceiling, abs=0.0045)
    assert np.mean(votes.sum(axis=0) >= 2) == pytest.approx(kinds.against_majority(3), abs=0.0045)


def test_what_no_votes_could_show_is_refused() -> None:
    with pytest.raises(InputError, match="agreement"):
        two_kinds(0.4)
    with pytest.raises(InputError, match="odd"):
        two_kinds(0.7).against_majority(2)
