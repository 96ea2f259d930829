"""Rows that could not be read, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rewardlab.preferences.doctor.tally import Wording, counted
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.types import Finding, Status

if TYPE_CHECKING:
    from rewardlab.preferences.formats import ReadReport

WRONG = Wording(
    name="wrong-types",
    clean="Every row could be read: all values are of the types expected",
    found="Values of the wrong type, or unknown labels",
    meaning="A loader that is less strict would turn such a value into text (a response 'True') "
    "or the row into nothing, without a word.",
    action="Mend these rows at their source. Doctor and audit leave them out and count them; all "
    "other commands refuse them unless told to do the same (--skip-bad).",
    severity=Status.FAIL,
)


UNUSABLE = Wording(
    name="unusable-rows",
    clean="Every row gave a comparison",
    found="Rows that gave no comparison",
    meaning="They are sound but lack what a comparison needs, such as the text of a response or a "
    "rating. What was examined is then a part of the file, perhaps not a typical one.",
    action="Read the reasons; give the missing texts or ratings, or accept the smaller file.",
)


def check_reading(report: ReadReport, thresholds: Thresholds) -> list[Finding]:
    """What the reader left out, but for what its options asked it to leave out."""
    filtered = sum(x.count for x in report.left_out if x.cause == "filtered")
    total = report.n_rows - filtered
    return [
        _left_out(WRONG, report, "unreadable", total, thresholds),
        _left_out(UNUSABLE, report, "unusable", total, thresholds),
    ]


def _left_out(
    wording: Wording, report: ReadReport, cause: str, total: int, thresholds: Thresholds
) -> Finding:
    lost = [x for x in report.left_out if x.cause == cause]
    places = [place for x in lost for place in x.examples]
    return counted(
        wording,
        sum(x.count for x in lost),
        total,
        thresholds,
        examples=tuple(places[: thresholds.examples]),
        details={"reasons": {x.reason: x.count for x in lost}} if lost else {},
    )


def nothing_to_examine(report: ReadReport) -> Finding:
    """The finding where not one row could be read."""
    return Finding(
        "rows",
        Status.FAIL,
        f"None of {report.n_rows:,} rows is left to examine",
        "Without a row, no other check could run.",
        "Mend the rows named above, say how the file is meant (--format, --column, and --labels "
        "for its labels), or loosen --where.",
        count=report.n_rows,
        total=report.n_rows,
    )
