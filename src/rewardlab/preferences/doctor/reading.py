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
    action="Mend these rows at their source; every command refuses them unless told to leave bad "
    "rows out (--skip-bad).",
    severity=Status.FAIL,
)


def check_reading(report: ReadReport, thresholds: Thresholds) -> list[Finding]:
    """What the reader left out because it could not be read."""
    bad = report.left_out
    count = sum(x.count for x in bad)
    places = [place for x in bad for place in x.examples]
    return [
        counted(
            WRONG,
            count,
            report.n_rows,
            thresholds,
            examples=tuple(places[: thresholds.examples]),
            details={"reasons": {x.reason: x.count for x in bad}},
        )
    ]


def nothing_to_examine(report: ReadReport) -> Finding:
    """The finding where not one row could be read."""
    return Finding(
        "rows",
        Status.FAIL,
        f"None of {report.n_rows:,} rows could be read",
        "Without a row, no other check could run.",
        "Mend the rows named above, or say how the file is meant (--format, --column).",
        count=report.n_rows,
        total=report.n_rows,
    )
