"""Intervals of weights: coverage and false alarms by simulation, refusals and their remedies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import EstimationError, InputError, SeparationError
from rewardlab.rewards.inference import infer_weights
from rewardlab.rewards.linear import fit, hessian
from rewardlab.types import FloatArray, IntArray


@dataclass(frozen=True)
class Clustered:
    x: FloatArray
    label: FloatArray
    cluster: IntArray


def simulate(
    rng: np.random.Generator,
    *,
    n_clusters: int,
    d: int,
    mean_rows: float,
    slope_sd: float,
    weights: FloatArray | float = 0.0,
) -> Clustered:
    """Clusters of unequal size and spread, in which the slopes are off by a random effect."""
    sizes = np.maximum(2, rng.geometric(1 / mean_rows, n_clusters))
    cluster = np.repeat(np.arange(n_clusters), sizes)
    spread = np.exp(0.5 * rng.normal(size=(n_clusters, d)))
    x = rng.normal(size=(len(cluster), d)) * spread[cluster]
    slopes = weights + slope_sd * rng.normal(size=(n_clusters, d))
    p = special.expit(np.sum(x * slopes[cluster], axis=1))
    return Clustered(x, (rng.random(len(cluster)) < p).astype(float), cluster)


def names(d: int) -> list[str]:
    return [f"f{j}" for j in range(d)]


@dataclass(frozen=True)
class Coverage:
    covered: float
    false_alarms: float
    n_runs: int


def measure(n_clusters: int, d: int, mean_rows: float, slope_sd: float, n_runs: int) -> Coverage:
    """Share of intervals that hold the true weight 0, and of runs that name any feature."""
    rng = np.random.default_rng([n_clusters, d, int(slope_sd * 10)])
    covered, alarms = 0, 0
    for _ in range(n_runs):
        data = simulate(rng, n_clusters=n_clusters, d=d, mean_rows=mean_rows, slope_sd=slope_sd)
        found = infer_weights(data.x, data.label, data.cluster, names=names(d))
        covered += int(np.sum((found.low <= 0) & (found.high >= 0)))
        alarms += bool(found.significant())
    return Coverage(covered / (n_runs * d), alarms / n_runs, n_runs)


SETTINGS = [(13, 4, 25.0), (13, 8, 60.0), (40, 12, 20.0), (200, 12, 8.0)]


@pytest.mark.slow
@pytest.mark.parametrize("slope_sd", [0.0, 0.3])
@pytest.mark.parametrize(("n_clusters", "d", "mean_rows"), SETTINGS)
def test_intervals_cover_and_false_alarms_stay_below_five_percent(
    n_clusters: int, d: int, mean_rows: float, slope_sd: float
) -> None:
    found = measure(n_clusters, d, mean_rows, slope_sd, n_runs=2000)
    # 2,000 runs of d weights: the simulation's own error of the coverage is below .3%. With 13
    # clusters the effective degrees of freedom err on the wide side, up to 98.5%.
    assert 0.93 <= found.covered <= (0.97 if n_clusters >= 40 else 0.985)
    # Two standard errors of a share of .05 in 2,000 runs are .01.
    assert found.false_alarms <= 0.05 + 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("n_clusters", "d", "mean_rows"), SETTINGS)
def test_intervals_cover_weights_that_are_not_zero(
    n_clusters: int, d: int, mean_rows: float
) -> None:
    rng = np.random.default_rng([n_clusters, d])
    weights = np.linspace(-0.5, 0.5, d)
    covered = 0
    for _ in range(1000):
        data = simulate(
            rng, n_clusters=n_clusters, d=d, mean_rows=mean_rows, slope_sd=0.0, weights=weights
        )
        found = infer_weights(data.x, data.label, data.cluster, names=names(d))
        covered += int(np.sum((found.low <= weights) & (weights <= found.high)))
    assert 0.93 <= covered / (1000 * d) <= (0.97 if n_clusters >= 40 else 0.985)


def test_intervals_cover_in_a_short_simulation() -> None:
    found = measure(40, 4, 10.0, 0.3, n_runs=120)
    # 480 intervals: standard error of the coverage 1%.
    assert 0.92 <= found.covered <= 0.98
    assert found.false_alarms <= 0.10


def test_ignoring_the_clusters_would_be_wrong() -> None:
    rng = np.random.default_rng(0)
    rows, clusters = 0, 0
    for _ in range(60):
        data = simulate(rng, n_clusters=40, d=2, mean_rows=40, slope_sd=0.5)
        each = np.arange(len(data.label))
        with_rows = infer_weights(data.x, data.label, each, names=names(2))
        with_prompts = infer_weights(data.x, data.label, data.cluster, names=names(2))
        rows += int(np.sum((with_rows.low <= 0) & (with_rows.high >= 0)))
        clusters += int(np.sum((with_prompts.low <= 0) & (with_prompts.high >= 0)))
    assert rows / 120 < 0.75
    assert clusters / 120 > 0.9


def test_with_independent_rows_errors_are_those_of_the_information_matrix() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 3))
    label = (rng.random(4000) < special.expit(x @ [0.5, 0.0, -1.0])).astype(float)
    found = infer_weights(x, label, np.arange(4000), names=names(3))
    expected = np.sqrt(np.diagonal(np.linalg.inv(hessian(fit(x, label).weights, x, label))))
    # The robust error of a true model varies by about 1 / sqrt(n) around it.
    np.testing.assert_allclose(found.std_error, expected, rtol=0.06)
    assert set(found.significant()) == {"f0", "f2"}
    np.testing.assert_allclose((found.low + found.high) / 2, found.weight, atol=1e-12)


def test_too_few_prompts_are_refused_and_both_remedies_work() -> None:
    rng = np.random.default_rng(1)
    few = simulate(rng, n_clusters=9, d=8, mean_rows=60, slope_sd=0.1)
    with pytest.raises(EstimationError, match="more prompts, or name fewer features"):
        infer_weights(few.x, few.label, few.cluster, names=names(8))
    fewer = infer_weights(few.x[:, :3], few.label, few.cluster, names=names(3))
    assert np.isfinite(fewer.low).all()
    more = simulate(rng, n_clusters=60, d=8, mean_rows=20, slope_sd=0.1)
    assert np.isfinite(infer_weights(more.x, more.label, more.cluster, names=names(8)).low).all()


@pytest.mark.parametrize(("n_clusters", "warned"), [(39, True), (40, False)])
def test_below_forty_prompts_there_is_a_warning(n_clusters: int, warned: bool) -> None:
    rng = np.random.default_rng(2)
    data = simulate(rng, n_clusters=n_clusters, d=2, mean_rows=20, slope_sd=0.0)
    found = infer_weights(data.x, data.label, data.cluster, names=names(2))
    assert bool(found.warnings) is warned
    assert all("collect comparisons on more prompts" in warning for warning in found.warnings)


def test_separable_data_are_refused_by_name() -> None:
    rng = np.random.default_rng(3)
    data = simulate(rng, n_clusters=40, d=3, mean_rows=5, slope_sd=0.0)
    label = (data.x[:, 2] > 0).astype(float)
    with pytest.raises(SeparationError, match="f2"):
        infer_weights(data.x, label, data.cluster, names=names(3))


def test_lengths_must_agree() -> None:
    with pytest.raises(InputError, match="disagree in length"):
        infer_weights(np.ones((4, 1)), np.ones(4), np.zeros(3, dtype=np.int64), names=["a"])


def test_ties_alone_have_no_weights_and_are_refused_before_any_division() -> None:
    x = np.random.default_rng(3).normal(size=(100, 2))
    with pytest.raises(EstimationError, match="every comparison is a tie") as caught:
        infer_weights(x, np.full(100, 0.5), np.arange(100), names=("f", "g"))
    assert caught.value.remedy == "Give comparisons with a winner."
