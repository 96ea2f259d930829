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
    krippendorff_alpha,
    pairwise_agreement,
)
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
    found = krippendorff_alpha(unit, category, unit, rng=np.random.default_rng(0), n_resamples=10)
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


def votes_by_prompt(rng: np.random.Generator, n_prompts: int) -> tuple[IntArray, ...]:
    """Three votes on two pairs of each prompt, which is easy or hard for both pairs."""
    clear = np.repeat(rng.beta(3, 1.5, n_prompts), 2)
    pair = np.repeat(np.arange(2 * n_prompts), 3)
    favourite = np.repeat(rng.integers(0, 2, 2 * n_prompts), 3)
    follows = rng.random(len(pair)) < np.repeat(0.5 + clear / 2, 3)
    tie = rng.random(len(pair)) < 0.1
    category = np.where(tie, 2, np.where(follows, favourite, 1 - favourite))
    return pair, category, pair // 2


@pytest.mark.parametrize("n_prompts", [25, 100])
def test_intervals_cover_by_simulation(n_prompts: int) -> None:
    large = votes_by_prompt(np.random.default_rng(1), 100_000)
    rng = np.random.default_rng(0)
    raw = pairwise_agreement(*large)
    chance = krippendorff_alpha(*large, rng=rng, n_resamples=2)
    assert raw is not None
    assert chance is not None
    hits: FloatArray = np.zeros(2)
    for seed in range(400):
        votes = votes_by_prompt(np.random.default_rng(seed), n_prompts)
        mine = pairwise_agreement(*votes)
        found = krippendorff_alpha(*votes, rng=rng, n_resamples=500)
        assert mine is not None
        assert found is not None
        hits += [mine.low <= raw.value <= mine.high, found.low <= chance.value <= found.high]
    # 400 runs: the standard error of a coverage of 95% is 1.1 points. The percentile bootstrap is
    # known to fall short by a point or two with 25 clusters.
    assert hits[0] / 400 >= 0.93
    assert hits[1] / 400 >= (0.90 if n_prompts == 25 else 0.92)
