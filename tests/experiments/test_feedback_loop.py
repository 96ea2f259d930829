"""The loop of feedback: what is compared, what is learned, and DPO's loss at its optimum."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.experiments.feedback_loop import (
    Feedback,
    checked_rounds,
    feedback_rounds,
    held_out,
    judge,
    order_accuracy,
    people,
    rater_agreement,
    right_labels,
)
from rewardlab.experiments.lab_reward import L2
from rewardlab.policies.direct import dpo, loss_and_gradient
from rewardlab.policies.pairs import given_pairs
from rewardlab.worlds.answer_set import normalised
from rewardlab.worlds.lab import lab_world, word_counts
from rewardlab.worlds.lab_raters import Comparisons, rater_utility

WORLD = lab_world()
BETA = 0.25


def test_rounds_differ_only_in_whose_answers_are_compared_later() -> None:
    fresh, old = (
        feedback_rounds(
            WORLD,
            Feedback(rater_utility(WORLD, "hurried"), fresh=fresh),
            n_rounds=3,
            n_labels=20,
            beta=0.1,
            rng=np.random.default_rng(0),
        )
        for fresh in (True, False)
    )
    np.testing.assert_array_equal(fresh[0].new.pairs, old[0].new.pairs)
    np.testing.assert_array_equal(fresh[0].policy, old[0].policy)
    assert fresh[1].writer is fresh[0].policy
    assert old[1].writer is WORLD.ref_logprobs
    for made in (fresh, old):
        assert [len(one.so_far) for one in made] == [20, 40, 60]
    words = word_counts()  # the hurried rater's model writes longer answers
    assert words[fresh[1].new.pairs].mean() > words[old[1].new.pairs].mean()


def test_what_is_held_back_of_all_rounds_tests_the_last_reward() -> None:
    *_, last = feedback_rounds(
        WORLD, people(WORLD, fresh=True), n_rounds=3, n_labels=50, beta=BETA,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    tested = held_out(WORLD, last)
    assert tested is not None
    assert tested.n == 30
    back = last.so_far.held_out
    pairs, label = last.so_far.pairs[back], last.so_far.label[back]
    agrees = (last.reward[pairs[:, 0]] > last.reward[pairs[:, 1]]) == (label == 1)
    assert tested.accuracy.value == pytest.approx(agrees.mean())


def test_the_policy_of_the_fit_is_where_dpo_on_the_same_pairs_stands_still() -> None:
    """Over policies ref exp(w f / beta) / Z, the gradient of the loss and its penalty in w is 0."""
    (one,) = feedback_rounds(
        WORLD, people(WORLD, fresh=False), n_rounds=1, n_labels=60, beta=BETA,
        rng=np.random.default_rng(2),
    )  # fmt: skip
    used = ~one.new.held_out
    won = one.new.label[used] == 1
    first, second = one.new.pairs[used].T
    pairs = given_pairs(len(WORLD), np.where(won, first, second), np.where(won, second, first))
    _, gradient = loss_and_gradient(one.policy, WORLD.ref_logprobs, pairs, dpo(BETA))
    weights = np.linalg.lstsq(WORLD.features, one.reward, rcond=None)[0]
    in_weights = used.sum() * (WORLD.features.T @ gradient) / BETA + L2 * weights
    np.testing.assert_allclose(in_weights, 0, atol=1e-6)


def test_a_check_moves_only_what_it_sees() -> None:
    check = WORLD.feature("correct")
    first, second = checked_rounds(WORLD, check, n_rounds=2, beta=0.5)
    assert float(np.exp(first.policy) @ check) == pytest.approx(1 / (1 + math.exp(-2)))
    for name in ("length", "warmth", "flattery"):
        before = WORLD.ref_probs @ WORLD.feature(name)
        assert float(np.exp(first.policy) @ WORLD.feature(name)) == pytest.approx(before)
    np.testing.assert_array_equal(second.policy, first.policy)
    assert second.writer is first.policy
    assert len(first.new) == len(second.so_far) == 0
    assert held_out(WORLD, second) is None


def test_order_accuracy_by_hand() -> None:
    probs = np.array([0.5, 0.3, 0.2])
    gold, score = np.array([2.0, 1.0, 1.0]), np.array([1.0, 3.0, 1.0])
    # Pairs that differ in gold: 0 with 1 (weight .15, wrong) and 0 with 2 (.10, a tie).
    assert order_accuracy(score, gold, np.log(probs)) == pytest.approx(0.5 * 0.1 / 0.25)
    assert order_accuracy(gold, gold, np.log(probs)) == 1
    assert order_accuracy(-gold, gold, np.log(probs)) == 0
    assert math.isnan(order_accuracy(score, np.ones(3), np.log(probs)))


def test_order_accuracy_does_not_change_with_a_policys_sharpness_among_equals() -> None:
    gold = np.array([1.0, 1.0, 0.0])
    score = np.array([0.0, 5.0, 2.0])
    for share in (0.1, 0.5):
        logprobs = normalised(np.log([share, share, 0.2]))
        assert order_accuracy(score, gold, logprobs) == pytest.approx(0.5)


def test_agreement_and_right_labels_by_hand() -> None:
    best, worst = int(np.argmax(WORLD.gold)), int(np.argmin(WORLD.gold))
    made = Comparisons(np.array([[best, worst], [worst, best]]), np.array([1.0, 1.0]))
    assert right_labels(WORLD, made) == 0.5
    tied = Comparisons(made.pairs, np.array([1.0, 0.5]))
    assert right_labels(WORLD, tied) == 0.75
    sure = judge(WORLD, 0.0)
    p = 1 / (1 + math.exp(-(WORLD.gold[best] - WORLD.gold[worst]) / sure.noise))
    assert rater_agreement(sure, made) == pytest.approx(p**2 + (1 - p) ** 2)


def test_no_rounds_are_refused() -> None:
    with pytest.raises(InputError, match="n_rounds: expected at least 1"):
        checked_rounds(WORLD, WORLD.gold, n_rounds=0, beta=1.0)
    with pytest.raises(InputError, match="n_rounds: expected at least 1"):
        feedback_rounds(
            WORLD, people(WORLD, fresh=True), n_rounds=0, n_labels=5, beta=1.0,
            rng=np.random.default_rng(0),
        )  # fmt: skip
