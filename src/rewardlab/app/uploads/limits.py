"""Bounds of an uploaded file that are checked before anything reads it."""

from __future__ import annotations

import contextlib
import gzip
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from rewardlab.app.config import WITHOUT_LIMIT
from rewardlab.errors import FormatError, InputError
from rewardlab.preferences.packing import Packing, open_bytes, recognise_packing

_PIECE = 1 << 20


def require_small(file: Path, *, unpacked_bytes: int, rows: int) -> None:
    """Refuse a file that unpacks to more than it may, without unpacking more than that.

    Gzip is counted in small pieces that are dropped at once. Parquet is judged by the sizes that
    its metadata announce.

    Args:
        file: The file as it came.
        unpacked_bytes: The most it may hold once decompressed.
        rows: The most rows it may announce.

    Raises:
        FormatError: The file is of no kind that can be read.
        InputError: It unpacks to more.
    """
    packing = recognise_packing(file)
    if packing.gzipped:
        _require_unpacked(_gzip_bytes(file, unpacked_bytes), unpacked_bytes)
    if packing.kind == "parquet":
        _require_parquet(file, packing, unpacked_bytes=unpacked_bytes, rows=rows)


def require_few(n: int, what: str, most: int) -> None:
    """Refuse more rows (or votes) than a file may hold.

    Raises:
        InputError: There are more.
    """
    if n > most:
        raise InputError(
            f"the file holds more than {most:,} {what}, the most that the lab takes; "
            f"upload a part of it, or {WITHOUT_LIMIT}"
        )


def _require_unpacked(n_bytes: int, most: int) -> None:
    if n_bytes > most:
        raise InputError(
            f"the file unpacks to more than {most:,} bytes, the most that the lab takes; "
            f"upload a part of it, or {WITHOUT_LIMIT}"
        )


def _gzip_bytes(file: Path, most: int) -> int:
    """Bytes that the file unpacks to, counted until they are more than ``most``."""
    n_bytes = 0
    try:
        with open_bytes(file, gzipped=True) as stream:
            while n_bytes <= most and (piece := stream.read(_PIECE)):
                n_bytes += len(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{file}: the gzip file is truncated or damaged ({error})") from error
    return n_bytes


def _require_parquet(file: Path, packing: Packing, *, unpacked_bytes: int, rows: int) -> None:
    # A damaged file is left to the reader, which says what is wrong with it.
    with _seekable(file, packing) as stream, contextlib.suppress(pa.ArrowException, OSError):
        about = pq.ParquetFile(stream).metadata
        require_few(about.num_rows, "rows", rows)
        sizes = (about.row_group(k).total_byte_size for k in range(about.num_row_groups))
        _require_unpacked(sum(sizes), unpacked_bytes)


@contextlib.contextmanager
def _seekable(file: Path, packing: Packing) -> Iterator[IO[bytes]]:
    """The Parquet file's bytes; where they are gzipped, from a file that is gone afterwards."""
    if not packing.gzipped:
        with file.open("rb") as raw:
            yield raw
        return
    with tempfile.TemporaryFile() as spare:
        with gzip.open(file) as stream:
            shutil.copyfileobj(stream, spare, _PIECE)
        spare.seek(0)
        yield spare
