"""Crowd-BT's likelihood of the strengths, with each annotator's flip rate integrated out.

Annotator k says that i beats j with chance e_k + (1 - 2 e_k) sigma(s_i - s_j), and flip rates
follow a Beta distribution. With e = sin^2(t / 2) the Beta density of t is proportional to
e^(a - 1/2) (1 - e)^(b - 1/2), bounded for a and b from 1/2 on, and an integral takes two dozen
nodes over the stretch that matters for an annotator, six standard deviations to either side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from rewardlab.preferences.battles import Battles
from rewardlab.types import FloatArray, IntArray, Outcome

N_NODES = 24
REACH = 6.0
"""Standard deviations of the posterior of t that the nodes reach to either side."""
ZOOMS = 5
"""Times that the nodes close in; each time they may become six times as close."""
BLOCK_ENTRIES = 100_000
"""Of matrices that are computed at a time: few enough to stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class CrowdVotes:
    """Decided votes by annotator; equal votes of one annotator are one row.

    Attributes:
        n_items: m.
        annotator: Shape [r], int64, rising; 0..K-1, each with a row.
        first: Shape [K + 1], int64; where each annotator's rows begin, and their end.
        winner: Shape [r], int64 codes.
        loser: Shape [r], int64 codes.
        times: Shape [r], >= 1; how often each vote was given.
    """

    n_items: int
    annotator: IntArray
    first: IntArray
    winner: IntArray
    loser: IntArray
    times: FloatArray

    @property
    def n_annotators(self) -> int:
        """K."""
        return len(self.first) - 1

    def blocks(self, n_columns: int) -> Iterator[tuple[slice, slice]]:
        """(rows, annotators) of stretches in which matrices of so many columns are of a size."""
        most = max(1, BLOCK_ENTRIES // n_columns)
        k = 0
        while k < self.n_annotators:
            end = int(np.searchsorted(self.first, self.first[k] + most, side="right")) - 1
            end = min(max(end, k + 1), self.n_annotators)
            yield slice(int(self.first[k]), int(self.first[end])), slice(k, end)
            k = end


@dataclass(frozen=True, slots=True)
class FlipPrior:
    """The Beta distribution that flip rates of a crowd follow.

    Attributes:
        a: >= 1/2.
        b: >= 1/2.
    """

    a: float
    b: float

    @property
    def mean(self) -> float:
        """a / (a + b); the rate of an annotator of whom nothing is known."""
        return self.a / (self.a + self.b)


@dataclass(frozen=True, slots=True)
class Nodes:
    """Where each annotator's integral is taken.

    Attributes:
        rate: Shape [K, Q], in (0, 1).
        log_step: Shape [K, Q]; logarithm of the stretch of t that a node stands for.
    """

    rate: FloatArray
    log_step: FloatArray


@dataclass(frozen=True, slots=True)
class CrowdPoint:
    """The marginal likelihood at strengths and a prior.

    Attributes:
        log_likelihood: Of all votes.
        by_strength: Shape [m]; its derivatives.
        by_prior: Shape [2]; its derivatives by log a and log b.
        posterior: Shape [K, Q]; of each annotator's rate at the nodes.
    """

    log_likelihood: float
    by_strength: FloatArray
    by_prior: FloatArray
    posterior: FloatArray


def decided_votes(battles: Battles, annotator: IntArray) -> tuple[CrowdVotes, IntArray]:
    """The votes with a winner, and the codes of the annotators who gave any.

    Args:
        battles: Votes.
        annotator: Shape [n], codes.
    """
    decided = np.flatnonzero(battles.outcome != Outcome.TIE)
    a, b = battles.a[decided].astype(np.int64), battles.b[decided].astype(np.int64)
    a_won = battles.outcome[decided] == Outcome.A
    winner, loser = np.where(a_won, a, b), np.where(a_won, b, a)
    present, who = np.unique(annotator[decided], return_inverse=True)
    m = battles.n_items
    keys, times = np.unique((who * m + winner) * m + loser, return_counts=True)
    of = keys // (m * m)
    first = np.searchsorted(of, np.arange(len(present) + 1)).astype(np.int64)
    votes = CrowdVotes(m, of, first, keys // m % m, keys % m, times.astype(np.float64))
    return votes, present.astype(np.int64)


def agreeing(votes: CrowdVotes, s: FloatArray) -> FloatArray:
    """Shape [r]; chance that somebody who never flips says what the row says."""
    return np.asarray(special.expit(s[votes.winner] - s[votes.loser]))


def log_likelihoods(votes: CrowdVotes, agrees: FloatArray, rate: FloatArray) -> FloatArray:
    """Shape [K, Q]; of each annotator's votes at each of their rates.

    Args:
        votes: r rows.
        agrees: Shape [r]; see ``agreeing``.
        rate: Shape [K, Q], or [Q] for all alike; in (0, 1).
    """
    n_columns = rate.shape[-1]
    result = np.empty((votes.n_annotators, n_columns))
    for rows, people in votes.blocks(n_columns):
        e = rate[votes.annotator[rows]] if rate.ndim == 2 else rate
        each = np.log(e + (1 - 2 * e) * agrees[rows, None]) * votes.times[rows, None]
        result[people] = np.add.reduceat(each, votes.first[people] - rows.start, axis=0)
    return result


def crowd_point(votes: CrowdVotes, s: FloatArray, prior: FlipPrior, nodes: Nodes) -> CrowdPoint:
    """The marginal likelihood and its derivatives.

    Args:
        votes: Decided votes.
        s: Shape [m].
        prior: Of the flip rates.
        nodes: Where to take the integrals.
    """
    agrees, e, before = agreeing(votes, s), nodes.rate, log_prior(prior, nodes)
    total, posterior = np.empty(len(e)), np.empty(e.shape)
    slope, once = np.empty(len(agrees)), bool(np.all(votes.times == 1))
    for rows, people in votes.blocks(e.shape[1]):
        who = votes.annotator[rows] - people.start
        honest = 1 - 2 * e[people]
        chance = np.take(honest, who, axis=0)
        chance *= agrees[rows, None]
        chance += np.take(e[people], who, axis=0)
        each = np.log(chance)
        if not once:
            each *= votes.times[rows, None]
        height = np.add.reduceat(each, votes.first[people] - rows.start, axis=0) + before[people]
        total[people] = special.logsumexp(height, axis=1)
        posterior[people] = np.exp(height - total[people, None])
        np.take(posterior[people] * honest, who, axis=0, out=each, mode="clip")
        each /= chance
        slope[rows] = each.sum(axis=1)
    slope *= votes.times * agrees * (1 - agrees)
    m = votes.n_items
    by_strength = np.zeros(m)
    by_strength += np.bincount(votes.winner, slope, m)
    by_strength -= np.bincount(votes.loser, slope, m)
    both = special.digamma(prior.a + prior.b)
    by_a = float(np.sum(posterior * (np.log(e) - special.digamma(prior.a) + both)))
    by_b = float(np.sum(posterior * (np.log1p(-e) - special.digamma(prior.b) + both)))
    by_prior = np.array([prior.a * by_a, prior.b * by_b])
    return CrowdPoint(float(total.sum()), by_strength, by_prior, posterior)


def log_prior(prior: FlipPrior, nodes: Nodes) -> FloatArray:
    """Shape [K, Q]; logarithms of the prior's mass at each node."""
    e, a, b = nodes.rate, prior.a, prior.b
    density = (a - 0.5) * np.log(e) + (b - 0.5) * np.log1p(-e) - special.betaln(a, b)
    return np.asarray(density + nodes.log_step)


def place_nodes(votes: CrowdVotes, s: FloatArray, prior: FlipPrior) -> Nodes:
    """Nodes where the annotators' posteriors are at these strengths and this prior."""
    k, agrees = votes.n_annotators, agreeing(votes, s)
    low, high = np.zeros(k), np.full(k, np.pi)
    nodes = _spread(low, high)
    for _ in range(ZOOMS):
        height = log_likelihoods(votes, agrees, nodes.rate) + log_prior(prior, nodes)
        posterior = special.softmax(height, axis=1)
        t = 2 * np.arcsin(np.sqrt(nodes.rate))
        mean = np.sum(posterior * t, axis=1)
        deviation = np.sqrt(np.sum(posterior * (t - mean[:, None]) ** 2, axis=1))
        # Between two nodes nothing is seen: the spread is at least of that size.
        reach = REACH * np.maximum(deviation, np.exp(nodes.log_step.max(axis=1)) / 3)
        low, high = np.maximum(mean - reach, 0.0), np.minimum(mean + reach, np.pi)
        nodes = _spread(low, high)
    return nodes


def _spread(low: FloatArray, high: FloatArray) -> Nodes:
    """Nodes from low to high, in t: of equal steps in u, t = low + (high - low) (u - sin(2 pi u) /
    (2 pi)). At 0 and at pi, where the density of t has powers that are not whole, they are close.
    """
    u = (np.arange(N_NODES) + 0.5) / N_NODES
    width = (high - low)[:, None]
    t = low[:, None] + width * (u - np.sin(2 * np.pi * u) / (2 * np.pi))
    step = width * (1 - np.cos(2 * np.pi * u)) / N_NODES
    return Nodes(np.sin(t / 2) ** 2, np.log(step))
