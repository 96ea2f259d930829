"""What votes say of a favourite's share without any model of how pairs differ: a range.

Let d in [0, 1] be how far a pair's favourite is ahead, P(favourite) - P(other). Two votes a pair
tell the mean of d^2 and nothing else of d, four votes tell that of d^4 too. A perfect reward is
right with chance f(d) = (1 + d)/2 against one vote. Every polynomial in d^2 that lies above f
everywhere has a mean that lies above that of f, whatever the pairs are like; and where its degree
is at most half the number of votes, the votes estimate its mean without bias, as an ordinary mean
over pairs. Such polynomials bound the ceiling from above, those below f from below.

The best polynomial depends on the data. It is chosen by a linear program on other clusters than
those on which its mean is taken, so that the choice cannot flatter the bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse, special

from rewardlab.errors import EstimationError, InputError
from rewardlab.stats.intervals import Estimate, cluster_codes, cluster_mean, wilson
from rewardlab.stats.vote_counts import VoteCounts, even_moments
from rewardlab.types import FloatArray, IntArray

MAX_ORDER = 4
"""Votes beyond eight on a pair narrow the range by less than they add noise."""
MIN_EVEN = 20
"""Pairs with k votes on either side that polynomials of degree k in d^2 need, lest few decide."""
N_FOLDS = 5
_GRID: FloatArray = np.linspace(0, 1, 201)
_FINE: FloatArray = np.linspace(0, 1, 4001)
_WIDER = 1.1
"""What standard errors are multiplied by: polynomials chosen on votes give bounds heavier tails.

