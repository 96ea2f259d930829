"""Raw tables: a file's rows with their line numbers, streamed in batches.

What a file is, is told from its first bytes and not only from its name. JSON Lines, JSON arrays,
CSV and Parquet may each be gzipped; Arrow files and the directories that HF datasets saves are
read too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.errors import FormatError
from rewardlab.preferences.arrow_tables import arrow_rows
from rewardlab.preferences.packing import Packing, recognise_packing
from rewardlab.preferences.rows import Row, RowBatch
from rewardlab.preferences.tallies import Tally
from rewardlab.preferences.text_tables import csv_records, json_array, json_lines

_TEXT_READERS = {"jsonl": json_lines, "json": json_array, "csv": csv_records}


@dataclass(slots=True)
class RawTable:
    """A table whose rows stream in batches, any number of times.

    Attributes:
        source: Name of the file as given.
        batches: Gives the rows in order, at most so many a batch.
        split: Name of the split this table is, where its container names it.
    """

    source: str
    batches: Callable[[int], Iterator[RowBatch]]
    split: str | None = None


def open_tables(path: Path) -> list[RawTable]:
    """The tables behind ``path``: one, or one a split for a saved ``DatasetDict``.

    Raises:
        FormatError: There is no such file, or it is not of a kind that can be read.
    """
    if path.is_dir():
        return _saved_tables(path)
    packing = recognise_packing(path)
    if packing.kind in _TEXT_READERS:
        batches = partial(_TEXT_READERS[packing.kind], path, packing.gzipped)
        return [RawTable(str(path), batches)]
    return [RawTable(str(path), partial(arrow_rows, str(path), (path,), packing))]


def read_rows(path: Path, tally: Tally | None = None) -> Iterator[Row]:
    """Each row of a file, streamed.

    Args:
        path: The file.
        tally: Counts the rows, and those that cannot be read if it is to count them; else such a
            row is an error.

    Raises:
        FormatError: The file is missing, holds no rows, or is not of a kind that can be read.
        RowError: A row cannot be read.
    """
    is_empty, tally = True, tally or Tally("raise")
    for table in open_tables(path):
        for batch in table.batches(5_000):
            tally.add_batch(batch)
            is_empty = is_empty and not batch.rows
            yield from batch.rows
    if is_empty:
        raise FormatError(f"{path}: the file holds no rows")


def read_table(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row of a file as (line, column -> value); see ``read_rows``."""
    return ((row.line, row.values) for row in read_rows(path))


def _saved_tables(folder: Path) -> list[RawTable]:
    """The tables of a directory saved by HF datasets' ``save_to_disk``."""
    listing = folder / "dataset_dict.json"
    if not listing.is_file():
        return [_saved_dataset(folder, None)]
    splits = _read_json(listing).get("splits")
    if not isinstance(splits, list) or not all(isinstance(s, str) for s in splits) or not splits:
        raise FormatError(f"{listing}: expected a list of split names under 'splits'")
    return [_saved_dataset(folder / _plain_name(listing, name), name) for name in splits]


def _saved_dataset(folder: Path, split: str | None) -> RawTable:
    state = folder / "state.json"
    if not state.is_file():
        raise FormatError(
            f"{folder}: the directory is no dataset saved by HF datasets (no state.json or "
            "dataset_dict.json in it); give the files in it one by one instead"
        )
    files = _read_json(state).get("_data_files")
    if not isinstance(files, list) or not all(isinstance(f, dict) for f in files):
        raise FormatError(f"{state}: expected a list of files under '_data_files'")
    paths = tuple(folder / _plain_name(state, file.get("filename")) for file in files)
    for path in paths:
        if not path.is_file():
            raise FormatError(f"{state}: names the file {path.name!r}, which is missing")
    if _read_json(state).get("_indices_files") or (folder / "indices.arrow").exists():
        raise FormatError(f"{folder}: rows are picked by an index; save it after flatten_indices()")
    packing = Packing("arrow-stream", gzipped=False)
    return RawTable(str(folder), partial(arrow_rows, str(folder), paths, packing), split)


def _plain_name(listing: Path, name: object) -> str:
    if not isinstance(name, str) or not name or Path(name).name != name:
        raise FormatError(f"{listing}: expected a plain file name, got {name!r}")
    return name


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FormatError(f"{path}: cannot be read as JSON: {error}") from error
    if not isinstance(value, dict):
        raise FormatError(f"{path}: expected a JSON object, got {type(value).__name__}")
    return value
