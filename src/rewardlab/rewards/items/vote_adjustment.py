"""Scores of clusters of few votes as if predicted without themselves, by a solve over the votes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rewardlab.rewards.items.cluster_squares import starts, votes_of
from rewardlab.rewards.items.vote_scores import VoteScores
from rewardlab.types import BoolArray, FloatArray, IntArray

MOST_VOTES = 64
MOST_LEVERAGE = 0.9
"""Share of the information, over directions, up to which no direction hangs on a cluster alone."""
BLOCK_ENTRIES = 100_000


def adjusted_votes(
    votes: VoteScores, c: FloatArray, leverage: FloatArray, heavy: BoolArray
) -> tuple[VoteScores, BoolArray]:
    """The votes with slopes y of which heavy clusters' adjusted scores are made, and what is left.

    With X the votes' differences, W their curvatures and s = X' slope, A = X' W X and so
    (I - A C)^-1 s = X' y with (I - W X C X') y = slope: a solve of the size of the votes.

    Args:
        votes: In the order of their clusters.
        c: Shape [p, p]; inverse of the information.
        leverage: Shape [G]; each cluster's share of it, over directions.
        heavy: Shape [G]; the clusters to adjust.

    Returns:
        Votes, and a mask of shape [G]: heavy clusters that are not adjusted, as they have many
        votes, or too much of the information, or a tie parameter besides.
    """
    if votes.tie is not None:
        return votes, heavy
    start = starts(votes.cluster, len(heavy))
    size = np.diff(start)
    fit = heavy & (leverage <= MOST_LEVERAGE) & (size <= MOST_VOTES)
    slope = votes.slope.copy()
    for n in np.unique(size[fit]).tolist():
        clusters = np.flatnonzero(fit & (size == n))
        if n == 1:  # of a single vote, halfway: HC2
            slope[start[clusters]] /= np.sqrt(1 - leverage[clusters])
            continue
        most = max(1, BLOCK_ENTRIES // n**2)
        for first in range(0, len(clusters), most):
            rows = votes_of(start, clusters[first : first + most], n)
            left = -votes.curvature[rows][:, :, None] * _common(votes, c, rows)
            left[:, np.arange(n), np.arange(n)] += 1
            slope[rows] = np.linalg.solve(left, slope[rows][:, :, None])[:, :, 0]
    return replace(votes, slope=slope), heavy & ~fit


def _common(votes: VoteScores, c: FloatArray, rows: IntArray) -> FloatArray:
    """Shape [b, n, n]; X C X' of each cluster's votes.

    Args:
        votes: All.
        c: Shape [p, p].
        rows: Shape [b, n]; positions of the votes.
    """
    m, i, j = votes.n_items, votes.i[rows], votes.j[rows]
    entries = c.ravel()  # one position for each is found sooner than two
    at_i, at_j = (np.multiply(item, len(c), dtype=np.int64)[:, :, None] for item in (i, j))
    common = entries.take(at_i + i[:, None]) - entries.take(at_i + j[:, None])
    common -= entries.take(at_j + i[:, None])
    common += entries.take(at_j + j[:, None])
    e = votes.effects.shape[1]
    if e:
        z = votes.effects[rows]
        across = np.einsum("bve,ebw->bvw", z, c[m : m + e][:, i] - c[m : m + e][:, j])
        common += across + across.transpose(0, 2, 1)
        common += z @ c[m : m + e, m : m + e] @ z.transpose(0, 2, 1)
    return np.asarray(common)
