"""The matrix of four kinds and four defences comes out alike from other ratings."""

from __future__ import annotations

import pytest

from rewardlab.systems.goodhart import SYSTEM

HELPS, HURTS, UNCLEAR = "helps", "hurts", "unclear"
DEFENCES = ("averaging models", "a short leash", "the worst case", "rating edited answers")
PATTERN = {
    "regressional": (HELPS, HURTS, HELPS, UNCLEAR),
    "extremal": (UNCLEAR, HELPS, HELPS, None),  # It helps, in 12 of 20 seeds clearly.
    "causal": (UNCLEAR, HELPS, HELPS, HELPS),
    "adversarial": (UNCLEAR, HELPS, HURTS, None),  # Of the tricks some are rated by chance.
}


@pytest.mark.parametrize("seed", range(100, 105))
def test_what_helps_and_hurts_is_the_same_for_almost_all_ratings(seed: int) -> None:
    came = {row[:2]: row[-1] for row in SYSTEM.evaluate(seed=seed).table.rows}
    expected = {
        (kind, defence): effect
        for kind, effects in PATTERN.items()
        for defence, effect in zip(DEFENCES, effects, strict=True)
        if effect
    }
    assert set(expected) <= set(came) and len(came) == 16
    differing = {cell for cell, effect in expected.items() if came[cell] != effect}
    assert len(differing) <= 1  # Fourteen effects, some of them not far from noise.
    opposite = {HELPS: HURTS, HURTS: HELPS}
    assert not any(came[cell] == opposite.get(expected[cell]) for cell in differing)


@pytest.mark.parametrize("seed", range(100, 105))
def test_gold_never_peaks_under_noise_alone_and_does_in_the_other_three(seed: int) -> None:
    result = SYSTEM.evaluate(seed=seed)
    assert result.value("regressional_fall") < 0.01
    for kind in ("extremal", "causal", "adversarial"):
        assert result.value(f"{kind}_fall") > 0.3
        assert result.value(f"{kind}_peak") <= 2.5
