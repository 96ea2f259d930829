"""Kappas: independent libraries to rounding error, published values, honest intervals."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as library_fleiss

from rewardlab.errors import InputError
from rewardlab.stats.agreement import krippendorff_alpha
from rewardlab.stats.kappa import cohen_kappa, fleiss_kappa, kappa_word, rater_pairs
from rewardlab.types import IntArray

FLEISS_1971 = np.array([
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
])  # fmt: skip
"""Fourteen raters, ten subjects, five categories: the worked example with kappa .210."""


def rows_of(table: IntArray) -> tuple[IntArray, IntArray]:
    """Unit and category of each judgement in a table of counts."""
    unit, category = np.nonzero(table)
    n = table[unit, category]
    return np.repeat(unit, n), np.repeat(category, n)


@pytest.mark.parametrize("seed", range(5))
def test_cohens_kappa_is_that_of_an_independent_library(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = rng.integers(0, 4, 300)
    other = np.where(rng.random(300) < 0.5, one, rng.integers(0, 3, 300))
    found = cohen_kappa(one, other, np.arange(300))
    assert found is not None
    assert found.value == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_kappa_is_that_of_an_independent_library(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.multinomial(5, rng.dirichlet([0.5, 1, 0.3]), size=200)
    unit, category = rows_of(table)
    found = fleiss_kappa(unit, category, unit)
    assert found is not None
    assert found.value == pytest.approx(library_fleiss(table), abs=1e-12)


def test_fleiss_kappa_of_the_published_table_is_the_published_one() -> None:
    unit, category = rows_of(FLEISS_1971)
    found = fleiss_kappa(unit, category, unit)
    assert found is not None
    assert found.value == pytest.approx(0.210, abs=5e-4)  # three digits are printed


def test_unequal_numbers_of_judgements_count_each_unit_once() -> None:
    # Units: a a b (P = 1/3) and b b (P = 1); a unit judged once counts in nothing.
    unit, category = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 0])
    found = fleiss_kappa(unit, category, unit)
    share_a = (2 / 3 + 0) / 2
    chance = share_a**2 + (1 - share_a) ** 2
    assert found is not None
    assert found.value == pytest.approx(((1 / 3 + 1) / 2 - chance) / (1 - chance), abs=1e-12)
    assert found.n == 2


def test_kappa_is_undefined_where_all_say_the_same_and_where_nothing_is_shared() -> None:
    ones, none = np.ones(4, dtype=np.int64), np.zeros(0, dtype=np.int64)
    assert cohen_kappa(ones, ones, np.arange(4)) is None
    assert cohen_kappa(none, none, none) is None
    assert fleiss_kappa(np.array([0, 0, 1, 1]), ones, np.array([0, 0, 1, 1])) is None
    assert fleiss_kappa(np.arange(4), ones, np.arange(4)) is None
    assert fleiss_kappa(none, none, none) is None
    assert rater_pairs(np.arange(4), ones, np.arange(4), np.arange(4)) == ()


def test_which_side_is_called_a_does_not_matter_to_exchangeable_sides() -> None:
    rng = np.random.default_rng(3)
    one = (rng.random(200) < 0.8).astype(np.int64)
    other = np.where(rng.random(200) < 0.7, one, 1 - one)
    turned = rng.random(200) < 0.5
    where = np.arange(200)
    plain = cohen_kappa(one, other, where, exchangeable=(0, 1))
    swapped = cohen_kappa(
        np.where(turned, 1 - one, one),
        np.where(turned, 1 - other, other),
        where,
        exchangeable=(0, 1),
    )
    assert plain is not None
    assert swapped is not None
    assert plain.value == pytest.approx(swapped.value, abs=1e-12)
    assert plain.value == pytest.approx(2 * np.mean(one == other) - 1, abs=1e-12)


def test_pairs_of_annotators_are_those_who_share_enough_most_first() -> None:
    rng = np.random.default_rng(4)
    who = np.concatenate([np.full(60, 0), np.full(60, 1), np.full(30, 2)])
    unit = np.concatenate([np.arange(60), np.arange(60), np.arange(30)])
    said = rng.integers(0, 3, len(who))
    shuffled = rng.permutation(len(who))
    found = rater_pairs(unit[shuffled], said[shuffled], who[shuffled], unit[shuffled])
    assert [(p.first, p.second, p.n_shared) for p in found] == [(0, 1, 60), (0, 2, 30), (1, 2, 30)]
    by_hand = cohen_kappa_score(said[:60], said[60:120])
    assert found[0].kappa is not None
    assert found[0].kappa.value == pytest.approx(by_hand, abs=1e-12)
    assert len(rater_pairs(unit, said, who, unit, min_shared=31)) == 1
    assert len(rater_pairs(unit, said, who, unit, most=2)) == 2


def test_the_words_are_the_customary_ones() -> None:
    said = [kappa_word(k) for k in (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9)]
    assert said == ["poor", "slight", "fair", "moderate", "substantial", "almost perfect"]


def test_unequal_lengths_and_unnamed_annotators_are_refused() -> None:
    two, three = np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64)
    with pytest.raises(InputError, match="of one length"):
        cohen_kappa(two, three, two)
    with pytest.raises(InputError, match="of one length"):
        fleiss_kappa(two, three, two)
    with pytest.raises(InputError, match="codes >= 0"):
        rater_pairs(two, two, two - 1, two)
    with pytest.raises(InputError, match="at least 2"):
        rater_pairs(two, two, two, two, min_shared=1)


@pytest.mark.parametrize("kind", ["cohen", "fleiss"])
def test_intervals_over_prompts_cover_the_kappa_behind_the_votes(kind: str) -> None:
    """Units of a prompt share how hard they are, which intervals over rows would not know."""

    def draw(rng: np.random.Generator, n_prompts: int) -> tuple[IntArray, IntArray, IntArray]:
        prompt = np.repeat(np.arange(n_prompts), 4)
        alike = np.repeat(rng.choice([0.2, 0.95], n_prompts), 4)
        one = (rng.random(len(prompt)) < 0.65).astype(np.int64)
        other = np.where(
            rng.random(len(prompt)) < alike, one, (rng.random(len(prompt)) < 0.65).astype(np.int64)
        )
        return one, other, prompt

    covered = 0
    truth = 0.575  # The mean chance of a copy: both have the same marginals.
    for seed in range(300):
        one, other, prompt = draw(np.random.default_rng(seed), 60)
        if kind == "cohen":
            found = cohen_kappa(one, other, prompt)
        else:
            unit = np.arange(len(one))
            found = fleiss_kappa(np.r_[unit, unit], np.r_[one, other], np.r_[prompt, prompt])
        assert found is not None
        covered += found.low <= truth <= found.high
    # 95% of 300 runs, less three standard errors of 1.26 points.
    assert covered / 300 >= 0.912


def test_fleiss_intervals_use_that_a_unit_has_several_judgements() -> None:
    """With equally many a unit Fleiss' kappa and alpha differ by 1/n, and so do their intervals."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    said = np.where(rng.random((4, 300)) < 0.5, rng.integers(0, 3, (4, 300)), truth).ravel()
    unit = np.tile(np.arange(300), 4)
    fleiss, alpha = (f(unit, said, unit) for f in (fleiss_kappa, krippendorff_alpha))
    assert fleiss is not None
    assert alpha is not None
    assert fleiss.n == 300
    # Cut down to one answer a unit, it would be 1.7 times as wide.
    assert fleiss.high - fleiss.low == pytest.approx(alpha.high - alpha.low, rel=0.01)
