"""Writing tables: JSON Lines, CSV and Parquet, each also gzipped, whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from rewardlab.errors import InputError
from rewardlab.preferences.arrow_tables import JSON_FIELD
from rewardlab.preferences.exact_json import dumps

KINDS = (".jsonl", ".csv", ".parquet")
Columns = Mapping[str, Sequence[Any]]
Chunks = Callable[[], Iterable[Columns]]


def suffix_of(path: Path) -> tuple[str, bool]:
    """(".jsonl", ".csv" or ".parquet"; gzipped or not) by the file's name.

    Raises:
        InputError: The name says none of these.
    """
    name = path.name.lower()
    gzipped = name.endswith(".gz")
    plain = name.removesuffix(".gz")
    for suffix in KINDS:
        if plain.endswith(suffix):
            return suffix, gzipped
    raise InputError(f"{path}: expected a name that ends in {', '.join(KINDS)}, or these with .gz")


def require_other_file(out: Path, inputs: Iterable[Path]) -> None:
    """Refuse to replace an input, by whatever name it goes.

    Raises:
        InputError: ``out`` is one of the inputs.
    """
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            raise InputError(
                f"{out}: would replace an input; expected another file than the samples or "
                "preferences that are read"
            )


@contextmanager
def whole_file(path: Path, *, gzipped: bool = False) -> Iterator[IO[bytes]]:
    """A file that takes its name only once the block is through, and is removed if it fails.

    Raises:
        InputError: The folder does not exist or cannot be written to.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as raw:
            if gzipped:
                # No time stamp and no name inside, so that equal content gives equal bytes.
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                    yield cast(IO[bytes], stream)
            else:
                yield raw
        _give_usual_mode(temporary)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _give_usual_mode(temporary: str) -> None:
    """Readable as files usually are, which those of ``mkstemp`` are not."""
    mask = os.umask(0)
    os.umask(mask)
    Path(temporary).chmod(0o666 & ~mask)


def write_columns(
    path: Path,
    chunks: Chunks,
    names: Sequence[str],
    *,
    types: ColumnTypes | None = None,
) -> int:
    """Write chunks of columns; a column that a chunk lacks is null there.

    Args:
        path: The file; its name says the kind.
        chunks: Gives the chunks anew at each call; Parquet takes two passes where ``types`` are
            not given.
        names: The columns, in order.
        types: Of all values in the chunks, where they are known; used for Parquet.

    Returns:
        The number of rows written.

    Raises:
        InputError: The name says no known kind, or a value cannot be written.
    """
    suffix, gzipped = suffix_of(path)
    with whole_file(path, gzipped=gzipped) as stream:
        try:
            if suffix == ".parquet":
                return _write_parquet(stream, chunks, names, types or _types_of(chunks))
            write = _write_jsonl if suffix == ".jsonl" else _write_csv
            return write(stream, chunks, names)
        except UnicodeEncodeError as error:
            bad = error.object[max(0, error.start - 10) : error.end + 10]
            raise InputError(
                f"{path}: {bad!r} cannot be written: a lone surrogate is no character"
            ) from error


def _rows(columns: Columns, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    n = len(next(iter(columns.values()), ()))
    absent = [None] * n
    return zip(*(columns.get(name, absent) for name in names), strict=True)


def _write_jsonl(stream: IO[bytes], chunks: Chunks, names: Sequence[str]) -> int:
    n = 0
    for columns in chunks():
        lines = [dumps(dict(zip(names, row, strict=True))) + "\n" for row in _rows(columns, names)]
        n += len(lines)
        stream.write("".join(lines).encode("utf-8"))
    return n


def _write_csv(stream: IO[bytes], chunks: Chunks, names: Sequence[str]) -> int:
    n = 0
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for columns in chunks():
        for row in _rows(columns, names):
            writer.writerow([_csv_cell(value) for value in row])
            n += 1
        stream.write(text.getvalue().encode("utf-8"))
        text.seek(0)
        text.truncate()
    return n


def _csv_cell(value: Any) -> Any:
    """Lists and objects as JSON, true and false in JSON's spelling, numbers so as to come back."""
    if isinstance(value, (list, dict, bool)):
        return dumps(value)
    return repr(value) if isinstance(value, float) else value


class ColumnTypes:
    """The types of values in columns, gathered chunk by chunk before Parquet is written."""

    def __init__(self) -> None:
        self._found: dict[str, set[pa.DataType | None]] = {}

    def add(self, columns: Columns) -> None:
        """Look at one more chunk."""
        for name, values in columns.items():
            self._found.setdefault(name, set()).update(_types(values))

    def schema(self, names: Sequence[str]) -> pa.Schema:
        """The schema of a file of these columns."""
        return pa.schema([_field(name, self._found.get(name, set())) for name in names])


def _types_of(chunks: Chunks) -> ColumnTypes:
    types = ColumnTypes()
    for columns in chunks():
        types.add(columns)
    return types


def _write_parquet(
    stream: IO[bytes], chunks: Chunks, names: Sequence[str], types: ColumnTypes
) -> int:
    schema = types.schema(names)
    n = 0
    with pq.ParquetWriter(stream, schema, write_page_checksum=True) as writer:
        for columns in chunks():
            size = len(next(iter(columns.values()), ()))
            arrays = [
                _array(columns.get(name, [None] * size), schema.field(name)) for name in names
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            n += size
    return n


_INT64 = 2**63
_MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
_SCALARS = {str: pa.string(), float: pa.float64(), bool: pa.bool_()}


def _types(values: Sequence[Any]) -> set[pa.DataType | None]:
    """The Arrow types that hold the values and give them back unchanged; None where none does."""
    found: set[pa.DataType | None] = set()
    for kind in set(map(type, values)) - {type(None)}:
        alike: Iterator[Any] = (value for value in values if type(value) is kind)
        if kind is int:
            found.add(pa.int64() if all(-_INT64 <= x < _INT64 for x in alike) else None)
        elif kind is list:
            found.add(_MESSAGES if all(map(_all_messages, alike)) else None)
        else:
            found.add(_SCALARS.get(kind))
    return found


def _all_messages(value: list[Any]) -> bool:
    return all(
        type(item) is dict
        and len(item) == 2
        and type(item.get("role")) is str
        and type(item.get("content")) is str
        for item in value
    )


def _field(name: str, types: set[pa.DataType | None]) -> pa.Field:
    """The field of a column; JSON where its values are of several types, or of none."""
    if len(types) == 1 and None not in types:
        return pa.field(name, next(iter(types)))
    return pa.field(name, pa.string(), metadata={JSON_FIELD: b"1"})


def _array(values: Sequence[Any], field: pa.Field) -> pa.Array:
    if field.metadata and JSON_FIELD in field.metadata:
        values = [None if value is None else dumps(value) for value in values]
    return pa.array(values, type=field.type, from_pandas=False)


def write_table(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows as JSON Lines, CSV or Parquet, by the file's name; also gzipped with ".gz".

    Args:
        path: The file; it appears only once it is whole.
        rows: Column -> value; the columns are those of all rows, in order of first appearance.
            All rows are held in memory.

    Returns:
        The number of rows written.

    Raises:
        InputError: There are no rows, the name says no known kind, or a value cannot be written.
    """
    held = list(rows)
    names = list(dict.fromkeys(name for row in held for name in row))
    if not names:
        raise InputError(f"{path}: expected at least one row to write, got none")
    columns = {name: [row.get(name) for row in held] for name in names}
    return write_columns(path, lambda: [columns], names)
