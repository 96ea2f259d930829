"""The same pair twice: repeated, with its sides swapped, or with opposite verdicts.

Two rows show the same pair if prompt and both responses are equal, in whatever order. Votes of
several raters on one pair are not duplicates: rows count as repeats only where the same annotator
gave them, or, where no annotator is named, where they carry different ids.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.preferences.doctor.ledger import Ledger, mixed
from rewardlab.preferences.doctor.tally import (
    NAME_ANNOTATORS,
    NO_TEXTS,
    Wording,
    cannot_say,
    counted,
)
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.types import BoolArray, Finding, IntArray, Outcome, Status

DUPLICATES = Wording(
    name="duplicates",
    clean="No vote is repeated",
    found="Votes that repeat an earlier one on the same pair",
    meaning="Repeats count one opinion several times, narrow every interval wrongly, and leak "
    "from training to test when the file is split.",
    action="Keep one row of each. Where no annotator is named these may be several raters' votes: "
    "then name the rater's column (--column annotator=COLUMN) or give votes on one pair one id.",
)
TWINS = Wording(
    name="swapped-twins",
    clean="No vote is repeated with its sides swapped",
    found="Votes that repeat an earlier one with its sides swapped",
    meaning="Showing a pair in both orders is a good control against side bias, but as training "
    "rows it counts one opinion twice.",
    action="Keep one row of each pair for training; keep both to study side bias.",
)
CONTRADICTING = Wording(
    name="contradicting-pairs",
    clean="No pair has opposite verdicts without raters named",
    found="Pairs that have opposite verdicts without raters named",
    meaning="No reward can get both rows right: they cancel in training and cap the accuracy in "
    "testing. Where the sides are swapped, chosen and rejected were probably mixed up.",
    action="Decide each pair once and remove the other row. If these are several raters' votes, "
    "name the rater's column (--column annotator=COLUMN) or give the votes on one pair the same "
    "id.",
    severity=Status.FAIL,
)
SELF_CONTRADICTIONS = Wording(
    name="self-contradictions",
    clean="No annotator gave opposite verdicts on one pair",
    found="Annotators who gave opposite verdicts on one pair",
    meaning="Raters who contradict themselves are guessing there. Where the sides were swapped "
    "between the votes, the rater (or the judge model) goes by the side.",
    action="Drop both votes, or count the pair as a tie for that annotator.",
    unit="vote",
)


@dataclass(frozen=True, slots=True)
class Repeats:
    """Pairs that one rater (or nobody named) judged more than once.

    Attributes:
        duplicate: Positions of rows that repeat an earlier one, sides in the same order.
        swapped: Positions of rows that repeat an earlier one with its sides swapped.
        opposed: Shape [n]; rows of pairs with opposite verdicts and no annotator named.
        self_opposed: Shape [n]; votes of annotators who contradict themselves.
        earlier: Shape [n]; for each row the first row of the same pair and rater, or itself.
        n_opposed_swapped: Rows among ``opposed`` whose pair stands there in both orders.
        n_self_swapped: Rows among ``self_opposed`` whose pair was shown in both orders.
        n_tie_against_decision: Repeats of which one row says tie and the other does not.
    """

    duplicate: IntArray
    swapped: IntArray
    opposed: BoolArray
    self_opposed: BoolArray
    earlier: IntArray
    n_opposed_swapped: int
    n_self_swapped: int
    n_tie_against_decision: int


def check_duplicates(ledger: Ledger, thresholds: Thresholds) -> list[Finding]:
    """Duplicates, swapped twins, contradicting pairs and annotators against themselves."""
    total = int(np.count_nonzero(ledger.columns.has_texts))
    wordings = (DUPLICATES, TWINS, CONTRADICTING, SELF_CONTRADICTIONS)
    if not total:
        return [
            cannot_say(w.name, f"{w.found}: no row holds texts to compare", w.meaning, NO_TEXTS)
            for w in wordings
        ]
    found = find_repeats(ledger)
    keep = thresholds.examples
    by_pair = mixed(ledger.columns.prompt, *_sides(ledger))
    opposed = np.flatnonzero(found.opposed)
    return [
        counted(
            DUPLICATES,
            len(found.duplicate),
            total,
            thresholds,
            examples=_beside(ledger, found, found.duplicate, keep),
            details={"tie_against_decision": found.n_tie_against_decision},
        ),
        counted(
            TWINS,
            len(found.swapped),
            total,
            thresholds,
            examples=_beside(ledger, found, found.swapped, keep),
        ),
        counted(
            CONTRADICTING,
            len(opposed),
            total,
            thresholds,
            examples=ledger.places(opposed[np.argsort(by_pair[opposed], kind="stable")], keep),
            details={
                "pairs": len(np.unique(by_pair[opposed])),
                "shown_in_both_orders": found.n_opposed_swapped,
            },
        ),
        _self_contradictions(ledger, found, thresholds),
    ]


def _self_contradictions(ledger: Ledger, found: Repeats, thresholds: Thresholds) -> Finding:
    named = int(np.count_nonzero(ledger.columns.annotator >= 0))
    if not named:
        return cannot_say(
            SELF_CONTRADICTIONS.name,
            "No annotators are named, so nobody can be seen in contradiction with themselves",
            SELF_CONTRADICTIONS.meaning,
            NAME_ANNOTATORS,
        )
    count = int(np.count_nonzero(found.self_opposed))
    return counted(
        SELF_CONTRADICTIONS,
        count,
        named,
        thresholds,
        examples=ledger.places(found.self_opposed, thresholds.examples),
        details={"shown_in_both_orders": found.n_self_swapped},
    )


def find_repeats(ledger: Ledger) -> Repeats:
    """Group rows that show one pair to one rater, and compare their verdicts."""
    columns = ledger.columns
    low, high = _sides(ledger)
    n = len(ledger)
    usable = columns.has_texts & (low != high)
    rater = columns.annotator.astype(np.int64).astype(np.uint64)
    group = mixed(mixed(columns.prompt, low, high), rater, columns.split.astype(np.uint64))
    # Unnamed votes that share an id are several raters' votes on one pair: one unit together.
    unit_key = np.where(columns.annotator >= 0, np.arange(n, dtype=np.uint64), columns.pair)
    unit = mixed(group, unit_key)
    rows = np.flatnonzero(usable)
    units, first_at, unit_of = np.unique(unit[rows], return_index=True, return_inverse=True)
    first = rows[first_at]
    low_is_a = columns.a == low
    for_low = np.where(columns.outcome == Outcome.A, np.where(low_is_a, 1, -1), 0)
    for_low += np.where(columns.outcome == Outcome.B, np.where(low_is_a, -1, 1), 0)
    net = np.sign(np.bincount(unit_of, weights=for_low[rows], minlength=len(units))).astype(int)
    return _compare_units(group, rows, unit_of, first, net, low_is_a, columns.annotator >= 0)


def _compare_units(
    group: np.ndarray[tuple[int], np.dtype[np.uint64]],
    rows: IntArray,
    unit_of: IntArray,
    first: IntArray,
    net: IntArray,
    low_is_a: BoolArray,
    named: BoolArray,
) -> Repeats:
    n = len(group)
    groups, group_of = np.unique(group[first], return_inverse=True)
    k = len(groups)
    reference = np.full(k, n, dtype=np.int64)
    np.minimum.at(reference, group_of, first)
    sign_of_reference = np.zeros(k, dtype=np.int64)
    is_reference = first == reference[group_of]
    sign_of_reference[group_of[is_reference]] = net[is_reference]
    plus = np.bincount(group_of, weights=net > 0, minlength=k) > 0
    minus = np.bincount(group_of, weights=net < 0, minlength=k) > 0
    with_a = np.bincount(group_of, weights=low_is_a[first], minlength=k)
    both_orders = (with_a > 0) & (with_a < np.bincount(group_of, minlength=k))
    contradictory = plus & minus

    in_opposed = np.zeros(n, dtype=bool)
    in_opposed[rows] = contradictory[group_of][unit_of]
    in_both_orders = np.zeros(n, dtype=bool)
    in_both_orders[rows] = both_orders[group_of][unit_of]
    surplus = ~is_reference & ~contradictory[group_of]
    swapped = low_is_a[first] != low_is_a[reference[group_of]]
    earlier = np.arange(n)
    earlier[first] = reference[group_of]
    return Repeats(
        duplicate=np.sort(first[surplus & ~swapped]),
        swapped=np.sort(first[surplus & swapped]),
        opposed=in_opposed & ~named,
        self_opposed=in_opposed & named,
        earlier=earlier,
        n_opposed_swapped=int(np.count_nonzero(in_opposed & ~named & in_both_orders)),
        n_self_swapped=int(np.count_nonzero(in_opposed & named & in_both_orders)),
        n_tie_against_decision=int(
            np.count_nonzero(surplus & ((net == 0) != (sign_of_reference[group_of] == 0)))
        ),
    )


def _sides(
    ledger: Ledger,
) -> tuple[
    np.ndarray[tuple[int], np.dtype[np.uint64]], np.ndarray[tuple[int], np.dtype[np.uint64]]
]:
    a, b = ledger.columns.a, ledger.columns.b
    return np.minimum(a, b), np.maximum(a, b)


def _beside(ledger: Ledger, found: Repeats, rows: IntArray, keep: int) -> tuple[str, ...]:
    shown = rows[:keep]
    return tuple(
        f"{ledger.places(np.array([found.earlier[i]]), 1)[0]} and "
        f"{ledger.places(np.array([i]), 1)[0]}"
        for i in shown
    )
