"""How pairs differ in how settled they are: models of the noise of votes, fitted to counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from rewardlab.errors import EstimationError, InputError
from rewardlab.stats.intervals import Estimate, cluster_codes, cluster_mean, wilson
from rewardlab.stats.vote_counts import VoteCounts
from rewardlab.stats.vote_range import right_with_chance
from rewardlab.types import FloatArray, IntArray

_NORMAL: FloatArray = np.linspace(-8.0, 8.0, 801)
"""Standard normal deviates; fine enough for logits with a standard deviation of up to 50."""
_NORMAL_WEIGHT: FloatArray = np.exp(-0.5 * _NORMAL**2) / np.exp(-0.5 * _NORMAL**2).sum()
_LEGENDRE, _LEGENDRE_WEIGHT = np.polynomial.legendre.leggauss(200)
_STEP = 1e-4
"""Of the logarithm of a parameter, in numerical derivatives."""


@dataclass(frozen=True, slots=True)
class VoteModel:
    """A symmetric distribution of q, the chance that a voter prefers the one response of a pair.

    Symmetric because which response is called a is arbitrary.

    Attributes:
        name: For people.
        log_chance: (votes for a [c], votes for b [c], theta) -> log chance of each such row of
            votes in a given order, [c].
        mean: (f, theta) -> E[f(d)], d = |2q - 1|.
        bounds: Of theta, the logarithm of the parameter.
    """

    name: str
    log_chance: Callable[[FloatArray, FloatArray, float], FloatArray]
    mean: Callable[[Callable[[FloatArray], FloatArray], float], float]
    bounds: tuple[float, float]


def _beta_log_chance(for_a: FloatArray, for_b: FloatArray, theta: float) -> FloatArray:
    alpha = np.exp(theta)
    return np.asarray(special.betaln(for_a + alpha, for_b + alpha) - special.betaln(alpha, alpha))


def _beta_mean(f: Callable[[FloatArray], FloatArray], theta: float) -> float:
    # q = P(other) runs through the lower half of Beta(alpha, alpha), by its quantiles.
    q = special.betaincinv(np.exp(theta), np.exp(theta), (_LEGENDRE + 1) / 4)
    return float(_LEGENDRE_WEIGHT @ f(1 - 2 * q) / 2)


def _normal_log_chance(for_a: FloatArray, for_b: FloatArray, theta: float) -> FloatArray:
    logit = np.exp(theta) * _NORMAL
    each = for_a[:, None] * special.log_expit(logit) + for_b[:, None] * special.log_expit(-logit)
    return np.asarray(special.logsumexp(each, axis=1, b=_NORMAL_WEIGHT))


def _normal_mean(f: Callable[[FloatArray], FloatArray], theta: float) -> float:
    return float(_NORMAL_WEIGHT @ f(np.abs(np.tanh(np.exp(theta) * _NORMAL / 2))))


BETA = VoteModel("beta", _beta_log_chance, _beta_mean, (np.log(1e-3), np.log(1e4)))
"""q ~ Beta(alpha, alpha): the symmetric beta-binomial."""
LOGIT_NORMAL = VoteModel("logit-normal", _normal_log_chance, _normal_mean, (-5.0, np.log(50.0)))
"""logit q ~ Normal(0, tau^2): Bradley-Terry with gaps that are normal over pairs."""


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """A fitted model of votes.

    Attributes:
        model: Name of the model.
        parameter: alpha of the beta, tau (in logits) of the logit-normal.
        agreement: Chance that two voters on a pair agree under the model.
        accuracies: By m, odd: accuracy of a perfect reward against the majority of m votes; that of
            1 is the ceiling E[max(q, 1 - q)].
        log_likelihood: Shape [p]; of each pair.
        at_bound: True where the votes agree no more than coins would, or always.
    """

    model: str
    parameter: float
    agreement: float
    accuracies: dict[int, Estimate]
    log_likelihood: FloatArray
    at_bound: bool

    @property
    def ceiling(self) -> Estimate:
        """Accuracy of a perfect reward against single votes."""
        return self.accuracies[1]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which of two models the votes speak for.

    Attributes:
        favoured: Its name; None where the votes do not tell the two apart.
        gain: Log likelihood of the first less that of the second, a pair.
    """

    favoured: str | None
    gain: Estimate


