"""Laws fitted to points and paths: parameters recovered, intervals covering, peaks owned up to."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from rewardlab.audit.law_points import fit_paths, fit_points, refreshed
from rewardlab.audit.peak import Where
from rewardlab.audit.scaling_laws import Law
from rewardlab.errors import EstimationError, InputError
from rewardlab.policies.best_of_n import log_spaced_n
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.types import FloatArray, OptimizationPath
from rewardlab.worlds.leash import leash_reward, leash_world

TRUE = {Law.BEST_OF_N: (0.7, 0.15), Law.RL: (0.7, 0.3)}
each_law = pytest.mark.parametrize("law", list(Law))


def path(d: FloatArray, gold: FloatArray) -> OptimizationPath:
    """A path through (d, gold)."""
    return OptimizationPath("rl", np.arange(float(len(d))), d**2, np.zeros(len(d)), gold)


def noisy(law: Law, d: FloatArray, rng: np.random.Generator, sd: float = 0.05) -> FloatArray:
    """Gains on the law at ``d`` with independent noise."""
    return law.gain(*TRUE[law], d) + sd * rng.standard_normal(len(d))


@each_law
def test_points_on_a_law_give_back_its_parameters_and_peak(law: Law) -> None:
    d = np.linspace(0.25, 8.0, 12)
    fit = fit_points(law, d, law.gain(*TRUE[law], d), rng=np.random.default_rng(0))
    a, b = TRUE[law]
    closed = a / (2 * b) if law is Law.BEST_OF_N else np.exp(a / b - 1)
    height = a**2 / (4 * b) if law is Law.BEST_OF_N else b * closed
    assert (fit.a.value, fit.b.value) == pytest.approx((a, b), abs=1e-12)
    assert fit.peak_d.value == pytest.approx(closed, rel=1e-9)
    assert fit.peak_gain == pytest.approx(height, rel=1e-9)
    assert fit.where is Where.INSIDE
    assert fit.kl_range == pytest.approx((0.0625, 64.0))


def test_a_path_from_beyond_the_reference_needs_the_gold_it_would_have_started_from() -> None:
    d = np.linspace(0.5, 4.0, 8)
    moved = path(d, 3.0 + Law.RL.gain(*TRUE[Law.RL], d))
    fit = fit_paths(Law.RL, [moved], start_gold=3.0, rng=np.random.default_rng(0))
    assert (fit.a.value, fit.b.value) == pytest.approx(TRUE[Law.RL], abs=1e-12)
    with pytest.raises(InputError, match=r"starts at KL 0\.25"):
        fit_paths(Law.RL, [moved], rng=np.random.default_rng(0))


@each_law
@pytest.mark.parametrize("n_paths", [1, 6])
def test_intervals_of_95_percent_cover_a_b_and_the_peak(law: Law, n_paths: int) -> None:
    rng = np.random.default_rng(1)
    d = np.concatenate([[0.0], np.linspace(0.25, 8.0, 16)])
    a, b = TRUE[law]
    peak = float(law.peak_d(np.array([a]), np.array([b]))[0])
    covered = np.zeros(3)
    n_runs, n_missed = 400, 0
    for _ in range(n_runs):
        golds = [np.concatenate([[0.0], noisy(law, d[1:], rng)]) for _ in range(n_paths)]
        fit = fit_paths(law, [path(d, gold) for gold in golds], n_resamples=300, rng=rng)
        if fit.misses:
            n_missed += 1
            continue
        figures = zip((fit.a, fit.b, fit.peak_d), (a, b, peak), strict=True)
        covered += [figure.low <= true <= figure.high for figure, true in figures]
    # One fit in a hundred is wrongly said to miss; three binomial standard errors are .015.
    assert n_missed / n_runs <= 0.025
    n_runs -= n_missed
    # Three binomial standard errors of 400 runs are .033; resampling itself costs a point or two.
    assert np.all(covered / n_runs >= 0.95 - 0.045)
    assert np.all(covered[:2] / n_runs <= 0.95 + 0.035)


@each_law
def test_a_peak_past_the_last_point_is_reported_as_beyond_the_data(law: Law) -> None:
    d = np.linspace(0.1, 1.5, 12)
    fit = fit_points(law, d, noisy(law, d, np.random.default_rng(2), 0.01), rng=rng_of(2))
    assert fit.where is Where.BEYOND
    assert np.isnan(fit.peak_gain)
    assert fit.peak_d.value == 1.5
    assert fit.peak_d.high == np.inf


def rng_of(seed: int) -> np.random.Generator:
    """A generator."""
    return np.random.default_rng(seed)


def test_a_curve_that_only_falls_has_its_peak_at_the_start() -> None:
    d = np.linspace(0.1, 2.0, 10)
    fit = fit_points(Law.BEST_OF_N, d, -0.5 * d - 0.1 * d**2, rng=rng_of(0))
    assert fit.where is Where.START
    assert fit.peak_d.value == 0.0


def test_k_refreshes_add_b_d_log_k_and_move_the_peak_k_times_as_far() -> None:
    a, b, d = 0.7, 0.3, np.array([0.5, 2.0, 9.0])
    more = refreshed(a, b, 5)
    gained = Law.RL.gain(more, b, d) - Law.RL.gain(a, b, d)
    np.testing.assert_allclose(gained, b * d * np.log(5), rtol=1e-12)
    peaks = Law.RL.peak_d(np.array([a, more]), np.array([b, b]))
    assert peaks[1] / peaks[0] == pytest.approx(5, rel=1e-12)
    assert refreshed(a, b, 1) == a


def test_more_noise_gives_wider_intervals() -> None:
    d = np.linspace(0.2, 6.0, 20)
    fits = [
        fit_points(Law.RL, d, noisy(Law.RL, d, rng_of(3), sd), rng=rng_of(3)) for sd in (0.01, 0.1)
    ]
    assert fits[1].std_error[1] == pytest.approx(10 * fits[0].std_error[1], rel=1e-6)


def test_what_cannot_be_fitted_is_refused_by_name() -> None:
    d = np.array([0.0, 1.0, 2.0, 3.0])
    with pytest.raises(EstimationError, match="4 points above d = 0, not all at one d, got 3"):
        fit_points(Law.RL, d, d, rng=rng_of(0))
    with pytest.raises(InputError, match="expected the shape of d"):
        fit_points(Law.RL, d, d[:2], rng=rng_of(0))
    with pytest.raises(InputError, match="starts at KL 1, so the gold of the reference"):
        fit_paths(Law.RL, [path(d + 1, d)], rng=rng_of(0))
    with pytest.raises(InputError, match="level between 0 and 1"):
        fit_points(Law.RL, d, d, level=95.0, rng=rng_of(0))
    with pytest.raises(InputError, match="n_resamples >= 1"):
        fit_paths(Law.RL, [path(d, d)], n_resamples=0, rng=rng_of(0))
    with pytest.raises(InputError, match="at least one, got none"):
        fit_paths(Law.RL, [], rng=rng_of(0))
    with pytest.raises(InputError, match=r"expected a sequence of OptimizationPath .*got one of"):
        fit_paths(Law.RL, cast(list[OptimizationPath], [d]), rng=rng_of(0))
    with pytest.raises(InputError, match=r"refreshes: expected at least 1, got 0\.5"):
        refreshed(1.0, 1.0, 0.5)


@each_law
def test_a_law_that_misses_an_exact_path_says_so_and_gives_no_interval(law: Law) -> None:
    world, reward = leash_world(), leash_reward()
    exact = best_of_n(world, reward, n=log_spaced_n(4096)).path
    fit = fit_paths(law, [exact], rng=rng_of(0))
    assert fit.misses
    assert np.isnan([fit.peak_d.low, fit.peak_d.high, fit.a.low, fit.b.high]).all()
    assert "follow another curve" in fit.peak_d.method


def test_several_paths_that_miss_a_law_alike_are_noticed() -> None:
    rng, d = rng_of(5), np.concatenate([[0.0], np.linspace(0.25, 8.0, 16)])
    golds = [
        np.sin(d / 2) + np.concatenate([[0.0], 0.02 * rng.standard_normal(16)]) for _ in range(6)
    ]
    fit = fit_paths(Law.RL, [path(d, gold) for gold in golds], rng=rng)
    assert fit.misses
    assert fit.peak_d.low < fit.peak_d.high
