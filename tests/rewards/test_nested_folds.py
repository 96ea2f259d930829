"""Intervals of cross-validated figures: one-step fits are right, coverage is near nominal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special

from rewardlab.rewards.linear import LinearFit, fit
from rewardlab.rewards.nested_folds import HeldOutRows, Widening, measure_widening, weights_without
from rewardlab.rewards.regularisation import choose_l2
from rewardlab.stats.intervals import Estimate, cluster_mean, cluster_proportion, widened
from rewardlab.types import FloatArray


def simulate(rng: np.random.Generator, n: int, weights: FloatArray, n_prompts: int) -> HeldOutRows:
    x = rng.normal(size=(n, len(weights)))
    label = (rng.random(n) < special.expit(x @ weights)).astype(float)
    prompt = np.concatenate([np.arange(n_prompts), rng.integers(0, n_prompts, n - n_prompts)])
    return HeldOutRows(x, label, None, prompt)


@dataclass(frozen=True)
class Run:
    fitted: LinearFit
    accuracy: Estimate
    wider: Widening


def cross_validate(rows: HeldOutRows, rng: np.random.Generator, n_folds: int = 5) -> Run:
    n_prompts = int(rows.prompt.max()) + 1
    fold = (rng.permutation(n_prompts) % n_folds)[rows.prompt]
    chosen = choose_l2(rows.differences, rows.label, fold, grid=(100.0, 10.0, 1.0))
    fitted = fit(rows.differences, rows.label, l2=chosen.l2)
    right = (np.sign(chosen.held_out) == np.sign(rows.label - 0.5)).astype(float)
    accuracy = cluster_proportion(right, rows.prompt)
    loss = cluster_mean(np.log1p(np.exp(-chosen.held_out * (2 * rows.label - 1))), rows.prompt)
    wider = measure_widening(rows, fitted, accuracy, loss, n_folds=n_folds, rng=rng)
    return Run(fitted, accuracy, wider)


def test_one_newton_step_is_close_to_a_fit_without_the_folds() -> None:
    rows = simulate(np.random.default_rng(0), 800, np.array([0.8, -0.3, 0.0]), 800)
    fitted = fit(rows.differences, rows.label, l2=5.0)
    pieces = np.array_split(np.arange(800), 5)
    found = weights_without(rows, fitted, pieces)
    for k, j in ((0, 0), (1, 3)):
        kept = np.setdiff1d(np.arange(800), np.concatenate([pieces[k], pieces[j]]))
        exact = fit(rows.differences[kept], rows.label[kept], l2=5.0).weights
        # Standard errors are about .08; the step is off by a fiftieth of one.
        np.testing.assert_allclose(found[k, j], exact, atol=0.0016)
        assert np.abs(found[k, j] - fitted.weights).max() > 0.01


def test_noise_widens_the_interval_and_a_strong_signal_hardly_does() -> None:
    rng = np.random.default_rng(1)
    noise, signal = (
        [
            cross_validate(simulate(rng, 600, w * np.eye(7)[0], 600), rng).wider.accuracy
            for _ in range(12)
        ]
        for w in (0.0, 3.0)
    )
    # The true ratios are 1.3 and about 1.
    assert 1.1 < np.mean(noise) < 1.5
    assert np.mean(signal) < 1.2
    assert min(noise + signal) >= 1
    assert max(noise + signal) <= np.sqrt(5)


def test_with_few_folds_or_prompts_the_bound_is_taken() -> None:
    rng = np.random.default_rng(2)
    rows = simulate(rng, 60, np.array([0.5]), 60)
    assert cross_validate(rows, rng, n_folds=2).wider == Widening(np.sqrt(2), np.sqrt(2), 0)
    few = simulate(rng, 60, np.array([0.5]), 8)
    assert cross_validate(few, rng).wider.accuracy == pytest.approx(np.sqrt(5))


def test_a_widened_estimate_stays_in_its_range_and_says_so() -> None:
    naive = Estimate(0.9, 0.05, 0.75, 0.96, 50, 50, 0.95, "Wilson")
    wide = widened(naive, 2.0, highest=1.0)
    assert wide.low == pytest.approx(0.6)
    assert wide.high == 1.0
    assert wide.std_error == pytest.approx(0.1)
    assert wide.method == "Wilson, 2.00 times as wide by nested cross-validation"
    assert widened(naive, 1.0).low == pytest.approx(naive.low)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "d"), [(0.0, 7), (0.5, 7), (0.5, 25)])
def test_intervals_of_accuracy_cover(size: float, d: int) -> None:
    rng = np.random.default_rng([int(size * 10), d])
    weights = size * np.eye(d)[0]
    naive, nested, n_runs = 0, 0, 200
    for _ in range(n_runs):
        run = cross_validate(simulate(rng, 600, weights, 300), rng)
        x = rng.normal(size=(4000, d))
        p = special.expit(x @ weights)
        true = np.where(x @ run.fitted.weights > 0, p, 1 - p).mean()
        wide = widened(run.accuracy, run.wider.accuracy, highest=1.0)
        naive += run.accuracy.low <= true <= run.accuracy.high
        nested += wide.low <= true <= wide.high
    # 200 runs: standard error of a coverage of 95% is 1.5%.
    assert nested / n_runs >= 0.91
    assert nested >= naive