def fit_heterogeneity(
    counts: VoteCounts,
    model: VoteModel = BETA,
    *,
    majorities: Sequence[int] = (1, 3, 5),
    level: float = 0.95,
) -> Heterogeneity:
    """Maximum likelihood of a model of how pairs differ, each pair counting once.

    Intervals are Wilson's for 2 accuracy - 1, which lies in [0, 1], with the standard error by the
    sandwich over clusters.

    Args:
        counts: Votes that all prefer a side.
        model: ``BETA`` or ``LOGIT_NORMAL``.
        majorities: Odd numbers of votes, 1 among them.
        level: Confidence level.

    Raises:
        InputError: There are ties among the votes, or 1 is not among the majorities.
        EstimationError: There is no pair.

    Source: Griffiths (1973), *Biometrics* 29, 637-648, for the beta-binomial; White (1982),
    *Econometrica* 50, 1-25, for the sandwich.
    """
    if not counts.sided:
        raise InputError("counts: expected votes that prefer a side; set ties aside")
    if 1 not in majorities:
        raise InputError("majorities: expected 1 among them")
    if not len(counts):
        raise EstimationError(
            "no pair has votes of two people", remedy="Collect second votes, by other annotators."
        )
    cells, of_pair, weight = _cells(counts)

    def log_likelihood(theta: float) -> FloatArray:
        return model.log_chance(cells[:, 0], cells[:, 1], theta)

    theta = _greatest(lambda t: float(weight @ log_likelihood(t)) / len(counts), model.bounds)
    low, high = model.bounds
    at_bound = min(theta - low, high - theta) < 1e-3 * (high - low)
    slope, curvature = _derivatives(log_likelihood, theta)
    spread = 0.0 if at_bound else _spread(slope[of_pair], float(weight @ curvature), counts.cluster)
    return Heterogeneity(
        model=model.name,
        parameter=float(np.exp(theta)),
        agreement=model.mean(lambda d: (1 + d**2) / 2, theta),
        accuracies={
            m: _accuracy(model, theta, m, spread, counts, at_bound=at_bound, level=level)
            for m in majorities
        },
        log_likelihood=log_likelihood(theta)[of_pair],
        at_bound=at_bound,
    )


def _greatest(f: Callable[[float], float], bounds: tuple[float, float]) -> float:
    """Where a function of one peak is largest between the bounds."""
    options = {"xatol": 1e-7}
    found = optimize.minimize_scalar(
        lambda t: -f(t), bounds=bounds, method="bounded", options=options
    )
    return float(found.x)


def choose_model(first: Heterogeneity, second: Heterogeneity, cluster: IntArray) -> ModelChoice:
    """Whether the votes tell two fitted models apart, by the difference of their likelihoods.

    Args:
        first: Fitted to the same pairs as ``second``.
        second: The other model.
        cluster: Shape [p], int64 codes of what is resampled together.

    Source: Vuong (1989), *Econometrica* 57, 307-333, with a variance over clusters; each model has
    one parameter, so that neither is the more flexible.
    """
    gain = cluster_mean(first.log_likelihood - second.log_likelihood, cluster)
    # Two models that say the same up to rounding are told apart by nothing.
    if np.isnan(gain.low) or gain.low <= 0 <= gain.high or abs(gain.value) < 1e-12:
        return ModelChoice(None, gain)
    return ModelChoice(first.model if gain.value > 0 else second.model, gain)


def _cells(counts: VoteCounts) -> tuple[FloatArray, IntArray, FloatArray]:
    """Distinct (votes for the side with fewer, with more), which each pair has, how many have."""
    both = np.column_stack(
        [np.minimum(counts.for_a, counts.for_b), np.maximum(counts.for_a, counts.for_b)]
    )
    cells, of_pair, n = np.unique(both, axis=0, return_inverse=True, return_counts=True)
    return cells.astype(np.float64), of_pair, n.astype(np.float64)


def _derivatives(f: Callable[[float], FloatArray], at: float) -> tuple[FloatArray, FloatArray]:
    below, here, above = f(at - _STEP), f(at), f(at + _STEP)
    return (above - below) / (2 * _STEP), (above - 2 * here + below) / _STEP**2


def _spread(score: FloatArray, curvature: float, cluster: IntArray) -> float:
    """Standard error of theta; NaN with one cluster."""
    code, n_clusters = cluster_codes(cluster)
    if n_clusters < 2:
        return float("nan")
    sums = np.bincount(code, weights=score)
    return float(np.sqrt(n_clusters / (n_clusters - 1) * np.sum(sums**2)) / abs(curvature))


def _accuracy(
    model: VoteModel,
    theta: float,
    votes: int,
    spread: float,
    counts: VoteCounts,
    *,
    at_bound: bool,
    level: float,
) -> Estimate:
    def accuracy(at: float) -> float:
        return model.mean(lambda d: right_with_chance(d, votes), at)

    value = accuracy(theta)
    if at_bound:
        # The end of the range stands for the limit: coins, or pairs on which all agree.
        value = 0.5 if value < 0.75 else 1.0
    n_clusters = len(np.unique(counts.cluster))
    slope = (accuracy(theta + _STEP) - accuracy(theta - _STEP)) / (2 * _STEP)
    std_error = 2 * abs(slope) * spread
    low, high = wilson(2 * value - 1, std_error, n=len(counts), n_clusters=n_clusters, level=level)
    method = f"{model.name}, Wilson with the sandwich over {n_clusters} clusters"
    return Estimate(
        value,
        std_error / 2,
        (1 + low) / 2,
        (1 + high) / 2,
        len(counts),
        n_clusters,
        level,
        method,
    )
