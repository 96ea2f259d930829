"""Models of how pairs differ: exact values, recovery, and which of two the votes speak for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate, special, stats

from rewardlab.errors import EstimationError, InputError
from rewardlab.stats.vote_counts import VoteCounts
from rewardlab.stats.vote_heterogeneity import (
    BETA,
    LOGIT_NORMAL,
    VoteModel,
    choose_model,
    fit_heterogeneity,
)
from rewardlab.stats.vote_range import right_with_chance
from rewardlab.types import FloatArray

TAU = 1.998
"""Standard deviation, in logits, of Bradley-Terry gaps under which two voters agree 69.7%."""


def counts_from(q: FloatArray, votes: int, rng: np.random.Generator, *, per: int = 1) -> VoteCounts:
    for_a = rng.binomial(votes, q)
    n = np.full(len(q), votes)
    return VoteCounts(n, for_a, n - for_a, np.arange(len(q)) // per)


def test_the_beta_has_its_closed_forms() -> None:
    alpha = 0.769
    theta = float(np.log(alpha))
    ahead = 2 * 4**-alpha / (alpha * special.beta(alpha, alpha))  # E|2q - 1|, by integration.
    # Quadrature by quantiles, whose ends are powers 1/alpha, leaves some 1e-6.
    assert BETA.mean(lambda d: d, theta) == pytest.approx(ahead, abs=1e-5)
    squared = BETA.mean(lambda d: d**2, theta)
    assert squared == pytest.approx(1 / (2 * alpha + 1), abs=1e-5)
    rows = BETA.log_chance(np.array([2.0, 0.0]), np.array([1.0, 3.0]), theta)
    exact = [stats.betabinom(3, alpha, alpha).pmf(k) / w for k, w in ((2, 3), (0, 1))]
    np.testing.assert_allclose(np.exp(rows), exact, rtol=1e-12)


@pytest.mark.parametrize("tau", [0.1, 2.0, 20.0])
def test_the_logit_normal_is_its_integral(tau: float) -> None:
    def density(z: float) -> float:
        q = special.expit(tau * z)
        return float(q**3 * (1 - q) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi))

    exact, _ = integrate.quad(density, -12, 12, epsabs=1e-14, limit=500, points=[-0.1, 0, 0.1])
    found = LOGIT_NORMAL.log_chance(np.array([3.0]), np.array([1.0]), float(np.log(tau)))
    assert np.exp(found[0]) == pytest.approx(exact, abs=1e-9)


def test_bradley_terry_noise_has_its_ceiling_and_not_that_of_equal_noise() -> None:
    """Two voters agree 69.7%: the ceiling is .778; equal noise would make it .814."""
    rng = np.random.default_rng(0)
    q = special.expit(TAU * rng.standard_normal(40_000))
    exact = LOGIT_NORMAL.mean(right_with_chance, float(np.log(TAU)))
    assert exact == pytest.approx(0.778, abs=5e-4)
    counts = counts_from(q, 3, rng)
    # 40,000 pairs of three votes: the standard error of either is below .0015.
    normal = fit_heterogeneity(counts, LOGIT_NORMAL)
    assert normal.ceiling.value == pytest.approx(0.778, abs=0.005)
    assert normal.parameter == pytest.approx(TAU, rel=0.03)
    assert normal.agreement == pytest.approx(0.697, abs=0.006)
    # The beta, though wrong, is off by .002 in the limit.
    assert fit_heterogeneity(counts, BETA).ceiling.value == pytest.approx(0.776, abs=0.006)


def test_a_majority_is_predicted_as_simulated_voters_vote() -> None:
    rng = np.random.default_rng(1)
    q = rng.beta(1.5, 1.5, 40_000)
    fitted = fit_heterogeneity(counts_from(q, 4, rng), BETA)
    favourite = np.maximum(q, 1 - q)
    for m, found in fitted.accuracies.items():
        simulated = np.mean(rng.binomial(m, favourite) > m / 2)
        assert found.value == pytest.approx(simulated, abs=0.01)  # Four standard errors.


def test_many_votes_a_pair_tell_the_models_apart_and_two_never_do() -> None:
    rng = np.random.default_rng(2)
    q = rng.beta(0.35, 0.35, 6000)

    def favoured(votes: int) -> str | None:
        counts = counts_from(q, votes, rng)
        fits = [fit_heterogeneity(counts, model) for model in (BETA, LOGIT_NORMAL)]
        return choose_model(fits[0], fits[1], counts.cluster).favoured

    assert favoured(2) is None
    assert favoured(12) == "beta"


@pytest.mark.parametrize("model", [BETA, LOGIT_NORMAL])
@pytest.mark.parametrize(("for_a", "ceiling"), [([2, 0, 2, 0], 1.0), ([1, 1, 1, 1], 0.5)])
def test_votes_that_always_agree_or_never_have_the_limits(
    model: VoteModel, for_a: list[int], ceiling: float
) -> None:
    won = np.array(for_a * 20)
    n = np.full(len(won), 2)
    found = fit_heterogeneity(VoteCounts(n, won, n - won, np.arange(len(won))), model)
    assert found.at_bound
    assert found.ceiling.value == ceiling
    assert found.ceiling.low < found.ceiling.high  # 80 pairs leave doubt.


def test_what_cannot_be_fitted_is_refused() -> None:
    one = np.array([1])
    with pytest.raises(InputError, match="set ties aside"):
        fit_heterogeneity(VoteCounts(one + 1, one, one - 1, one))
    with pytest.raises(InputError, match="1 among them"):
        fit_heterogeneity(VoteCounts(one + 1, one, one, one), majorities=(3,))
    with pytest.raises(EstimationError, match="no pair"):
        fit_heterogeneity(VoteCounts(one[:0], one[:0], one[:0], one[:0]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "draw"),
    [
        (BETA, lambda rng, n: rng.beta(0.8, 0.8, n)),
        (LOGIT_NORMAL, lambda rng, n: special.expit(TAU * rng.standard_normal(n))),
    ],
)
@pytest.mark.parametrize("votes", [2, 5])
def test_the_ceilings_interval_covers_where_its_model_is_right(
    model: VoteModel, draw: Callable[[np.random.Generator, int], FloatArray], votes: int
) -> None:
    rng = np.random.default_rng(3)
    q = draw(rng, 1_000_000)
    truth, covered = float(np.maximum(q, 1 - q).mean()), 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        counts = counts_from(draw(rng, 200), votes, rng, per=4)
        ceiling = fit_heterogeneity(counts, model).ceiling
        covered += ceiling.low <= truth <= ceiling.high
    # 95% of 400 runs, less three standard errors of 1.1 points.
    assert covered / 400 >= 0.917
