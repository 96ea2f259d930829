"""Regressional shrinkage: the slope, the growth of a maximum, and that noise never turns gold."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.audit.shrinkage import expected_max_normal, shrinkage, shrunken_gain
from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import kl_bound


def test_expected_maximum_equals_closed_forms_and_published_values() -> None:
    # n = 2: 1/sqrt(pi); n = 3: 1.5/sqrt(pi); 10 and 100: Harter (1961), Biometrika 48, table 1.
    got = expected_max_normal(np.array([1.0, 2.0, 3.0, 10.0, 100.0]))
    root_pi = np.sqrt(np.pi)
    np.testing.assert_allclose(got[:3], [0.0, 1 / root_pi, 1.5 / root_pi], atol=1e-12)
    np.testing.assert_allclose(got[3:], [1.53875, 2.50759], atol=5e-6)


def test_gold_of_the_best_of_n_is_the_shrunken_proxy() -> None:
    rng = np.random.default_rng(0)
    gold = rng.standard_normal((20_000, 32))
    proxy = gold + 1.5 * rng.standard_normal(gold.shape)
    best = np.take_along_axis(gold, proxy.argmax(axis=1)[:, None], axis=1)
    error = best.std() / np.sqrt(len(best))
    assert best.mean() == pytest.approx(
        shrunken_gain(np.array([32.0]), 1.0, 2.25)[0], abs=3 * error
    )
    assert shrinkage(1.0, 2.25) == pytest.approx(1 / 3.25)


def test_the_gain_is_linear_in_d_within_four_percent_and_never_falls() -> None:
    n = np.geomspace(2, 4096, 60)
    d = np.sqrt(kl_bound(n))
    gain = shrunken_gain(n, 1.0, 1.0)
    slope = gain @ d / (d @ d)
    assert np.all(np.diff(gain) > 0)
    assert np.max(np.abs(gain / (slope * d) - 1)) < 0.04


def test_values_outside_their_range_are_refused() -> None:
    with pytest.raises(InputError, match="gold_variance > 0"):
        shrinkage(0.0, 1.0)
    with pytest.raises(InputError, match="gold_variance > 0"):
        shrinkage(np.inf, 1.0)
    for n in (0.5, np.nan, 1e20):
        with pytest.raises(InputError, match="n: expected numbers from 1"):
            expected_max_normal(np.array([n]))
