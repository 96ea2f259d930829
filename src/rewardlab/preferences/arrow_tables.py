"""Rows of Parquet and Arrow files, by pyarrow alone."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from rewardlab.errors import FormatError
from rewardlab.preferences.exact_json import loads
from rewardlab.preferences.packing import Packing
from rewardlab.preferences.rows import Row, RowBatch

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


def arrow_rows(
    source: str, paths: tuple[Path, ...], packing: Packing, batch_rows: int
) -> Iterator[RowBatch]:
    """The rows of one table in Parquet or Arrow files, at most ``batch_rows`` a batch."""
    row = 0
    for i, path in enumerate(paths):
        for part, share in _record_batches(path, packing, batch_rows):
            rows = _rows(source, part, row)
            row += len(rows)
            yield RowBatch(rows, share=(i + share) / len(paths))


def _rows(source: str, part: pa.RecordBatch, before: int) -> list[Row]:
    try:
        names = part.schema.names
        columns = [_values(part, i) for i in range(len(names))]
    except _FAULTS as error:
        where = f"{source}, rows {before + 1} to {before + part.num_rows}"
        raise FormatError(f"{where}: cannot be read: {_reason(error)}") from error
    for name, times in Counter(names).items():
        if times > 1:
            raise FormatError(f"{source}: the column {name!r} stands twice")
    rows = enumerate(zip(*columns, strict=True), before + 1)
    return [Row(source, line, dict(zip(names, values, strict=True))) for line, values in rows]


def _record_batches(
    path: Path, packing: Packing, batch_rows: int
) -> Iterator[tuple[pa.RecordBatch, float]]:
    """(record batch, share of this file) in order."""
    with path.open("rb") as raw, tempfile.TemporaryFile() as spare:
        try:
            file = _seekable(raw, spare) if packing.gzipped else raw
            if packing.kind == "parquet":
                yield from _parquet_batches(file, batch_rows)
            else:
                yield from _arrow_batches(path, file, packing.kind, batch_rows)
        except FormatError:
            raise
        except _FAULTS as error:
            raise FormatError(f"{path}: is truncated or damaged: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """The error in one line; running out of memory has no words of its own."""
    if isinstance(error, MemoryError) and not str(error):
        return "it needs more memory than there is"
    return " ".join(str(error).split())


def _values(part: pa.RecordBatch, i: int) -> list[Any]:
    field = part.schema.field(i)
    values: list[Any] = part.column(i).to_pylist()
    if field.metadata and field.metadata.get(JSON_FIELD):
        return [None if value is None else loads(value) for value in values]
    return values


def _seekable(raw: IO[bytes], spare: IO[bytes]) -> IO[bytes]:
    """``spare``, filled with the decompressed bytes, as Parquet is read from its end."""
    with gzip.open(raw) as stream:
        shutil.copyfileobj(stream, spare, 1 << 20)
    spare.seek(0)
    return spare


def _parquet_batches(file: Any, batch_rows: int) -> Iterator[tuple[pa.RecordBatch, float]]:
    import pyarrow.parquet as pq  # not imported where no file is in this format

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
