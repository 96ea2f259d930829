"""From paths to recognised sources of rows: tables, filters and joined texts put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.column_names import no_such_column
from rewardlab.preferences.conventions.convention import Convention, Kind
from rewardlab.preferences.joining import NO_TEXT, JoinedTexts
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.own_labels import meanings, require_meanings, with_labels
from rewardlab.preferences.recognition import Layout, recognise
from rewardlab.preferences.rows import Row, RowBatch
from rewardlab.preferences.tables import RawTable, open_tables
from rewardlab.preferences.tallies import Tally
from rewardlab.types import Outcome

T = TypeVar("T")

SAMPLE_ROWS = 500
"""Rows looked at to recognise a file."""

BATCH_ROWS = 1_000
"""Raw rows held at a time: what is made of them is smaller, and the raw rows are soon let go."""

MAX_VALUES = 8
"""Values of a column that are listed where a filter keeps no row."""

_MAX_COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The rows of a table that a filter keeps, with their texts.

    Attributes:
        table: The raw rows.
        where: Column -> text that rows must have to be read.
        joined: Texts to put into the rows; None where the rows hold what there is.
        labels: What the file's own labels mean, where the user says it.
    """

    table: RawTable
    where: Mapping[str, str]
    joined: JoinedTexts | None
    labels: Mapping[str, Outcome]

    def of(self, batch: RowBatch, tally: Tally) -> list[Row]:
        """The batch's rows that are kept; the rest is counted."""
        if self.labels:
            for unread in batch.rows:
                unread.labels = self.labels
        if not self.where and self.joined is None:
            return batch.rows
        return [row for raw in batch.rows if (row := self._kept(raw, tally)) is not None]

    def _kept(self, row: Row, tally: Tally) -> Row | None:
        for column, wanted in self.where.items():
            if as_word(row.values.get(column)) != wanted:
                reason = f"{column} is not {wanted!r}"
                tally.leave_out(reason, row.source, row.line, cause="filtered")
                return None
        if self.joined is None:
            return row
        try:
            full = self.joined.join(row)
        except RowError as error:
            tally.bad(error)
            return None
        if full is None:
            tally.leave_out(NO_TEXT, row.source, row.line)
        return full


def as_word(value: Any) -> str:
    """A value as ``--where`` spells it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True, slots=True)
class RowSource:
    """A table whose convention is known.

    Attributes:
        rows: Its rows.
        convention: What they follow.
        layout: The same, with the file's columns.
        claimed: Columns that are fields, and so not among the extra ones.
        sample: The first rows, as looked at to recognise them.
    """

    rows: KeptRows
    convention: Convention
    layout: Layout
    claimed: frozenset[str]
    sample: tuple[Row, ...]

    def extra_of(self, row: Row) -> dict[str, Any]:
        """The row's columns that are no fields."""
        if self.claimed.issuperset(row.values):
            return {}
        return {name: value for name, value in row.values.items() if name not in self.claimed}

    def read(
        self, decode: Callable[[Row], Iterable[T]], *, chunk_rows: int, tally: Tally
    ) -> Iterator[tuple[list[T], float]]:
        """(what ``decode`` makes of the next rows, share read); rows that it refuses are counted.

        At least ``chunk_rows`` rows go into a chunk, and at most ``BATCH_ROWS`` more; raw rows are
        held a batch at a time.

        Raises:
            RowError: A row cannot be read, and the tally does not count such rows.
        """
        found: list[T] = []
        n_read, share = 0, 1.0
        for batch in self.rows.table.batches(min(chunk_rows, BATCH_ROWS)):
            tally.add_batch(batch)
            for row in self.rows.of(batch, tally):
                try:
                    found += decode(row)
                except RowError as error:
                    tally.bad(error)
            n_read, share = n_read + len(batch), batch.share
            if n_read >= chunk_rows:
                yield found, share
                found, n_read = [], 0
        yield found, share


