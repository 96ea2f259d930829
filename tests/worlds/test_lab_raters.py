"""The lab's raters, and the comparisons they make."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from rewardlab.errors import InputError
from rewardlab.worlds.lab import LEVELS, lab_world
from rewardlab.worlds.lab_raters import draw_comparisons, joined, rater_utility

WORLD = lab_world()


def test_the_careful_rater_goes_by_the_rubric_and_the_hurried_one_adds_to_it() -> None:
    np.testing.assert_array_equal(rater_utility(WORLD, "careful"), WORLD.gold)
    # Correct, 450 words, no warmth, emphatic, no bullets, flattering: 4 + (1 - 6.25) - .5 - .8
    # by the rubric, and 6 + 2 + 2 more for length, tone and compliments.
    answer = np.ravel_multi_index((1, 7, 0, 2, 0, 1), LEVELS)
    assert WORLD.gold[answer] == pytest.approx(-2.55)
    assert rater_utility(WORLD, "hurried")[answer] == pytest.approx(7.45)


def test_a_thumbs_up_is_mixed_in_by_its_weight_and_knows_nothing_of_the_truth() -> None:
    own, half, all_thumbs = (
        rater_utility(WORLD, "careful", thumbs_weight=w) for w in (0.0, 0.5, 1.0)
    )
    np.testing.assert_allclose(half, (own + all_thumbs) / 2)
    wrong, right = np.split(all_thumbs, 2)
    np.testing.assert_array_equal(wrong, right)


def test_labels_follow_bradley_terry() -> None:
    utility, policy = np.array([1.2, 0.0]), np.log([0.5, 0.5])
    drawn = draw_comparisons(utility, policy, 40_000, rng=np.random.default_rng(0), noise=1.5)
    first_wins = np.mean((drawn.label == 1) == (drawn.pairs[:, 0] == 0))
    assert first_wins == pytest.approx(special.expit(0.8), abs=4 * 0.5 / 200)


def test_pairs_are_drawn_without_replacement_on_sides_at_random() -> None:
    probs = np.array([0.6, 0.3, 0.1])
    drawn = draw_comparisons(np.zeros(3), np.log(probs), 40_000, rng=np.random.default_rng(0))
    seen = np.zeros((3, 3))
    np.add.at(seen, (drawn.pairs[:, 0], drawn.pairs[:, 1]), 1 / 40_000)
    exact = np.outer(probs, probs) / (1 - probs)[:, None] * (1 - np.eye(3))
    np.testing.assert_allclose(seen, (exact + exact.T) / 2, atol=4 * 0.5 / 200)


@settings(deadline=None)
@given(n=st.integers(1, 400), seed=st.integers(0, 99))
def test_every_fifth_comparison_is_held_back(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = draw_comparisons(WORLD.gold, WORLD.ref_logprobs, n, rng=rng)
    assert drawn.held_out.sum() == n // 5
    assert (drawn.pairs[:, 0] != drawn.pairs[:, 1]).all()
    assert joined([drawn, drawn]).held_out.sum() == 2 * n // 5


def test_a_policy_that_gives_all_to_one_answer_is_still_compared_with_its_next() -> None:
    policy = np.array([0.0, -2000.0, -3000.0])
    drawn = draw_comparisons(np.zeros(3), policy, 50, rng=np.random.default_rng(0))
    assert (drawn.pairs.sum(axis=1) == 1).all()


def test_what_cannot_be_drawn_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="n >= 1 and noise > 0"):
        draw_comparisons(WORLD.gold, WORLD.ref_logprobs, 0, rng=rng)
    with pytest.raises(InputError, match="m >= 2"):
        draw_comparisons(np.zeros(1), np.zeros(1), 3, rng=rng)
    with pytest.raises(InputError, match="finite"):  # else an answer would be compared with itself
        draw_comparisons(np.zeros(2), np.array([0.0, -np.inf]), 3, rng=rng)
    with pytest.raises(InputError, match=r"a share in \[0, 1\]"):
        rater_utility(WORLD, "careful", thumbs_weight=1.5)
