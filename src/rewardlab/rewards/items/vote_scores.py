"""Each vote's derivatives at a fit: what a sandwich or a jackknife is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from rewardlab.preferences.battles import Battles, Codes
from rewardlab.rewards.items.cells import Cells, laplacian
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.outcome_terms import CellTerms, cell_terms
from rewardlab.types import BoolArray, FloatArray, IntArray, Outcome

DENSE_SUMS = 2
"""Sums of clusters by column that there may be, an entry, to be summed in a table of them all."""


@dataclass(frozen=True, slots=True)
class VoteScores:
    """First and second derivatives of the loss of r votes, or of r kinds of votes.

    A vote's gradient is slope x + tie_slope t and its Hessian curvature x x' + cross (x t' + t x')
    + tie_curvature t t', where x has 1 at i, -1 at j and the effects, and t is the unit vector of
    the tie parameter.

    Attributes:
        n_items: m.
        i: Shape [r], codes.
        j: Shape [r], codes.
        effects: Shape [r, e], without the tie parameter.
        slope: Shape [r].
        curvature: Shape [r].
        tie: Shape [r, 3]; tie_slope, cross and tie_curvature; None without a tie parameter.
        cluster: Shape [r], codes 0..G-1.
        times: Shape [r]; how many clusters of one such vote a row stands for.
        n_clusters: Clusters in all: G, or the sum of ``times``.
        delta: Shape [r], logits; D.
        tie_share: Share of ties among all votes, where they count.
    """

    n_items: int
    i: Codes
    j: Codes
    effects: FloatArray
    slope: FloatArray
    curvature: FloatArray
    tie: FloatArray | None
    cluster: IntArray
    times: FloatArray
    n_clusters: int
    delta: FloatArray
    tie_share: float

    @property
    def n_parameters(self) -> int:
        """m + e, the tie parameter with it."""
        return self.n_items + int(self.effects.shape[1]) + int(self.tie is not None)

    @property
    def n_rows(self) -> int:
        """G of the matrices below."""
        return int(self.cluster.max(initial=-1)) + 1

    @property
    def all_single(self) -> bool:
        """True if each row is a cluster of its own; of some of the clusters codes have gaps."""
        return bool(np.bincount(self.cluster, minlength=1).max() <= 1)

    def take(self, rows: IntArray | BoolArray) -> VoteScores:
        """Some of the votes."""
        tie = None if self.tie is None else self.tie[rows]
        return VoteScores(
            self.n_items,
            self.i[rows],
            self.j[rows],
            self.effects[rows],
            self.slope[rows],
            self.curvature[rows],
            tie,
            self.cluster[rows],
            self.times[rows],
            self.n_clusters,
            self.delta[rows],
            self.tie_share,
        )


def scores_by_vote(cells: Cells, fitted: ItemFit) -> VoteScores:
    """Votes as clusters of their own: equal votes are one row that counts several times."""
    if _alike(fitted.model, cells):
        return _merged(cells, fitted)
    counts = [cells.n_i, cells.n_j]
    if fitted.model.ties != "leave-out":
        counts.append(cells.n_tie)
    kinds = [(outcome, np.flatnonzero(n > 0)) for outcome, n in enumerate(counts)]
    picked = np.concatenate([cell for _, cell in kinds])
    outcome = np.repeat([outcome for outcome, _ in kinds], [len(cell) for _, cell in kinds])
    times = np.concatenate([counts[outcome][cell] for outcome, cell in kinds])
    votes = _votes(cells, picked, outcome)
    return _scores(votes, fitted, np.arange(len(picked)), times, round(float(times.sum())))


def _alike(model: ItemModel, votes: Cells) -> bool:
    """Whether all votes between two items curve the loss alike, whoever won."""
    return model.link == "logistic" and not model.tie_parameter and votes.margin is None


def _merged(cells: Cells, fitted: ItemFit) -> VoteScores:
    """A row a cell: where its votes curve the loss alike, the squares of their slopes are added."""
    n_tie = np.zeros_like(cells.n_tie) if fitted.model.ties == "leave-out" else cells.n_tie
    n = cells.n_i + cells.n_j + n_tie
    if not n.all():
        used = n > 0
        cells, n_tie, n = cells.take(used), n_tie[used], n[used]
    delta = _differences(cells, fitted)
    p = chance(delta)
    square = cells.n_i * (1 - p) ** 2
    square += cells.n_j * p**2
    square += n_tie * (p - 0.5) ** 2
    square /= n
    return VoteScores(
        n_items=cells.n_items,
        i=cells.i,
        j=cells.j,
        effects=cells.effects,
        slope=np.sqrt(square),
        curvature=p * (1 - p),
        tie=None,
        cluster=np.arange(len(n)),
        times=n,
        n_clusters=round(float(n.sum())),
        delta=delta,
        tie_share=_tie_share(fitted),
    )


def scores_by_cluster(battles: Battles, fitted: ItemFit, cluster: Codes) -> VoteScores:
    """Votes in clusters; codes are renumbered to those that have votes in the fit."""
    used = np.arange(len(battles))
    if fitted.model.ties == "leave-out":
        used = np.flatnonzero(battles.outcome != Outcome.TIE)
    columns = [np.ones((len(used), 1))] if fitted.model.position else []
    columns += [] if battles.covariates is None else [battles.covariates[used]]
    effects = np.hstack(columns) if columns else np.zeros((len(used), 0))
    none = np.zeros(0)
    margin = None if battles.margin is None else battles.margin[used]
    rows = Cells(
        battles.n_items, battles.a[used], battles.b[used], none, none, none, margin, effects
    )
    present, codes = _renumbered(cluster[used])
    votes = _votes(rows, np.arange(len(used)), battles.outcome[used])
    return _scores(votes, fitted, codes, np.ones(len(used)), present)


def score_matrix(
    votes: VoteScores, slope: FloatArray, tie: FloatArray | None, n_rows: int
) -> scipy.sparse.csr_matrix:
    """Shape [G, m + e]; sums over each cluster's votes of slope x + tie t.

    Args:
        votes: r of them.
        slope: Shape [r].
        tie: Shape [r]; None without a tie parameter.
        n_rows: G.
    """
    m, e = votes.n_items, votes.effects.shape[1]
    columns: list[Codes] = [votes.i, votes.j]
    values = [slope, -slope]
    for k in range(e):
        columns.append(np.full(len(slope), m + k))
        values.append(votes.effects[:, k] * slope)
    if tie is not None:
        columns.append(np.full(len(slope), m + e))
        values.append(tie)
    return summed(votes.cluster, columns, values, (n_rows, votes.n_parameters))


def summed(
    cluster: IntArray, columns: list[Codes], values: list[FloatArray], shape: tuple[int, int]
) -> scipy.sparse.csr_matrix:
    """Sums by cluster and column, entries in order; what was given stays, if it sums to 0.

    Args:
        cluster: Shape [r], codes.
        columns: Of each vote, as many as it has entries; shape [r] each.
        values: Shape [r] each.
        shape: [G, p].
    """
    g, p = shape
    if not fits_table(g, p, len(cluster) * len(columns)):
        rows = np.tile(cluster, len(columns))
        matrix = scipy.sparse.csr_matrix(
            (np.concatenate(values), (rows, np.concatenate(columns))), shape
        )
        matrix.sort_indices()
        return matrix
    total, there = np.zeros(g * p), np.zeros(g * p, dtype=bool)
    for column, value in zip(columns, values, strict=True):
        key = cluster * p
        key += column
        there[key] = True
        total += np.bincount(key, value, g * p)
    found = np.flatnonzero(there)
    first = np.searchsorted(found, np.arange(g + 1) * p)
    return scipy.sparse.csr_matrix((total[found], found % p, first), shape)


def fits_table(g: int, p: int, n_entries: int) -> bool:
    """Whether so many entries are summed by cluster and column in a table of all of these."""
    return g * p <= DENSE_SUMS * n_entries


def squares_of_single(votes: VoteScores) -> FloatArray:
    """Shape [m + e, m + e]; sum of the votes' gradients' squares s s', as often as each comes.

    Args:
        votes: Each a cluster of its own.
    """
    m, e, i, j = votes.n_items, votes.effects.shape[1], votes.i, votes.j
    of_items = laplacian(i, j, votes.times * votes.slope**2, m)
    if votes.n_parameters == m:
        return of_items
    slope = np.sqrt(votes.times) * votes.slope
    squares = np.zeros((votes.n_parameters,) * 2)
    squares[:m, :m] = of_items
    last = [slope * votes.effects[:, k] for k in range(e)]
    last += [] if votes.tie is None else [np.sqrt(votes.times) * votes.tie[:, 0]]
    for k, value in enumerate(last):
        across = np.bincount(i, slope * value, m) - np.bincount(j, slope * value, m)
        squares[:m, m + k] = squares[m + k, :m] = across
        squares[m + k, m:] = [float(value @ other) for other in last]
    return squares


def _renumbered(cluster: Codes) -> tuple[int, IntArray]:
    """How many distinct codes there are, and the codes as 0..G-1."""
    present = np.bincount(cluster) > 0
    return int(present.sum()), (np.cumsum(present) - 1)[cluster].astype(np.int64)


def _votes(cells: Cells, picked: IntArray, outcome: Codes) -> Cells:
    """One vote with each outcome on the picked cells."""
    n_i, n_j, n_tie = (
        (outcome == kind).astype(float) for kind in (Outcome.A, Outcome.B, Outcome.TIE)
    )
    margin = None if cells.margin is None else cells.margin[picked]
    i, j, effects = cells.i[picked], cells.j[picked], cells.effects[picked]
    return Cells(cells.n_items, i, j, n_i, n_j, n_tie, margin, effects)


def _terms(model: ItemModel, votes: Cells, delta: FloatArray, tie: float) -> CellTerms:
    """``cell_terms`` of single votes; half wins need no more than each vote's chance."""
    if not _alike(model, votes):
        return cell_terms(model, votes, delta, tie)
    p = chance(delta)
    return CellTerms(np.zeros(0), p - votes.n_i - votes.n_tie / 2, p * (1 - p))


