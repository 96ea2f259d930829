"""Rows of JSON Lines, JSON arrays and CSV, with true line numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.packing import UTF8_BOM, ByteLines, Packing, open_bytes
from rewardlab.preferences.strict_json import decode, decode_at, fault, is_lone_surrogate
from rewardlab.preferences.tables import RawBatch
from rewardlab.preferences.tagged_json import untag

CSV_FIELD_LIMIT = 16 * 2**20
"""Longest CSV field, in characters; the csv module's own limit, 131,072, cuts real transcripts."""

_EXPECTED_OBJECT = "one JSON object a line"


def decode_object(source: str, line: int, raw: bytes) -> dict[str, Any]:
    """The JSON object on one line.

    Raises:
        RowError: It is not UTF-8, not JSON, not an object, nested too deep, or names a key twice.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = raw[max(0, error.start - 10) : error.end + 10]
        raise RowError(source, line, "", bad, "valid UTF-8", reason="not valid UTF-8") from error
    try:
        value = decode(text)
        if '"$rewardlab"' in text:
            value = untag(value)
    except ValueError as error:
        said, at = fault(error)
        expected = f"{_EXPECTED_OBJECT} ({said})"
        shown = text[max(0, at - 30) : at + 30]
        raise RowError(source, line, "", shown, expected, reason="not valid JSON") from error
    if not isinstance(value, dict):
        raise RowError(source, line, "", value, _EXPECTED_OBJECT, reason="not a JSON object")
    return value


class JsonTable:
    """JSON Lines, or one JSON array of objects. Has the attributes of ``RawTable``."""

    def __init__(self, path: Path, packing: Packing) -> None:
        self._path, self._packing = path, packing
        self.source = str(path)
        self.blank_is_none = False
        self.split: str | None = None

    def batches(self, batch_rows: int) -> Iterator[RawBatch]:
        """The rows in order, at most ``batch_rows`` a batch."""
        if self._packing.kind == "json":
            return self._array(batch_rows)
        return self._lines(batch_rows)

    def _lines(self, batch_rows: int) -> Iterator[RawBatch]:
        lines = ByteLines(self._path, self._packing.gzipped)
        batch = _Filling()
        for raw in lines:
            if raw.isspace():
                batch.blank_lines += 1
                continue
            try:
                batch.add(lines.number, decode_object(self.source, lines.number, raw))
            except RowError as error:
                batch.bad.append(error)
            if batch.n_rows >= batch_rows:
                yield batch.done(lines.share())
                batch = _Filling()
        yield batch.done(1.0)

    def _array(self, batch_rows: int) -> Iterator[RawBatch]:
        text = _whole_text(self._path, self._packing.gzipped)
        batch = _Filling()
        for line, end, value in _array_items(self.source, text):
            if isinstance(value, dict):
                batch.add(line, value)
            else:
                expected = "a JSON object in the array"
                batch.bad.append(
                    RowError(self.source, line, "", value, expected, reason="not a JSON object")
                )
            if batch.n_rows >= batch_rows:
                yield batch.done(end / len(text))
                batch = _Filling()
        yield batch.done(1.0)


class _Filling:
    """A batch while it fills."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.rows: list[dict[str, Any]] = []
        self.bad: list[RowError] = []
        self.blank_lines = 0

    @property
    def n_rows(self) -> int:
        return len(self.rows) + len(self.bad)

    def add(self, line: int, row: dict[str, Any]) -> None:
        self.lines.append(line)
        self.rows.append(row)

    def done(self, share: float) -> RawBatch:
        return RawBatch(self.lines, self.rows, tuple(self.bad), self.blank_lines, share)


