"""Votes of several people on the same pairs, counted: what any model of their noise reads."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class VoteCounts:
    """Pairs with votes of at least two people; p rows.

    With ties set aside, ``n`` is ``for_a + for_b``. With ties as half a vote for either side it is
    more; a tie then says nothing of the sign.

    Attributes:
        n: Shape [p], int64 votes, >= 2, each by another person.
        for_a: Shape [p], int64 votes for one response.
        for_b: Shape [p], int64 votes for the other.
        cluster: Shape [p], int64 codes of what is resampled together (prompts).
    """

    n: IntArray
    for_a: IntArray
    for_b: IntArray
    cluster: IntArray

    def __post_init__(self) -> None:
        for name in ("for_a", "for_b", "cluster"):
            column = getattr(self, name)
            if column.shape != self.n.shape or column.ndim != 1:
                raise InputError(
                    f"VoteCounts.{name}: expected shape {self.n.shape}, got {column.shape}"
                )
        if np.any(self.n < 2) or np.any(self.for_a < 0) or np.any(self.for_b < 0):
            raise InputError("VoteCounts: expected at least 2 votes a pair, and no negative count")
        if np.any(self.for_a + self.for_b > self.n):
            raise InputError("VoteCounts: expected no more votes for the sides than votes")

    def __len__(self) -> int:
        return len(self.n)

    @property
    def sided(self) -> bool:
        """True if every vote prefers a side."""
        return bool(np.all(self.for_a + self.for_b == self.n))

    def take(self, idx: IntArray) -> VoteCounts:
        """The pairs at ``idx`` (positions)."""
        return VoteCounts(self.n[idx], self.for_a[idx], self.for_b[idx], self.cluster[idx])


def count_votes(pair: IntArray, side: FloatArray, cluster: IntArray) -> VoteCounts:
    """Votes counted by pair; pairs with one vote are left out.

    Args:
        pair: Shape [v], int64 codes; each vote on a pair by another person.
        side: Shape [v], 1 for a, 0 for b, .5 for a tie that counts half for either.
        cluster: Shape [v], int64 codes; each pair in one.

    Raises:
        InputError: The lengths differ, or a side is none of the three.
    """
    if pair.shape != side.shape or pair.shape != cluster.shape or pair.ndim != 1:
        raise InputError(
            f"count_votes: expected three arrays of one length, got {pair.shape}, {side.shape} "
            f"and {cluster.shape}"
        )
    if not np.all(np.isin(side, (0.0, 0.5, 1.0))):
        raise InputError("side: expected 1 for a, 0 for b or .5 for a tie")
    _, first, code = np.unique(pair, return_index=True, return_inverse=True)
    n = np.bincount(code, minlength=len(first))
    for_a = np.bincount(code[side == 1], minlength=len(first))
    for_b = np.bincount(code[side == 0], minlength=len(first))
    several = n >= 2
    return VoteCounts(n[several], for_a[several], for_b[several], cluster[first][several])


def even_moments(counts: VoteCounts, order: int) -> FloatArray:
    """Unbiased estimates of d^0, d^2, ..., d^(2 order) for each pair, d = P(a) - P(b).

    The estimate of d^j is the mean, over all sets of j votes of the pair, of the product of the
    votes, each +1 for a, -1 for b and 0 for a tie.

    Args:
        counts: Pairs with at least 2 ``order`` votes.
        order: At least 1.

    Returns:
        Shape [p, order + 1].

    Raises:
        InputError: A pair has too few votes.

    Source: Hoeffding (1948), *Annals of Mathematical Statistics* 19, 293-325.
    """
    if len(counts) and int(counts.n.min()) < 2 * order:
        raise InputError(f"counts: expected at least {2 * order} votes a pair")
    cells, of_pair = np.unique(
        np.column_stack([counts.n, counts.for_a, counts.for_b]), axis=0, return_inverse=True
    )
    moments = np.ones((len(cells), order + 1))
    for row, (n, for_a, for_b) in zip(moments, cells.tolist(), strict=True):
        row[1:] = [_mean_product(n, for_a, for_b, 2 * j) for j in range(1, order + 1)]
    return moments[of_pair]


def _mean_product(n: int, for_a: int, for_b: int, size: int) -> float:
    """Mean of the products of all ``size`` of n votes: a coefficient of (1 + z)^a (1 - z)^b."""
    total = sum(comb(for_a, size - i) * comb(for_b, i) * (1 - 2 * (i % 2)) for i in range(size + 1))
    return total / comb(n, size)
