"""The bootstrap of features: each refit against a fit of its own, errors against the sandwich."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import EstimationError, InputError
from rewardlab.rewards.feature_bootstrap import bootstrap_fits
from rewardlab.rewards.inference import infer_weights
from rewardlab.rewards.linear import fit
from rewardlab.types import FloatArray, IntArray


def simulate(
    n: int, d: int, n_prompts: int, seed: int = 0
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Comparisons of whose prompts each shifts what its votes say."""
    rng = np.random.default_rng(seed)
    prompt = rng.integers(0, n_prompts, n)
    x = rng.normal(size=(n, d)) + rng.normal(size=(n_prompts, d))[prompt]
    delta = x @ np.linspace(-0.5, 0.5, d) + rng.normal(size=n_prompts)[prompt]
    return x, (rng.random(n) < special.expit(delta)).astype(float), prompt


@pytest.mark.parametrize("l2", [0.0, 5.0])
def test_each_refit_is_the_fit_to_its_resampled_prompts(l2: float) -> None:
    x, label, prompt = simulate(3000, 4, 600)
    found = bootstrap_fits(
        x, label, prompt, n_resamples=7, rng=np.random.default_rng(3), l2=l2, tol=1e-8
    )
    rng = np.random.default_rng(3)
    for weights in found.weights:
        drawn = np.bincount(rng.integers(0, 600, size=600), minlength=600)[prompt]
        expected = fit(x, label, l2=l2, row_weight=drawn.astype(float)).weights
        # Both end within 1e-8 standard errors of about .05.
        np.testing.assert_allclose(weights, expected, atol=1e-8)
    assert (found.n_resamples, found.n_failed, found.n_single) == (7, 0, 0)


@pytest.mark.parametrize("scale", [1e-42, 1e42])
def test_features_beyond_single_precision_are_refitted_all_the_same(scale: float) -> None:
    x, label, prompt = simulate(3000, 2, 600)
    plain, scaled = (
        bootstrap_fits(z, label, prompt, n_resamples=5, rng=np.random.default_rng(3), tol=1e-8)
        for z in (x, x * scale)
    )
    np.testing.assert_allclose(scaled.weights * scale, plain.weights, atol=1e-8)
    assert scaled.n_single == 0


@pytest.mark.slow
def test_errors_are_those_of_the_sandwich_with_prompts_as_clusters() -> None:
    x, label, prompt = simulate(20_000, 4, 6000)
    sandwich = infer_weights(x, label, prompt, names=list("abcd")).std_error
    rng = np.random.default_rng(0)
    found = bootstrap_fits(x, label, prompt, n_resamples=1000, rng=rng).std_error
    # A standard deviation of 1,000 draws is good to 2.2%; four of it, as there are four.
    np.testing.assert_allclose(found, sandwich, rtol=0.09)


def test_a_refit_that_the_common_curvature_misleads_is_made_by_itself() -> None:
    x, label, prompt = simulate(120, 3, 12)
    rng = np.random.default_rng(0)
    found = bootstrap_fits(x, label, prompt, n_resamples=30, rng=rng, l2=0.1, tol=1e-8)
    assert 0 < found.n_single <= 30
    assert (len(found.weights), found.n_failed) == (30, 0)
    rng = np.random.default_rng(0)
    for weights in found.weights:
        drawn = np.bincount(rng.integers(0, 12, size=12), minlength=12)[prompt]
        expected = fit(x, label, l2=0.1, row_weight=drawn.astype(float)).weights
        np.testing.assert_allclose(weights, expected, atol=1e-6)


def test_refits_that_do_not_exist_are_counted_and_left_out() -> None:
    x, label, prompt = simulate(40, 2, 40)
    # Only two prompts go against the first feature; without both, it predicts every outcome.
    label = (x[:, 0] > 0).astype(float)
    label[:2] = 1 - label[:2]
    x[:2, 0] = np.sign(x[:2, 0]) * 2.0
    found = bootstrap_fits(x, label, prompt, n_resamples=60, rng=np.random.default_rng(0))
    assert found.n_failed > 0
    assert len(found.weights) == 60 - found.n_failed
    assert np.isfinite(found.weights).all()


def test_too_few_refits_have_no_standard_error() -> None:
    x, label, prompt = simulate(200, 2, 50)
    found = bootstrap_fits(x, label, prompt, n_resamples=1, rng=np.random.default_rng(0))
    with pytest.raises(EstimationError, match="0 of 1 refits do not exist"):
        _ = found.std_error


def test_bad_arguments_are_named() -> None:
    x, label, prompt = simulate(200, 2, 50)
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="cluster: expected length 200, got 199"):
        bootstrap_fits(x, label, prompt[1:], n_resamples=5, rng=rng)
    with pytest.raises(InputError, match="n_resamples >= 1"):
        bootstrap_fits(x, label, prompt, n_resamples=0, rng=rng)
