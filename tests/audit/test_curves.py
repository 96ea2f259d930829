"""Curves from recorded samples: real data, bands, cautions, refusals and their remedies."""

from __future__ import annotations

import csv
import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rewardlab.audit.curve_findings import peak_words
from rewardlab.audit.curves import CurveOptions, CurveResult, curve, curve_findings, curve_report
from rewardlab.audit.peak import Where
from rewardlab.audit.prompt_curves import prompt_curves
from rewardlab.audit.verdict import Call
from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import Ties
from rewardlab.preferences.samples import read_samples
from rewardlab.report.as_json import json_text
from rewardlab.stats.bootstrap import bootstrap_means, mean_curve
from rewardlab.types import FloatArray, ScoredSamples, Status
from tests.audit.curve_worlds import World, as_samples, monotone_samples


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def recorded(data_dir: Path) -> ScoredSamples:
    """Samples 0 to 10 of each prompt with gold as a win probability; longest and shortest."""
    read = read_samples(
        data_dir / "bon16_samples.csv.gz",
        group="prompt_id",
        proxies=["n_chars"],
        gold="gold_preference",
        missing_gold="restrict",
    )
    length = read.samples.proxy["n_chars"]
    return replace(
        read.samples,
        proxy={"longest": length, "shortest": -length},
        gold=read.samples.gold - 1,
    )


@pytest.mark.parametrize("proxy", ["longest", "shortest"])
def test_recorded_curve_equals_the_published_rows(data_dir: Path, proxy: str) -> None:
    with gzip.open(data_dir / "bon_length_curve_derived.csv.gz", "rt") as stream:
        rows = [row for row in csv.DictReader(stream) if row["proxy"] == proxy]
    # The published rows give the later of two equally long answers the win.
    result = curve(recorded(data_dir), proxy, ties="last", rng=rng())
    assert [int(row["n"]) for row in rows] == result.n.tolist()
    # Half a unit of the last digit that the file gives.
    np.testing.assert_allclose(
        result.gold.mean, [float(row["gold_win_rate"]) for row in rows], atol=5.1e-6
    )
    np.testing.assert_allclose(
        np.abs(result.proxy.mean), [float(row["mean_chars"]) for row in rows], atol=5.1e-3
    )
    np.testing.assert_allclose(result.path.kl_nats, [float(row["kl"]) for row in rows], atol=5.1e-7)
    averaged = curve(recorded(data_dir), proxy, rng=rng())
    np.testing.assert_allclose(averaged.gold.mean, result.gold.mean, atol=6e-4)


@pytest.mark.parametrize("ties", ["average", "first", "last"])
def test_length_on_recorded_samples_is_rising_not_falling(data_dir: Path, ties: Ties) -> None:
    result = curve(recorded(data_dir), "longest", ties=ties, rng=rng())
    assert result.verdict.call is Call.RISING
    assert result.gold.mean[0] == pytest.approx(0.32026, abs=1e-5)
    assert result.gold.mean[-1] == pytest.approx(0.36910, abs=4e-4)
    assert result.path.kl_nats[-1] == pytest.approx(1.4888, abs=1e-4)
    assert result.peak.where is Where.BEYOND
    assert all(fit.peak.where is Where.BEYOND for fit in result.laws)
    shortest = curve(recorded(data_dir), "shortest", ties=ties, rng=rng())
    assert shortest.verdict.call is Call.NEVER
    assert curve_findings(shortest)[0].status is Status.FAIL


def test_bands_equal_those_of_resampled_prompts() -> None:
    samples = World(pull=(1.0,), cost=0.5).draw(150, 12, rng(1))
    result = curve(samples, "proxy", rng=rng())
    means = bootstrap_means(prompt_curves(samples, "proxy").gold, n_resamples=4000, rng=rng(2))
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    # Percentiles of 4,000 draws are good to about 3% of the interval's width.
    width = high - low
    assert np.all(np.abs(result.gold.low - low) < 0.06 * width)
    assert np.all(np.abs(result.gold.high - high) < 0.06 * width)
    assert np.all(result.gold.low_all < result.gold.low)


def test_simultaneous_band_covers_the_whole_true_curve() -> None:
    world = World(pull=(0.5, 1.5), cost=0.6)
    true = world.expected_gold(np.arange(1.0, 17.0))
    source = rng(3)
    n_all = n_point = 0
    n_runs = 120
    for _ in range(n_runs):
        gold = curve(world.draw(60, 16, source), "proxy", n_resamples=100, rng=source).gold
        n_all += bool(np.all((gold.low_all <= true) & (true <= gold.high_all)))
        n_point += int(np.sum((gold.low <= true) & (true <= gold.high)))
    # Standard error of 120 runs: 2 points.
    assert 0.89 <= n_all / n_runs <= 0.995
    assert 0.90 <= n_point / (n_runs * 16) <= 0.99


def test_curve_estimates_the_exact_expectation_of_the_world() -> None:
    world = World(pull=(2.0,), cost=0.5)
    result = curve(world.draw(4000, 16, rng(4)), "proxy", rng=rng())
    true = world.expected_gold(result.n.astype(float))
    error = (result.gold.high - result.gold.low) / 3.92
    assert np.all(np.abs(result.gold.mean - true) < 4 * error)


