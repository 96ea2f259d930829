"""Reading preferences from files: open, recognise, stream, and say what was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.assembly import VoteColumns
from rewardlab.preferences.layouts import Layout, Recognised, recognise
from rewardlab.preferences.rows import Row
from rewardlab.preferences.tables import RawTable, open_tables
from rewardlab.preferences.tallies import LeftOut, ReadReport, Tally
from rewardlab.types import Preferences, concat

Progress = Callable[[float], None]
SAMPLE_ROWS = 500
"""Rows looked at to recognise a file."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read preferences.

    Attributes:
        format: Name of the convention to force; None to recognise it.
        columns: Field -> column, where a file's names are others: {"annotator": "worker"}.
        where: Column -> text; rows whose column is another are left out and counted.
        join: File with the texts of the pairs that the votes name.
        join_on: The column that votes and texts share.
        rating: Name of the rating by which ratings become comparisons.
        from_rankings: True to turn rankings into comparisons.
        on_bad: "raise" on a row that cannot be read, or leave it out and "count" it.
        chunk_rows: Rows a chunk, at least 1.
    """

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    join: Path | None = None
    join_on: str = ""
    rating: str | None = None
    from_rankings: bool = False
    on_bad: Literal["raise", "count"] = "raise"
    chunk_rows: int = 20_000


class PreferenceReader:
    """Reads preferences from files, any number of times; holds no rows itself.

    Attributes:
        layout: What was recognised.
    """

    def __init__(self, tables: Sequence[RawTable], options: ReadOptions) -> None:
        self._tables, self._options = tables, options
        self._recognised = [_recognise_table(table, options) for table in tables]
        self.layout: Layout = self._recognised[0].layout
        self._report: ReadReport | None = None

    @property
    def report(self) -> ReadReport:
        """What the last complete pass read and left out.

        Raises:
            InputError: No pass is complete yet.
        """
        if self._report is None:
            raise InputError("report: expected a complete pass over chunks() or read() before it")
        return self._report

    def chunks(self, *, on_progress: Progress | None = None) -> Iterator[Preferences]:
        """The preferences in order, in chunks of ``chunk_rows`` rows of the file.

        Args:
            on_progress: Called with the share of the files' bytes read, in [0, 1].

        Raises:
            FormatError: A file is damaged, or holds no rows.
            RowError: A row cannot be read, and ``on_bad`` is "raise".
        """
        tally = Tally(self._options.on_bad)
        for i, (table, recognised) in enumerate(zip(self._tables, self._recognised, strict=True)):
            for chunk, share in self._table_chunks(table, recognised, tally):
                if on_progress is not None:
                    on_progress((i + share) / len(self._tables))
                if len(chunk):
                    yield chunk
        self._report = tally.report(self.layout)

    def read(self, *, on_progress: Progress | None = None) -> Preferences:
        """All preferences at once.

        Raises:
            FormatError: A file is damaged, or no row is left to deliver.
            RowError: A row cannot be read, and ``on_bad`` is "raise".
        """
        chunks = list(self.chunks(on_progress=on_progress))
        if not chunks:
            reasons = "; ".join(f"{x.count:,} {x.reason}" for x in self.report.left_out)
            raise FormatError(f"{self._tables[0].source}: every row was left out: {reasons}")
        return chunks[0] if len(chunks) == 1 else concat(chunks)

    def _table_chunks(
        self, table: RawTable, recognised: Recognised, tally: Tally
    ) -> Iterator[tuple[Preferences, float]]:
        columns = VoteColumns(recognised, split=table.split)
        decode, mapping = recognised.convention.decode, recognised.layout.columns
        for batch in table.batches(self._options.chunk_rows):
            tally.add_batch(batch)
            for line, values in zip(batch.lines, batch.rows, strict=True):
                row = Row(table.source, line, values, table.blank_is_none)
                try:
                    votes = list(decode(row, mapping))
                    columns.add(row, votes)
                except RowError as error:
                    tally.bad(error)
                else:
                    tally.delivered(len(votes))
            yield columns.done(), batch.share


def _recognise_table(table: RawTable, options: ReadOptions) -> Recognised:
    first_bad: RowError | None = None
    for batch in table.batches(SAMPLE_ROWS):
        rows = [
            Row(table.source, line, values, table.blank_is_none)
            for line, values in zip(batch.lines, batch.rows, strict=True)
        ]
        first_bad = first_bad or next(iter(batch.bad), None)
        if first_bad is not None and options.on_bad == "raise":
            raise first_bad
        if rows:
            return recognise(table.source, rows, forced=options.format, mapped=options.columns)
    if first_bad is not None:
        raise first_bad
    raise FormatError(f"{table.source}: holds no rows")


def open_preferences(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> PreferenceReader:
    """A reader of the preferences in one or more files.

    Several files are splits, each named by its stem where it has no split column.

    Raises:
        FormatError: A file is missing or damaged, or its layout is not recognised.
        RowError: One of the first rows cannot be read at all, and ``on_bad`` is "raise".
    """
    several = [paths] if isinstance(paths, Path) else list(paths)
    if not several:
        raise InputError("paths: expected at least one file, got none")
    tables = [table for path in several for table in open_tables(path)]
    if len(several) > 1:
        for table in tables:
            table.split = table.split or _stem(table.source)
    return PreferenceReader(tables, options or ReadOptions())


def _stem(source: str) -> str:
    name = Path(source).name
    return name.split(".")[0] or name


def read_preferences(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> Preferences:
    """All preferences of one or more files; see ``open_preferences``."""
    return open_preferences(paths, options).read()


__all__ = [
    "Layout",
    "LeftOut",
    "PreferenceReader",
    "ReadOptions",
    "ReadReport",
    "open_preferences",
    "read_preferences",
]
