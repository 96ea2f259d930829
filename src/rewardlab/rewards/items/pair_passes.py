"""One pass over counted pairs: the gradient and the loss of Bradley-Terry, and who reaches whom."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.pair_counts import PairCounts
from rewardlab.types import BoolArray, FloatArray, IntArray

ENTRIES_AT_ONCE = 1 << 16
MAX_WALKS = 6
ROWS_AN_ITEM = 4
WIDEST_PRODUCTS = 60.0
"""Logits from the first to the last up to which a product of seven exps is safe."""


def expected_wins(pairs: PairCounts, worth: FloatArray, *, compiled: bool) -> FloatArray:
    """Wins that each item expects of its votes: the sum of e_i / (e_i + e_j).

    Args:
        pairs: Counted.
        worth: Shape [m], > 0; e, exp of the strengths.
        compiled: Whether numba's kernel passes over them.

    Returns:
        Shape [m].
    """
    if compiled:
        from rewardlab.rewards.items import compiled_kernels

        wins = np.empty(len(worth))
        compiled_kernels.expected_wins(pairs.start, pairs.partner, pairs.votes, worth, wins)
        return wins
    m, total = len(worth), np.zeros(len(worth))
    for item, entries in _parts(pairs):
        partner = pairs.partner[entries]
        share = pairs.votes[entries] / (worth[item] + worth[partner])
        total += np.bincount(item, share, m) + np.bincount(partner, share, m)
    return total * worth


def summed_loss(pairs: PairCounts, strength: FloatArray, *, compiled: bool) -> float:
    """Loss of all votes, in nats: the sum of log(e_i + e_j) less that of wins times strengths."""
    strength = strength - strength.mean()
    if np.ptp(strength) > WIDEST_PRODUCTS:
        items, partner = pairs.items(), pairs.partner
        total = float(pairs.votes @ np.logaddexp(strength[items], strength[partner]))
        return total - float(pairs.wins @ strength)
    worth = np.exp(strength)
    if compiled:
        from rewardlab.rewards.items import compiled_kernels

        total = compiled_kernels.log_totals(pairs.start, pairs.partner, pairs.votes, worth)
    else:
        total = 0.0
        for item, entries in _parts(pairs):
            both = worth[item] + worth[pairs.partner[entries]]
            total += float(pairs.votes[entries] @ np.log(both))
    return total - float(pairs.wins @ strength)


def _parts(pairs: PairCounts) -> Iterator[tuple[IntArray, slice]]:
    """Entries in parts that stay in the cache, with the lower code of each entry."""
    for first in range(0, len(pairs.partner), ENTRIES_AT_ONCE):
        last = min(first + ENTRIES_AT_ONCE, len(pairs.partner))
        low = int(np.searchsorted(pairs.start, first, side="right")) - 1
        high = int(np.searchsorted(pairs.start, last, side="left"))
        bounds = np.clip(pairs.start[low : high + 1], first, last)
        yield np.repeat(np.arange(low, high), np.diff(bounds)), slice(first, last)


def wins_lead_everywhere(battles: Battles, *, ties_count: bool, compiled: bool) -> bool:
    """True if wins certainly lead from every item to every other, so that a finite fit exists.

    The battles are walked over until everything is reached from the first item, along wins and
    against them; among many battles a fraction of one walk is enough.

    Args:
        battles: Votes.
        ties_count: Whether a tie leads both ways.
        compiled: Whether numba's kernel walks.

    Returns:
        False also where a few walks do not tell.
    """
    a_beat_b = np.array([[True, False, ties_count], [False, True, ties_count]])
    return all(
        _reaches_all(battles, follows, compiled=compiled) for follows in (a_beat_b, a_beat_b[::-1])
    )


def beats_lead_everywhere(beat: BoolArray) -> bool:
    """The same from a table, which always tells.

    Args:
        beat: Shape [m, m]; whether the row's item ever beat the column's.
    """
    for leads in (beat, beat.T):
        reached = np.zeros(len(beat), dtype=bool)
        front = np.arange(1)
        while len(front):
            reached[front] = True
            front = np.flatnonzero(leads[front].any(axis=0) & ~reached)
        if not reached.all():
            return False
    return True


def _reaches_all(battles: Battles, follows: BoolArray, *, compiled: bool) -> bool:
    reached = np.zeros(battles.n_items, dtype=bool)
    reached[0] = True
    before = 1
    for _ in range(MAX_WALKS):
        if compiled:
            from rewardlab.rewards.items import compiled_kernels

            now = compiled_kernels.reached(battles.a, battles.b, battles.outcome, follows, reached)
        else:
            now = _walk(battles, follows, reached)
        if now in (before, len(reached)):
            return now == len(reached)
        before = now
    return False


def _walk(battles: Battles, follows: BoolArray, reached: BoolArray) -> int:
    """The kernel's twin; within a part it follows what was reached when the part began."""
    at_once = max(ROWS_AN_ITEM * len(reached), 1024)
    for first in range(0, len(battles), at_once):
        rows = slice(first, first + at_once)
        a, b, outcome = battles.a[rows], battles.b[rows], battles.outcome[rows]
        from_a = follows[0][outcome] & reached[a]
        from_b = follows[1][outcome] & reached[b]
        reached[b[from_a]] = True
        reached[a[from_b]] = True
        if reached.all():
            break
    return int(np.count_nonzero(reached))