def test_win_or_loss_gold_gives_a_curve_of_win_rates() -> None:
    world = World(pull=(2.0,), cost=0.5, win_or_loss=True)
    result = curve(world.draw(1000, 16, rng(5)), "proxy", rng=rng())
    assert np.all((result.gold.mean >= 0) & (result.gold.mean <= 1))
    assert result.verdict.call is Call.PEAKED
    assert curve_findings(result)[0].status is Status.WARN


def test_adding_a_prompts_level_to_gold_changes_no_gain() -> None:
    samples = monotone_samples("increasing", 50, 8, rng(6), effect=0.5)
    shifted = replace(samples, gold=samples.gold + np.repeat(np.arange(50.0), 8))
    plain, moved = (curve(s, "proxy", rng=rng()) for s in (samples, shifted))
    np.testing.assert_allclose(moved.gain.mean, plain.gain.mean, atol=1e-12)
    np.testing.assert_allclose(moved.gain.low_all, plain.gain.low_all, atol=1e-9)
    assert moved.verdict.call is plain.verdict.call


def test_order_of_rows_and_scale_of_proxy_do_not_matter() -> None:
    samples = World(pull=(1.0,), cost=0.5).draw(30, 8, rng(7))
    order = rng(8).permutation(len(samples))
    shuffled = ScoredSamples(
        prompt_id=[samples.prompt_id[i] for i in order],
        sample=[samples.sample[i] for i in order],
        proxy={"proxy": np.exp(samples.proxy["proxy"][order])},
        gold=samples.gold[order],
        probability=samples.probability[order],
        line=samples.line[order],
        source=samples.source,
    )
    one, two = (prompt_curves(s, "proxy") for s in (samples, shuffled))
    np.testing.assert_allclose(two.gold.mean(axis=0), one.gold.mean(axis=0), atol=1e-13)


def test_same_seed_gives_the_same_result_and_is_recorded() -> None:
    samples = World(pull=(1.0,), cost=0.5).draw(60, 8, rng(9))
    one, two = (json_text(curve(samples, "proxy", rng=rng(7))) for _ in range(2))
    assert one == two
    settings = curve(samples, "proxy", n_resamples=100, rng=rng(7)).settings
    assert settings["seed"] == 7
    assert settings["n_resamples"] == 100
    assert settings["n_max"] == 8


def test_unequal_prompts_count_alike_up_to_the_smallest() -> None:
    samples = monotone_samples("increasing", 40, 8, rng(10), effect=1.0)
    kept = np.array([not (p == "p0" and int(s) >= 5) for p, s in zip(*ids(samples), strict=True)])
    short = take(samples, kept)
    result = curve(short, "proxy", rng=rng())
    assert result.n.tolist() == [1, 2, 3, 4, 5]
    assert result.samples_per_prompt == (5, 8)
    assert any("5 to 8 samples" in caution for caution in result.cautions)


def test_prompts_short_of_the_asked_n_are_refused_by_number_or_left_out_aloud() -> None:
    samples = monotone_samples("increasing", 40, 8, rng(10), effect=1.0)
    kept = np.array([not (p == "p3" and int(s) >= 5) for p, s in zip(*ids(samples), strict=True)])
    short = take(samples, kept)
    with pytest.raises(InputError, match=r"1 of 40 prompts have fewer than 8.*'p3'.*--n-max 5"):
        curve(short, "proxy", n_max=8, rng=rng())
    assert curve(short, "proxy", n_max=5, rng=rng()).n[-1] == 5
    dropped = curve(short, "proxy", n_max=8, short_prompts="drop", rng=rng())
    assert dropped.n_dropped_prompts == 1
    assert dropped.n_prompts == 39
    assert any("fewer than 8 samples are left out: 1" in caution for caution in dropped.cautions)


def test_single_samples_are_refused_and_the_remedy_clears_it() -> None:
    samples = monotone_samples("increasing", 40, 2, rng(11), effect=1.0)
    with pytest.raises(InputError, match="40 of 40 prompts have fewer than 2 samples"):
        curve(take(samples, np.arange(80) % 2 == 0), "proxy", rng=rng())
    assert curve(samples, "proxy", rng=rng()).n.tolist() == [1, 2]


def test_one_prompt_is_refused_and_a_second_clears_it() -> None:
    samples = monotone_samples("increasing", 2, 6, rng(12), effect=1.0)
    with pytest.raises(InputError, match=r"at least 2 prompts.*got 1; record samples of more"):
        curve(take(samples, np.arange(12) < 6), "proxy", rng=rng())
    assert curve(samples, "proxy", rng=rng()).n_prompts == 2


def test_few_prompts_are_warned_about_and_more_clear_it() -> None:
    few = curve(monotone_samples("increasing", 39, 6, rng(13), effect=1.0), "proxy", rng=rng())
    assert [f.name for f in curve_findings(few)] == ["optimisation-curve", "curve-prompts"]
    enough = curve(monotone_samples("increasing", 40, 6, rng(13), effect=1.0), "proxy", rng=rng())
    assert [f.name for f in curve_findings(enough)] == ["optimisation-curve"]
    assert not enough.cautions


