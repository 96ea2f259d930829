"""The measured peak: where it is found, its open ends, and how often its interval covers."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from rewardlab.audit.peak import Where, measured_peak
from rewardlab.audit.prompt_curves import prompt_curves
from tests.audit.curve_worlds import World, as_samples, curves_of, monotone_samples

WORLDS = {
    "peak near 2": World(pull=(2.0,), cost=0.5),
    "peak near 9": World(pull=(0.5, 1.5), cost=0.6),
    "peak near 17": World(pull=(1.0,), cost=1.5, onset=1.0),
    "peak near 4, sharp": World(pull=(2.5,), cost=1.0, onset=1.0, noise=0.3),
}
N_SAMPLES = 32


def covered(world: World, n_prompts: int, n_runs: int, seed: int) -> tuple[float, float]:
    """Share of intervals that hold the true peak, and share that are open at the end."""
    rng = np.random.default_rng(seed)
    truth = world.true_peak(N_SAMPLES)
    hits = open_ends = 0
    for _ in range(n_runs):
        peak = measured_peak(curves_of(world.draw(n_prompts, N_SAMPLES, rng), n_prompts))
        hits += peak.low <= truth <= peak.high
        open_ends += peak.reaches_end
    return hits / n_runs, open_ends / n_runs


def test_peak_without_noise_is_where_the_gain_crosses_zero() -> None:
    world = WORLDS["peak near 9"]
    rng = np.random.default_rng(0)
    peak = measured_peak(prompt_curves(world.draw(40_000, N_SAMPLES, rng), "proxy"))
    assert peak.where is Where.INSIDE
    assert peak.low < world.true_peak(N_SAMPLES) < peak.high
    # 40,000 prompts leave an interval of about 1.2 around 8.8.
    assert peak.n == pytest.approx(world.true_peak(N_SAMPLES), abs=1.0)
    assert not peak.reaches_start
    assert not peak.reaches_end


def test_rising_gold_peaks_beyond_the_data() -> None:
    rng = np.random.default_rng(1)
    samples = monotone_samples("increasing", 500, 16, rng, effect=2.0)
    peak = measured_peak(prompt_curves(samples, "proxy"))
    assert (peak.where, peak.n, peak.high) == (Where.BEYOND, 16.0, 16.0)
    assert peak.low == 16.0
    assert peak.reaches_end


def test_falling_gold_peaks_at_the_start() -> None:
    rng = np.random.default_rng(2)
    samples = monotone_samples("decreasing", 500, 16, rng, effect=2.0)
    peak = measured_peak(prompt_curves(samples, "proxy"))
    assert (peak.where, peak.n, peak.low, peak.high) == (Where.START, 1.0, 1.0, 1.0)
    assert peak.reaches_start
    assert not peak.reaches_end


def test_gold_independent_of_the_proxy_leaves_both_ends_open() -> None:
    rng = np.random.default_rng(3)
    samples = monotone_samples("independent", 300, 16, rng, effect=0.0)
    peak = measured_peak(prompt_curves(samples, "proxy"))
    assert peak.reaches_start
    assert peak.reaches_end
    assert (peak.low, peak.high) == (1.0, 16.0)


def test_two_samples_a_prompt_have_one_gain_and_still_an_answer() -> None:
    up = as_samples(np.tile([0.0, 1.0], (30, 1)), np.tile([0.0, 1.0], (30, 1)))
    peak = measured_peak(prompt_curves(up, "proxy"))
    assert (peak.where, peak.low, peak.high) == (Where.BEYOND, 2.0, 2.0)


def test_every_prompt_alike_gives_a_point() -> None:
    gold = np.array([0.0, 1.0, 3.0, 5.0, 4.0, 0.0])
    alike = as_samples(np.tile(np.arange(6.0), (20, 1)), np.tile(gold, (20, 1)))
    peak = measured_peak(prompt_curves(alike, "proxy"))
    assert peak.where is Where.INSIDE
    assert peak.low == pytest.approx(peak.n, abs=1e-6)
    assert peak.high == pytest.approx(peak.n, abs=1e-6)


def test_intervals_of_the_peak_cover_in_a_quick_simulation() -> None:
    share, _ = covered(WORLDS["peak near 2"], 200, 300, seed=4)
    # 300 runs have a standard error of 1.3 points around 95%.
    assert 0.91 <= share <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("name", list(WORLDS))
@pytest.mark.parametrize("n_prompts", [200, 1000, 5000])
def test_intervals_of_the_peak_cover_95_percent(name: str, n_prompts: int) -> None:
    n_runs = 2000 if n_prompts == 200 else 1000
    share, open_ends = covered(WORLDS[name], n_prompts, n_runs, seed=n_prompts)
    truth = WORLDS[name].true_peak(N_SAMPLES)
    sys.stdout.write(
        f"\n{name} (true {truth:.2f}), {n_prompts} prompts: covers {share:.1%}, "
        f"open at the end {open_ends:.0%}\n"
    )
    # 1,000 runs have a standard error of .7 points, so the bounds lie three of them from 95%.
    assert 0.93 <= share <= 0.97
