"""The range without a model: its ends where they are known, and its coverage whatever is true."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize, special

from rewardlab.errors import EstimationError, InputError
from rewardlab.stats import vote_range as vote_range_module
from rewardlab.stats.vote_counts import VoteCounts
from rewardlab.stats.vote_range import right_with_chance, vote_range
from rewardlab.types import FloatArray, IntArray

Draw = Callable[[np.random.Generator, int], FloatArray]


def either_side(favourite: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.where(rng.random(len(favourite)) < 0.5, favourite, 1 - favourite)


def bradley_terry(rng: np.random.Generator, n: int) -> FloatArray:
    return np.asarray(special.expit(1.998 * rng.standard_normal(n)))


def beta(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.beta(0.769, 0.769, n)


def equal_noise(rng: np.random.Generator, n: int) -> FloatArray:
    return either_side(np.full(n, 0.8138), rng)


def settled_or_coin(rng: np.random.Generator, n: int) -> FloatArray:
    return either_side(np.where(rng.random(n) < 0.394, 1.0, 0.5), rng)


def settled_or_noisy(rng: np.random.Generator, n: int) -> FloatArray:
    return either_side(np.where(rng.random(n) < 0.2, 1.0, 0.77), rng)


def nearly_settled(rng: np.random.Generator, n: int) -> FloatArray:
    return either_side(np.full(n, 0.97), rng)


def clear_or_coin(rng: np.random.Generator, n: int) -> FloatArray:
    return np.where(rng.random(n) < 0.5, special.expit(4 * rng.standard_normal(n)), 0.5)


WORLDS: tuple[Draw, ...] = (
    bradley_terry,
    beta,
    equal_noise,
    settled_or_coin,
    settled_or_noisy,
    nearly_settled,
    clear_or_coin,
)


def counts_of(q: FloatArray, votes: IntArray, rng: np.random.Generator, per: int = 4) -> VoteCounts:
    for_a = rng.binomial(votes, q)
    return VoteCounts(votes, for_a, votes - for_a, np.arange(len(q)) // per)


def exact_ends(ahead: FloatArray, order: int) -> tuple[float, float]:
    """Range of E[(1 + d)/2] over all distributions with these even moments, by its primal."""
    grid = np.linspace(0, 1, 801)
    rows = np.vstack([grid ** (2 * j) for j in range(order + 1)])
    # Moments on the grid itself, so that there is a distribution on it which has them.
    nearest = np.rint(ahead * 800).astype(int)
    moments = rows[:, nearest].mean(axis=1)
    ends = [
        optimize.linprog(s * grid, A_eq=rows, b_eq=moments, bounds=(0, None), method="highs").fun
        for s in (1, -1)
    ]
    return (1 + ends[0]) / 2, (1 - ends[1]) / 2


@pytest.mark.parametrize("votes", [2, 4, 6])
def test_the_ends_are_those_of_all_distributions_with_the_same_moments(votes: int) -> None:
    """The dual, estimated on many pairs, meets the primal, computed from the truth."""
    rng = np.random.default_rng(0)
    q = bradley_terry(rng, 40_000)
    found = vote_range(counts_of(q, np.full(len(q), votes), rng))
    low, high = exact_ends(np.abs(2 * q - 1), votes // 2)
    # The standard error of either end is about .003; the polynomials' caution adds as much.
    assert found.low == pytest.approx(low, abs=0.012)
    assert found.high == pytest.approx(high, abs=0.012)
    assert found.outer_low < found.low < found.high < found.outer_high


def test_four_votes_a_pair_tell_bradley_terry_noise_from_equal_noise() -> None:
    """Two voters agree 69.7%. The ceiling is .778, and .814 is out of the question."""
    rng = np.random.default_rng(1)
    q = bradley_terry(rng, 4000)
    found = vote_range(counts_of(q, np.full(4000, 4), rng))
    assert found.outer_low < 0.778 < found.outer_high < 0.814
    assert found.n_rich == 4000
    assert found.order == 2


def test_two_votes_a_pair_give_what_agreement_alone_allows() -> None:
    rng = np.random.default_rng(2)
    counts = counts_of(equal_noise(rng, 4000), np.full(4000, 2), rng)
    agreed = float(np.mean((counts.for_a == 2) | (counts.for_b == 2)))
    found = vote_range(counts)
    # Cross-fitting replaces the tangent at this sample's agreement by one nearby.
    assert found.low == pytest.approx(agreed, abs=2e-3)
    assert found.high == pytest.approx((1 + np.sqrt(2 * agreed - 1)) / 2, abs=2e-3)


def test_more_votes_where_pairs_are_clear_do_not_raise_the_ceiling() -> None:
    """Numbers of votes have ranges of their own, so that the rich pairs need not be like others."""
    rng = np.random.default_rng(3)
    q = np.r_[np.full(1500, 0.95), np.full(1500, 0.6)]
    votes = np.repeat([4, 2], 1500)
    found = vote_range(counts_of(q, votes, rng, per=1))
    truth = (1500 * 4 * 0.95 + 1500 * 2 * 0.6) / (1500 * 6)
    assert found.outer_low <= truth <= found.outer_high


@pytest.mark.parametrize("votes", [1, 3, 5])
def test_the_range_of_a_majority_holds_its_accuracy(votes: int) -> None:
    rng = np.random.default_rng(4)
    q = beta(rng, 3000)
    truth = float(right_with_chance(np.abs(2 * q - 1), votes).mean())
    found = vote_range(counts_of(q, np.full(3000, 5), rng), votes=votes)
    assert found.outer_low <= truth <= found.outer_high


def test_pairs_that_all_agree_or_contradict_every_model_have_a_range_all_the_same() -> None:
    n = np.full(60, 4)
    agreed = vote_range(VoteCounts(n, n, 0 * n, np.arange(60)))
    assert agreed.low == agreed.high == 1.0
    assert agreed.outer_low < 1.0  # 60 pairs leave doubt.
    assert (agreed.order, agreed.n_rich) == (1, 0)
    # Always three against one: less spread than any independent votes, which fits no model.
    odd = vote_range(VoteCounts(n, n - 1, n - 3, np.arange(60)))
    assert 0.5 <= odd.outer_low <= odd.outer_high <= 1


def test_votes_split_more_evenly_than_independent_ones_can_be_are_refused() -> None:
    n = np.full(5000, 4)
    with pytest.raises(EstimationError, match="more evenly split than independent votes can be"):
        vote_range(VoteCounts(n, n // 2, n // 2, np.arange(5000)), votes=3)


@pytest.mark.parametrize("n_votes", [4, 6, 8])
def test_ends_that_cross_are_both_believed(n_votes: int) -> None:
    n = np.full(1000, n_votes)
    found = vote_range(VoteCounts(n, n // 2, n // 2, np.arange(1000)), votes=3)
    assert found.outer_low <= found.low <= found.high <= found.outer_high


def test_programs_solved_as_one_and_in_turn_give_the_same_range(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = counts_of(
        beta(np.random.default_rng(8), 400), np.full(400, 6), np.random.default_rng(9)
    )
    as_one = vote_range(counts)
    solved = vote_range_module._solved
    monkeypatch.setattr(
        vote_range_module,
        "_solved",
        lambda programs, *rest: solved(programs, *rest) if len(programs) == 1 else None,
    )
    in_turn = vote_range(counts)
    assert as_one.n_rich == 400
    np.testing.assert_allclose(
        [in_turn.low, in_turn.high, in_turn.outer_low, in_turn.outer_high],
        [as_one.low, as_one.high, as_one.outer_low, as_one.outer_high],
        atol=1e-9,
    )


def test_one_prompt_and_even_majorities_are_refused() -> None:
    n = np.full(3, 2)
    with pytest.raises(EstimationError, match="1 prompt"):
        vote_range(VoteCounts(n, n, 0 * n, 0 * n))
    with pytest.raises(InputError, match="odd"):
        vote_range(VoteCounts(n, n, 0 * n, np.arange(3)), votes=2)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("mixed", [False, True])
def test_the_range_covers_the_ceiling_in_every_world(world: Draw, mixed: bool) -> None:
    rng = np.random.default_rng(5)
    q = world(rng, 1_000_000)
    truth, covered, n_runs = float(np.maximum(q, 1 - q).mean()), 0, 200
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        votes = rng.integers(2, 6, 240) if mixed else np.full(240, 4)
        found = vote_range(counts_of(world(rng, 240), votes, rng))
        covered += found.outer_low <= truth <= found.outer_high
    # 95%, less three standard errors of 1.54 points.
    assert covered / n_runs >= 0.904
