"""Counting what was read and what was left out, with examples of each reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.recognition import Layout
from rewardlab.preferences.rows import RowBatch

MAX_EXAMPLES = 10
Cause = Literal["unreadable", "filtered", "unusable"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows that were not delivered, for one reason.

    Attributes:
        reason: Such as "response_a is a boolean" or "no text joined".
        count: How many rows.
        examples: Up to 10 of them as "FILE:LINE".
        cause: "unreadable" where a value is wrong, "filtered" where the options asked for it,
            "unusable" where the row is sound but lacks what a comparison needs.
        first_error: What the first of them held and what was expected, or ""; no part of equality.
    """

    reason: str
    count: int
    examples: tuple[str, ...]
    cause: Cause = "unusable"
    first_error: str = field(default="", compare=False)

    @property
    def sentence(self) -> str:
        """The same in plain words."""
        return f"Left out {self.count:,}: {self.reason} (first at {self.examples[0]})."


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What one pass over the files read and left out.

    Attributes:
        layout: What was recognised.
        n_rows: Rows in the files.
        n_delivered: Rows delivered; a row that holds three votes counts once.
        n_votes: Votes delivered.
        left_out: Rows not delivered, by reason; with ``n_delivered`` they add up to ``n_rows``.
        sentences: The same in plain words, for the terminal.
    """

    layout: Layout
    n_rows: int
    n_delivered: int
    n_votes: int
    left_out: tuple[LeftOut, ...]
    sentences: tuple[str, ...]


def nothing_left(report: ReadReport) -> FormatError:
    """The error that every row was left out, with the reasons."""
    return all_left_out(report.n_rows, report.left_out)


def all_left_out(n_rows: int, left_out: Sequence[LeftOut]) -> FormatError:
    """The same of rows without a layout."""
    reasons = "; ".join(_said(x) for x in left_out)
    return FormatError(f"no row is left to read: all {n_rows:,} rows were left out: {reasons}")


def _said(left: LeftOut) -> str:
    first = f": {left.first_error}" if left.first_error else ""
    return f"{left.count:,}: {left.reason} (first at {left.examples[0]}{first})"


class Tally:
    """Counts while a pass runs.

    Args:
        on_bad: "raise" a ``RowError``, or "count" it.
    """

    def __init__(self, on_bad: Literal["raise", "count"]) -> None:
        self._on_bad = on_bad
        self._n_rows = self._n_delivered = self._n_votes = self._blank_lines = 0
        self._left_out: dict[str, LeftOut] = {}
        self._notes: list[str] = []

    def add_batch(self, batch: RowBatch) -> None:
        """Count a batch's rows, and those of them that could not be read at all."""
        self._n_rows += len(batch.rows) + len(batch.bad)
        self._blank_lines += batch.blank_lines
        for error in batch.bad:
            self.bad(error)

    def add_rows(self, n_rows: int, *, blank_lines: int = 0) -> None:
        """Count rows that could be read, and blank lines passed over."""
        self._n_rows += n_rows
        self._blank_lines += blank_lines

    @property
    def n_rows(self) -> int:
        """Rows counted, those that cannot be read among them."""
        return self._n_rows

    def bad(self, error: RowError) -> None:
        """Raise the error or count its row as left out, as ``on_bad`` says."""
        if self._on_bad == "raise":
            raise error
        first = f"got {error.value}, expected {error.expected}"
        self.leave_out(
            error.reason, error.source, error.line, cause="unreadable", first_error=first
        )

    def leave_out(
        self,
        reason: str,
        source: str,
        line: int,
        *,
        cause: Cause = "unusable",
        first_error: str = "",
    ) -> None:
        """Count one row as left out."""
        before = self._left_out.get(reason, LeftOut(reason, 0, (), cause, first_error))
        examples = before.examples
        if len(examples) < MAX_EXAMPLES:
            examples = (*examples, f"{source}:{line}")
        self._left_out[reason] = replace(before, count=before.count + 1, examples=examples)

    def leave_out_rows(self, reason: str, count: int, examples: Sequence[str]) -> None:
        """Count rows that a filter left out at once, with the first of them as "FILE:LINE"."""
        before = self._left_out.get(reason, LeftOut(reason, 0, (), "filtered"))
        shown = (*before.examples, *examples)[:MAX_EXAMPLES]
        self._left_out[reason] = replace(before, count=before.count + count, examples=shown)

    def delivered(self, n_votes: int, *, n_rows: int = 1) -> None:
        """Count rows as delivered, with the votes that they gave."""
        self._n_delivered += n_rows
        self._n_votes += n_votes

    def note(self, sentence: str) -> None:
        """Add a sentence to the report."""
        self._notes.append(sentence)

    def left_out(self) -> tuple[LeftOut, ...]:
        """What was left out so far, the most frequent reason first."""
        return tuple(sorted(self._left_out.values(), key=lambda left: -left.count))

    def report(self, layout: Layout) -> ReadReport:
        """What was counted."""
        left_out = self.left_out()
        return ReadReport(
            layout,
            self._n_rows,
            self._n_delivered,
            self._n_votes,
            left_out,
            tuple(self._sentences(layout, left_out)),
        )

    def _sentences(self, layout: Layout, left_out: tuple[LeftOut, ...]) -> list[str]:
        said = [f"Read as {layout.sentence}."]
        rows = f"{self._n_delivered:,} of {self._n_rows:,} rows"
        votes = f", {self._n_votes:,} votes" if self._n_votes != self._n_delivered else ""
        said.append(f"Delivered {rows}{votes}.")
        said += [x.sentence for x in left_out]
        if self._blank_lines:
            said.append(f"Passed over {self._blank_lines:,} blank lines.")
        return said + self._notes
