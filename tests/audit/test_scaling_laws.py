"""Both laws of over-optimisation: known parameters recovered, peaks bounded, forms told apart."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.audit.peak import Where
from rewardlab.audit.prompt_curves import PromptCurves, prompt_curves
from rewardlab.audit.scaling_laws import Law, compare_laws, fit_law
from rewardlab.policies.best_of_n import kl_bound, n_of_kl, order_weights
from rewardlab.types import FloatArray
from tests.audit.curve_worlds import as_samples, monotone_samples

N_SAMPLES = 16
PARAMETERS = {Law.BEST_OF_N: (1.0, 0.6), Law.RL: (0.6, 1.0)}


def gold_of_ranks(law: Law, a: float, b: float) -> FloatArray:
    """Shape [16]; the gold of each rank that makes the exact curve follow the law at every n."""
    n = np.arange(1, N_SAMPLES + 1)
    gain = np.zeros(N_SAMPLES)
    gain[1:] = law.gain(a, b, np.sqrt(kl_bound(n[1:])))
    return np.asarray(np.linalg.solve(order_weights(N_SAMPLES, n), gain))


def lawful_curves(
    law: Law, n_prompts: int, rng: np.random.Generator, *, noise: float = 0.5
) -> PromptCurves:
    """Curves of noisy samples whose expectation follows the law; prompts differ in size."""
    a, b = PARAMETERS[law]
    gold = rng.gamma(4.0, 0.25, size=(n_prompts, 1)) * gold_of_ranks(law, a, b)
    gold += noise * rng.standard_normal(gold.shape) + rng.standard_normal((n_prompts, 1))
    return prompt_curves(as_samples(np.tile(np.arange(16.0), (n_prompts, 1)), gold), "proxy")


@pytest.mark.parametrize("law", list(Law))
def test_peaks_and_heights_equal_their_closed_forms(law: Law) -> None:
    a, b = 1.3, 0.4
    d = float(law.peak_d(np.array([a]), np.array([b]))[0])
    closed = a / (2 * b) if law is Law.BEST_OF_N else np.exp(a / b - 1)
    height = a**2 / (4 * b) if law is Law.BEST_OF_N else b * closed
    assert d == pytest.approx(closed, rel=1e-14)
    assert law.gain(a, b, np.array([d]))[0] == pytest.approx(height, rel=1e-12)
    around = law.gain(a, b, np.array([d * 0.99, d * 1.01]))
    assert np.all(around < height)


def test_laws_that_never_turn_have_their_peak_at_an_end() -> None:
    a, b = np.array([1.0, -1.0, 1.0, -1.0]), np.array([0.0, 0.0, -0.5, -0.5])
    for law in Law:
        np.testing.assert_array_equal(law.peak_d(a, b), [np.inf, 0.0, np.inf, np.inf])
    assert Law.BEST_OF_N.peak_d(np.array([-1.0]), np.array([0.5]))[0] == 0.0


@pytest.mark.parametrize("law", list(Law))
def test_noiseless_curve_gives_back_its_parameters(law: Law) -> None:
    a, b = PARAMETERS[law]
    gold = np.tile(gold_of_ranks(law, a, b), (30, 1))
    curves = prompt_curves(as_samples(np.tile(np.arange(16.0), (30, 1)), gold), "proxy")
    fit = fit_law(curves, law, n_resamples=100, rng=np.random.default_rng(0))
    # The ranks' gold comes from a triangular system of condition 1e7.
    assert fit.a.value == pytest.approx(a, abs=1e-8)
    assert fit.b.value == pytest.approx(b, abs=1e-8)
    d = float(law.peak_d(np.array([a]), np.array([b]))[0])
    assert fit.peak.n == pytest.approx(n_of_kl(d**2), abs=1e-6)
    assert fit.peak.low == pytest.approx(fit.peak.high, abs=1e-4)
    assert fit.peak_gain == pytest.approx(float(law.gain(a, b, np.array([d]))[0]), abs=1e-7)
    assert not fit.misses
    assert fit.kl_range == pytest.approx((0.1931, 1.8351), abs=1e-4)


@pytest.mark.parametrize("law", list(Law))
def test_intervals_cover_known_parameters_and_the_right_law_is_kept(law: Law) -> None:
    a, b = PARAMETERS[law]
    other = next(one for one in Law if one is not law)
    truth = n_of_kl(float(law.peak_d(np.array([a]), np.array([b]))[0]) ** 2)
    rng, n_runs = np.random.default_rng(1), 300
    hits = np.zeros(4)
    misses = other_misses = wrong = right = 0
    for _ in range(n_runs):
        curves = lawful_curves(law, 100, rng)
        fit = fit_law(curves, law, n_resamples=300, rng=rng)
        hits += [
            fit.a.low <= a <= fit.a.high,
            fit.b.low <= b <= fit.b.high,
            fit.peak.low <= truth <= fit.peak.high,
            fit.resampled_low <= truth <= fit.resampled_high,
        ]
        misses += fit.misses
        other_misses += fit_law(curves, other, n_resamples=100, rng=rng).misses
        better = compare_laws(curves, rng=rng).better
        wrong, right = wrong + (better is other), right + (better is law)
    # 300 runs have a standard error of 1.3 points around 95%; the bootstrap of 300 adds its own.
    assert np.all(hits / n_runs >= 0.91)
    assert misses / n_runs <= 0.09
    assert other_misses / n_runs >= 0.95
    assert wrong / n_runs <= 0.03
    assert right > wrong


def test_fieller_and_bootstrap_agree_where_the_peak_is_clear() -> None:
    fit = fit_law(
        lawful_curves(Law.BEST_OF_N, 400, np.random.default_rng(2)),
        Law.BEST_OF_N,
        n_resamples=4000,
        rng=np.random.default_rng(3),
    )
    width = fit.peak.high - fit.peak.low
    assert fit.resampled_low == pytest.approx(fit.peak.low, abs=0.15 * width)
    assert fit.resampled_high == pytest.approx(fit.peak.high, abs=0.15 * width)
    assert fit.resampled_inside == 1.0


@pytest.mark.parametrize("law", list(Law))
def test_peak_beyond_the_data_is_said_to_be_beyond(law: Law) -> None:
    rng = np.random.default_rng(4)
    curves = prompt_curves(monotone_samples("increasing", 400, 16, rng, effect=1.0), "proxy")
    fit = fit_law(curves, law, n_resamples=200, rng=rng)
    assert fit.peak.where is Where.BEYOND
    assert fit.peak.reaches_end
    assert fit.peak.high == 16.0
    assert np.isnan(fit.peak_gain)


def test_falling_gold_has_its_peak_at_the_start() -> None:
    rng = np.random.default_rng(5)
    curves = prompt_curves(monotone_samples("decreasing", 400, 16, rng, effect=1.0), "proxy")
    fit = fit_law(curves, Law.BEST_OF_N, n_resamples=200, rng=rng)
    assert fit.peak.where is Where.START
    assert fit.peak.n == 1.0
    assert fit.peak.reaches_start


def test_gold_without_signal_bounds_no_peak() -> None:
    rng = np.random.default_rng(6)
    curves = prompt_curves(monotone_samples("independent", 200, 16, rng, effect=0.0), "proxy")
    for law in Law:
        peak = fit_law(curves, law, n_resamples=200, rng=rng).peak
        assert peak.reaches_start
        assert peak.reaches_end


def test_parameters_scale_with_gold_and_peaks_do_not() -> None:
    curves = lawful_curves(Law.RL, 50, np.random.default_rng(7))
    ranks = np.linalg.solve(order_weights(16, np.arange(1, 17)), curves.gold.T).T
    proxy = np.tile(np.arange(16.0), (50, 1))
    scaled = prompt_curves(as_samples(proxy, np.asarray(10.0 * ranks, dtype=float)), "proxy")
    one, ten = (
        fit_law(c, Law.RL, n_resamples=100, rng=np.random.default_rng(8)) for c in (curves, scaled)
    )
    # Going back from curves to ranks costs seven digits.
    assert ten.a.value == pytest.approx(10 * one.a.value, rel=1e-6)
    assert ten.peak.low == pytest.approx(one.peak.low, rel=1e-5)
    assert ten.peak.high == pytest.approx(one.peak.high, rel=1e-5)


def test_comparison_fits_the_lower_half_and_predicts_the_end() -> None:
    comparison = compare_laws(
        lawful_curves(Law.RL, 200, np.random.default_rng(9)), rng=np.random.default_rng(10)
    )
    assert (comparison.n_fitted, comparison.n_predicted, comparison.n_folds) == (8, 16, 10)
    assert comparison.better is Law.RL
    assert comparison.difference.low > 0
