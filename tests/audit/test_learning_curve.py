"""Learning curves: nested fits, a curve of known shape, and forecasts that cover the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from rewardlab.audit.learning_curve import LearningCurve, learning_curve
from rewardlab.audit.learning_points import LearningPoints, measure_points
from rewardlab.audit.learning_words import curve_sentences
from rewardlab.errors import EstimationError
from rewardlab.rewards.linear import fit, log_losses
from rewardlab.rewards.nested_folds import HeldOutRows
from rewardlab.types import FloatArray

L2 = 1.0
SLOPE_SPREAD = 0.2


def comparisons(n: int, weights: FloatArray, rng: np.random.Generator) -> HeldOutRows:
    """Two comparisons a prompt, whose slopes differ between prompts."""
    prompt = np.arange(n) // 2
    x = rng.normal(size=(n, len(weights)))
    slopes = weights + SLOPE_SPREAD * rng.normal(size=(n // 2, len(weights)))
    label = rng.random(n) < expit(np.einsum("ij,ij->i", x, slopes[prompt]))
    return HeldOutRows(x, label.astype(float), None, prompt)


def curve_of(rows: HeldOutRows, *, seed: int = 0, n_draws: int = 4) -> LearningCurve:
    rng = np.random.default_rng(seed)
    return learning_curve(measure_points(rows, l2=L2, rng=rng, n_draws=n_draws), rng=rng)


def test_the_largest_fit_is_plain_cross_validation() -> None:
    rows = comparisons(200, np.array([1.0, -0.5]), np.random.default_rng(0))
    points = measure_points(rows, l2=L2, rng=np.random.default_rng(1), n_draws=1)
    place = np.random.default_rng(1)
    place.permutation(100)  # the groups that are resampled
    fold = (place.permutation(100) % 5)[rows.prompt]
    loss = 0.0
    for k in range(5):
        weights = fit(rows.differences[fold != k], rows.label[fold != k], l2=L2).weights
        held_out = fold == k
        loss += log_losses(rows.differences[held_out] @ weights, rows.label[held_out]).sum()
    assert points.log_loss[0, -1].sum() == pytest.approx(loss, rel=1e-6)
    assert points.n[-1] == 160
    assert points.n_rows.sum() == points.n_decided.sum() == 200
    np.testing.assert_allclose(points.n, 2 * points.n_prompts)  # two comparisons a prompt


def synthetic(best: float, ratio: float, rate: float, rng: np.random.Generator) -> LearningPoints:
    """Points on a known curve of 1,000 comparisons, with noise that sizes share and that differ.

    Args:
        best: Accuracy with any number of comparisons.
        ratio: k, with accuracy 1/2 + (best - 1/2) / sqrt(1 + k (n / 1000)^-rate).
        rate: c.
        rng: Draws the noise.
    """
    n = 1000 * 0.8 / 2 ** np.arange(5)[::-1]
    falls = (n / 1000) ** -rate
    shared, own = 0.02 * rng.normal(size=(1, 1, 500)), 0.002 * rng.normal(size=(4, 5, 500))
    right = (0.5 + (best - 0.5) / np.sqrt(1 + ratio * falls))[None, :, None] + shared + own
    loss = (0.6 + 0.02 * ratio * falls)[None, :, None] + shared + own
    each = np.ones(500)
    return LearningPoints(n, n.astype(np.int64), loss, right, each, each, 1000, L2)


@pytest.mark.parametrize("rate", [0.7, 1.0, 1.3])
def test_a_curve_of_known_shape_is_found(rate: float) -> None:
    best, ratio = 0.7, 0.3
    points = synthetic(best, ratio, rate, np.random.default_rng(2))
    curve = learning_curve(points, rng=np.random.default_rng(3))

    def lead(multiple: float) -> float:
        return float((best - 0.5) / np.sqrt(1 + ratio * multiple**-rate))

    # Noise of .002 a cell over 2,000 cells of a size is 4e-5, of a lead of .2.
    assert curve.rate.value == pytest.approx(rate, abs=0.1)
    for forecast in curve.forecasts:
        truth = lead(forecast.multiple) - lead(1)
        assert forecast.gain.value == pytest.approx(truth, abs=0.002)
        assert forecast.gain.low <= truth <= forecast.gain.high
    nearing = (ratio / ((0.2 / 0.19) ** 2 - 1)) ** (1 / rate)
    assert curve.gap_closed_at.value == pytest.approx(nearing, rel=0.15)
    assert not curve.flat
    assert "times as many" in curve_sentences(curve)[1]


def test_no_accuracy_is_said_to_reach_beyond_all() -> None:
    # Resamples reach a perfect accuracy; widened, their interval would go beyond it.
    points = synthetic(0.9, 20.0, 0.3, np.random.default_rng(2))
    found = learning_curve(points, rng=np.random.default_rng(3))
    assert found.best_accuracy.high <= 1
    assert found.accuracy.max() <= 1
    for forecast in found.forecasts:
        assert forecast.accuracy.high <= 1
        assert forecast.gain.high <= 1 - found.now.accuracy.value


def test_votes_that_no_feature_predicts_have_no_curve() -> None:
    with pytest.raises(EstimationError, match="not told apart from a coin"):
        curve_of(comparisons(600, np.zeros(4), np.random.default_rng(4)))


def test_a_curve_that_has_flattened_is_told_so() -> None:
    points = synthetic(0.7, 0.0, 1.0, np.random.default_rng(5))
    curve = learning_curve(points, rng=np.random.default_rng(6))
    assert curve.flat
    assert "do not tell the curve from a flat one" in curve_sentences(curve)[1]
    assert "gain 0.0 points" in curve_sentences(curve)[0]


def test_a_floor_too_far_off_is_not_extrapolated_to() -> None:
    points = synthetic(0.9, 3.0, 0.4, np.random.default_rng(7))
    curve = learning_curve(points, rng=np.random.default_rng(8))
    assert curve.gap_closed_at.high > 16
    assert "cannot be said" in curve_sentences(curve)[1]


def test_too_few_prompts_are_refused_and_the_number_asked_for_is_enough() -> None:
    rng = np.random.default_rng(9)
    with pytest.raises(EstimationError, match="needs about") as refused:
        curve_of(comparisons(60, np.ones(6), rng))
    asked = int(str(refused.value).split("about ")[1].split(" ")[0].replace(",", ""))
    assert curve_of(comparisons(2 * asked, np.ones(6), rng), n_draws=2).n_all == 2 * asked


def test_the_same_seed_gives_the_same_curve_and_prompts_are_pooled_beyond_two_thousand() -> None:
    rows = comparisons(4200, np.array([0.7, 0.3]), np.random.default_rng(10))
    one, two = (
        measure_points(rows, l2=L2, rng=np.random.default_rng(11), n_draws=1) for _ in range(2)
    )
    np.testing.assert_array_equal(one.log_loss, two.log_loss)
    assert one.log_loss.shape[-1] == 2000
    assert one.n_rows.sum() == 4200


@pytest.mark.slow
@pytest.mark.parametrize(("n", "strength"), [(600, 1.0), (2000, 0.5)])
def test_forecasts_cover_what_more_data_bring(n: int, strength: float) -> None:
    weights = np.random.default_rng(12).normal(size=8)
    weights *= strength / np.linalg.norm(weights)
    x = np.random.default_rng(13).normal(size=(60_000, 8))
    nodes, mass = np.polynomial.hermite_e.hermegauss(15)
    spread = SLOPE_SPREAD * np.linalg.norm(x, axis=1)
    prefers_a = sum(
        m * expit(x @ weights + spread * node)
        for m, node in zip(mass / mass.sum(), nodes, strict=True)
    )

    def reached(multiple: int) -> float:
        """Expected accuracy of a fit to so many times the comparisons; good to .0002."""
        shares = []
        for seed in range(80):
            rows = comparisons(multiple * n, weights, np.random.default_rng(1000 + seed))
            found = fit(rows.differences, rows.label, l2=L2).weights
            shares.append(np.mean(np.where(x @ found > 0, prefers_a, 1 - prefers_a)))
        return float(np.mean(shares))

    truth = {m: reached(m) for m in (1, 2, 4)}
    inside = []
    for seed in range(100):
        curve = curve_of(comparisons(n, weights, np.random.default_rng(seed)), seed=seed)
        for f in curve.forecasts:
            expected = truth[int(f.multiple)]
            inside.append(
                (
                    f.accuracy.low <= expected <= f.accuracy.high,
                    f.gain.low <= expected - truth[1] <= f.gain.high,
                )
            )
    # Nominal 95%; three Monte Carlo standard errors of 100 runs are 6.5 points.
    assert np.all(np.mean(inside, axis=0) >= 0.95 - 0.065)
