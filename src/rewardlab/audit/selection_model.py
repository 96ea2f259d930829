"""How often a verifier misscores wrong candidates high, inferred from top-1 accuracy over n.

Two parameters describe selection by the top score: f, the share of wrong candidates that score
above every honest one, and s, by how many standard deviations honest right candidates score
higher than honest wrong ones. With p, the accuracy of one candidate, they give the accuracy at
every n (``worlds.verifier.top_with_exploits``): s makes it rise, f makes it fall. They are fitted
by maximum likelihood to counts of right picks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from rewardlab.errors import ConvergenceError, EstimationError, InputError
from rewardlab.types import Figure, FloatArray, IntArray
from rewardlab.worlds.verifier import Pool, top_with_exploits

_START = (float(special.logit(0.02)), 1.0)
_H = 1e-4
_TOLERANCE = 1e-7
_MAX_ITERATIONS = 100
_SMALLEST_SHARE, _LARGEST_S = 1e-6, 8.0


@dataclass(frozen=True, slots=True)
class SelectionFit:
    """The selection model fitted to counts.

    Attributes:
        misscored: f; interval from a normal one of its log-odds.
        discrimination: s, standard deviations.
        right_share: p, as given.
        log_likelihood: In nats, without the binomial coefficients.
        iterations: Scoring steps.
        n: The n that were measured.
    """

    misscored: Figure
    discrimination: Figure
    right_share: float
    log_likelihood: float
    iterations: int
    n: tuple[int, ...]


def fit_selection(
    n: IntArray, right: IntArray, asked: IntArray, *, right_share: float, level: float = 0.95
) -> SelectionFit:
    """f and s by Fisher scoring on (log-odds of f, s), steps halved until the likelihood rises.

    Args:
        n: Shape [k], distinct, >= 1; at least two of them above 1.
        right: Shape [k]; right picks among those asked.
        asked: Shape [k]; questions asked at each n, independent of those at the others.
        right_share: p, in (0, 1); accuracy of a single candidate, taken as known.
        level: Confidence level.

    Raises:
        InputError: Shapes disagree, counts are impossible, or p or the level is out of range.
        EstimationError: The counts do not hold one of the two: accuracy never falls, or never
            tells right from wrong.
        ConvergenceError: The scoring did not end.
    """
    if not 0 < level < 1:
        raise InputError(f"level: expected a number between 0 and 1, got {level:g}")
    n, right, asked = _checked(n, right, asked)
    at: FloatArray = np.array(_START)
    value = _log_likelihood(at, n, right, asked, right_share)
    for iteration in range(1, _MAX_ITERATIONS + 1):
        gradient, information = _score(at, n, right, asked, right_share)
        step = _step(information, gradient)
        moved, better = _halved(at, step, value, n, right, asked, right_share)
        at, value = moved, better
        _check_inside(at)
        if float(gradient @ step) < _TOLERANCE:
            return _finished(at, information, value, iteration, n, right_share, level)
    raise ConvergenceError(f"selection model: no end within {_MAX_ITERATIONS} steps of scoring")


def _checked(n: IntArray, right: IntArray, asked: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    n, right, asked = (np.asarray(v, dtype=np.int64) for v in (n, right, asked))
    if n.ndim != 1 or right.shape != n.shape or asked.shape != n.shape:
        raise InputError(
            f"selection model: expected n, right and asked of one length, got {n.shape}, "
            f"{right.shape} and {asked.shape}"
        )
    if len(np.unique(n)) != len(n) or (n > 1).sum() < 2 or n.min() < 1:
        raise InputError("n: expected distinct numbers of at least 1, two of them above 1")
    if np.any(asked < 1) or np.any(right < 0) or np.any(right > asked):
        raise InputError("right: expected counts from 0 to those asked, of at least 1 each")
    return n, right, asked


def _accuracy(at: FloatArray, n: IntArray, right_share: float) -> FloatArray:
    pool = Pool(right_share, float(at[1]))
    return top_with_exploits(pool, n, float(special.expit(at[0])))


def _log_likelihood(
    at: FloatArray, n: IntArray, right: IntArray, asked: IntArray, right_share: float
) -> float:
    p = _accuracy(at, n, right_share)
    return float(np.sum(special.xlogy(right, p) + special.xlog1py(asked - right, -p)))


def _score(
    at: FloatArray, n: IntArray, right: IntArray, asked: IntArray, right_share: float
) -> tuple[FloatArray, FloatArray]:
    """Gradient [2] and expected information [2, 2], by central differences of the accuracy."""
    p = _accuracy(at, n, right_share)
    slopes = np.column_stack(
        [
            (_accuracy(at + h, n, right_share) - _accuracy(at - h, n, right_share)) / (2 * _H)
            for h in _H * np.eye(2)
        ]
    )
    variance = np.maximum(p * (1 - p), 1e-300)
    gradient = slopes.T @ ((right - asked * p) / variance)
    return gradient, (slopes * (asked / variance)[:, None]).T @ slopes


def _step(information: FloatArray, gradient: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise ConvergenceError("selection model: the counts tell nothing of f or s") from None


def _halved(
    at: FloatArray,
    step: FloatArray,
    value: float,
    n: IntArray,
    right: IntArray,
    asked: IntArray,
    right_share: float,
) -> tuple[FloatArray, float]:
    size = min(1.0, 2.0 / float(np.abs(step).max()))
    rounding = 1e-11 * abs(value)
    for _ in range(40):
        moved = at + size * step
        better = _log_likelihood(moved, n, right, asked, right_share)
        if better >= value - rounding:
            return moved, better
        size /= 2
    raise ConvergenceError("selection model: no step along the score raises the likelihood")


def _check_inside(at: FloatArray) -> None:
    if special.expit(at[0]) < _SMALLEST_SHARE:
        raise EstimationError(
            "misscored: accuracy does not fall with n, so the share misscored cannot be told from "
            "0",
            remedy="Measure at larger n, or on more questions.",
        )
    if abs(at[1]) > _LARGEST_S:
        raise EstimationError(
            "discrimination: honest scores look perfect (or perfectly wrong), so s is unbounded",
            remedy="Measure at small n (2, 4), or on more questions.",
        )


def _finished(
    at: FloatArray,
    information: FloatArray,
    value: float,
    iterations: int,
    n: IntArray,
    right_share: float,
    level: float,
) -> SelectionFit:
    std_error = np.sqrt(np.diag(np.linalg.inv(information)))
    half = float(special.ndtri(0.5 + level / 2)) * std_error
    low, high = at - half, at + half
    f, f_low, f_high = (float(special.expit(v[0])) for v in (at, low, high))
    method = "maximum likelihood, expected information"
    return SelectionFit(
        misscored=Figure(f, f_low, f_high, "share", level, method),
        discrimination=Figure(
            float(at[1]), float(low[1]), float(high[1]), "standard deviations", level, method
        ),
        right_share=right_share,
        log_likelihood=value,
        iterations=iterations,
        n=tuple(int(v) for v in n),
    )