def test_missing_gold_is_refused_and_restricting_clears_it() -> None:
    samples = monotone_samples("increasing", 40, 6, rng(14), effect=1.0)
    lost = replace(samples, gold=np.where(np.arange(240) % 6 == 5, np.nan, samples.gold))
    with pytest.raises(InputError, match=r"line 7: gold is missing here \(40 samples in all\)"):
        curve(lost, "proxy", rng=rng())
    assert curve(take(lost, ~np.isnan(lost.gold)), "proxy", rng=rng()).n[-1] == 5
    with pytest.raises(InputError, match=r"no sample has gold.*--choose K"):
        curve(replace(samples, gold=np.full(240, np.nan)), "proxy", rng=rng())


def test_unknown_or_unfinished_proxies_are_refused() -> None:
    samples = monotone_samples("increasing", 5, 4, rng(15), effect=1.0)
    with pytest.raises(InputError, match="expected one of proxy, got 'other'"):
        curve(samples, "other", rng=rng())
    broken = replace(samples, proxy={"proxy": np.append(np.full(19, 1.0), np.nan)})
    with pytest.raises(InputError, match="line 21: proxy 'proxy' is not a finite number in 1"):
        curve(broken, "proxy", rng=rng())


def test_options_out_of_range_are_named() -> None:
    with pytest.raises(InputError, match="level"):
        CurveOptions(level=1.0)
    with pytest.raises(InputError, match="n_resamples"):
        CurveOptions(n_resamples=10)
    with pytest.raises(InputError, match="smallest_gain"):
        CurveOptions(smallest_gain=0.0)
    samples = monotone_samples("increasing", 5, 4, rng(15), effect=1.0)
    with pytest.raises(InputError, match="n_max"):
        curve(samples, "proxy", n_max=1, rng=rng())


@pytest.mark.parametrize("gold", [np.full(800, 0.1), np.repeat(np.arange(100) / 7, 8)])
def test_gold_that_does_not_vary_has_no_peak_and_no_laws(gold: FloatArray) -> None:
    samples = replace(monotone_samples("increasing", 100, 8, rng(30), effect=1.0), gold=gold)
    result = curve(samples, "proxy", rng=rng())
    assert result.verdict.call is Call.CANNOT_SAY
    assert result.peak.where is Where.NOWHERE
    assert peak_words(result.peak) == "none, gold does not change"
    assert result.laws == ()
    assert result.law_comparison is None


def test_two_proxies_are_compared_prompt_by_prompt() -> None:
    samples = World(pull=(2.0,), cost=0.5).draw(200, 8, rng(16))
    noise = rng(17).standard_normal(len(samples))
    both = replace(samples, proxy={"good": samples.gold, "noise": noise})
    report = curve_report(both, ["good", "noise"], CurveOptions(n_max=8), rng=rng())
    at_end, at_peaks = report.differences
    assert (at_end.n_a, at_end.n_b, at_end.at_peaks) == (8, 8, False)
    assert at_peaks.n_a == 8
    assert at_peaks.at_peaks
    assert at_end.difference.low > 1.0
    paired = mean_curve(
        prompt_curves(both, "good").gold[:, -1:] - prompt_curves(both, "noise").gold[:, -1:]
    )
    assert at_end.difference.value == pytest.approx(float(paired.mean[0]), abs=1e-12)
    assert len(report.findings) == 2
    with pytest.raises(InputError, match="at least one"):
        curve_report(both, [], rng=rng())


def test_large_n_uses_a_grid_and_still_ends_at_the_last_sample() -> None:
    source = rng(18)
    samples = as_samples(source.standard_normal((20, 300)), source.standard_normal((20, 300)))
    result = curve(samples, "proxy", rng=source)
    assert result.n[-1] == 300
    assert len(result.n) < 90
    top = samples.gold.reshape(20, 300)[
        np.arange(20), samples.proxy["proxy"].reshape(20, 300).argmax(axis=1)
    ]
    assert result.gold.mean[-1] == pytest.approx(top.mean(), abs=1e-12)


def test_result_is_ready_for_json() -> None:
    result: CurveResult = curve(
        monotone_samples("independent", 50, 3, rng(19), effect=0.0), "proxy", rng=rng()
    )
    assert result.laws == ()
    assert result.law_comparison is None
    text = json_text(result)
    assert '"still rising"' in text or '"cannot say"' in text or '"never helped"' in text


def ids(samples: ScoredSamples) -> tuple[list[str], list[str]]:
    return samples.prompt_id, samples.sample


def take(samples: ScoredSamples, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> ScoredSamples:
    rows = np.flatnonzero(kept)
    return ScoredSamples(
        prompt_id=[samples.prompt_id[i] for i in rows],
        sample=[samples.sample[i] for i in rows],
        proxy={name: values[rows] for name, values in samples.proxy.items()},
        gold=samples.gold[rows],
        probability=samples.probability[rows],
        line=samples.line[rows],
        source=samples.source,
    )
