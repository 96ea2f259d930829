"""A verifier and a pool of candidates: the top score against the most common answer, exactly.

Each of n candidates is right with chance p. The verifier scores honest candidates with unit
Gaussian noise, right ones s higher. A share f of the wrong candidates is misscored:

- at random: the verifier takes them for right, and draws their score as for a right one;
- by construction: they are built to score just above the best honest candidate.

With H(n, p, s) the chance that the highest of n scores is of the p whose scores lie s higher,
and w = (1 - p) f, the top score is right with chance p / (p + w) H(n, p + w, s) under random
errors, and (1 - w)^n H(n, p / (1 - w), s) under the construction: one exploit is enough.
Counting looks at no score. Honest wrong candidates scatter over K answers; exploits, the worst
case for counting, all give one more. Counting by score gives each candidate the verifier's own
chance that it is right as its vote; it alone is simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import fft, special

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray

ComplexArray = NDArray[np.complex128]

WRONG_ANSWERS = 4
"""K: what honest wrong candidates scatter over. The source leaves it open; more would only help
counting."""

_STEP = 0.01
_REACH = 9.0
_NEGLIGIBLE = 1e-14


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates as one verifier sees them.

    Attributes:
        right_share: p, in (0, 1); chance that a candidate is right.
        discrimination: s; how much higher honest right candidates score, in standard deviations
            of the verifier's noise.
    """

    right_share: float
    discrimination: float

    def __post_init__(self) -> None:
        if not 0 < self.right_share < 1:
            raise InputError(f"right_share: expected in (0, 1), got {self.right_share:g}")
        if not np.isfinite(self.discrimination):
            raise InputError(f"discrimination: expected a number, got {self.discrimination:g}")


def top_with_random_errors(pool: Pool, n: IntArray, rate: float) -> FloatArray:
    """Shape [k]; chance that the top score of n is right, a share of the wrong taken for right.

    Args:
        pool: Candidates and verifier.
        n: Shape [k], >= 1.
        rate: f, in [0, 1].

    Raises:
        InputError: An n or the rate is outside its range.
    """
    p, w = pool.right_share, _misscored(pool, rate)
    return p / (p + w) * _honest_top(n, p + w, pool.discrimination)


def top_with_exploits(pool: Pool, n: IntArray, rate: float) -> FloatArray:
    """Shape [k]; the same where misscored candidates score above every honest one.

    Args and Raises: As ``top_with_random_errors``.
    """
    w, n = _misscored(pool, rate), _checked(n)
    honest = _honest_top(n, pool.right_share / (1 - w), pool.discrimination)
    return np.asarray((1 - w) ** n * honest)


def counting(pool: Pool, n: int, rate: float) -> float:
    """Chance that the most common answer of n is the right one, ties split evenly.

    Exact: given r right candidates, the others are Poisson counts conditioned on their sum n - r.
    Each wrong answer contributes the polynomial of its counts below r, plus u times that of r;
    the average over u in [0, 1] turns t tied answers into the share 1 / (1 + t).

    Args:
        pool: Candidates; their scores do not matter.
        n: Candidates, >= 1.
        rate: Share of the wrong candidates that give one and the same wrong answer.

    Raises:
        InputError: n or the rate is outside its range.
    """
    _checked(np.array([n]))
    return _counted(pool.right_share, n, _misscored(pool, rate))


