"""Counting flagged rows, and the one rule that turns a count into a status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import ChunkView, DigestArray
from rewardlab.types import BoolArray, Finding, Status


@dataclass(slots=True)
class Tally:
    """Rows flagged so far: how many, the first few places, and of how many distinct pairs.

    Attributes:
        keep: Examples to keep.
        count: Rows flagged.
        examples: The first ``keep`` of them, as "FILE:LINE".
    """

    keep: int
    count: int = 0
    examples: list[str] = field(default_factory=list)
    _pairs: list[DigestArray] = field(default_factory=list)

    def add(self, flagged: BoolArray, chunk: ChunkView) -> None:
        """Count the rows of ``chunk`` where ``flagged`` (shape [n]) is True."""
        hits = np.flatnonzero(flagged)
        self.count += len(hits)
        for i in hits:
            place = chunk.rows.location(int(i))
            if len(self.examples) >= self.keep:
                break
            if place not in self.examples:  # the votes of one row share its line
                self.examples.append(place)
        if len(hits):
            self._pairs.append(np.unique(chunk.pair_digest[hits]))

    @property
    def n_pairs(self) -> int:
        """Distinct pairs among the rows flagged."""
        return len(np.unique(np.concatenate(self._pairs))) if self._pairs else 0


@dataclass(frozen=True, slots=True)
class Wording:
    """The fixed words of a check.

    Attributes:
        name: Slug of the finding.
        clean: Title where nothing was found.
        found: What is counted, in words that stand before a colon and the count.
        meaning: Why it matters.
        action: What to do about it.
        severity: Status where more rows than tolerated are found.
        fails_on: Name of a part (a detail) any count of which turns the finding into a failure;
            "" for none.
        unit: What one of the count is: a row, a vote, a pair, a prompt.
    """

    name: str
    clean: str
    found: str
    meaning: str
    action: str
    severity: Status = Status.WARN
    fails_on: str = ""
    unit: str = "row"


def counted(
    wording: Wording,
    count: int,
    total: int,
    thresholds: Thresholds,
    *,
    examples: tuple[str, ...] = (),
    details: Mapping[str, Any] | None = None,
) -> Finding:
    """A finding about a count: pass at or below the tolerated share, else warn or fail."""
    share = count / total if total else 0.0
    allowed = thresholds.max_share.get(wording.name, 0.0)
    title = wording.clean
    if count:
        plural = "s" if count != 1 else ""
        title = f"{wording.found}: {count:,} {wording.unit}{plural} ({percent(share)})"
    if count and share <= allowed:
        title += f"; within the {percent(allowed)} you allow"
    corrupting = bool(wording.fails_on and (details or {}).get(wording.fails_on))
    status = Status.FAIL if corrupting else wording.severity
    if share <= allowed:
        status = Status.PASS
    action = wording.action if count else "Nothing to do."
    return Finding(
        name=wording.name,
        status=status,
        title=title,
        meaning=wording.meaning,
        action=action,
        count=count,
        total=total,
        examples=examples,
        details=dict(details or {}),
    )


def cannot_say(name: str, title: str, meaning: str, remedy: str, **details: Any) -> Finding:
    """A finding of a check that could not run, with what would let it run."""
    return Finding(name, Status.CANNOT_SAY, title, meaning, remedy, details=details)


def percent(share: float) -> str:
    """A share in words: "0.07%", "44.6%"; never "0%" for a share above 0."""
    value = 100 * share
    if value == 0 or value >= 1:
        return f"{value:.1f}%"
    return f"{value:.2g}%"


NO_TEXTS = (
    "Give the texts of the responses: columns that hold them (--column response_a=COLUMN "
    "--column response_b=COLUMN), or a second file with them (--join FILE --on COLUMN)."
)
"""The remedy where the rows name responses but hold no text."""

NAME_ANNOTATORS = "Name the column that says who voted (--column annotator=COLUMN)."
"""The remedy where votes have no names."""
