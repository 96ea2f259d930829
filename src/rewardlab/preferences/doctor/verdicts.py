"""What raters said: ties, decisions, labels that never vary, margins with a wrong sign."""

from __future__ import annotations

import numpy as np

from rewardlab.preferences.doctor.ledger import Ledger
from rewardlab.preferences.doctor.tally import Wording, cannot_say, counted, percent
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.types import Figure, Finding, Outcome, Status

CONSTANT_FROM = 20
"""Decided votes from which one and the same side every time is no accident (2^-19)."""

NEGATIVE = Wording(
    name="negative-margins",
    clean="No winner has a negative margin",
    found="Winners with a negative margin",
    meaning="A margin says by how much the winner is better. A negative one contradicts the "
    "verdict: either the sides or the signs are mixed up, and a loss with margins would push the "
    "wrong way.",
    action="Check a few of the rows, then swap their sides or take the absolute value.",
    severity=Status.FAIL,
)
_MEANING = (
    "Only decided votes tell a reward which answer is better; ties and 'both bad' say that the two "
    "are about equal, and a loss for pairs either leaves them out or calls them one half."
)


def check_verdicts(ledger: Ledger, thresholds: Thresholds) -> list[Finding]:
    """The shares of each verdict, and the signs of margins."""
    return [_verdicts(ledger), *_margins(ledger, thresholds)]


def _verdicts(ledger: Ledger) -> Finding:
    counts = np.bincount(ledger.columns.outcome, minlength=len(Outcome))
    n, n_decided = len(ledger), int(counts[Outcome.A] + counts[Outcome.B])
    shares = {
        "a": int(counts[Outcome.A]),
        "b": int(counts[Outcome.B]),
        "tie": int(counts[Outcome.TIE]),
        "both_bad": int(counts[Outcome.BOTH_BAD]),
    }
    status, title = Status.PASS, f"{n_decided:,} of {n:,} votes are decided"
    if shares["tie"]:
        title += f", {percent(shares['tie'] / n)} are ties"
    if shares["both_bad"]:
        title += f", {percent(shares['both_bad'] / n)} say both are bad"
    action = "Nothing to do."
    if not n_decided:
        status, title = Status.FAIL, "No vote is decided: nothing tells which answer is better"
        action = "Check that the column of the winner is read as meant (--column winner=COLUMN)."
    elif ledger.sides_recorded and n_decided >= CONSTANT_FROM and 0 in (shares["a"], shares["b"]):
        side = "a" if shares["a"] else "b"
        status, title = Status.FAIL, f"Every decided vote says {side}"
        action = (
            "If the file puts the winner first, read it as such (columns chosen and rejected); "
            "else look for a label column that was filled with a constant."
        )
    figure = Figure(n_decided / n, unit="share")
    return Finding("verdicts", status, title, _MEANING, action, figure=figure, details=shares)


def _margins(ledger: Ledger, thresholds: Thresholds) -> list[Finding]:
    margin = ledger.columns.margin
    given = ~np.isnan(margin)
    if not given.any():
        return []
    if not np.any(given & ledger.decided):
        return [
            cannot_say(
                NEGATIVE.name,
                "Margins stand beside undecided votes only",
                NEGATIVE.meaning,
                "Give margins for decided votes.",
            )
        ]
    wrong = given & ledger.decided & (np.nan_to_num(margin) < 0)
    return [
        counted(
            NEGATIVE,
            int(wrong.sum()),
            int(np.sum(given & ledger.decided)),
            thresholds,
            examples=ledger.places(wrong, thresholds.examples),
        )
    ]
