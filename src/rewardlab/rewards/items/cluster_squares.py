"""Squares of clusters' sums of votes, by pairs of votes where clusters are small."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy

from rewardlab.preferences.battles import Codes
from rewardlab.rewards.items.cells import laplacian, sums_by_item
from rewardlab.rewards.items.vote_scores import VoteScores, fits_table, summed
from rewardlab.types import FloatArray, IntArray

MOST_TOGETHER = 32
"""Votes of a cluster up to which their pairs are fewer than the cost of a sparse product."""
ENTRIES_AT_ONCE = 1_000_000
DENSE_SHARE = 0.2


def cluster_order(cluster: IntArray) -> IntArray | None:
    """Shape [r]; positions of the votes cluster by cluster, in order else; None if they are so.

    Args:
        cluster: Shape [r], codes.
    """
    if np.all(cluster[1:] >= cluster[:-1]):
        return None
    # 16 bits at a time, which numpy sorts by counting.
    order = np.argsort((cluster & 0xFFFF).astype(np.uint16), kind="stable")
    most, shift = int(cluster.max()) >> 16, 16
    while most:
        digit = (cluster[order] >> shift & 0xFFFF).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
        most, shift = most >> 16, shift + 16
    return order


def starts(cluster: IntArray, n_clusters: int) -> IntArray:
    """Shape [G + 1]; where each cluster's votes begin, of votes in the order of their clusters."""
    return np.concatenate([[0], np.cumsum(np.bincount(cluster, minlength=n_clusters))])


def squares_of_clusters(votes: VoteScores) -> FloatArray:
    """Shape [m + e, m + e]; sum over clusters of s s', as often as each comes.

    Args:
        votes: In the order of their clusters.
    """
    m, g, p = votes.n_items, votes.n_rows, votes.n_parameters
    root = np.sqrt(votes.times)
    slope = root * votes.slope
    last = [slope * votes.effects[:, k] for k in range(votes.effects.shape[1])]
    last += [] if votes.tie is None else [root * votes.tie[:, 0]]
    squares = np.zeros((p, p))
    squares[:m, :m] = _squares_by_item(votes, slope)
    i, j = votes.i, votes.j
    sums = [np.bincount(votes.cluster, value, g) for value in last]
    for k, value in enumerate(sums):
        across = slope * value[votes.cluster]
        by_item = sums_by_item(i, across, m) - sums_by_item(j, across, m)
        squares[:m, m + k] = squares[m + k, :m] = by_item
        squares[m + k, m:] = [float(value @ other) for other in sums]
    return squares


def _squares_by_item(votes: VoteScores, slope: FloatArray) -> FloatArray:
    """Shape [m, m]; the same for the items alone."""
    m, g, i, j, cluster = votes.n_items, votes.n_rows, votes.i, votes.j, votes.cluster
    if fits_table(g, m, 2 * len(cluster)):
        sums = _table(votes, slope, -slope)
        return np.asarray(sums.T @ sums)
    start = starts(cluster, g)
    is_small = (np.diff(start) <= MOST_TOGETHER)[cluster]
    own = slope if is_small.all() else np.where(is_small, slope, 0.0)
    total = laplacian(i, j, own**2, m)
    cross = np.zeros(m * m)
    for v, w in _pairs(start, MOST_TOGETHER):
        product = np.tile(slope[v] * slope[w], 2)
        v_i, v_j = np.multiply(i[v], m, dtype=np.int64), np.multiply(j[v], m, dtype=np.int64)
        w_i, w_j = i[w], j[w]
        cross += np.bincount(np.concatenate([v_i + w_i, v_j + w_j]), product, m * m)
        cross -= np.bincount(np.concatenate([v_i + w_j, v_j + w_i]), product, m * m)
    table = cross.reshape(m, m)
    total += table
    total += table.T
    if not is_small.all():
        large = votes.take(~is_small)
        values = [slope[~is_small], -slope[~is_small]]
        total += gram(summed(large.cluster, [large.i, large.j], values, (g, m)))
    return total


def _table(votes: VoteScores, of_i: FloatArray, of_j: FloatArray) -> FloatArray:
    """Shape [G, m]; sums by cluster and item."""
    g, m = votes.n_rows, votes.n_items
    key = votes.cluster * m
    table = np.bincount(key + votes.i, of_i, g * m)
    table += np.bincount(key + votes.j, of_j, g * m)
    return np.asarray(table.reshape(g, m), dtype=np.float64)


def gram(rows: scipy.sparse.csr_matrix) -> FloatArray:
    """rows' rows, dense, by whichever way is cheaper."""
    if rows.nnz > DENSE_SHARE * rows.shape[0] * rows.shape[1]:
        dense = rows.toarray()
        return np.asarray(dense.T @ dense)
    return np.asarray((rows.T @ rows).toarray())


def squared_shares(votes: VoteScores, share_i: FloatArray, share_j: FloatArray) -> FloatArray:
    """Shape [m]; sum over clusters of the square of each item's sum, as often as each comes.

    Args:
        votes: In the order of their clusters.
        share_i: Shape [r]; what each vote adds to its first item.
        share_j: Shape [r]; and to its second.
    """
    m, g, i, j = votes.n_items, votes.n_rows, votes.i, votes.j
    cluster, times = votes.cluster, votes.times
    often = np.ones(g)
    often[cluster] = times
    if fits_table(g, m, 2 * len(cluster)):
        return np.asarray(often @ _table(votes, share_i, share_j) ** 2)
    start = starts(cluster, g)
    is_small = (np.diff(start) <= MOST_TOGETHER)[cluster]
    if not is_small.any():
        share = summed(cluster, [i, j], [share_i, share_j], (g, m))
        share.data **= 2
        return np.asarray(often @ share)
    if not is_small.all():
        large = votes.take(~is_small)
        rest = squared_shares(large, share_i[~is_small], share_j[~is_small])
        some = squared_shares(votes.take(is_small), share_i[is_small], share_j[is_small])
        return rest + some
    total = sums_by_item(i, times * share_i**2, m) + sums_by_item(j, times * share_j**2, m)
    for v, w in _pairs(start, MOST_TOGETHER):
        for x, of_x in ((i, share_i), (j, share_j)):
            for y, of_y in ((i, share_i), (j, share_j)):
                alike = np.flatnonzero(x[v] == y[w])
                one, other = v[alike], w[alike]
                total += sums_by_item(x[one], 2 * times[one] * of_x[one] * of_y[other], m)
    return total


def _pairs(start: IntArray, most: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Positions of two votes each, of one cluster of up to so many: each pair once, in parts."""
    size = np.diff(start)
    ahead = np.repeat(np.where(size <= most, start[1:] - 1, start[:-1] - 1), size)
    ahead -= np.arange(len(ahead))
    first, lag = np.flatnonzero(ahead > 0), 1
    while len(first):
        for begin in range(0, len(first), ENTRIES_AT_ONCE):
            part = first[begin : begin + ENTRIES_AT_ONCE]
            yield part, part + lag
        lag += 1
        first = first[ahead[first] >= lag]


def votes_of(start: IntArray, clusters: Codes, size: int) -> IntArray:
    """Shape [b, size]; positions of the votes of clusters that have as many."""
    return start[clusters][:, None] + np.arange(size)
