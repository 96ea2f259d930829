"""Calibration does not depend on sides, finds the slope, and says what to multiply by."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.audit.calibration import calibration_finding, measure_calibration
from rewardlab.errors import EstimationError
from rewardlab.types import Status
from tests.making import bradley_terry_votes, scored_votes


def test_a_bradley_terry_reward_is_calibrated() -> None:
    rng = np.random.default_rng(0)
    gap = 1.5 * rng.normal(size=3000)
    calibration = measure_calibration(scored_votes(gap, bradley_terry_votes(gap, rng)))
    assert calibration.slope.low <= 1 <= calibration.slope.high
    assert calibration.error < 0.03
    assert calibration_finding(calibration, is_logit=True).status is Status.PASS


def test_a_reward_blown_up_threefold_is_told_to_shrink_threefold() -> None:
    rng = np.random.default_rng(1)
    gap = 1.5 * rng.normal(size=3000)
    calibration = measure_calibration(scored_votes(3 * gap, bradley_terry_votes(gap, rng)))
    assert calibration.slope.value == pytest.approx(1 / 3, rel=0.1)
    finding = calibration_finding(calibration, is_logit=True)
    assert finding.status is Status.WARN
    assert "overconfident" in finding.action
    assert calibration_finding(calibration, is_logit=False).status is Status.PASS


def test_listing_winners_first_leaves_no_artefact() -> None:
    rng = np.random.default_rng(2)
    gap = rng.normal(size=500)
    label = bradley_terry_votes(gap, rng)
    as_shown = measure_calibration(scored_votes(gap, label))
    side = np.where(label == 1, 1.0, -1.0)
    winner_first = measure_calibration(scored_votes(gap * side, np.ones(500)))
    assert winner_first.slope.value == pytest.approx(as_shown.slope.value, rel=1e-6)
    assert winner_first.error == pytest.approx(as_shown.error, rel=1e-9)


def test_a_slope_means_nothing_where_the_reward_does_not_predict() -> None:
    rng = np.random.default_rng(3)
    gap = rng.normal(size=500)
    calibration = measure_calibration(scored_votes(-gap, bradley_terry_votes(gap, rng)))
    refused = calibration_finding(calibration, is_logit=True, predicts=False)
    assert refused.status is Status.CANNOT_SAY
    cleared = measure_calibration(scored_votes(gap, bradley_terry_votes(gap, rng)))
    assert calibration_finding(cleared, is_logit=True, predicts=True).status is Status.PASS


def test_a_reward_that_never_differs_is_refused() -> None:
    with pytest.raises(EstimationError, match="same reward"):
        measure_calibration(scored_votes(np.zeros(50), np.ones(50)))


def test_more_prompts_clear_the_refusal_to_say() -> None:
    def status(n: int) -> Status:
        rng = np.random.default_rng(4)
        gap = 0.3 * rng.normal(size=n)
        calibration = measure_calibration(scored_votes(gap, bradley_terry_votes(gap, rng)))
        finding = calibration_finding(calibration, is_logit=True)
        if finding.status is Status.CANNOT_SAY:
            assert "add prompts" in finding.action
        return finding.status

    assert status(40) is Status.CANNOT_SAY
    assert status(4000) is Status.PASS


def test_votes_copied_within_a_prompt_change_neither_value_nor_interval() -> None:
    rng = np.random.default_rng(5)
    gap = rng.normal(size=200)
    label = bradley_terry_votes(gap, rng)
    once = measure_calibration(scored_votes(gap, label))
    prompt = np.tile(np.arange(200), 5)
    copied = measure_calibration(scored_votes(np.tile(gap, 5), np.tile(label, 5), prompt=prompt))
    assert copied.slope.value == pytest.approx(once.slope.value, rel=1e-6)
    assert copied.slope.low == pytest.approx(once.slope.low, rel=1e-6)


@pytest.mark.parametrize("unit", [1e-200, 1e-6, 1e6, 1e150])
def test_rewards_in_any_unit_are_calibrated_alike(unit: float) -> None:
    rng = np.random.default_rng(6)
    gap = rng.normal(size=300)
    label = bradley_terry_votes(gap, rng)
    plain = measure_calibration(scored_votes(gap, label))
    scaled = measure_calibration(scored_votes(unit * gap, label), is_logit=False)
    assert scaled.slope.value * unit == pytest.approx(plain.slope.value, rel=1e-9)


def test_a_significantly_negative_slope_asks_for_the_sign() -> None:
    rng = np.random.default_rng(7)
    gap = rng.normal(size=500)
    reversed_gap = measure_calibration(scored_votes(-gap, bradley_terry_votes(gap, rng)))
    finding = calibration_finding(reversed_gap, is_logit=True, predicts=False)
    assert "Check the sign" in finding.action
