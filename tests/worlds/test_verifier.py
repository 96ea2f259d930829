"""The exploitable verifier: exact chances against simulated pools and closed forms."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import InputError
from rewardlab.types import FloatArray
from rewardlab.worlds.verifier import (
    WRONG_ANSWERS,
    Pool,
    counting,
    counting_by_score,
    half_rate,
    top_with_exploits,
    top_with_random_errors,
)

POOL = Pool(0.3, 1.2)
N_QUESTIONS = 100_000


def simulated(n: int, rate: float, *, built: bool) -> FloatArray:
    """Shape [N_QUESTIONS]; 1 where the top score is right, candidate by candidate."""
    rng = np.random.default_rng(3)
    right = rng.random((N_QUESTIONS, n)) < POOL.right_share
    misscored = ~right & (rng.random(right.shape) < rate)
    high = right | (misscored & (not built))
    score = rng.standard_normal(right.shape) + POOL.discrimination * high
    if built:
        best = np.where(misscored, -np.inf, score).max(axis=1, keepdims=True)
        score = np.where(misscored, best + 1e-9, score)
        score = np.where(misscored & np.isinf(score), 0.0, score)
    return np.take_along_axis(right, score.argmax(axis=1)[:, None], axis=1)[:, 0].astype(float)


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("built", [False, True])
def test_exact_accuracy_of_the_top_score_agrees_with_simulated_pools(n: int, built: bool) -> None:
    picks = simulated(n, 0.2, built=built)
    exact = (top_with_exploits if built else top_with_random_errors)(POOL, np.array([n]), 0.2)
    assert exact[0] == pytest.approx(picks.mean(), abs=4 * picks.std() / np.sqrt(N_QUESTIONS))


@pytest.mark.parametrize(("n", "rate"), [(5, 0.3), (12, 0.2), (7, 0.0)])
def test_exact_counting_agrees_with_simulated_votes(n: int, rate: float) -> None:
    p, w = POOL.right_share, (1 - POOL.right_share) * rate
    chances = [p, w, *[(1 - p - w) / WRONG_ANSWERS] * WRONG_ANSWERS]
    votes = np.random.default_rng(4).multinomial(n, chances, size=N_QUESTIONS)
    most = votes == votes.max(axis=1, keepdims=True)
    wins = most[:, 0] / most.sum(axis=1)
    error = wins.std() / np.sqrt(N_QUESTIONS)
    assert counting(POOL, n, rate) == pytest.approx(wins.mean(), abs=4 * error)


def test_one_or_two_candidates_by_hand() -> None:
    one = np.array([1])
    assert top_with_exploits(POOL, one, 0.2)[0] == pytest.approx(0.3, abs=1e-12)
    assert counting(POOL, 1, 0.2) == pytest.approx(0.3, abs=1e-12)
    # Both right, or one right that beats one wrong with chance Phi(s / sqrt 2).
    two = 0.09 + 2 * 0.3 * 0.7 * special.ndtr(1.2 / np.sqrt(2))
    assert top_with_exploits(POOL, np.array([2]), 0.0)[0] == pytest.approx(two, abs=1e-10)


def test_without_errors_both_kinds_agree_and_scores_do_not_matter_to_counting() -> None:
    n = np.array([1, 4, 64])
    np.testing.assert_allclose(
        top_with_exploits(POOL, n, 0.0), top_with_random_errors(POOL, n, 0.0), rtol=1e-12
    )
    assert counting(Pool(0.3, 0.0), 20, 0.1) == counting(Pool(0.3, 3.0), 20, 0.1)


def by_score(pool: Pool, n: int, rate: float, *, built: bool) -> float:
    """Counting by score at one rate, over 20,000 questions: a standard error of at most .0036."""
    rates, rng = np.array([rate]), np.random.default_rng(5)
    return float(counting_by_score(pool, n, rates, built=built, n_questions=20_000, rng=rng)[0])


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("rate", [0.0, 0.4])
def test_counting_by_scores_that_say_nothing_is_counting(n: int, rate: float) -> None:
    pool = Pool(0.3, 0.0)
    assert by_score(pool, n, rate, built=True) == pytest.approx(counting(pool, n, rate), abs=0.015)
    assert by_score(pool, n, rate, built=False) == pytest.approx(counting(pool, n, 0.0), abs=0.015)


@pytest.mark.parametrize("built", [False, True])
def test_counting_by_score_of_one_right_and_one_wrong_candidate_is_the_top_score(
    built: bool,
) -> None:
    two = top_with_exploits(POOL, np.array([2]), 0.0)[0]
    assert by_score(POOL, 2, 0.0, built=built) == pytest.approx(two, abs=0.015)


def test_scores_help_counting_against_honest_errors_and_hurt_it_against_exploits() -> None:
    pool = Pool(0.3, 2.5)
    assert by_score(pool, 32, 0.0, built=True) > counting(pool, 32, 0.0) + 0.1
    assert by_score(pool, 32, 0.35, built=True) < counting(pool, 32, 0.35) - 0.1


def test_exploits_alone_leave_no_vote_to_the_right_answer() -> None:
    assert by_score(Pool(1e-9, 1.0), 2, 1.0, built=True) == 0.0


def test_a_sure_count_is_not_above_one() -> None:
    assert counting(Pool(0.9, 2.5), 128, 0.16) <= 1.0


def test_half_rate_is_where_half_of_the_questions_hold_an_exploit() -> None:
    rate = half_rate(POOL, 40)
    assert (1 - 0.7 * rate) ** 40 == pytest.approx(0.5, rel=1e-12)


def test_values_outside_their_range_are_refused() -> None:
    with pytest.raises(InputError, match="right_share"):
        Pool(1.0, 1.0)
    with pytest.raises(InputError, match="rate: expected in"):
        counting(POOL, 5, 1.5)
    with pytest.raises(InputError, match="n: expected"):
        top_with_exploits(POOL, np.array([0]), 0.1)
    for by_n in (partial(counting, POOL, rate=0.1), partial(half_rate, POOL)):
        with pytest.raises(InputError, match="n: expected"):
            by_n(0)