Of settled pairs among coins, four votes on each of 120 pairs, 93.2% of 600 plain intervals held the
ceiling.
"""
_ANY_NUMBER = 2**53
"""Of rows: the standard error of a bound may be smaller than that of as many independent votes."""
_SIGNS: FloatArray = np.array([1.0, -1.0])
"""Of polynomials that lie above and below."""
_CAUTION = 1.5
"""Standard errors by which a polynomial must also serve moments beside those measured."""


@dataclass(frozen=True, slots=True)
class VoteRange:
    """Between which values a mean of f(d) lies, each vote counting once.

    Attributes:
        low: Lower end, in [.5, 1].
        high: Upper end.
        outer_low: Lower end with sampling error: Wilson's, with a standard error over clusters.
        outer_high: Upper end with sampling error, likewise.
        level: Confidence level of the outer ends.
        n_pairs: Pairs read.
        n_rich: Pairs whose fourth moment is read, which is what narrows the range; they have four
            votes or more.
        n_clusters: Clusters.
        order: Highest degree in d^2 that was read.
    """

    low: float
    high: float
    outer_low: float
    outer_high: float
    level: float
    n_pairs: int
    n_rich: int
    n_clusters: int
    order: int


@dataclass(frozen=True, slots=True)
class _Program:
    """A linear program for one polynomial, without its caution.

    Attributes:
        mean: Shape [size], moments of d^2.
        beside: Shape [r, size + n_spread], rows of the conditions.
        limits: Shape [r], most that a row may come to.
    """

    mean: FloatArray
    beside: FloatArray
    limits: FloatArray


def right_with_chance(ahead: FloatArray, votes: int = 1) -> FloatArray:
    """P(the majority of an odd number of votes is for the favourite), which is ahead by d.

    Args:
        ahead: d, in [0, 1].
        votes: Odd; an even number with ties broken by a coin is as good as one vote less.

    Raises:
        InputError: The number is even, or not positive.
    """
    if votes < 1 or votes % 2 == 0:
        raise InputError(f"votes: expected an odd number, got {votes}")
    half = (votes + 1) / 2
    return np.asarray(special.betainc(half, half, (1 + ahead) / 2))


def vote_range(counts: VoteCounts, *, votes: int = 1, level: float = 0.95) -> VoteRange:
    """Range of the accuracy of a perfect reward, against single votes or a majority.

    Nothing is assumed of how pairs differ, nor that pairs with many votes are like those with few:
    each number of votes has polynomials of its own. What is assumed: votes on a pair are
    independent draws from the people who vote.

    Args:
        counts: Votes on pairs.
        votes: The majority of so many (odd) is to be predicted.
        level: Confidence level.

    Raises:
        EstimationError: There are fewer than two clusters, or no independent votes split as these.
        InputError: ``votes`` is even.

    Source: polynomial duals of moment problems, Karlin and Studden (1966), *Tchebycheff Systems*;
    for mixtures of binomials Wood (1999), *Annals of Statistics* 27, 1706-1721.
    """

    def right(ahead: FloatArray) -> FloatArray:
        return right_with_chance(ahead, votes)

    cluster, n_clusters = cluster_codes(counts.cluster)
    if n_clusters < 2:
        raise EstimationError(
            f"votes on {n_clusters} prompt cannot tell how sure a range is",
            remedy="Add votes on more prompts.",
        )
    order = _orders(counts)
    fold = cluster % min(N_FOLDS, n_clusters)
    bounds = np.empty((2, len(counts)))
    for degree in np.unique(order).tolist():
        rows = np.flatnonzero(order == degree)
        bounds[:, rows] = _bounds(counts.take(rows), cluster[rows], fold[rows], right, degree)
    high, low = (
        cluster_mean(np.repeat(bound, counts.n), np.repeat(cluster, counts.n), level=level)
        for bound in bounds
    )
    # Where noise, or votes that are not independent, cross the ends, both are believed.
    outer = sorted([_wilson_end(low, lower=True), _wilson_end(high, lower=False)])
    middle = (low.value + high.value) / 2
    return VoteRange(
        low=_share(min(low.value, middle)),
        high=_share(max(high.value, middle)),
        outer_low=outer[0],
        outer_high=outer[1],
        level=level,
        n_pairs=len(counts),
        n_rich=int(np.sum(order >= 2)),
        n_clusters=n_clusters,
        order=int(order.max()),
    )


def _share(value: float) -> float:
    return float(min(1.0, max(0.5, value)))


def _wilson_end(bound: Estimate, *, lower: bool) -> float:
    """One end of Wilson's interval of a bound b in [.5, 1], by the share 2b - 1.

    Near 1 errors of the mean and of its standard error go together, which Student's ignores.
    """
    ends = wilson(
        2 * _share(bound.value) - 1,
        2 * _WIDER * bound.std_error,
        n=_ANY_NUMBER,
        n_clusters=bound.n_clusters,
        level=bound.level,
    )
    return (1 + ends[0 if lower else 1]) / 2


def _orders(counts: VoteCounts) -> IntArray:
    """The degree at which each pair is read; where evenly split pairs are few, one less."""
    order = np.minimum(counts.n // 2, MAX_ORDER)
    fewer = np.minimum(counts.for_a, counts.for_b)
    for degree in range(MAX_ORDER, 1, -1):
        at = order == degree
        if np.sum(fewer[at] >= degree) < MIN_EVEN:
            order[at] = degree - 1
    return order


def _bounds(
    counts: VoteCounts,
    cluster: IntArray,
    fold: IntArray,
    right: Callable[[FloatArray], FloatArray],
    degree: int,
) -> FloatArray:
    """Shape [2, p]: each pair's estimates by polynomials, chosen on other clusters, that bound from
    above and from below."""
    moments = even_moments(counts, degree)
    folds = np.unique(fold).tolist()
    elsewhere = []
    for k in folds:
        others = fold != k
        if len(np.unique(cluster[others])) < 2:
            others = np.zeros(len(fold), dtype=bool)
        elsewhere.append(_moments_of(moments[others], counts.n[others], cluster[others]))
    bounds = np.empty((2, len(counts)))
    for k, above_and_below in zip(folds, _polynomials(elsewhere, right), strict=True):
        bounds[:, fold == k] = above_and_below @ moments[fold == k].T
    return bounds


def _moments_of(
    moments: FloatArray, n: IntArray, cluster: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Mean of the moments over votes, and a root of its covariance over clusters.

    Without rows: the moments of d uniform on [0, 1], so that the choice rests on no data at all.
    """
    size = moments.shape[1]
    if not len(moments):
        return 1 / (2 * np.arange(size) + 1.0), np.zeros((size, size - 1))
    mean = n @ moments / n.sum()
    _, code = np.unique(cluster, return_inverse=True)
    sums = np.zeros((int(code.max()) + 1, size))
    np.add.at(sums, code, n[:, None] * (moments - mean) / n.sum())
    values, vectors = np.linalg.eigh(sums[:, 1:].T @ sums[:, 1:])
    # A sample of such votes can never be surer of a moment than this.
    scale = np.sqrt(np.maximum(values, 0.0) + 0.25 / len(moments) ** 2)
    return mean, np.vstack([np.zeros(size - 1), vectors * scale])


