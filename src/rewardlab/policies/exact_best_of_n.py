"""The exact distribution of the best of n on listed answers, its true KL, and what bounds it.

Answers with the same reward form a level. The best of n falls on a level or below it with
probability F^n, where F is the reference's probability of the same, so a level gets
F^n - F_below^n, which its answers share in proportion to their reference probabilities. Everything
is kept in logarithms, and F near 1 as the sum of what lies above, so that nothing cancels for any
n or number of answers. From samples that were merely recorded, see ``best_of_n``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import LARGEST, check_answers
from rewardlab.policies.distributions import kl_nats
from rewardlab.policies.recording import ENTROPY, Optimised
from rewardlab.types import FloatArray, IntArray, OptimizationPath, RewardFn
from rewardlab.worlds.answer_set import AnswerSet

_NEGLIGIBLE = -80.0
"""Levels that the best of n stays above with probability 1 - exp(-80) are left out of sums."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Answers grouped by equal reward, from the lowest.

    Attributes:
        order: Shape [m], int64; the answers in ascending reward.
        starts: Shape [k], int64; where each level starts in ``order``.
        log_mass: Shape [k]; log of each level's reference probability.
        log_upto: Shape [k]; log F, of the probability of a level or a lower one.
        log_step: Shape [k]; log(F_below / F), -inf at the lowest level.
    """

    order: IntArray
    starts: IntArray
    log_mass: FloatArray
    log_upto: FloatArray
    log_step: FloatArray

    def log_probs(self, n: int, *, first: int = 0) -> FloatArray:
        """Log-probabilities that the best of n falls on each level, from level ``first`` on.

        Shape [k - first]; -inf for a level whose reference probability is below double precision.

        Raises:
            InputError: ``n`` is below 1.
        """
        draws = _checked(n)
        if draws == 1:
            return self.log_mass[first:]
        with np.errstate(divide="ignore"):
            within = np.log(-np.expm1(draws * self.log_step[first:]))
        return np.asarray(draws * self.log_upto[first:] + within)

    def repeated(self, values: FloatArray) -> FloatArray:
        """Shape [m]; a value a level, for each answer in ``order``."""
        return np.repeat(values, np.diff(self.starts, append=len(self.order)))

    def first_that_matters(self, n: int) -> int:
        """The lowest level that the best of n can fall on, but for a probability of exp(-80)."""
        lowest = int(np.searchsorted(self.log_upto, _NEGLIGIBLE / _checked(n)))
        return min(lowest, len(self.starts) - 1)

    def kl_nats(self, n: int) -> float:
        """True KL of the best of n from the reference, in nats."""
        first = self.first_that_matters(n)
        return kl_nats(self.log_probs(n, first=first), self.log_mass[first:])

    def win_rate(self, n: int) -> float:
        """Chance that the best of n beats one sample of the reference; a tie counts one half."""
        first = self.first_that_matters(n)
        below = np.exp(self.log_upto[first:]) - 0.5 * np.exp(self.log_mass[first:])
        return float(np.exp(self.log_probs(n, first=first)) @ below)

    def gap_bound(self, n: int) -> float:
        """Most by which the bound on the KL can lie above it, 2 n (n-1) exp(-H2).

        exp(-H2) is the sum of squared level probabilities: H2 is the order-2 Renyi entropy.

        Source: Beirami et al. (2024), arXiv:2401.01879, stated there for distinct rewards.
        """
        draws = _checked(n)
        return 2 * draws * (draws - 1) * float(np.exp(2 * self.log_mass).sum())

    def estimated_kl(self, n: int) -> float:
        """``estimated_kl`` averaged over the level that the best of n falls on."""
        first = self.first_that_matters(n)
        estimates = estimated_kl(n, np.exp(self.log_mass[first:]))
        return float(np.exp(self.log_probs(n, first=first)) @ estimates)


def levels(ref_logprobs: FloatArray, reward: FloatArray) -> Levels:
    """Group answers by reward.

    Args:
        ref_logprobs: Shape [m], in nats.
        reward: Shape [m].

    Raises:
        InputError: Shapes disagree, or a number is not finite.
    """
    check_answers(ref_logprobs, reward)
    order = np.argsort(reward)
    ranked = reward[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    # Rounding can put a level that holds everything a little above a probability of 1.
    log_mass = np.minimum(np.logaddexp.reduceat(ref_logprobs[order], starts), 0.0)
    log_sums = np.logaddexp.accumulate(log_mass)
    above = np.concatenate([np.cumsum(np.exp(log_mass[:0:-1]))[::-1], [0.0]])
    log_upto = np.where(above > 0.5, log_sums, np.log1p(-np.minimum(above, 0.5)))
    log_step = np.full(len(starts), -np.inf)
    share = np.exp(log_mass[1:] - log_upto[1:])
    log_step[1:] = np.where(
        share > 0.5, log_upto[:-1] - log_upto[1:], np.log1p(-np.minimum(share, 0.5))
    )
    return Levels(order, starts, log_mass, log_upto, log_step)


def estimated_kl(n: int, probability: FloatArray) -> FloatArray:
    """KL of the best of n estimated from the reference probability e of the answer it chose.

    (1-e)^n [log n + (n-1) log(1-e) - (n-1)/n] + (1 - (1-e)^n) log((1 - (1-e)^n) / e): exact where
    the best answer has probability e and all others are too many and too rare to count, since the
    first term integrates n u^(n-1) log(n u^(n-1)) from 0 to 1 - e. At e = 0 it is the bound.

    Args:
        n: >= 1.
        probability: Any shape, in [0, 1].

    Returns:
        The shape of ``probability``, in nats; rounding below 0 is returned as 0.

    Raises:
        InputError: ``n`` is below 1, or a probability outside [0, 1].

    Source: Beirami et al. (2024), arXiv:2401.01879, section 4.
    """
    if not ((probability >= 0) & (probability <= 1)).all():
        raise InputError("probability: expected numbers from 0 to 1")
    with np.errstate(divide="ignore"):
        log_rest = np.log1p(-probability)
    draws = _checked(n)
    missed = np.exp(draws * log_rest)
    hit = -np.expm1(draws * log_rest)
    kept = np.where(missed > 0, log_rest, 0.0)
    rest = missed * (np.log(draws) + (draws - 1) * kept - (draws - 1) / draws)
    # (1 - (1-e)^n) / e goes to n where e goes to 0.
    tilt = np.divide(hit, probability, out=np.full(hit.shape, draws), where=probability > 0)
    return np.asarray(np.maximum(rest + hit * np.log(tilt), 0.0))


def best_of_n_logprobs(ref_logprobs: FloatArray, reward: FloatArray, n: int) -> FloatArray:
    """Log-probabilities of each answer being the best of n, of shape [m].

    Args:
        ref_logprobs: Shape [m], in nats.
        reward: Shape [m].
        n: >= 1.
    """
    grouped = levels(ref_logprobs, reward)
    return _spread(grouped, ref_logprobs, n)


def _spread(grouped: Levels, ref_logprobs: FloatArray, n: int) -> FloatArray:
    tilt = grouped.log_probs(n) - grouped.log_mass
    result = np.empty_like(ref_logprobs)
    result[grouped.order] = grouped.repeated(tilt)
    return result + ref_logprobs


def best_of_n(
    answers: AnswerSet, reward: RewardFn | FloatArray, *, n: Sequence[int] | IntArray
) -> Optimised:
    """The best of n for each n in the order given; ties are split by reference probability.

    Sorts once; each n then costs a pass over the levels that it can fall on.

    Args:
        answers: The world.
        reward: The proxy.
        n: Length k, each >= 1; the path's strength. The last one's policy is returned.

    Raises:
        InputError: There is no n, or one is not a whole number of at least 1.
    """
    if not len(n):
        raise InputError("n: expected at least one number, got none")
    values = answers.rewards(reward)
    grouped = levels(answers.ref_logprobs, values)
    columns = np.column_stack([values, answers.gold, answers.ref_logprobs, answers.features])
    means = _level_means(grouped, answers.ref_logprobs, columns)
    leaders, log_share = _leaders(grouped, answers.ref_logprobs)
    rows, kl, likeliest, top = [], [], [], []
    for count in n:
        first = grouped.first_that_matters(count)
        log_probs = grouped.log_probs(count, first=first)
        rows.append(np.exp(log_probs) @ means[first:])
        kl.append(grouped.kl_nats(count))
        log_top = log_probs + log_share[first:]
        at = int(np.argmax(log_top))
        likeliest.append(int(leaders[first + at]))
        top.append(float(log_top[at]))
    column = np.array(rows).T
    tracked = dict(zip(answers.feature_names, column[3:], strict=True))
    path = OptimizationPath(
        method="best_of_n",
        strength=np.asarray(n, dtype=np.float64),
        kl_nats=np.array(kl),
        proxy_reward=column[0],
        gold_reward=column[1],
        # Within a level the best of n keeps the reference's odds: log p = log ref + log tilt.
        tracked={**tracked, ENTROPY: np.maximum(-column[2] - np.array(kl), 0.0)},
        settings={"n": [int(count) for count in n]},
    )
    return Optimised(
        path,
        _spread(grouped, answers.ref_logprobs, int(n[-1])),
        np.array(likeliest, dtype=np.int64),
        np.exp(np.array(top)),
    )


def _leaders(grouped: Levels, ref_logprobs: FloatArray) -> tuple[IntArray, FloatArray]:
    """Each level's likeliest answer, and the log of its share of the level; shape [k] each."""
    if len(grouped.starts) == len(ref_logprobs):
        return grouped.order, np.zeros(len(ref_logprobs))
    ranked = ref_logprobs[grouped.order]
    highest = np.maximum.reduceat(ranked, grouped.starts)
    nobody = len(ref_logprobs)
    holder = np.where(ranked == grouped.repeated(highest), grouped.order, nobody)
    return np.minimum.reduceat(holder, grouped.starts), highest - grouped.log_mass


def _level_means(grouped: Levels, ref_logprobs: FloatArray, columns: FloatArray) -> FloatArray:
    """Shape [k, c]; the mean of each column over each level under the reference."""
    within = np.exp(ref_logprobs[grouped.order] - grouped.repeated(grouped.log_mass))
    weighted = within[:, None] * columns[grouped.order]
    return np.asarray(np.add.reduceat(weighted, grouped.starts, axis=0))


def _checked(n: int) -> float:
    """n as a float: whole numbers beyond 64 bits have no array type."""
    if not 1 <= n <= LARGEST or n % 1:
        raise InputError(f"n: expected at least 1, a whole number up to {LARGEST:g}, got {n!s:.20}")
    return float(n)
