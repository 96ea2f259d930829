"""Accuracy on decided votes, its buckets, and what the finding says."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rewardlab.audit.accuracy import accuracy_finding, measure_accuracy
from rewardlab.errors import InputError
from rewardlab.types import Finding, Status
from tests.making import bradley_terry_votes, scored_votes


def test_tied_rewards_count_one_half_and_are_counted() -> None:
    votes = scored_votes(np.array([1.0, -1.0, 0.0, 5.0]), np.array([1.0, 1.0, 1.0, 0.5]))
    accuracy = measure_accuracy(votes)
    assert accuracy.overall.value == pytest.approx((1 + 0 + 0.5) / 3)
    assert (accuracy.n_undecided, accuracy.n_reward_ties) == (1, 1)


def test_calling_the_sides_the_other_way_round_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    gap = rng.normal(size=200)
    label = bradley_terry_votes(gap, rng)
    words = (rng.integers(5, 50, 200).astype(float), rng.integers(5, 50, 200).astype(float))
    one = measure_accuracy(scored_votes(gap, label, words=words))
    other = measure_accuracy(scored_votes(-gap, 1 - label, words=words[::-1]))
    assert one == other


def test_length_buckets_divide_all_decided_votes() -> None:
    words = (np.array([30.0, 10.0, 10.0, 30.0]), np.array([10.0, 30.0, 10.5, 10.0]))
    votes = scored_votes(np.ones(4), np.array([1.0, 1.0, 0.0, 0.5]), words=words)
    buckets = [b for b in measure_accuracy(votes).buckets if b.kind == "length"]
    assert [b.n_votes for b in buckets] == [1, 1, 1]
    assert measure_accuracy(votes).longest.value == pytest.approx((1 + 0 + 1) / 3)


def test_only_ties_are_refused() -> None:
    with pytest.raises(InputError, match="all are ties"):
        measure_accuracy(scored_votes(np.ones(3), np.full(3, 0.5)))


@pytest.mark.parametrize(
    ("share_right", "n", "status"),
    [
        (0.8, 400, Status.PASS),
        (0.2, 400, Status.FAIL),
        (0.51, 100, Status.CANNOT_SAY),
        (0.9, 30, Status.WARN),
    ],
)
def test_the_finding_follows_the_interval(share_right: float, n: int, status: Status) -> None:
    gap = np.where(np.arange(n) < share_right * n, 1.0, -1.0)
    accuracy = measure_accuracy(scored_votes(gap, np.ones(n)))
    assert accuracy_finding(accuracy, held_out="held out").status is status


def test_a_fit_on_other_folds_that_falls_below_a_coin_has_learned_nothing() -> None:
    accuracy = measure_accuracy(
        scored_votes(np.where(np.arange(400) < 160, 1.0, -1.0), np.ones(400))
    )
    assert accuracy_finding(accuracy, held_out="").status is Status.FAIL
    folds = accuracy_finding(accuracy, held_out="", fitted_here=True)
    assert folds.status is Status.CANNOT_SAY


def test_adding_the_prompts_that_the_refusal_asks_for_clears_it() -> None:
    def finding(n: int) -> Finding:
        gap = np.where(np.arange(n) % 50 < 27, 1.0, -1.0)  # 54% right
        return accuracy_finding(measure_accuracy(scored_votes(gap, np.ones(n))), held_out="")

    refused = finding(100)
    assert refused.status is Status.CANNOT_SAY
    asked = re.search(r"about ([\d,]+) would", refused.action)
    assert asked is not None
    assert finding(int(asked[1].replace(",", ""))).status is Status.PASS


def test_votes_copied_within_a_prompt_change_neither_value_nor_interval() -> None:
    rng = np.random.default_rng(1)
    gap = rng.normal(size=120)
    label = bradley_terry_votes(gap, rng)
    once = measure_accuracy(scored_votes(gap, label)).overall
    prompt = np.tile(np.arange(120), 4)
    copied = measure_accuracy(
        scored_votes(np.tile(gap, 4), np.tile(label, 4), prompt=prompt)
    ).overall
    assert copied.value == once.value
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high), abs=2e-3)


def test_shared_folds_widen_the_overall_interval_and_the_buckets() -> None:
    rng = np.random.default_rng(2)
    gap = rng.normal(size=300)
    votes = scored_votes(gap, bradley_terry_votes(gap, rng))
    plain, wide = measure_accuracy(votes), measure_accuracy(votes, widening=1.4)
    assert wide.overall.std_error == pytest.approx(1.4 * plain.overall.std_error)
    for before, after in zip(plain.buckets, wide.buckets, strict=True):
        if before.accuracy is not None and after.accuracy is not None:
            assert after.accuracy.std_error == pytest.approx(1.4 * before.accuracy.std_error)
