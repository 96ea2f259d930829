"""Votes of each pair of items, whoever won, and wins of each item: all that half wins need.

The likelihood of Bradley-Terry depends on the battles by these alone. They take 3 bytes a distinct
pair, so that ten million battles fit in the cache's reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles, Codes
from rewardlab.rewards.items.cells import Cells, sums_by_item
from rewardlab.types import FloatArray, IntArray, Outcome

PairTies = Literal["half", "leave-out"]

DENSE_KEYS = 4_000_000
"""Pairs up to which votes are counted in a table of all pairs."""
WORTH_MERGING = 1.0
"""Other votes of a vote's pair from which merging them repays itself in the passes that follow."""
MOST_IN_TABLE = 2000
"""Items up to which a table of all pairs stays close to the processor: 2 bytes a pair."""
HIGH = 32
"""Votes stand above this bit of a sum, twice the wins below."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Votes by pair, in buckets of the lower code.

    Attributes:
        start: Shape [m + 1]; where each item's bucket begins.
        partner: Shape [c], codes; the higher one of each pair. A pair may have several entries.
        votes: Shape [c], > 0.
        wins: Shape [m]; a tie is half a win for each.
        n_votes: Shape [m]; votes that each item took part in.
        n: Votes in all.
        n_ties: Ties among all votes, counted or left out.
    """

    start: IntArray
    partner: Codes
    votes: NDArray[Any]
    wins: FloatArray
    n_votes: FloatArray
    n: float
    n_ties: float

    @property
    def n_items(self) -> int:
        """m."""
        return len(self.wins)

    def items(self) -> IntArray:
        """Shape [c], codes; the lower one of each pair."""
        return np.repeat(np.arange(self.n_items), np.diff(self.start))

    def distinct(self) -> scipy.sparse.csr_matrix:
        """Shape [m, m]; votes of each pair, once, above the diagonal."""
        votes, partner = self.votes.astype(float), self.partner.astype(np.int32)
        upper = scipy.sparse.csr_matrix((votes, partner, self.start), shape=(self.n_items,) * 2)
        upper.sum_duplicates()
        return upper

    def matrix(self) -> FloatArray:
        """Shape [m, m], symmetric; votes of each pair."""
        upper = self.distinct().toarray()
        return np.asarray(upper + upper.T)


def count_pairs(battles: Battles, ties: PairTies, *, compiled: bool) -> PairCounts:
    """Votes by pair.

    Args:
        battles: Without margins and covariates.
        ties: Half a win for each, or left out.
        compiled: Whether numba's kernels count.

    Raises:
        InputError: There are 2^31 battles or more.
    """
    if len(battles) >= 1 << (HIGH - 1):
        raise InputError(f"battles: expected fewer than 2^31, got {len(battles):,}")
    if not compiled:
        return _by_numpy(battles, ties)
    if battles.n_items <= MOST_IN_TABLE and 2 * len(battles) >= battles.n_items**2:
        return _by_table(battles, ties) or _by_buckets(battles, ties)
    return _by_buckets(battles, ties)


def outcome_table(battles: Battles) -> IntArray:
    """Shape [m, m, 3]; battles of a (row) against b by outcome, for few items.

    Args:
        battles: Without margins and covariates.
    """
    m = battles.n_items
    width = np.int32 if 3 * m * m < 1 << 31 else np.int64
    key = np.multiply(battles.a, m, dtype=width, casting="same_kind")
    key += battles.b
    key *= 3
    key += battles.outcome
    return np.bincount(key, minlength=3 * m * m).reshape(m, m, 3)


def pairs_of_cells(cells: Cells, ties: PairTies) -> PairCounts:
    """The same from cells without margins and effects; i < j is not needed."""
    counted = cells.n_tie if ties == "half" else np.zeros(len(cells.i))
    i, j, m = cells.i, cells.j, cells.n_items
    wins_i, wins_j = cells.n_i + counted / 2, cells.n_j + counted / 2
    votes, low = wins_i + wins_j, np.minimum(i, j)
    if not votes.all() or np.any(low[1:] < low[:-1]):
        order = np.argsort(low, kind="stable")
        order = order[votes[order] > 0]
        i, j, low, votes = i[order], j[order], low[order], votes[order]
        wins_i, wins_j = wins_i[order], wins_j[order]
    return PairCounts(
        start=_starts(np.bincount(low, minlength=m)),
        partner=np.maximum(i, j),
        votes=votes,
        wins=sums_by_item(i, wins_i, m) + sums_by_item(j, wins_j, m),
        n_votes=sums_by_item(i, votes, m) + sums_by_item(j, votes, m),
        n=float(votes.sum()),
        n_ties=float(cells.n_tie.sum()),
    )


def _starts(size: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(size)])


