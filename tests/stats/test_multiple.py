"""Holm's adjusted p-values."""

from __future__ import annotations

import numpy as np

from rewardlab.stats.multiple import holm


def test_holm_matches_a_hand_computed_case() -> None:
    # Sorted .01 .02 .04 times 3, 2, 1: .03 .04 .04.
    np.testing.assert_allclose(holm(np.array([0.04, 0.01, 0.02])), [0.04, 0.03, 0.04], rtol=1e-12)


def test_an_unmade_test_stays_unknown_and_is_not_counted() -> None:
    adjusted = holm(np.array([0.01, np.nan, 0.03]))
    np.testing.assert_allclose(adjusted, [0.02, np.nan, 0.03], rtol=1e-12)


def test_holm_keeps_false_alarms_at_their_level() -> None:
    rng = np.random.default_rng(2)
    alarms = [np.any(holm(rng.random(12)) < 0.05) for _ in range(4000)]
    # Independent uniform p-values: 1 - (1 - .05/12)^12 = .0489; Monte Carlo error .0034.
    assert 0.038 <= np.mean(alarms) <= 0.06