def _scores(
    votes: Cells, fitted: ItemFit, cluster: IntArray, times: FloatArray, n_clusters: int
) -> VoteScores:
    delta = _differences(votes, fitted)
    tie = float(fitted.effect[-1]) if fitted.model.tie_parameter else 0.0
    at = _terms(fitted.model, votes, delta, tie)
    ties = None
    if at.tie_slope is not None and at.cross is not None and at.tie_curvature is not None:
        ties = np.stack([at.tie_slope, at.cross, at.tie_curvature], axis=1)
    return VoteScores(
        votes.n_items,
        votes.i,
        votes.j,
        votes.effects,
        at.slope,
        at.curvature,
        ties,
        cluster,
        times,
        n_clusters,
        delta,
        _tie_share(fitted),
    )


def _differences(votes: Cells, fitted: ItemFit) -> FloatArray:
    """Shape [r]; D at the fit."""
    return votes.differences(np.concatenate([fitted.strength, fitted.effect]))


def _tie_share(fitted: ItemFit) -> float:
    """Share of ties among all votes, where they count."""
    return 0.0 if fitted.model.ties == "leave-out" else fitted.n_ties / fitted.n


def chance(delta: FloatArray) -> FloatArray:
    """sigma(delta), from an exponential that cannot overflow."""
    p = np.exp(-np.abs(delta))
    p /= 1 + p
    return np.where(delta > 0, 1 - p, p)