def _polynomials(
    moments: list[tuple[FloatArray, FloatArray]], right: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Coefficients c, shape [k, 2, size], of polynomials p in d^2 with sign (p - f) >= 0.

    They bound the mean tightly, from above and from below: each minimises sign c'mean +
    caution sum_j |c'spread_j|, a linear program. All are solved as one, which costs a third of
    solving them in turn. Where the moments measured are those of no distribution at all, caution
    grows until there is a minimum.
    """
    size = len(moments[0][0])
    coarse, fine = right(_GRID), right(_FINE)
    programs = [_program(*of, sign * coarse) for of in moments for sign in _SIGNS]
    found = _solved(programs, size, _CAUTION)
    if found is None:
        found = np.concatenate([_with_caution(program, size) for program in programs])
    c = found.reshape(len(moments), 2, size)
    # Between the points of the grid a polynomial may dip; it is lifted by what it lacks.
    gap = c @ (_FINE ** (2 * np.arange(size))[:, None]) - _SIGNS[:, None] * fine
    c[:, :, 0] += np.maximum(0.0, -gap.min(axis=2))
    return c * _SIGNS[:, None]


def _program(mean: FloatArray, spread: FloatArray, least: FloatArray) -> _Program:
    """Minimise mean'c + caution'u where p >= least on the grid and u >= |spread'c|."""
    size, n_spread = spread.shape
    above = np.hstack(
        [-(_GRID[:, None] ** (2 * np.arange(size))), np.zeros((len(_GRID), n_spread))]
    )
    eye = np.eye(n_spread)
    beside = np.vstack([np.hstack([spread.T, -eye]), np.hstack([-spread.T, -eye])])
    return _Program(mean, np.vstack([above, beside]), np.r_[-least, np.zeros(2 * n_spread)])


def _with_caution(program: _Program, size: int) -> FloatArray:
    """The minimum at the least caution, doubled up to twelve times, for which there is one."""
    for doubled in range(12):
        found = _solved([program], size, _CAUTION * 2**doubled)
        if found is not None:
            return found
    raise EstimationError(
        "votes on a pair are more evenly split than independent votes can be",
        remedy="Check that each vote on a pair is by another person, who did not see the others.",
    )


def _solved(programs: list[_Program], size: int, caution: float) -> FloatArray | None:
    """Shape [k, size]: c of each program; None where one has no minimum."""
    n_spread = programs[0].beside.shape[1] - size
    free = np.r_[np.full(size, -np.inf), np.zeros(n_spread)]
    found = optimize.milp(
        np.concatenate([np.r_[program.mean, np.full(n_spread, caution)] for program in programs]),
        constraints=optimize.LinearConstraint(
            sparse.block_diag([program.beside for program in programs], format="csc"),
            ub=np.concatenate([program.limits for program in programs]),
        ),
        bounds=optimize.Bounds(np.tile(free, len(programs)), np.inf),
    )
    if found.x is None or not found.success:
        return None
    return np.asarray(found.x.reshape(len(programs), -1)[:, :size])
