"""Two rewards on the same votes: paired differences, coverage, and refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rewardlab.audit.compare import better_finding, compare_votes
from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.types import Finding, Status
from tests.making import bradley_terry_votes, scored_votes


def two_rewards(n: int, noise_a: float, noise_b: float, seed: int) -> tuple[ScoredVotes, ...]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n) * 1.5
    label = bradley_terry_votes(truth, rng)
    prompt = rng.integers(0, max(2, n // 3), n)
    return tuple(
        scored_votes(truth + noise * rng.normal(size=n), label, prompt=prompt)
        for noise in (noise_a, noise_b)
    )


def verdict(a: ScoredVotes, b: ScoredVotes) -> Finding:
    accuracy_a, accuracy_b, difference, _ = compare_votes(a, b)
    n_disagreements = int(np.sum(a.decided & (a.correct != b.correct)))
    return better_finding(difference, accuracy_a, accuracy_b, n_disagreements)


def test_swapping_the_rewards_negates_the_difference() -> None:
    a, b = two_rewards(300, 0.5, 2.0, seed=0)
    forward, backward = compare_votes(a, b)[2], compare_votes(b, a)[2]
    assert forward.value == pytest.approx(-backward.value)
    assert forward.low == pytest.approx(-backward.high)


def test_the_difference_is_the_difference_of_the_accuracies() -> None:
    accuracy_a, accuracy_b, difference, buckets = compare_votes(*two_rewards(300, 0.5, 2.0, seed=1))
    assert difference.value == pytest.approx(accuracy_a.value - accuracy_b.value)
    weighted = sum(b.n_votes * (b.accuracy_a - b.accuracy_b) for b in buckets if b.n_votes)
    assert weighted / difference.n == pytest.approx(difference.value)


def test_the_clearly_better_reward_is_named() -> None:
    assert verdict(*two_rewards(2000, 0.3, 4.0, seed=2)).title.startswith("A is better")
    assert verdict(*two_rewards(2000, 4.0, 0.3, seed=2)).title.startswith("B is better")


def test_equally_good_rewards_are_seldom_told_apart() -> None:
    told = [
        verdict(*two_rewards(240, 1.0, 1.0, seed=s)).title.split()[2] == "better:"
        for s in range(400)
    ]
    # Nominal 5%; Monte Carlo error of 400 runs is 1.1 points.
    assert np.mean(told) <= 0.08


def test_votes_that_cannot_tell_name_how_many_would() -> None:
    refused = verdict(*two_rewards(150, 1.0, 1.4, seed=3))
    assert refused.status is Status.CANNOT_SAY
    asked = re.search(r"about ([\d,]+) would", refused.action)
    assert asked is not None
    # Two votes a prompt or so; the remedy counts prompts.
    n = 6 * int(asked[1].replace(",", ""))
    assert verdict(*two_rewards(n, 1.0, 1.4, seed=3)).status is not Status.CANNOT_SAY


def test_rewards_that_agree_everywhere_are_not_called_equal() -> None:
    a, _ = two_rewards(100, 0.5, 2.0, seed=4)
    finding = verdict(a, a)
    assert finding.status is Status.CANNOT_SAY
    assert "order differently" in finding.action
    assert verdict(*two_rewards(2000, 0.3, 4.0, seed=4)).status is Status.PASS


def test_different_votes_are_refused() -> None:
    a, b = two_rewards(100, 0.5, 2.0, seed=5)
    with pytest.raises(InputError, match="same votes"):
        compare_votes(a, b.take(np.arange(100) < 50))


def test_shared_folds_widen_every_difference() -> None:
    a, b = two_rewards(300, 0.5, 2.0, seed=6)
    plain, wide = compare_votes(a, b), compare_votes(a, b, widening=(1.0, 1.5))
    assert wide[2].high - wide[2].value == pytest.approx(1.5 * (plain[2].high - plain[2].value))
    assert wide[0] == plain[0]
    assert wide[1].std_error == pytest.approx(1.5 * plain[1].std_error)
    for before, after in zip(plain[3], wide[3], strict=True):
        if before.difference is not None and after.difference is not None:
            assert after.difference.std_error == pytest.approx(1.5 * before.difference.std_error)


def test_votes_copied_within_a_prompt_do_not_narrow_the_difference() -> None:
    a, b = two_rewards(200, 0.5, 2.0, seed=7)
    again = np.tile(np.arange(200), 4)

    def copied(votes: ScoredVotes) -> ScoredVotes:
        prompt = votes.prompt[again]
        return scored_votes(votes.reward_gap[again], votes.label[again], prompt=prompt)

    once, four = compare_votes(a, b)[2], compare_votes(copied(a), copied(b))[2]
    assert four.std_error == pytest.approx(once.std_error)


def test_a_verdict_on_few_prompts_is_marked_rough() -> None:
    a, b = two_rewards(110, 0.0, 60.0, seed=8)
    few = verdict(a, b)
    assert few.title.startswith("A is better")
    assert few.status is Status.WARN
    assert "below about 40" in few.meaning