@lru_cache(maxsize=256)
def _counted(p: float, n: int, w: float) -> float:
    """``counting`` with a share p of right candidates and w of exploits among all."""
    right = np.exp(_log_poisson(np.arange(n + 1), n * p))
    likely = np.flatnonzero(right > _NEGLIGIBLE * right.max())
    nodes, weights = np.polynomial.legendre.leggauss((WRONG_ANSWERS + 3) // 2)
    size = fft.next_fast_len((WRONG_ANSWERS + 1) * n + 2, real=True)
    waves = _waves(n, size)
    exploit, scattered = (
        _transforms(n * share, waves, likely, (nodes + 1) / 2)
        for share in (w, (1 - p - w) / WRONG_ANSWERS)
    )
    averaged = np.einsum("u,uik->ik", weights, exploit * scattered**WRONG_ANSWERS)
    total = fft.irfft(averaged, size)
    sums = np.take_along_axis(total, (n - likely)[:, None], axis=-1)[:, 0]
    chance = right[likely] @ sums / 2
    # The transform's rounding can put a sure thing a little above 1.
    return min(float(chance / np.exp(_log_poisson(np.array([n]), float(n)))[0]), 1.0)


def _waves(n: int, size: int) -> ComplexArray:
    """Shape [n + 1, size // 2 + 1]; the transform of each count that is certain."""
    roots = np.exp(-2j * np.pi / size * np.arange(size))
    return np.asarray(roots[np.outer(np.arange(n + 1), np.arange(size // 2 + 1)) % size])


def _transforms(
    mean: float, waves: ComplexArray, likely: IntArray, tied: FloatArray
) -> ComplexArray:
    """Shape [u, r, size // 2 + 1]; of Poisson counts below each likely r and u times that of r."""
    terms = np.exp(_log_poisson(np.arange(len(waves)), mean))[:, None] * waves
    at = terms[likely]
    return np.asarray(np.cumsum(terms, axis=0)[likely] - at + tied[:, None, None] * at)


def counting_by_score(
    pool: Pool,
    n: int,
    rates: FloatArray,
    *,
    built: bool,
    n_questions: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Shape [k]; share of simulated questions whose answer with the most votes is right.

    A candidate's vote is sigma(s (score - s / 2)), the chance that it is right at even odds before
    its score is seen; ties split evenly. All rates see the same questions.

    Args:
        pool: Candidates and verifier.
        n: Candidates, >= 1.
        rates: Shape [k], each in [0, 1]; f.
        built: True for exploits, which vote as the best honest candidate does; False for random
            errors, which scatter as honest wrong candidates do.
        n_questions: Questions simulated, >= 1.
        rng: Source of the candidates.
    """
    s, size = pool.discrimination, (n_questions, n)
    drawn = rng.random(size)
    right = drawn < pool.right_share
    answer = np.where(right, 0, rng.integers(1, WRONG_ANSWERS + 1, size))
    noise = rng.standard_normal(size)
    honest = special.expit(s * (noise + s * right - s / 2))
    n_answers = WRONG_ANSWERS + 2
    ballot = n_answers * np.arange(n_questions)[:, None]
    won = []
    for rate in rates.tolist():
        misscored = ~right & (drawn < pool.right_share + _misscored(pool, rate))
        if built:
            best = np.where(misscored, 0.0, honest).max(axis=1, keepdims=True)
            # Among exploits alone any vote will do.
            vote = np.where(misscored, np.where(best > 0, best, 1.0), honest)
            given = np.where(misscored, WRONG_ANSWERS + 1, answer)
        else:
            fooled = special.expit(s * (noise[misscored] + s / 2))
            vote, given = honest.copy(), answer
            vote[misscored] = fooled
        votes = np.bincount(
            (ballot + given).ravel(), vote.ravel(), minlength=n_answers * n_questions
        )
        votes = votes.reshape(n_questions, n_answers)
        most = votes == votes.max(axis=1, keepdims=True)
        won.append((most[:, 0] / most.sum(axis=1)).mean())
    return np.array(won)


def half_rate(pool: Pool, n: int) -> float:
    """Share of the wrong candidates that must exploit for half of the questions to hold one.

    From there on top-1 picks an exploit more often than not: (1 - (1 - p) f)^n = 1/2. Above 1
    where not even exploits alone would do.

    Args:
        pool: Candidates; their scores do not matter.
        n: Candidates, >= 1.

    Raises:
        InputError: n is below 1.
    """
    _checked(np.array([n]))
    return float(-np.expm1(np.log(0.5) / n) / (1 - pool.right_share))


def _misscored(pool: Pool, rate: float) -> float:
    """w = (1 - p) f, checked."""
    if not 0 <= rate <= 1:
        raise InputError(f"rate: expected in [0, 1], got {rate:g}")
    return (1 - pool.right_share) * rate


def _checked(n: IntArray) -> IntArray:
    if not np.all(n >= 1):
        raise InputError(f"n: expected numbers of at least 1, got {n.min():g}")
    return n


def _honest_top(n: IntArray, high_share: float, shift: float) -> FloatArray:
    """H(n, p, s) = n p E[(p Phi(X) + (1 - p) Phi(X + s))^(n-1)] for X standard normal."""
    count = _checked(n).astype(np.float64)
    x = np.arange(-_REACH, _REACH + _STEP, _STEP)
    below = high_share * special.ndtr(x) + (1 - high_share) * special.ndtr(x + shift)
    density = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)
    powers = np.exp(np.outer(count - 1, np.log(below)))
    return np.asarray(count * high_share * (powers @ density) * _STEP)


def _log_poisson(count: IntArray, mean: float) -> FloatArray:
    return np.asarray(special.xlogy(count, mean) - mean - special.gammaln(count + 1.0))
