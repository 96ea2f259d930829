"""The hackable feature: sampled curves agree with the exact Gaussian expectation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import expected_best, sort_by_proxy
from rewardlab.worlds.hackable import HARMLESS, PENALTY, draw_candidates


def exact_gold(n: int, a: float, noise: float) -> float:
    """Expected gold of the best of n: given the proxy, quality and feature are Gaussian."""
    total = np.sqrt(1 + a**2 + noise**2)
    t = np.linspace(-8, 8, 4001)
    density = n * stats.norm.pdf(t) * np.exp((n - 1) * special.log_ndtr(t))
    spread = np.sqrt(1 - (a / total) ** 2)
    z = (a / total * t - HARMLESS) / spread
    squared_excess = spread**2 * ((1 + z**2) * special.ndtr(z) + z * stats.norm.pdf(z))
    return float(np.trapezoid(density * (t / total - PENALTY * squared_excess), t))


@pytest.mark.parametrize(("a", "noise"), [(0.0, 1.0), (1.0, 1.0), (1.5, 0.5)])
def test_curves_agree_with_the_exact_expectation(a: float, noise: float) -> None:
    candidates = draw_candidates(400, 512, n_models=1, rng=np.random.default_rng(1))
    n = np.array([1, 8, 64, 512])
    _, gold = sort_by_proxy(candidates.proxy(a, noise), candidates.gold)
    curves = expected_best(gold, n)
    error = curves.std(axis=0, ddof=1) / np.sqrt(len(curves))
    exact = [exact_gold(int(k), a, noise) for k in n]
    assert np.all(np.abs(curves.mean(axis=0) - exact) < 3.5 * error)


def test_averaging_four_halves_the_noise_and_keeps_the_feature() -> None:
    candidates = draw_candidates(4, 20_000, n_models=4, rng=np.random.default_rng(2))
    residual = candidates.proxy(1.0, 1.0, members=4) - candidates.quality - candidates.hackable
    assert residual.std() == pytest.approx(0.5, rel=0.02)


def test_more_reward_models_than_were_drawn_are_refused() -> None:
    candidates = draw_candidates(1, 2, n_models=1, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="members: expected 1 to 1, got 2"):
        candidates.proxy(1.0, 1.0, members=2)
    with pytest.raises(InputError, match="noise"):
        candidates.proxy(1.0, -1.0)
