"""The ceiling: its bounds hold on simulated voters, and what it says beside an accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from rewardlab.audit.ceiling import (
    MIN_RICH_PAIRS,
    CeilingRange,
    beside_ceiling,
    ceiling_finding,
    ceiling_range,
    equal_noise_ceiling,
    measure_ceiling,
    most_common_share,
    verdict,
)
from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.stats.intervals import Estimate, cluster_proportion
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


def with_gap(votes: ScoredVotes, gap: FloatArray) -> ScoredVotes:
    """The same votes, scored by another reward."""
    return scored_votes(
        gap, votes.label, prompt=votes.prompt, pair=votes.pair, annotator=votes.annotator
    )


def status_of(votes: ScoredVotes) -> Status:
    return ceiling_finding(measure_ceiling(votes)).status


def test_a_perfect_reward_falls_inside_the_interval() -> None:
    rng = np.random.default_rng(2)
    ceiling = measure_ceiling(votes_of(rng.beta(2, 1, 1500), 3, rng))
    assert ceiling is not None
    assert ceiling.outer_low <= ceiling.accuracy.value <= ceiling.outer_high
    assert ceiling_finding(ceiling).status not in (Status.FAIL, Status.WARN)


def test_a_perfect_reward_on_equally_noisy_pairs_passes() -> None:
    votes = votes_of(np.full(3000, 0.8), 3, np.random.default_rng(3))
    assert status_of(votes) is Status.PASS


def test_an_accuracy_above_the_ceiling_is_called_a_leak() -> None:
    votes = votes_of(np.full(800, 0.7), 2, np.random.default_rng(4))
    finding = ceiling_finding(measure_ceiling(with_gap(votes, votes.label - 0.5)))
    assert finding.status is Status.FAIL
    assert "leak" in finding.action


def test_a_reward_below_the_lower_end_has_room() -> None:
    votes = votes_of(np.full(800, 0.9), 2, np.random.default_rng(5))
    coin = np.random.default_rng(6).choice([-1.0, 1.0], size=len(votes))
    finding = ceiling_finding(measure_ceiling(with_gap(votes, coin)))
    assert finding.status is Status.WARN
    assert "There is room" in finding.action


def test_between_the_ends_only_a_better_reward_tells_whether_there_was_room() -> None:
    rng = np.random.default_rng(7)
    votes = votes_of(np.full(3000, 0.8), 3, rng)
    weaker = np.where(rng.random(len(votes)) < 0.85, votes.reward_gap, -votes.reward_gap)
    refused = ceiling_finding(measure_ceiling(with_gap(votes, weaker)))
    assert refused.status is Status.CANNOT_SAY
    assert "reward that knows more" in refused.action
    assert status_of(votes) is Status.PASS


def test_second_votes_on_the_hardest_pairs_only_are_no_leak() -> None:
    """The accuracy beside the ceiling is that on the pairs which have a ceiling."""
    rng = np.random.default_rng(8)
    share = np.r_[np.full(850, 0.95), np.full(150, 0.6)]
    pair = np.r_[np.arange(1000), np.arange(850, 1000)]
    label = (rng.random(len(pair)) < share[pair]).astype(float)
    annotator = np.r_[np.zeros(1000, dtype=np.int64), np.ones(150, dtype=np.int64)]
    votes = scored_votes(np.ones(1150), label, prompt=pair, pair=pair, annotator=annotator)
    assert status_of(votes) is not Status.FAIL


@pytest.mark.parametrize("n_repeated", [20, 50, 300])
def test_a_perfect_reward_is_seldom_told_that_there_is_room(n_repeated: int) -> None:
    rooms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        votes = votes_of(np.repeat([1.0, 0.5], n_repeated // 2), 2, rng)
        rooms += status_of(votes) is Status.WARN
    # Two intervals at 95% must miss each other; Monte Carlo error of 200 runs is 1.5 points.
    assert rooms / 200 <= 0.05


def test_a_repeated_row_without_annotator_is_no_second_opinion() -> None:
    votes = votes_of(np.full(100, 0.8), 2, np.random.default_rng(4))
    unnamed = scored_votes(votes.reward_gap, votes.label, prompt=votes.prompt, pair=votes.pair)
    assert measure_ceiling(unnamed) is None


def test_the_refusal_clears_when_a_second_vote_is_collected() -> None:
    rng = np.random.default_rng(5)
    once = ceiling_finding(measure_ceiling(votes_of(np.full(100, 0.8), 1, rng)))
    assert once.status is Status.CANNOT_SAY
    assert "second vote" in once.action
    assert measure_ceiling(votes_of(np.full(100, 0.8), 2, rng)) is not None


def bradley_terry(n: int, rng: np.random.Generator) -> FloatArray:
    """Chances for a under which two voters agree 69.7%, and a perfect reward is right 77.8%."""
    return np.asarray(special.expit(1.998 * rng.standard_normal(n)))


def test_four_votes_a_pair_narrow_the_ceiling_and_say_so() -> None:
    rng = np.random.default_rng(9)
    ceiling = measure_ceiling(votes_of(bradley_terry(3000, rng), 4, rng))
    assert ceiling is not None
    assert ceiling.n_narrowing == 3000
    assert ceiling.outer_low < 0.778 < ceiling.outer_high < 0.814
    wide = ceiling.from_agreement
    assert wide is not None
    assert wide.low == pytest.approx(ceiling.agreement.value)
    assert wide.high == pytest.approx(float(equal_noise_ceiling(ceiling.agreement.value)))
    assert wide.low < ceiling.low < ceiling.high < wide.high
    finding = ceiling_finding(ceiling)
    assert "3,000 pairs with four or more votes narrow it" in finding.meaning
    assert f"would allow {wide.low:.0%} to {wide.high:.0%}" in finding.meaning


@pytest.mark.parametrize(("n_pairs", "n_votes"), [(MIN_RICH_PAIRS - 1, 4), (2000, 3)])
def test_too_few_pairs_with_four_votes_leave_the_range_of_agreement_alone(
    n_pairs: int, n_votes: int
) -> None:
    rng = np.random.default_rng(10)
    ceiling = measure_ceiling(votes_of(bradley_terry(n_pairs, rng), n_votes, rng))
    assert ceiling is not None
    wide = ceiling_range(ceiling.agreement)
    assert (ceiling.low, ceiling.high) == (wide.low, wide.high)
    assert (ceiling.outer_low, ceiling.outer_high) == (wide.outer_low, wide.outer_high)
    assert "narrow" not in ceiling_finding(ceiling).meaning


def test_votes_that_may_all_be_coins_are_not_narrowed() -> None:
    rng = np.random.default_rng(3)
    ceiling = measure_ceiling(votes_of(np.full(300, 0.5), 4, rng))
    assert ceiling is not None and ceiling.agreement.low < 0.5
    assert ceiling.n_narrowing == 0


def test_a_leak_too_small_for_agreement_alone_shows_where_pairs_have_four_votes() -> None:
    rng = np.random.default_rng(11)
    votes = votes_of(bradley_terry(4000, rng), 4, rng)
    # Right on 82% of votes: above the ceiling of 77.8%, near the 81.4% that equal noise allows.
    told = np.where(rng.random(len(votes)) < 0.2, votes.label - 0.5, votes.reward_gap)
    ceiling = measure_ceiling(with_gap(votes, told))
    assert ceiling is not None
    assert ceiling.from_agreement is not None
    assert ceiling.accuracy.low < ceiling.from_agreement.outer_high
    assert ceiling_finding(ceiling).status is Status.FAIL


@given(st.lists(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), min_size=1, max_size=20))
def test_the_commonest_of_several_answers_lies_between_its_bounds(raw: list[list[float]]) -> None:
    shares = np.array(raw) / np.sum(raw, axis=1, keepdims=True)
    agreement, best = float(np.mean(np.sum(shares**2, axis=1))), float(shares.max(axis=1).mean())
    assert agreement - 1e-12 <= best <= float(most_common_share(agreement, 4)) + 1e-9


def test_with_two_answers_the_commonest_share_is_the_ceiling_of_equal_noise() -> None:
    assert float(most_common_share(0.7, 2)) == pytest.approx((1 + np.sqrt(0.4)) / 2)
    with pytest.raises(InputError, match="at least 2"):
        most_common_share(0.7, 1)


def test_an_accuracy_from_elsewhere_is_judged_beside_a_range() -> None:
    possible = CeilingRange(0.70, 0.82, 0.68, 0.84)
    assert verdict(0.69, possible) == "69% where at best 70% to 82% is possible"

    def judged(value: float) -> Status:
        exact = Estimate(value, 0.0, value, value, 0, 0, 0.95, "taken as exact")
        return beside_ceiling(exact, possible)[0]

    statuses = [judged(a) for a in (0.6, 0.7, 0.8, 0.9)]
    assert statuses == [Status.WARN, Status.CANNOT_SAY, Status.PASS, Status.FAIL]
    high = Estimate(0.85, 0.02, 0.81, 0.89, 300, 300, 0.95, "given")
    status, action = beside_ceiling(high, possible)
    assert status is Status.CANNOT_SAY
    assert "above the ceiling" in action
    assert beside_ceiling(cluster_proportion(np.ones(2), np.zeros(2, int)), possible)[0] is (
        Status.CANNOT_SAY
    )
