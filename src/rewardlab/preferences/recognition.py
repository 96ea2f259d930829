"""From paths to recognised sources of rows: tables, filters and joined texts put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.conventions.convention import Kind
from rewardlab.preferences.joining import NO_TEXT, JoinedTexts
from rewardlab.preferences.layouts import Recognised, recognise
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.rows import Row
from rewardlab.preferences.tables import RawBatch, RawTable, open_tables
from rewardlab.preferences.tallies import Tally

SAMPLE_ROWS = 500
"""Rows looked at to recognise a file."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """A table whose convention is known.

    Attributes:
        table: The raw rows.
        recognised: Their convention.
        where: Column -> text that rows must have to be read.
        joined: Texts to put into the rows; None where the rows hold what there is.
        sample: The first rows, as looked at to recognise them.
    """

    table: RawTable
    recognised: Recognised
    where: Mapping[str, str]
    joined: JoinedTexts | None
    sample: tuple[Row, ...]

    def batches(self, batch_rows: int, tally: Tally) -> Iterator[tuple[list[Row], float]]:
        """(rows, share read): those that the filter keeps, with their texts; the rest is counted.

        Raises:
            RowError: A row cannot be read, and the tally does not count such rows.
        """
        for batch in self.table.batches(batch_rows):
            tally.add_batch(batch)
            yield _kept(self.table, batch, self.where, self.joined, tally), batch.share


def _kept(
    table: RawTable,
    batch: RawBatch,
    where: Mapping[str, str],
    joined: JoinedTexts | None,
    tally: Tally,
) -> list[Row]:
    rows = []
    for line, values in zip(batch.lines, batch.rows, strict=True):
        unlike = _unlike(values, where) if where else None
        if unlike is not None:
            reason = f"{unlike} is not {where[unlike]!r}"
            tally.leave_out(reason, table.source, line, cause="filtered")
            continue
        row = Row(table.source, line, values, table.blank_is_none)
        if joined is not None:
            try:
                full = joined.join(row)
            except RowError as error:
                tally.bad(error)
                continue
            if full is None:
                tally.leave_out(NO_TEXT, table.source, line)
                continue
            row = full
        rows.append(row)
    return rows


def _unlike(values: Mapping[str, Any], where: Mapping[str, str]) -> str | None:
    """The first column whose value is not the wanted one; None if all are."""
    for column, wanted in where.items():
        if _as_word(values.get(column)) != wanted:
            return column
    return None


def _as_word(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def open_sources(
    paths: Path | Sequence[Path], options: ReadOptions, *, kinds: Sequence[Kind] | None = None
) -> list[RowSource]:
    """The recognised tables behind the paths, each a split where there are several.

    Args:
        paths: One file or more.
        options: How to read them.
        kinds: The kinds of rows wanted; None for preferences and what turns into them.

    Raises:
        FormatError: A file is missing or damaged, or its layout is not recognised or not wanted.
        RowError: One of the first rows cannot be read at all, and ``on_bad`` is "raise".
    """
    several = [paths] if isinstance(paths, Path) else list(paths)
    if not several:
        raise InputError("paths: expected at least one file, got none")
    tables = [table for path in several for table in open_tables(path)]
    if len(several) > 1:
        for table, path in ((t, p) for p in several for t in tables if _is_of(t, p)):
            table.split = table.split or _stem(path)
    joined = None
    if options.join is not None:
        if not options.join_on:
            raise InputError("join_on: expected the column that votes and texts share, got ''")
        joined = JoinedTexts(options.join, on=options.join_on, mapped=options.columns)
    return [_open_source(table, options, joined, kinds) for table in tables]


def _is_of(table: RawTable, path: Path) -> bool:
    return Path(table.source) == path or Path(table.source).parent == path


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.name


def _open_source(
    table: RawTable,
    options: ReadOptions,
    joined: JoinedTexts | None,
    kinds: Sequence[Kind] | None,
) -> RowSource:
    rows = _first_rows(table, options, joined)
    mapped = dict(options.columns)
    if joined is not None:
        # A mapping onto a column of the file of texts is done by the join itself.
        here = {name for row in rows for name in row.values}
        mapped = {f: c for f, c in mapped.items() if c in here or c not in joined.columns}
    recognised = recognise(
        table.source,
        rows,
        forced=options.format,
        mapped=mapped,
        kinds=_wanted(options) if kinds is None else kinds,
    )
    return RowSource(table, recognised, dict(options.where), joined, tuple(rows))


def _wanted(options: ReadOptions) -> tuple[Kind, ...]:
    if options.rating is not None and options.from_rankings:
        raise InputError("--rating and --from-rankings exclude each other; give one of them")
    if options.rating is not None:
        return ("ratings",)
    return ("rankings",) if options.from_rankings else ("preferences",)


def _first_rows(table: RawTable, options: ReadOptions, joined: JoinedTexts | None) -> list[Row]:
    """The first rows that the filter keeps, with their texts."""
    tally = Tally("count")
    first_bad: RowError | None = None
    seen: dict[str, None] = {}
    for batch in table.batches(SAMPLE_ROWS):
        first_bad = first_bad or next(iter(batch.bad), None)
        if first_bad is not None and options.on_bad == "raise":
            raise first_bad
        seen.update((name, None) for values in batch.rows for name in values)
        if batch.rows:
            _require_columns(table.source, options, seen)
        rows = _kept(table, batch, options.where, joined, tally)
        if rows:
            return rows
    if first_bad is not None and not seen:
        raise first_bad
    reasons = "; ".join(f"{x.count:,}: {x.reason}" for x in tally.left_out())
    if reasons:
        raise FormatError(f"{table.source}: no row is left to read: {reasons}")
    raise FormatError(f"{table.source}: the file holds no rows")


def _require_columns(source: str, options: ReadOptions, seen: Mapping[str, None]) -> None:
    for column in options.where:
        if column not in seen:
            raise FormatError(
                f"{source}: --where {column}=...: there is no such column (columns found: "
                f"{', '.join(seen)})"
            )
    if options.join is not None and options.join_on not in seen:
        raise FormatError(
            f"{source}: --on {options.join_on}: there is no such column (columns found: "
            f"{', '.join(seen)})"
        )


def require_one_layout(sources: Sequence[RowSource]) -> None:
    """Check that all files are of one layout.

    Raises:
        FormatError: They are not.
    """
    first = sources[0]
    for source in sources[1:]:
        here, there = first.recognised.layout, source.recognised.layout
        if (here.name, here.sides_recorded) != (there.name, there.sides_recorded):
            raise FormatError(
                f"the files differ in layout: {first.table.source} is {here.name}, "
                f"{source.table.source} is {there.name}; read them apart, or convert one of them"
            )


__all__ = ["RowSource", "open_sources", "require_one_layout"]