def _whole_text(path: Path, gzipped: bool) -> str:
    lines = ByteLines(path, gzipped)
    parts = []
    for raw in lines:
        try:
            parts.append(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            expected = "valid UTF-8"
            raise RowError(
                str(path), lines.number, "", raw[:40], expected, reason="not valid UTF-8"
            ) from error
    return "".join(parts)


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _array_items(source: str, text: str) -> Iterator[tuple[int, int, Any]]:
    """(line, end, value) of each item of the JSON array that ``text`` is."""
    at = _skip_space(text, text.index("[") + 1)
    line, counted = 1 + text.count("\n", 0, at), at
    if text[at : at + 1] == "]":
        return
    while True:
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, end = decode_at(text, at)
            value = untag(value) if '"$rewardlab"' in text[at:end] else value
        except ValueError as error:
            said, place = fault(error)
            place = max(at, place)
            line += text.count("\n", at, place)
            expected = f"a JSON array of objects ({said})"
            shown = text[max(at, place - 30) : place + 30]
            raise RowError(source, line, "", shown, expected, reason="not valid JSON") from error
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


class CsvTable:
    """CSV with a header, quoted as in RFC 4180. Has the attributes of ``RawTable``.

    The separator is the one of comma, semicolon and tab that splits the header most.
    """

    def __init__(self, path: Path, packing: Packing) -> None:
        self._path, self._packing = path, packing
        self.source = str(path)
        self.blank_is_none = True
        self.split: str | None = None

    def batches(self, batch_rows: int) -> Iterator[RawBatch]:
        """The rows in order, at most ``batch_rows`` a batch."""
        lines = ByteLines(self._path, self._packing.gzipped)
        # Undecodable bytes become lone surrogates here, so that a record's extent is still known.
        texts = (raw.decode("utf-8", "surrogateescape") for raw in lines)
        reader = csv.reader(texts, delimiter=self._delimiter(), strict=True)
        header: list[str] | None = None
        while True:
            batch = _Filling()
            with _WiderFields():
                if header is None:
                    header = self._header(reader)
                ended = self._fill(batch, reader, header, batch_rows)
            yield batch.done(1.0 if ended else lines.share())
            if ended:
                return

    def _delimiter(self) -> str:
        with open_bytes(self._path, self._packing.gzipped) as stream:
            first = stream.readline(1 << 20).removeprefix(UTF8_BOM)
        return max((",", ";", "\t"), key=lambda mark: first.count(mark.encode()))

    def _header(self, reader: Any) -> list[str]:
        header = next(_records(self.source, reader), (0, []))[1]
        for name in header:
            if header.count(name) > 1:
                raise FormatError(
                    f"{self.source}, line 1: the column {name!r} stands twice in the header; "
                    "rename one of them"
                )
            if is_lone_surrogate(name):
                raise FormatError(f"{self.source}, line 1: the header is not valid UTF-8")
        return header

    def _fill(self, batch: _Filling, reader: Any, header: list[str], batch_rows: int) -> bool:
        """Fill the batch; True where the file ended."""
        for line, record in _records(self.source, reader):
            if not record:
                batch.blank_lines += 1
            elif len(record) != len(header):
                expected = f"{len(header)} fields, as in the header (found {len(record)})"
                reason = f"a record of {len(record)} fields under a header of {len(header)}"
                batch.bad.append(RowError(self.source, line, "", record, expected, reason=reason))
            elif is_lone_surrogate("".join(record)):
                column = next(
                    c for c, v in zip(header, record, strict=True) if is_lone_surrogate(v)
                )
                value = record[header.index(column)].encode("utf-8", "surrogateescape")
                batch.bad.append(
                    RowError(
                        self.source, line, column, value, "valid UTF-8", reason="not valid UTF-8"
                    )
                )
            else:
                batch.add(line, dict(zip(header, record, strict=True)))
            if batch.n_rows >= batch_rows:
                return False
        return True


class _WiderFields:
    """Lifts the csv module's limit on the length of a field for the time of the block."""

    def __enter__(self) -> None:
        self._before = csv.field_size_limit(CSV_FIELD_LIMIT)

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self._before)


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
