"""Loops over battles and pairs as numba compiles them; importing this imports numba.

Each has its twin in numpy, in ``pair_counts`` or ``pair_passes``. What is compiled is kept beside
this file, or where numba keeps its cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rewardlab.preferences.battles import Codes
from rewardlab.types import FloatArray, IntArray, Outcome

P = ParamSpec("P")
R = TypeVar("R")

TIE = int(Outcome.TIE)
MOST_COPIES = 255
"""Votes that one entry of a pair holds; further votes make a further entry."""
MOST_IN_TABLE = (1 << 16) - 1
LARGEST_PRODUCT = 1e75
MOST_POWERS = 8


def _compiled(function: Callable[P, R], *, fastmath: bool = False) -> Callable[P, R]:
    """The function compiled; kept on disk, or for this process where no folder can be written."""
    math = {"reassoc", "contract"} if fastmath else False
    try:
        made: Callable[P, R] = njit(cache=True, fastmath=math)(function)
    except RuntimeError:
        made = njit(fastmath=math)(function)
    return made


def _tally(
    a: Codes, b: Codes, outcome: NDArray[np.int8], add: IntArray, both: IntArray, size: IntArray
) -> int:
    """Sums of ``add`` over each item's battles, and how many each has as the lower code; ties."""
    n_ties = 0
    for row in range(len(a)):
        i, j, o = np.int64(a[row]), np.int64(b[row]), outcome[row]
        both[i] += add[0, o]
        both[j] += add[1, o]
        size[min(i, j)] += add[2, o]
        n_ties += o == TIE
    return n_ties


def _bucket(
    a: Codes, b: Codes, outcome: NDArray[np.int8], add: IntArray, at: IntArray, partner: Codes
) -> None:
    """The higher code of each battle, put where the battles of the lower one are collected."""
    for row in range(len(a)):
        i, j = np.int64(a[row]), np.int64(b[row])
        if add[2, outcome[row]]:
            low = min(i, j)
            partner[at[low]] = max(i, j)
            at[low] += 1


def _merge(start: IntArray, partner: Codes, votes: NDArray[np.uint8], seen: IntArray) -> int:
    """Partners that come again in a bucket counted, in place; how many entries are left."""
    left, first = 0, start[0]
    for i in range(len(start) - 1):
        last, begin = start[i + 1], left
        for k in range(first, last):
            p = partner[k]
            if seen[p] % MOST_COPIES == 0:
                partner[left] = p
                left += 1
            seen[p] += 1
        for k in range(begin, left):
            p = partner[k]
            votes[k] = min(seen[p], MOST_COPIES)
            seen[p] -= votes[k]
        start[i], first = begin, last
    start[len(start) - 1] = left
    return left


def _tabulate(
    a: Codes,
    b: Codes,
    outcome: NDArray[np.int8],
    add: IntArray,
    both: IntArray,
    table: NDArray[np.uint16],
) -> int:
    """Sums of ``add`` over each item's battles, and votes of lower * m + higher; ties.

    -1 once a pair has more votes than the table holds.
    """
    m, n_ties = len(both), 0
    for row in range(len(a)):
        i, j, o = np.int64(a[row]), np.int64(b[row]), outcome[row]
        both[i] += add[0, o]
        both[j] += add[1, o]
        at = min(i, j) * m + max(i, j)
        votes = np.int64(table[at]) + add[2, o]
        if votes > MOST_IN_TABLE:
            return -1
        table[at] = votes
        n_ties += o == TIE
    return n_ties


def _entries(
    table: NDArray[np.uint16], start: IntArray, partner: Codes, votes: NDArray[np.uint8]
) -> None:
    """The pairs of a table that have votes, in buckets; one more entry is written to than left."""
    m, left = len(start) - 1, 0
    for i in range(m):
        start[i] = left
        for j in range(i + 1, m):
            rest = int(table[i * m + j])
            while rest > MOST_COPIES:
                partner[left], votes[left] = j, MOST_COPIES
                rest -= MOST_COPIES
                left += 1
            partner[left], votes[left] = j, rest
            left += rest > 0
    start[m] = left


def _expected_wins(
    start: IntArray, partner: Codes, votes: NDArray[Any], worth: FloatArray, wins: FloatArray
) -> None:
    """Wins that each item expects of its votes, e_i / (e_i + e_j) each, e being ``worth``."""
    wins[:] = 0.0
    for i in range(len(worth)):
        own, of_bucket = worth[i], 0.0
        for k in range(start[i], start[i + 1]):
            p = partner[k]
            share = votes[k] / (own + worth[p])
            of_bucket += share
            wins[p] += share
        wins[i] += of_bucket
    for i in range(len(worth)):
        wins[i] *= worth[i]


def _log_totals(start: IntArray, partner: Codes, votes: NDArray[Any], worth: FloatArray) -> float:
    """Sum of log(e_i + e_j) over the votes; logarithms are taken of products, for speed."""
    total, product, power = 0.0, 1.0, np.ones(MOST_POWERS)
    for i in range(len(worth)):
        for k in range(start[i], start[i + 1]):
            both, n = worth[i] + worth[partner[k]], np.int64(votes[k])
            if n >= MOST_POWERS or n != votes[k]:
                total += votes[k] * np.log(both)
                continue
            square = both * both
            power[1], power[2], power[3] = both, square, both * square
            power[4], power[5] = square * square, square * power[3]
            power[6], power[7] = power[3] * power[3], power[3] * power[4]
            product *= power[n]  # looked up, as a guess at n is often wrong and costs more
            if not 1 / LARGEST_PRODUCT < product < LARGEST_PRODUCT:
                total += np.log(product)
                product = 1.0
    return total + float(np.log(product))


def _reached(
    a: Codes,
    b: Codes,
    outcome: NDArray[np.int8],
    follows: NDArray[np.bool_],
    reached: NDArray[np.bool_],
) -> int:
    """One walk over the battles that follows those leading from reached items; how many are."""
    n_reached = reached.sum()
    for row in range(len(a)):
        i, j, o = np.int64(a[row]), np.int64(b[row]), outcome[row]
        if reached[i] != reached[j] and follows[0 if reached[i] else 1, o]:
            reached[i] = reached[j] = True
            n_reached += 1
            if n_reached == len(reached):
                break
    return int(n_reached)


tally = _compiled(_tally)
bucket = _compiled(_bucket)
merge = _compiled(_merge)
tabulate = _compiled(_tabulate)
entries = _compiled(_entries)
expected_wins = _compiled(_expected_wins, fastmath=True)
log_totals = _compiled(_log_totals)
reached = _compiled(_reached)
