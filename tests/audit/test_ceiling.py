"""The ceiling: its bounds hold on simulated voters, and what it says beside an accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.audit.ceiling import ceiling_finding, equal_noise_ceiling, measure_ceiling
from rewardlab.audit.scored import ScoredVotes
from rewardlab.stats.intervals import cluster_proportion
from rewardlab.types import FloatArray, Status
from tests.making import scored_votes


def votes_of(share_for_a: FloatArray, n_votes: int, rng: np.random.Generator) -> ScoredVotes:
    """Each pair gets ``n_votes`` votes by different annotators."""
    pair = np.repeat(np.arange(len(share_for_a)), n_votes)
    label = (rng.random(len(pair)) < share_for_a[pair]).astype(float)
    annotator = np.tile(np.arange(n_votes), len(share_for_a))
    best = np.where(share_for_a[pair] >= 0.5, 1.0, -1.0)
    return scored_votes(best, label, prompt=pair, pair=pair, annotator=annotator)


@pytest.mark.parametrize(("agreement", "ceiling"), [(0.726, 0.836), (0.70, 0.816), (0.5, 0.5)])
def test_equal_noise_gives_the_published_ceilings(agreement: float, ceiling: float) -> None:
    # a = .726 gives e = .164; a = .70 gives .816, to the three digits shown.
    assert float(equal_noise_ceiling(agreement)) == pytest.approx(ceiling, abs=5e-4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_true_ceiling_lies_between_the_bounds(shares: list[float]) -> None:
    q = np.maximum(shares, 1 - np.array(shares))
    agreement = float(np.mean(q**2 + (1 - q) ** 2))
    slack = 1e-12
    assert agreement - slack <= q.mean() <= float(equal_noise_ceiling(agreement)) + slack


def test_equal_noise_voters_reach_the_upper_end() -> None:
    rng = np.random.default_rng(0)
    ceiling = measure_ceiling(votes_of(np.full(4000, 0.836), 3, rng))
    assert ceiling is not None
    # 4,000 pairs: the standard error of the agreement is about .006.
    assert ceiling.agreement.value == pytest.approx(0.726, abs=0.02)
    assert ceiling.high == pytest.approx(0.836, abs=0.02)


def test_settled_and_coin_pairs_reach_the_lower_end() -> None:
    rng = np.random.default_rng(1)
    ceiling = measure_ceiling(votes_of(np.repeat([1.0, 0.5], 2000), 2, rng))
    assert ceiling is not None
    assert ceiling.low == pytest.approx(0.75, abs=0.02)


def test_a_perfect_reward_falls_inside_the_interval() -> None:
    rng = np.random.default_rng(2)
    votes = votes_of(rng.beta(2, 1, 1500), 3, rng)
    ceiling = measure_ceiling(votes)
    accuracy = cluster_proportion(votes.correct, votes.prompt)
    assert ceiling is not None
    assert ceiling.outer_low <= accuracy.value <= ceiling.outer_high
    assert ceiling_finding(ceiling, accuracy).status is not Status.FAIL


def test_between_the_ends_only_a_better_reward_tells_whether_there_was_room() -> None:
    rng = np.random.default_rng(6)
    votes = votes_of(np.full(1500, 0.8), 2, rng)
    ceiling = measure_ceiling(votes)
    weaker = scored_votes(
        np.where(rng.random(len(votes)) < 0.9, votes.reward_gap, -votes.reward_gap),
        votes.label,
        prompt=votes.prompt,
    )
    refused = ceiling_finding(ceiling, cluster_proportion(weaker.correct, weaker.prompt))
    assert refused.status is Status.CANNOT_SAY
    assert "reward that knows more" in refused.action
    better = ceiling_finding(ceiling, cluster_proportion(votes.correct, votes.prompt))
    assert better.status is Status.PASS


def test_an_accuracy_above_the_ceiling_is_called_a_leak() -> None:
    rng = np.random.default_rng(3)
    votes = votes_of(np.full(800, 0.7), 2, rng)
    ceiling = measure_ceiling(votes)
    leaked = cluster_proportion(np.ones(800), np.arange(800))
    finding = ceiling_finding(ceiling, leaked)
    assert finding.status is Status.FAIL
    assert "leak" in finding.action


def test_a_repeated_row_without_annotator_is_no_second_opinion() -> None:
    rng = np.random.default_rng(4)
    votes = votes_of(np.full(100, 0.8), 2, rng)
    unnamed = scored_votes(votes.reward_gap, votes.label, prompt=votes.prompt, pair=votes.pair)
    assert measure_ceiling(unnamed) is None


def test_the_refusal_clears_when_a_second_vote_is_collected() -> None:
    rng = np.random.default_rng(5)
    share = np.full(100, 0.8)
    accuracy = cluster_proportion(np.r_[np.ones(80), np.zeros(20)], np.arange(100))
    once = ceiling_finding(measure_ceiling(votes_of(share, 1, rng)), accuracy)
    assert once.status is Status.CANNOT_SAY
    assert "second vote" in once.action
    twice = ceiling_finding(measure_ceiling(votes_of(share, 2, rng)), accuracy)
    assert "second vote" not in twice.action
