"""Difficulty: no vote sorts itself, buckets have their own ceilings, and what the finding says."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.audit.accuracy import Accuracy, Bucket, measure_accuracy
from rewardlab.audit.difficulty import difficulty_finding, measure_contrasts
from rewardlab.audit.pair_kinds import pair_kinds
from rewardlab.audit.scored import ScoredVotes
from rewardlab.types import Finding, FloatArray, Status
from tests.making import scored_votes


def repeated(
    share_for_a: FloatArray, n_votes: int, rng: np.random.Generator, *, odd: float = 0.0
) -> ScoredVotes:
    """Pairs with several voters each; the reward prefers what most people do.

    Args:
        share_for_a: Shape [n], chance that a voter prefers a.
        n_votes: Voters a pair, each another annotator.
        rng: Draws the votes.
        odd: Chance that a vote of annotator 0 is a coin.
    """
    pair = np.repeat(np.arange(len(share_for_a)), n_votes)
    annotator = np.tile(np.arange(n_votes), len(share_for_a))
    share = np.where(annotator == 0, share_for_a[pair] * (1 - odd) + odd / 2, share_for_a[pair])
    label = (rng.random(len(pair)) < share).astype(float)
    best = np.where(share_for_a >= 0.5, 1.0, -1.0)[pair]
    return scored_votes(best, label, prompt=pair, pair=pair, annotator=annotator)


def by_name(accuracy: Accuracy, kind: str) -> dict[str, Bucket]:
    return {b.name: b for b in accuracy.buckets if b.kind == kind}


def finding_of(votes: ScoredVotes, *, room_is_told: bool = False) -> Finding | None:
    accuracy = measure_accuracy(votes)
    return difficulty_finding(
        measure_contrasts(votes, accuracy), accuracy, room_is_told=room_is_told
    )


def test_margins_divide_votes_into_thirds_and_the_unknown_are_kept_apart() -> None:
    margin = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, np.nan])
    accuracy = measure_accuracy(scored_votes(np.ones(7), np.ones(7), margin=margin))
    counts = [b.n_votes for b in by_name(accuracy, "margin").values()]
    assert counts == [2, 2, 2, 1]


def test_margins_of_few_levels_leave_no_part_empty() -> None:
    margin = np.r_[np.zeros(10), np.full(90, 3.0)]
    accuracy = measure_accuracy(scored_votes(np.ones(100), np.ones(100), margin=margin))
    assert {b.name: b.n_votes for b in by_name(accuracy, "margin").values()} == {
        "margin up to 0": 10,
        "margin above 0": 90,
    }


def test_what_is_missing_to_tell_difficulty_is_named() -> None:
    assert "a third annotator" in pair_kinds(scored_votes(np.ones(4), np.ones(4)))[1]
    pair = np.array([0, 0, 0, 1, 1, 1])
    unnamed = scored_votes(np.ones(6), np.ones(6), pair=pair)
    assert "cannot say" in pair_kinds(unnamed)[1]
    assert finding_of(unnamed) is None
    annotator = np.array([0, 1, 2, 0, 1, 2])
    named = scored_votes(np.ones(6), np.ones(6), pair=pair, annotator=annotator)
    assert "cannot say" not in pair_kinds(named)[1]


def test_a_vote_is_sorted_by_the_other_two_and_not_by_itself() -> None:
    pair, annotator = np.zeros(3, dtype=np.int64), np.arange(3)
    label = np.array([1.0, 1.0, 0.0])
    kinds, _ = pair_kinds(scored_votes(np.ones(3), label, pair=pair, annotator=annotator))
    masks = {k.name: k.mask.tolist() for k in kinds if k.kind == "other voters"}
    assert masks == {
        "other voters divided": [True, True, False],
        "other voters of one mind": [False, False, True],
    }


def test_an_annotators_repeated_rows_are_no_other_voters() -> None:
    pair, annotator = np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])
    kinds, _ = pair_kinds(scored_votes(np.ones(4), np.ones(4), pair=pair, annotator=annotator))
    assert not [k for k in kinds if k.kind == "other voters"]


@pytest.mark.parametrize("n_votes", [3, 5])
def test_where_all_pairs_are_alike_sorting_by_others_moves_no_accuracy(n_votes: int) -> None:
    votes = repeated(np.full(4000, 0.75), n_votes, np.random.default_rng(0))
    accuracy = measure_accuracy(votes)
    for bucket in by_name(accuracy, "other voters").values():
        assert bucket.accuracy is not None
        # About 5,000 votes a bucket on 4,000 prompts: a standard error of .007.
        assert bucket.accuracy.value == pytest.approx(0.75, abs=0.025)


def test_the_ceiling_of_a_bucket_holds_the_best_accuracy_there() -> None:
    rng = np.random.default_rng(1)
    share = np.repeat([0.55, 0.95], 3000)
    votes = repeated(share, 4, rng)
    for bucket in by_name(measure_accuracy(votes), "other voters").values():
        assert bucket.ceiling is not None
        # The reward is the best one possible, so its accuracy lies within.
        low, high = bucket.ceiling.possible.outer_low, bucket.ceiling.possible.outer_high
        assert low <= bucket.ceiling.accuracy.value <= high


def test_with_three_voters_the_votes_that_sorted_a_bucket_give_it_no_ceiling() -> None:
    votes = repeated(np.full(300, 0.8), 3, np.random.default_rng(2))
    kinds = by_name(measure_accuracy(votes), "other voters")
    assert [b.ceiling for b in kinds.values()] == [None, None]


def test_who_won_says_nothing_of_how_far_voters_agree() -> None:
    """Votes whose winner is longer agree on every pair, since they were picked for it."""
    share = np.full(300, 0.7)
    votes = repeated(share, 4, np.random.default_rng(7))
    longer = scored_votes(
        votes.reward_gap,
        votes.label,
        pair=votes.pair,
        annotator=votes.annotator,
        words=(np.full(len(votes), 30.0), np.full(len(votes), 10.0)),
    )
    kinds = by_name(measure_accuracy(longer), "length")
    assert [b.ceiling for b in kinds.values()] == [None, None, None]


def test_annotators_are_sorted_by_other_prompts_than_those_of_their_votes() -> None:
    votes = repeated(np.full(3000, 0.9), 3, np.random.default_rng(3), odd=1.0)
    less, more = by_name(measure_accuracy(votes), "annotator").values()
    assert less.accuracy is not None and more.accuracy is not None
    assert less.n_votes <= more.n_votes
    assert less.accuracy.value < more.accuracy.value - 0.2
    # Alike annotators: sorting by the same prompts would part them by their own luck.
    alike = repeated(np.full(200, 0.9), 3, np.random.default_rng(4))
    (contrast,) = [
        c for c in measure_contrasts(alike, measure_accuracy(alike)) if c.kind == "annotator"
    ]
    assert contrast.difference.low < 0 < contrast.difference.high


def test_the_contrast_covers_no_difference_where_there_is_none() -> None:
    missed = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        prompt = np.repeat(np.arange(60), 3)
        right = rng.random(60)[prompt] < 0.7  # alike within a prompt
        margin = rng.integers(0, 2, 180).astype(float)
        votes = scored_votes(np.where(right, 1.0, -1.0), np.ones(180), prompt=prompt, margin=margin)
        (contrast,) = measure_contrasts(votes, measure_accuracy(votes))
        missed += not contrast.difference.low <= 0 <= contrast.difference.high
    # 5% of 100 within three Monte Carlo standard errors.
    assert missed / 100 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


def with_margin(right_hard: float, right_clear: float, n: int = 600) -> ScoredVotes:
    at = np.arange(n) / n
    hard, clear = (np.where(at < share, 1.0, -1.0) for share in (right_hard, right_clear))
    margin = np.repeat([0.0, 3.0], n)
    return scored_votes(np.r_[hard, clear], np.ones(2 * n), margin=margin)


@pytest.mark.parametrize(
    ("hard", "clear", "n", "status"),
    [
        (0.55, 0.85, 600, Status.PASS),
        (0.70, 0.55, 600, Status.WARN),
        (0.60, 0.62, 50, Status.CANNOT_SAY),
    ],
)
def test_the_finding_follows_the_difference(
    hard: float, clear: float, n: int, status: Status
) -> None:
    found = finding_of(with_margin(hard, clear, n))
    assert found is not None
    assert found.status is status
    assert found.title.startswith(f"Accuracy is {hard:.0%} where votes are hardest (margin up to 0")


def test_room_is_placed_and_warned_of_once() -> None:
    votes = repeated(np.repeat([0.6, 0.99], 1000), 5, np.random.default_rng(5))
    coin = np.random.default_rng(6).random(2000)[votes.pair] < 0.75
    weak = scored_votes(
        np.where(coin, votes.reward_gap, -votes.reward_gap),
        votes.label,
        prompt=votes.prompt,
        pair=votes.pair,
        annotator=votes.annotator,
    )
    alone, beside = finding_of(weak), finding_of(weak, room_is_told=True)
    assert alone is not None and beside is not None
    assert alone.status is Status.WARN
    assert "“other voters of one mind”" in alone.action
    assert beside.status is Status.PASS
    assert "Below what is possible" in beside.meaning