def _code_type(m: int) -> type[np.unsignedinteger[Any]]:
    return np.uint16 if m <= 1 << 16 else np.uint32


def _by_table(battles: Battles, ties: PairTies) -> PairCounts | None:
    """Votes counted in one pass where many share few pairs; None if one has more than 65,535."""
    from rewardlab.rewards.items.compiled_kernels import MOST_COPIES, entries, tabulate

    m = battles.n_items
    both, table = np.zeros(m, dtype=np.int64), np.zeros(m * m, dtype=np.uint16)
    n_ties = tabulate(battles.a, battles.b, battles.outcome, _summands(ties), both, table)
    if n_ties < 0:
        return None
    most = np.count_nonzero(table) + len(battles) // MOST_COPIES + 1
    start, partner = np.empty(m + 1, dtype=np.int64), np.empty(most, dtype=_code_type(m))
    votes = np.empty(most, dtype=np.uint8)
    entries(table, start, partner, votes)
    n_votes = (both >> HIGH).astype(float)
    return PairCounts(
        start=start,
        partner=partner[: start[-1]],
        votes=votes[: start[-1]],
        wins=(both & ((1 << HIGH) - 1)) / 2,
        n_votes=n_votes,
        n=float(n_votes.sum()) / 2,
        n_ties=float(n_ties),
    )


def _by_buckets(battles: Battles, ties: PairTies) -> PairCounts:
    """Partners sorted by the lower code and counted in place: memory of 3 bytes a battle."""
    from rewardlab.rewards.items.compiled_kernels import bucket, merge, tally

    m, a, b, outcome = battles.n_items, battles.a, battles.b, battles.outcome
    add = _summands(ties)
    both, size = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    n_ties = tally(a, b, outcome, add, both, size)
    start = _starts(size)
    partner = np.empty(start[-1], dtype=_code_type(m))
    bucket(a, b, outcome, add, start[:-1].copy(), partner)
    n_votes = (both >> HIGH).astype(float)
    left, votes = len(partner), np.ones(len(partner), dtype=np.uint8)
    if _votes_alike(n_votes) >= WORTH_MERGING:
        left = merge(start, partner, votes, np.zeros(m, dtype=np.int64))
    return PairCounts(
        start=start,
        partner=partner[:left],
        votes=votes[:left],
        wins=(both & ((1 << HIGH) - 1)) / 2,
        n_votes=n_votes,
        n=float(size.sum()),
        n_ties=float(n_ties),
    )


def _votes_alike(n_votes: FloatArray) -> float:
    """About how many other votes a vote's pair has, if opponents were drawn at random."""
    p = n_votes / max(float(n_votes.sum()), 1.0)
    return float(n_votes.sum() * (p @ p) ** 2)


def _summands(ties: PairTies) -> IntArray:
    """Shape [3, 3]; what an outcome adds to a's sum, to b's sum, and to the votes.

    One sum holds two counts, which halves what has to be written.
    """
    used = np.array([1, 1, int(ties == "half")])
    add = np.stack([[2, 0, 1] * used, [0, 2, 1] * used, used])
    add[:2] += used << HIGH
    return add


def _by_numpy(battles: Battles, ties: PairTies) -> PairCounts:
    m, a, b, outcome = battles.n_items, battles.a, battles.b, battles.outcome
    tied = outcome == Outcome.TIE
    n_ties = float(np.count_nonzero(tied))
    if ties == "leave-out" and n_ties:
        a, b, outcome = a[~tied], b[~tied], outcome[~tied]
    points = np.array([1.0, 0.0, 0.5])[outcome]
    by_side = np.bincount(a, minlength=m), np.bincount(b, minlength=m)
    wins = sums_by_item(a, points, m) + by_side[1] - sums_by_item(b, points, m)
    low, votes = _distinct(a, b, m)
    return PairCounts(
        start=_starts(np.bincount(low // m, minlength=m)),
        partner=(low % m).astype(_code_type(m)),
        votes=votes,
        wins=wins,
        n_votes=(by_side[0] + by_side[1]).astype(float),
        n=float(len(a)),
        n_ties=n_ties,
    )


def _distinct(a: Codes, b: Codes, m: int) -> tuple[IntArray, FloatArray]:
    """Keys low * m + high of the pairs in ascending order, and the votes of each."""
    if m * m <= DENSE_KEYS:
        by_order = np.bincount(a.astype(np.int64) * m + b, minlength=m * m).reshape(m, m)
        table = np.triu(by_order + by_order.T).ravel()
        keys = np.flatnonzero(table)
        return keys, table[keys].astype(float)
    keys = np.minimum(a, b).astype(np.int64)
    keys *= m
    keys += np.maximum(a, b)
    keys.sort()
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[first], np.diff(np.append(first, len(keys))).astype(float)
