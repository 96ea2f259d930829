"""Rows of JSON Lines, JSON arrays and CSV, with true line numbers."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.exact_json import fault, is_lone_surrogate, loads, loads_at
from rewardlab.preferences.packing import FROM_LATIN1, UTF8_BOM, ByteLines, open_bytes
from rewardlab.preferences.rows import Row, RowBatch

CSV_FIELD_LIMIT = 16 * 2**20
"""Longest CSV field, in characters; the csv module's own limit, 131,072, cuts real transcripts."""

MOST_HEADER_BYTES = 1 << 20
"""Bytes of a CSV file's first line that are looked at to tell its separator."""

_UTF8 = f"valid UTF-8; {FROM_LATIN1}"
_NOT_UTF8 = "not valid UTF-8"


def json_lines(path: Path, gzipped: bool, batch_rows: int) -> Iterator[RowBatch]:
    """The objects of a JSON Lines file, at most ``batch_rows`` a batch."""
    lines = ByteLines(path, gzipped)
    batch, n = RowBatch(), 0
    source = lines.source
    for number, raw in enumerate(lines, 1):
        if raw.isspace():
            batch.blank_lines += 1
            continue
        try:
            batch.rows.append(Row(source, number, _object(source, number, raw)))
        except RowError as error:
            batch.bad.append(error)
        n += 1
        if n >= batch_rows:
            batch.share = lines.share()
            yield batch
            batch, n = RowBatch(), 0
    yield batch


def _object(source: str, line: int, raw: bytes) -> dict[str, Any]:
    """The JSON object on one line."""
    text = _decoded(source, line, raw)
    expected = "one JSON object a line"
    try:
        value = loads(text)
    except ValueError as error:
        said, at = fault(error)
        shown = text[max(0, at - 30) : at + 30]
        raise _not_json(source, line, shown, f"{expected} ({said})") from error
    if not isinstance(value, dict):
        raise RowError(source, line, "", value, expected, reason="not a JSON object")
    return value


def _decoded(source: str, line: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = raw[max(0, error.start - 10) : error.end + 10]
        raise RowError(source, line, "", bad, _UTF8, reason=_NOT_UTF8) from error


def _not_json(source: str, line: int, shown: str, expected: str) -> RowError:
    return RowError(source, line, "", shown, expected, reason="not valid JSON")


def json_array(path: Path, gzipped: bool, batch_rows: int) -> Iterator[RowBatch]:
    """The objects of a file that is one JSON array, which is held in memory as text."""
    lines = ByteLines(path, gzipped)
    text = "".join([_decoded(lines.source, lines.number, raw) for raw in lines])
    batch = RowBatch()
    for line, end, value in _array_items(lines.source, text):
        if isinstance(value, dict):
            batch.rows.append(Row(lines.source, line, value))
        else:
            expected, reason = "a JSON object in the array", "not a JSON object"
            batch.bad.append(RowError(lines.source, line, "", value, expected, reason=reason))
        if len(batch) >= batch_rows:
            batch.share = end / len(text)
            yield batch
            batch = RowBatch()
    yield batch


def _array_items(source: str, text: str) -> Iterator[tuple[int, int, Any]]:
    """(line, end, value) of each item of the JSON array that ``text`` is."""
    at = _skip_space(text, text.index("[") + 1)
    line, counted = 1 + text.count("\n", 0, at), at
    if text[at : at + 1] == "]":
        return
    while True:
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, end = loads_at(text, at)
        except ValueError as error:
            said, place = fault(error)
            place = max(at, place)
            line += text.count("\n", at, place)
            shown = text[max(at, place - 30) : place + 30]
            raise _not_json(source, line, shown, f"a JSON array of objects ({said})") from error
        yield line, end, value
        at = _skip_space(text, end)
        mark = text[at : at + 1]
        if mark == "]":
            break
        if mark != ",":
            raise RowError(source, line, "", text[at : at + 60], "',' or ']' after an array's item")
        at = _skip_space(text, at + 1)
    rest = text[at + 1 :].strip()
    if rest:
        raise RowError(source, line, "", rest, "nothing after the array")


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def csv_records(path: Path, gzipped: bool, batch_rows: int) -> Iterator[RowBatch]:
    """The records of a CSV file with a header, quoted as in RFC 4180.

    The separator is the one of comma, semicolon and tab that splits the header most.
    """
    with open_bytes(path, gzipped) as stream:
        delimiter = delimiter_of(stream.readline(MOST_HEADER_BYTES))
    lines = ByteLines(path, gzipped)
    # Undecodable bytes become lone surrogates here, so that a record's extent is still known.
    texts = (raw.decode("utf-8", "surrogateescape") for raw in lines)
    records = _records(lines.source, csv.reader(texts, delimiter=delimiter, strict=True))
    with _wider_fields():
        header = _header(lines.source, records)
    ended = False
    while not ended:
        batch = RowBatch()
        with _wider_fields():
            ended = _fill(batch, lines.source, records, header, batch_rows)
        batch.share = 1.0 if ended else lines.share()
        yield batch


def delimiter_of(first_line: bytes) -> str:
    """The separator of a CSV file by its first line, or as much of it as is looked at."""
    line = first_line.removeprefix(UTF8_BOM)
    return max((",", ";", "\t"), key=lambda mark: line.count(mark.encode()))


@contextmanager
def _wider_fields() -> Iterator[None]:
    """Lifts the csv module's limit on the length of a field for the time of the block."""
    before = csv.field_size_limit(CSV_FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _records(source: str, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """(starting line, fields) of each record.

    Raises:
        FormatError: The quoting breaks, after which no later record's start is certain.
    """
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(
                f"{source}, line {line}: broken CSV ({error}); expected fields quoted as in "
                f"RFC 4180, of at most {CSV_FIELD_LIMIT:,} characters"
            ) from error
        yield line, record


def _header(source: str, records: Iterator[tuple[int, list[str]]]) -> list[str]:
    header = next(records, (0, []))[1]
    for name, times in Counter(header).items():
        if times > 1:
            raise FormatError(
                f"{source}, line 1: the column {name!r} stands twice in the header; "
                "rename one of them"
            )
        if is_lone_surrogate(name):
            raise FormatError(f"{source}, line 1: the header is {_NOT_UTF8}; {FROM_LATIN1}")
    return header


def _fill(
    batch: RowBatch,
    source: str,
    records: Iterator[tuple[int, list[str]]],
    header: list[str],
    batch_rows: int,
) -> bool:
    """Fill the batch; True where the file ended."""
    for line, record in records:
        if not record:
            batch.blank_lines += 1
        elif len(record) != len(header):
            expected = f"{len(header)} fields, as in the header (found {len(record)})"
            reason = f"a record of {len(record)} fields under a header of {len(header)}"
            batch.bad.append(RowError(source, line, "", record, expected, reason=reason))
        elif is_lone_surrogate("".join(record)):
            at = next(i for i, value in enumerate(record) if is_lone_surrogate(value))
            value = record[at].encode("utf-8", "surrogateescape")
            batch.bad.append(RowError(source, line, header[at], value, _UTF8, reason=_NOT_UTF8))
        else:
            values = dict(zip(header, record, strict=True))
            batch.rows.append(Row(source, line, values, blank_is_none=True))
        if len(batch) >= batch_rows:
            return False
    return True
