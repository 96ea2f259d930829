"""Rows of Parquet files, Arrow files and directories that HF datasets saved, by pyarrow alone."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from rewardlab.errors import FormatError
from rewardlab.preferences.packing import Packing
from rewardlab.preferences.tables import RawBatch, RawTable
from rewardlab.preferences.tagged_json import load_tagged

JSON_FIELD = b"rewardlab.json"
"""Metadata key of a Parquet field whose text is JSON, put there by rewardlab's own writer."""

_FAULTS = (
    pa.ArrowException,
    OSError,
    EOFError,
    zlib.error,
    ValueError,
    KeyError,
    OverflowError,
    RecursionError,
    MemoryError,  # a damaged length asks for more than there is
)
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


class ArrowTable:
    """One table in one or more Parquet or Arrow files. Has the attributes of ``RawTable``."""

    def __init__(
        self, source: str, paths: tuple[Path, ...], packing: Packing, split: str | None = None
    ) -> None:
        self._paths, self._packing = paths, packing
        self.source = source
        self.blank_is_none = False
        self.split = split

    def batches(self, batch_rows: int) -> Iterator[RawBatch]:
        """The rows in order, at most ``batch_rows`` a batch."""
        row = 0
        for i, path in enumerate(self._paths):
            for part, share in self._record_batches(path, batch_rows):
                rows = self._rows(part, row)
                lines = list(range(row + 1, row + 1 + len(rows)))
                row += len(rows)
                yield RawBatch(lines, rows, (), 0, (i + share) / len(self._paths))

    def _rows(self, part: pa.RecordBatch, row: int) -> list[dict[str, Any]]:
        try:
            names = part.schema.names
            columns = [_values(part, i) for i in range(len(names))]
        except _FAULTS as error:
            raise FormatError(
                f"{self.source}, rows {row + 1} to {row + part.num_rows}: cannot be read: {error}"
            ) from error
        for name in names:
            if names.count(name) > 1:
                raise FormatError(f"{self.source}: the column {name!r} stands twice")
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]

    def _record_batches(
        self, path: Path, batch_rows: int
    ) -> Iterator[tuple[pa.RecordBatch, float]]:
        """(record batch, share of this file) in order."""
        with path.open("rb") as raw, tempfile.TemporaryFile() as spare:
            try:
                file = _seekable(raw, spare) if self._packing.gzipped else raw
                if self._packing.kind == "parquet":
                    yield from _parquet_batches(file, batch_rows)
                else:
                    yield from _arrow_batches(path, file, self._packing.kind, batch_rows)
            except FormatError:
                raise
            except _FAULTS as error:
                message = " ".join(str(error).split())
                raise FormatError(f"{path}: is truncated or damaged: {message}") from error


def _values(part: pa.RecordBatch, i: int) -> list[Any]:
    field = part.schema.field(i)
    values: list[Any] = part.column(i).to_pylist()
    if field.metadata and field.metadata.get(JSON_FIELD):
        return [None if value is None else load_tagged(value) for value in values]
    return values


def _seekable(raw: IO[bytes], spare: IO[bytes]) -> IO[bytes]:
    """``spare``, filled with the decompressed bytes, as Parquet is read from its end."""
    with gzip.open(raw) as stream:
        shutil.copyfileobj(stream, spare, 1 << 20)
    spare.seek(0)
    return spare


def _parquet_batches(file: Any, batch_rows: int) -> Iterator[tuple[pa.RecordBatch, float]]:
    parquet = pq.ParquetFile(file, page_checksum_verification=True)
    total, done = max(1, parquet.metadata.num_rows), 0
    for part in parquet.iter_batches(batch_size=batch_rows):
        done += part.num_rows
        yield part, min(1.0, done / total)
    if done != parquet.metadata.num_rows:
        raise ValueError(f"{done} rows found where {parquet.metadata.num_rows} are announced")


def _arrow_batches(
    path: Path, file: Any, kind: str, batch_rows: int
) -> Iterator[tuple[pa.RecordBatch, float]]:
    size = file.seek(0, 2)
    if kind == "arrow-stream":
        # A stream cut between two messages reads as a shorter one, so its end mark is looked for.
        file.seek(max(0, size - len(_END_OF_STREAM)))
        if file.read() != _END_OF_STREAM:
            raise FormatError(f"{path}: is truncated: the end mark of an Arrow stream is missing")
    file.seek(0)
    if kind == "arrow-stream":
        stream = pa.ipc.open_stream(file)
    else:
        opened = pa.ipc.open_file(file)
        stream = (opened.get_batch(i) for i in range(opened.num_record_batches))
    for whole in stream:
        whole.validate(full=True)
        for start in range(0, whole.num_rows, batch_rows):
            yield whole.slice(start, batch_rows), min(1.0, file.tell() / max(1, size))


def open_directory(folder: Path) -> list[RawTable]:
    """The tables of a directory saved by HF datasets' ``save_to_disk``.

    Raises:
        FormatError: The directory is not such a one, or a file that it names is missing.
    """
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
    source = str(folder)
    return ArrowTable(source, paths, Packing("arrow-stream", gzipped=False), split)


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