def open_sources(
    paths: Path | Sequence[Path], options: ReadOptions, *, kinds: Sequence[Kind]
) -> list[RowSource]:
    """The recognised tables behind the paths, each a split where there are several.

    Args:
        paths: One file or more.
        options: How to read them.
        kinds: The kinds of rows wanted.

    Raises:
        InputError: No file is given, or one twice: its votes would count double.
        FormatError: A file is missing or damaged, its layout is not recognised or not wanted, or
            the files differ in layout.
        RowError: One of the first rows cannot be read at all, and ``on_bad`` is "raise".
    """
    several = [paths] if isinstance(paths, Path) else list(paths)
    if not several:
        raise InputError("paths: expected at least one file, got none")
    if options.chunk_rows < 1:
        raise InputError(f"chunk_rows: expected at least 1, got {options.chunk_rows}")
    _require_each_once(several)
    tables = []
    for path in several:
        for table in open_tables(path):
            if len(several) > 1 and table.split is None:
                table.split = path.name.split(".")[0] or path.name
            tables.append(table)
    joined = None
    if options.join is not None:
        if not options.join_on:
            raise InputError("join_on: expected the column that votes and texts share, got ''")
        joined = JoinedTexts(options.join, on=options.join_on, mapped=options.columns)
    labels = meanings(options.labels)
    sources = [
        _open_source(KeptRows(table, dict(options.where), joined, labels), options, kinds)
        for table in tables
    ]
    _require_one_layout(sources)
    if labels:
        require_meanings(_rows_with_columns(sources), sources[0].convention, options.labels)
    else:
        sources[0].convention.settle(_rows_with_columns(sources))
    return sources


def _require_each_once(paths: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in paths:
        real = path.resolve()
        if real in seen:
            raise InputError(f"{path}: is given twice; its rows would count double")
        seen.add(real)


def _open_source(kept: KeptRows, options: ReadOptions, kinds: Sequence[Kind]) -> RowSource:
    rows = _first_rows(kept, options)
    mapped = dict(options.columns)
    if kept.joined is not None:
        # A mapping onto a column of the file of texts is done by the join itself.
        here = {name for row in rows for name in row.values}
        mapped = {f: c for f, c in mapped.items() if c in here or c not in kept.joined.columns}
    convention, layout = recognise(
        kept.table.source,
        rows,
        forced=options.format,
        mapped=mapped,
        kinds=kinds,
        needs=options.needs,
    )
    if options.labels:
        layout = with_labels(kept.table.source, convention, layout, options.labels)
    claimed = frozenset(c for f, c in layout.columns.items() if f not in convention.kept)
    return RowSource(kept, convention, layout, claimed, tuple(rows))


def _rows_with_columns(sources: Sequence[RowSource]) -> Iterator[tuple[Row, Mapping[str, str]]]:
    """Every row that is kept, with its file's columns."""
    for source in sources:
        for batch in source.rows.table.batches(SAMPLE_ROWS):
            for row in source.rows.of(batch, Tally("count")):
                yield row, source.layout.columns


def _first_rows(kept: KeptRows, options: ReadOptions) -> list[Row]:
    """The first rows that the filter keeps, with their texts."""
    source = kept.table.source
    tally = Tally("count")
    first_bad: RowError | None = None
    seen: dict[str, None] = {}
    values: dict[str, Counter[str]] = {column: Counter() for column in kept.where}
    for batch in kept.table.batches(SAMPLE_ROWS):
        first_bad = first_bad or next(iter(batch.bad), None)
        if first_bad is not None and options.on_bad == "raise":
            raise first_bad
        seen.update((name, None) for row in batch.rows for name in row.values)
        if batch.rows:
            _require_columns(source, options, seen)
        rows = kept.of(batch, tally)
        if rows:
            return rows
        for column, counts in values.items():
            if len(counts) < _MAX_COUNTED:
                counts.update(as_word(row.values.get(column)) for row in batch.rows)
    if first_bad is not None and not seen:
        raise first_bad
    reasons = "; ".join(f"{x.count:,}: {x.reason}" for x in tally.left_out())
    if not reasons:
        raise FormatError(f"{source}: the file holds no rows")
    held = "".join(f"; {_values_said(column, counts)}" for column, counts in values.items())
    raise FormatError(f"{source}: no row is left to read: {reasons}{held}")


def _values_said(column: str, counts: Counter[str]) -> str:
    """What a column holds, the most frequent values first."""
    shown = ", ".join(f"{value!r} ({n:,})" for value, n in counts.most_common(MAX_VALUES))
    return f"{column} holds {shown}{', ...' if len(counts) > MAX_VALUES else ''}"


def _require_columns(source: str, options: ReadOptions, seen: Mapping[str, None]) -> None:
    for column in options.where:
        if column not in seen:
            raise no_such_column(source, f"--where {column}=...", column, seen)
    if options.join is not None and options.join_on not in seen:
        raise no_such_column(source, f"--on {options.join_on}", options.join_on, seen)


def _require_one_layout(sources: Sequence[RowSource]) -> None:
    first = sources[0]
    for source in sources[1:]:
        here, there = first.layout, source.layout
        if (here.name, here.sides_recorded) != (there.name, there.sides_recorded):
            raise FormatError(
                f"the files differ in layout: {first.rows.table.source} is {here.name}, "
                f"{source.rows.table.source} is {there.name}; read them apart, or convert one of "
                "them"
            )
