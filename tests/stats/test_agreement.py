"""Agreement: published and hand-computed values, an independent library, honest intervals."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.stats.agreement import (
    agreement_with_others,
    coin_agreement_with_others,
    krippendorff_alpha,
    pairwise_agreement,
)
from rewardlab.stats.intervals import Estimate
from rewardlab.types import FloatArray, IntArray

FOUR_OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3),
    (0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0),
)
"""Krippendorff (2011), section C: four observers, twelve units, five categories; 0 is missing."""

TWO_OBSERVERS = ((0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0))
"""Krippendorff (2011), section A: two observers, ten units, two categories."""


def columns(rows: tuple[tuple[int, ...], ...], missing: int) -> tuple[IntArray, IntArray]:
    """Units and categories of what is not missing."""
    table = np.array(rows)
    observer, unit = np.nonzero(table != missing)
    return unit.astype(np.int64), table[observer, unit].astype(np.int64)


def alpha(unit: IntArray, category: IntArray) -> float | None:
    """Alpha alone."""
    found = krippendorff_alpha(unit, category, unit)
    return None if found is None else found.value


def test_the_published_examples_have_their_published_alpha() -> None:
    # .743 and .095, to the three digits printed.
    assert alpha(*columns(FOUR_OBSERVERS, 0)) == pytest.approx(0.743, abs=5e-4)
    assert alpha(*columns(TWO_OBSERVERS, -1)) == pytest.approx(0.095, abs=5e-4)


def test_raw_agreement_counts_each_judgement_once_whatever_the_votes_on_its_pair() -> None:
    # Three votes a a b: each a agrees with 1 of 2 others, b with 0 of 2. Two votes b b: 1 and 1.
    # One vote alone says nothing.
    unit, category = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 0])
    each = agreement_with_others(unit, category)
    np.testing.assert_array_equal(each, [0.5, 0.5, 0, 1, 1, np.nan])
    found = pairwise_agreement(unit, category, unit)
    assert found is not None
    assert found.value == pytest.approx(3 / 5)
    assert found.n == 5


def test_a_tie_that_agrees_half_is_a_tie_that_a_coin_breaks() -> None:
    # Unit 0: a, a, tie. An a meets a (1) and the tie (1/2); the tie meets two a (1/2 each).
    # Unit 1: two ties agree half the time; unit 2 is judged once.
    unit, side = np.array([0, 0, 0, 1, 1, 2]), np.array([1, 1, 0.5, 0.5, 0.5, 0])
    each = coin_agreement_with_others(unit, side)
    np.testing.assert_allclose(each, [0.75, 0.75, 0.5, 0.5, 0.5, np.nan])
    sides = np.array([1.0, 0, 0, 1, 1, 0])
    np.testing.assert_allclose(
        coin_agreement_with_others(unit, sides),
        agreement_with_others(unit, sides.astype(np.int64)),
    )
    with pytest.raises(InputError, match="side: expected"):
        coin_agreement_with_others(unit, side + 1)


def test_without_a_second_judgement_there_is_no_agreement() -> None:
    each = np.arange(4)
    assert pairwise_agreement(each, each, each) is None
    assert alpha(each, each) is None
    none = np.zeros(0, dtype=np.int64)
    assert pairwise_agreement(none, none, none) is None
    assert alpha(none, none) is None


def test_alpha_is_undefined_where_everybody_says_the_same() -> None:
    assert alpha(np.array([0, 0, 1, 1]), np.ones(4, dtype=np.int64)) is None


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(InputError, match=r"expected shape \(2,\), got \(3,\)"):
        agreement_with_others(np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=4, max_size=40))
def test_an_independent_library_finds_the_same_alpha(votes: list[tuple[int, int]]) -> None:
    unit, category = np.array(votes, dtype=np.int64).T
    ours = alpha(unit, category)
    if ours is None:
        return
    counts = np.zeros((7, 4), dtype=np.int64)
    np.add.at(counts, (unit, category), 1)
    theirs = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    assert ours == pytest.approx(float(theirs), abs=1e-10)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=4, max_size=40))
def test_names_and_order_do_not_matter(votes: list[tuple[int, int]]) -> None:
    unit, category = np.array(votes, dtype=np.int64).T
    shuffled = np.random.default_rng(len(votes)).permutation(len(unit))
    renamed = (unit * 13 + 5)[shuffled], (7 - category)[shuffled]
    ours, theirs = alpha(unit, category), alpha(*renamed)
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_alpha_does_not_depend_on_which_response_comes_first() -> None:
    # All say a: perfect agreement where a could as well have been called b, no information where
    # not. With one half turned round, both ways of counting are nearly the same.
    unit = np.repeat(np.arange(50), 2)
    rng = np.random.default_rng(0)
    one_way = (rng.random(100) < 0.1).astype(np.int64)
    turned = one_way ^ (rng.random(50) < 0.5).astype(np.int64)[unit]
    found = krippendorff_alpha(unit, one_way, unit, exchangeable=(0, 1))
    again = krippendorff_alpha(unit, turned, unit, exchangeable=(0, 1))
    assert found is not None
    assert found == again
    raw = pairwise_agreement(unit, one_way, unit)
    assert raw is not None
    assert found.value == pytest.approx(2 * raw.value - 1)
    assert (found.low, found.high) == pytest.approx((2 * raw.low - 1, 2 * raw.high - 1))
    as_named = krippendorff_alpha(unit, one_way, unit)
    assert as_named is not None
    assert as_named.value < found.value - 0.4
    same = krippendorff_alpha(unit, np.zeros(100, dtype=np.int64), unit, exchangeable=(0, 1))
    assert same is not None
    assert same.value == 1


def test_exchangeable_sides_are_each_pair_counted_both_ways_round() -> None:
    unit, category, _ = votes_by_prompt(np.random.default_rng(2), 400)
    counts = np.zeros((2 * unit.max() + 2, 3), dtype=np.int64)
    np.add.at(counts, (2 * unit, category), 1)
    np.add.at(counts, (2 * unit + 1, np.array([1, 0, 2])[category]), 1)
    theirs = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    ours = krippendorff_alpha(unit, category, unit, exchangeable=(0, 1))
    assert ours is not None
    # Theirs draws two judgements of 4,800, ours of 2,400.
    assert ours.value == pytest.approx(float(theirs), abs=1e-3)


def test_perfect_agreement_on_few_pairs_is_not_certain() -> None:
    unit = np.repeat(np.arange(5), 2)
    found = krippendorff_alpha(unit, unit % 2, unit)
    assert found is not None
    assert (found.value, found.high) == (1, 1)
    assert found.low < 0.5


def votes_by_prompt(
    rng: np.random.Generator, n_prompts: int, clear: tuple[float, float] = (3, 1.5)
) -> tuple[IntArray, ...]:
    """Three votes on two pairs of each prompt, which is easy or hard for both pairs."""
    lead = np.repeat(rng.beta(*clear, n_prompts), 2)
    pair = np.repeat(np.arange(2 * n_prompts), 3)
    favourite = np.repeat(rng.integers(0, 2, 2 * n_prompts), 3)
    follows = rng.random(len(pair)) < np.repeat(0.5 + lead / 2, 3)
    tie = rng.random(len(pair)) < 0.1
    category = np.where(tie, 2, np.where(follows, favourite, 1 - favourite))
    return pair, category, pair // 2


@pytest.mark.slow
@pytest.mark.parametrize("n_prompts", [10, 25, 100])
@pytest.mark.parametrize("clear", [(3, 1.5), (40, 1)], ids=["some disagree", "hardly any does"])
def test_intervals_cover_by_simulation(n_prompts: int, clear: tuple[float, float]) -> None:
    large = votes_by_prompt(np.random.default_rng(1), 100_000, clear)
    truth = [found.value for found in measured(large)]
    hits: FloatArray = np.zeros(3)
    for seed in range(400):
        found = measured(votes_by_prompt(np.random.default_rng(seed), n_prompts, clear))
        hits += [x.low <= value <= x.high for x, value in zip(found, truth, strict=True)]
    # 400 runs: the standard error of a coverage of 95% is 1.1 points.
    assert min(hits) / 400 >= 0.93


def measured(votes: tuple[IntArray, ...]) -> list[Estimate]:
    """Raw agreement, alpha, and alpha with exchangeable sides."""
    found = (
        pairwise_agreement(*votes),
        krippendorff_alpha(*votes),
        krippendorff_alpha(*votes, exchangeable=(0, 1)),
    )
    return [x for x in found if x is not None]
