"""CSV files as Arrow batches, where their bytes leave no doubt how they are to be read."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from pyarrow import csv

from rewardlab.preferences.packing import open_bytes
from rewardlab.preferences.text_tables import MOST_HEADER_BYTES, delimiter_of

BLOCK_BYTES = 4 << 20
"""Bytes parsed at once; a record must fit."""
SCANNED_BYTES = 1 << 18
"""Bytes looked at at once, few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """What the bytes of a CSV file say of its records.

    Attributes:
        delimiter: The separator.
        has_quotes: Whether a field may be quoted.
        n_empty_lines: Lines without a character, be it in a quoted field.
    """

    delimiter: str
    has_quotes: bool
    n_empty_lines: int


def facts_of_csv(stream: IO[bytes]) -> CsvFacts | None:
    """What the bytes say; None where strict reading by the csv module might say otherwise.

    That is where bytes are no UTF-8, where a lone carriage return or NUL occurs, and where a
    quotation mark stands between two characters neither of which is a separator or another mark.

    Args:
        stream: The file's (decompressed) bytes; read to its end.
    """
    delimiter = delimiter_of(stream.readline(MOST_HEADER_BYTES))
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    mark = re.escape(delimiter.encode())
    loose = re.compile(b'[^%b\n"]"[^%b\n"]' % (mark, mark))
    n_quotes = n_empty = 0
    before = b"\n"
    while block := stream.read(SCANNED_BYTES):
        if b"\r" in block:
            block = _plain_line_ends(block + (stream.read(1) if block.endswith(b"\r") else b""))
        if b"\r" in block or not _is_text(decoder, block):
            return None
        seam = before + block
        is_end = np.frombuffer(seam, np.uint8)[len(before) - 1 :] == ord("\n")
        n_empty += int(np.count_nonzero(is_end[1:] & is_end[:-1]))
        if b'"' in block:
            n_quotes += block.count(b'"')
            if loose.search(seam):
                return None
        before = seam[-2:]
    if n_quotes % 2 or decoder.getstate()[0]:
        return None
    return CsvFacts(delimiter, n_quotes > 0, n_empty)


def _plain_line_ends(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n")


def _is_text(decoder: codecs.IncrementalDecoder, block: bytes) -> bool:
    if b"\0" in block:
        return False
    if block.isascii() and not decoder.getstate()[0]:
        return True
    try:
        decoder.decode(block)
    except UnicodeDecodeError:
        return False
    return True


def csv_bytes(path: Path, gzipped: bool) -> IO[bytes]:
    """The file's bytes, from any place; a compressed file is held in memory."""
    with open_bytes(path, gzipped) as stream:
        return io.BytesIO(stream.read()) if gzipped else path.open("rb")


def csv_batches(
    stream: IO[bytes], facts: CsvFacts, columns: Sequence[str]
) -> Generator[pa.RecordBatch]:
    """The named columns as dictionaries of texts, block by block.

    Raises:
        pyarrow.ArrowException: A record has another number of fields than the header, or is longer
            than a block.
    """
    text = pa.dictionary(pa.int32(), pa.string())
    # With quotes a blank line could be part of a field; outside of one it is then refused.
    skips_empty = not facts.has_quotes
    with (
        _native(stream) as source,
        csv.open_csv(
            source,
            read_options=csv.ReadOptions(block_size=BLOCK_BYTES),
            parse_options=csv.ParseOptions(
                delimiter=facts.delimiter,
                newlines_in_values=facts.has_quotes,
                ignore_empty_lines=skips_empty,
            ),
            convert_options=csv.ConvertOptions(
                include_columns=list(columns),
                column_types=dict.fromkeys(columns, text),
                strings_can_be_null=False,
            ),
        ) as batches,
    ):
        yield from batches


def _native(stream: IO[bytes]) -> pa.NativeFile:
    """The same bytes for Arrow's own threads: calls into Python could outlast the interpreter."""
    if isinstance(stream, io.BytesIO):
        return pa.BufferReader(stream.getvalue())
    return pa.OSFile(stream.name)
