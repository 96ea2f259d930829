"""Raw tables: a file's rows as dicts with their line numbers, streamed in batches.

What a file is, is told from its first bytes and not only from its name. JSON Lines, JSON arrays,
CSV and Parquet may each be gzipped; Arrow files and the directories that HF datasets saves are
read too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.packing import Packing, recognise_packing


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some consecutive rows of a table, as they came.

    Attributes:
        lines: Length n; 1-based starting line (JSON, CSV) or row (Parquet, Arrow) of each row.
        rows: Length n; column -> value.
        bad: Rows of the same stretch that could not be read at all.
        blank_lines: Number of blank lines passed over.
        share: Share of the file's bytes read so far, in [0, 1].
    """

    lines: list[int]
    rows: list[dict[str, Any]]
    bad: tuple[RowError, ...]
    blank_lines: int
    share: float


class RawTable(Protocol):
    """Anything whose rows stream in batches, any number of times.

    Attributes:
        source: Name of the file as given.
        blank_is_none: True for CSV, which has no null: a blank name or number is an absent one.
        split: Name of the split this table is, where its container names it.
    """

    source: str
    blank_is_none: bool
    split: str | None

    def batches(self, batch_rows: int) -> Iterator[RawBatch]:
        """The rows in order, at most ``batch_rows`` a batch."""
        ...


def open_tables(path: Path) -> list[RawTable]:
    """The tables behind ``path``: one, or one a split for a saved ``DatasetDict``.

    Raises:
        FormatError: There is no such file, or it is not of a kind that can be read.
    """
    from rewardlab.preferences import arrow_tables, text_tables

    if path.is_dir():
        return arrow_tables.open_directory(path)
    packing = recognise_packing(path)
    if packing.kind in ("jsonl", "json"):
        return [text_tables.JsonTable(path, packing)]
    if packing.kind == "csv":
        return [text_tables.CsvTable(path, packing)]
    return [arrow_tables.ArrowTable(str(path), (path,), packing)]


def read_table(path: Path, *, batch_rows: int = 5_000) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row of a file as (line, column -> value), streamed.

    Raises:
        FormatError: The file is missing, holds no rows, or is not of a kind that can be read.
        RowError: A row cannot be read.
    """
    n_rows = 0
    for table in open_tables(path):
        for batch in table.batches(batch_rows):
            if batch.bad:
                raise batch.bad[0]
            n_rows += len(batch.rows)
            yield from zip(batch.lines, batch.rows, strict=True)
    if not n_rows:
        raise FormatError(f"{path}: holds no rows")


__all__ = ["Packing", "RawBatch", "RawTable", "open_tables", "read_table"]
