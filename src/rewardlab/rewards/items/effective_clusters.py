"""Degrees of freedom of each estimate: how many clusters bear it, in effect."""

from __future__ import annotations

import numpy as np
import scipy

from rewardlab.rewards.items.cells import sums_by_item
from rewardlab.rewards.items.cluster_squares import squared_shares, starts
from rewardlab.rewards.items.vote_scores import VoteScores
from rewardlab.types import FloatArray, IntArray

FEW = 60
"""With so many effective clusters, a smaller share of the information in own votes is enough."""
OWN_SHARE = 0.8
NEARLY_ALL = 0.95
BLOCK_ENTRIES = 4_000_000


def effective_dof(votes: VoteScores, c: FloatArray) -> FloatArray:
    """Shape [p]; effective number of clusters less 1, in [1, G - 1].

    An estimate's clusters share its information; it has as many effective clusters as equal
    shares would be as unequal as these. Where an item's own votes hold nearly all the information,
    the others' are not looked at. Squared scores of single votes vary
    less than those of normal sums where either side may win, and more where one is all but sure to:
    each vote's share enters with the excess of its kurtosis, so that ten even votes are not read as
    nine degrees of freedom.

    Args:
        votes: r of them, in the order of their clusters.
        c: Shape [p, p]; inverse of the information, each group centred.

    Source: effective clusters after Carter, Schnepel and Steigerwald (2017), *Review of Economics
    and Statistics* 99, 698-709, with independent votes.
    """
    weight = excess(votes) * votes.times
    total, squared = _own_shares(votes, c, weight)
    m = votes.n_items
    clusters = np.full(len(c), 1.0)
    clusters[:m] = total**2 / np.maximum(squared, 1e-300)
    whole = np.maximum(np.diagonal(c), 1e-300)
    told = np.zeros(len(c), dtype=bool)
    least = np.where(clusters[:m] >= FEW, OWN_SHARE, NEARLY_ALL)
    told[:m] = total >= least * whole[:m]
    rest = np.flatnonzero(~told)
    if len(rest):
        clusters[rest] = _all_shares(votes, c, rest, weight)
    return np.asarray(np.clip(clusters - 1, 1.0, max(votes.n_clusters - 1.0, 1.0)))


def _own_shares(
    votes: VoteScores, c: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Shape [m] each; an item's own votes' information, and its sum of squares over clusters."""
    m, i, j = votes.n_items, votes.i, votes.j
    own, z = np.diagonal(c), votes.effects
    e = z.shape[1]
    at_i, at_j = own[i] - c[i, j], c[i, j] - own[j]
    if e:
        at_i = at_i + np.einsum("re,re->r", z, c[i, m : m + e])
        at_j = at_j + np.einsum("re,re->r", z, c[j, m : m + e])
    share_i, share_j = votes.curvature * at_i**2, votes.curvature * at_j**2
    own_excess = np.bincount(i, weight * share_i**2, m) + np.bincount(j, weight * share_j**2, m)
    total, squared = (
        sums_by_item(i, votes.times * share_i**power, m)
        + sums_by_item(j, votes.times * share_j**power, m)
        for power in (1, 2)
    )
    if votes.all_single:
        return total, squared + own_excess
    return total, squared_shares(votes, share_i, share_j) + own_excess


def excess(votes: VoteScores) -> FloatArray:
    """Shape [r], >= -1; (Var(s^2) / E(s^2)^2 - 2) / 2 of a vote's score s; 0 of a normal one."""
    tie, decided = votes.tie_share, 1 - votes.tie_share
    e = np.exp(-np.abs(votes.delta))
    y = e / (1 + e) ** 2
    y *= decided**2
    # Moments of 1, 1/2 and 0 about their mean; with y = (1 - t)^2 p (1 - p) nothing cancels.
    both = tie * decided
    second = y + both / 4
    fourth = (1 - 1.5 * both - 3 * y) * y + both * (1 - 3 * both) / 16
    fourth /= np.maximum(second * second, 1e-300)
    return np.asarray((fourth - 3) / 2)


def _all_shares(
    votes: VoteScores, c: FloatArray, items: IntArray, weight: FloatArray
) -> FloatArray:
    """Shape [k]; effective clusters of these entries, from the shares of all votes."""
    total, squared = np.zeros(len(items)), np.zeros(len(items))
    start = starts(votes.cluster, votes.n_rows)
    most = max(1, BLOCK_ENTRIES // len(items))
    g = 0
    while g < votes.n_rows:
        end = int(np.searchsorted(start, start[g] + most, side="right")) - 1
        end = min(max(end, g + 1), votes.n_rows)
        share, over = np.zeros((end - g, len(items))), np.zeros(len(items))
        for first in range(int(start[g]), int(start[end]), most):
            rows = np.arange(first, min(first + most, int(start[end])))
            part = votes.take(rows)
            local = part.cluster - g
            indicator = scipy.sparse.csr_matrix(
                (np.ones(len(rows)), (local, np.arange(len(rows)))), shape=(end - g, len(rows))
            )
            shares = _vote_shares(part, c, items)
            share += indicator @ shares
            over += weight[rows] @ shares**2
        times = np.ones(end - g)
        these = slice(start[g], start[end])
        times[votes.cluster[these] - g] = votes.times[these]
        total += times @ share
        squared += times @ share**2 + over
        g = end
    return np.asarray(total**2 / np.maximum(squared, 1e-300))


def _vote_shares(votes: VoteScores, c: FloatArray, items: IntArray) -> FloatArray:
    """Shape [r, k]; each vote's information along each entry's direction."""
    m, e = votes.n_items, votes.effects.shape[1]
    columns = c[:, items]
    along = columns[votes.i] - columns[votes.j] + votes.effects @ columns[m : m + e]
    share = votes.curvature[:, None] * along**2
    if votes.tie is not None:
        tie = columns[-1]
        share += 2 * votes.tie[:, 1:2] * along * tie + votes.tie[:, 2:3] * tie**2
    return np.asarray(share)
