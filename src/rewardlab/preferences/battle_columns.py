"""Battles column by column from plain arena files, the same as row by row but much sooner.

Whatever is not plain is handed over to the reading by rows, whose errors name the line.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from rewardlab.errors import RowError
from rewardlab.preferences.arrow_tables import JSON_FIELD
from rewardlab.preferences.assembly import ESCAPE, digest
from rewardlab.preferences.battle_csv import CsvFacts, csv_batches, csv_bytes, facts_of_csv
from rewardlab.preferences.battle_gathering import BattleGatherer, NameCodes, Names, VoteBlock
from rewardlab.preferences.conventions.arena import ARENA
from rewardlab.preferences.entries import OUTCOME_WORDS
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.packing import recognise_packing
from rewardlab.preferences.rows import Row
from rewardlab.preferences.sources import RowSource, as_word
from rewardlab.preferences.tallies import MAX_EXAMPLES, Tally
from rewardlab.types import BoolArray, FloatArray, IntArray

_TEXTS = ("prompt", "response_a", "response_b")
_CODED = frozenset({"prompt", "prompt_id", "annotator"})


class _NotPlainError(Exception):
    """The file is to be read row by row; never leaves this module."""


@dataclass(slots=True)
class ColumnCoder:
    """Codes batches of plain files and gathers them.

    Attributes:
        gathered: The battles.
        covariates: (column of a, column of b) of each.
        tally: Counts rows.
        prompts: Names of prompts.
        annotators: Names of annotators.
    """

    gathered: BattleGatherer
    covariates: Sequence[tuple[str, str]]
    tally: Tally
    prompts: Names = field(default_factory=Names)
    annotators: Names = field(default_factory=Names)


def code_columns(
    sources: Sequence[RowSource], paths: Sequence[Path], reading: ReadOptions, coder: ColumnCoder
) -> bool:
    """Gather the battles of the files; False where they have to be read row by row.

    Args:
        sources: The recognised files.
        paths: Where they are; a folder is never plain.
        reading: How they are to be read.
        coder: Takes what is read; of no use if this returns False.
    """
    if reading.labels or reading.join or len(sources) != len(paths):
        return False
    if len({frozenset(_CODED & source.layout.columns.keys()) for source in sources}) > 1:
        return False
    try:
        for source, path in zip(sources, paths, strict=True):
            _code_file(source, path, coder)
    except (_NotPlainError, RowError, pa.ArrowException, OSError, EOFError, zlib.error):
        return False
    return True


def _code_file(source: RowSource, path: Path, coder: ColumnCoder) -> None:
    columns = source.layout.columns
    if source.convention is not ARENA or not {"item_a", "item_b"} <= columns.keys():
        raise _NotPlainError
    if "margin" in columns or path.is_dir():
        raise _NotPlainError
    packing = recognise_packing(path)
    if packing.gzipped and packing.kind != "csv":
        raise _NotPlainError
    match packing.kind:
        case "csv":
            with closing(csv_bytes(path, packing.gzipped)) as stream:
                facts = facts_of_csv(stream)
                if facts is None:
                    raise _NotPlainError
                stream.seek(0)
                wanted = _wanted(source, coder)
                with closing(csv_batches(stream, facts, wanted)) as batches:
                    _code_batches(batches, source, coder, facts)
        case "parquet":
            _code_batches(_parquet_batches(path, source, coder), source, coder, None)
        case _:
            raise _NotPlainError


def _wanted(source: RowSource, coder: ColumnCoder) -> list[str]:
    """The columns that are looked at."""
    fields: tuple[str, ...] = ("item_a", "item_b", "winner", "prompt_id", "annotator")
    if "prompt_id" not in source.layout.columns:
        fields += ("prompt",)
    named = [source.layout.columns[f] for f in fields if f in source.layout.columns]
    pairs = [column for pair in coder.covariates for column in pair]
    if set(pairs) & source.claimed or any(name.startswith(ESCAPE) for name in _names(source)):
        raise _NotPlainError
    return list(dict.fromkeys([*named, *source.rows.where, *pairs]))


def _names(source: RowSource) -> list[str]:
    return list(source.sample[0].values)


def _parquet_batches(path: Path, source: RowSource, coder: ColumnCoder) -> Iterator[pa.RecordBatch]:
    """The columns that are looked at, and the texts, which must be there."""
    texts = [source.layout.columns[f] for f in _TEXTS if f in source.layout.columns]
    wanted = list(dict.fromkeys([*_wanted(source, coder), *texts]))
    import pyarrow.parquet as pq  # not imported where no file is in this format

    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        schema = file.schema_arrow
        for column in schema:
            if column.metadata and column.metadata.get(JSON_FIELD):
                raise _NotPlainError
            if column.name in source.claimed and not _is_scalar(column.type):
                raise _NotPlainError
        for batch in file.iter_batches(batch_size=1 << 17, columns=wanted):
            for text in texts:
                values = batch.column(text)
                if not pa.types.is_string(values.type) or values.null_count:
                    raise _NotPlainError
            yield batch


def _is_scalar(kind: pa.DataType) -> bool:
    """Whether a name may be of this type."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(
        pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_integer(value)
    )


def _code_batches(
    batches: Iterator[pa.RecordBatch],
    source: RowSource,
    coder: ColumnCoder,
    facts: CsvFacts | None,
) -> None:
    """Code every batch; ``facts`` are a CSV file's, None for others."""
    lines = _lines_of(source, facts)
    n_rows = 0
    for batch in batches:
        block = _Batch(source, batch, n_rows, is_csv=facts is not None)
        kept = _kept(block, coder.tally, lines)
        coder.tally.add_rows(batch.num_rows)
        rows = np.flatnonzero(kept) if kept is not None else None
        n_kept = batch.num_rows if rows is None else len(rows)
        if n_kept:
            coder.gathered.add(_votes(block, coder, rows, lines))
            coder.tally.delivered(n_kept, n_rows=n_kept)
        n_rows += batch.num_rows
    if facts is not None and not facts.has_quotes:
        coder.tally.add_rows(0, blank_lines=facts.n_empty_lines)


@dataclass(frozen=True, slots=True)
class _Column:
    """A batch's column: its distinct values in order of appearance, and each row's code."""

    values: list[object]
    codes: NameCodes

    def take(self, rows: IntArray | None) -> _Column:
        """The rows at these places; None for all."""
        return self if rows is None else _in_order(self.values, self.codes[rows])


def _in_order(values: list[object], codes: NameCodes) -> _Column:
    """The values that occur, in order of first appearance, with codes to match."""
    found, first = np.unique(codes, return_index=True)
    order = found[np.argsort(first)]
    place = np.zeros(len(values), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return _Column([values[k] for k in order.tolist()], place[codes])


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch of a file and the number of rows before it."""

    source: RowSource
    batch: pa.RecordBatch
    before: int
    is_csv: bool

    def array(self, name: str) -> pa.Array:
        """The named column as it came.

        Raises:
            _NotPlainError: There is none.
        """
        if name not in self.batch.schema.names:
            raise _NotPlainError
        return self.batch.column(name)

    def column(self, name: str) -> _Column:
        """The named column.

        Raises:
            _NotPlainError: There is none, or its type has no dictionary.
        """
        values = self.array(name)
        if not pa.types.is_dictionary(values.type):
            if not _is_scalar(values.type):
                raise _NotPlainError
            values = values.dictionary_encode()
        codes = _indices(values)
        distinct = values.dictionary.to_pylist()
        if self.is_csv:  # a block's dictionary grows as the block is parsed
            return _Column(distinct, codes)
        return _in_order([*distinct, None], np.where(codes < 0, len(distinct), codes))

    def field(self, name: str, rows: IntArray | None) -> _Column:
        """The column of a field, its values names or None, as ``Row.as_name`` gives them."""
        column = self.column(self.source.layout.columns[name]).take(rows)
        row = Row("", 0, {}, blank_is_none=self.is_csv)
        return _Column([row.as_name(name, value) for value in column.values], column.codes)


def _indices(values: pa.DictionaryArray) -> NameCodes:
    """Shape [n]; which of the dictionary's values each row holds, -1 for null.

    The bytes are read as they are where they can be: pyarrow's own ways load its functions and
    pandas, which takes longer than reading a million rows.
    """
    indices = values.indices
    if indices.type != pa.int32():
        indices = indices.cast(pa.int32())
    if indices.null_count:
        indices = indices.fill_null(-1)
    start = indices.offset
    return np.frombuffer(indices.buffers()[1], np.int32)[start : start + len(indices)]


def _coded(column: _Column, names: Names, *, missing: str | None = None) -> NameCodes:
    """Codes in ``names``; ``missing`` in place of no name, -1 for None."""
    values = [missing if value is None else str(value) for value in column.values]
    return names.coded(values)[column.codes]


def _kept(block: _Batch, tally: Tally, lines: Callable[[IntArray], list[str]]) -> BoolArray | None:
    """Shape [n]; the rows that pass the filter, the others counted; None for all."""
    if not block.source.rows.where:
        return None
    if "" in block.column(block.source.layout.columns["winner"]).values:
        raise _NotPlainError  # a blank line among quoted records looks like an empty record
    kept = np.ones(block.batch.num_rows, dtype=bool)
    out: list[tuple[int, str, IntArray]] = []
    for name, wanted in block.source.rows.where.items():
        column = block.column(name)
        fits = np.array([as_word(v) == wanted for v in column.values])[column.codes]
        rows = np.flatnonzero(kept & ~fits)
        if len(rows):
            out.append((int(rows[0]), f"{name} is not {wanted!r}", rows))
        kept &= fits
    for _, reason, rows in sorted(out, key=lambda x: x[0]):
        tally.leave_out_rows(reason, len(rows), lines(rows[:MAX_EXAMPLES] + block.before))
    return kept


def _votes(
    block: _Batch,
    coder: ColumnCoder,
    rows: IntArray | None,
    lines: Callable[[IntArray], list[str]],
) -> VoteBlock:
    columns = block.source.layout.columns
    items = coder.gathered.items
    annotator = None
    if "annotator" in columns:
        annotator = _coded(block.field("annotator", rows), coder.annotators, missing="")
    places = np.arange(block.batch.num_rows) if rows is None else rows
    return VoteBlock(
        a=_coded(block.field("item_a", rows), items),
        b=_coded(block.field("item_b", rows), items),
        outcome=_outcomes(block.column(columns["winner"]).take(rows)),
        prompt=_prompts(block, coder, rows),
        annotator=annotator,
        covariates=_covariates(block, coder, places),
        locations=lambda at: lines(places[at] + block.before),
    )


def _outcomes(column: _Column) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    if any(value not in OUTCOME_WORDS for value in column.values):
        raise _NotPlainError
    words = [OUTCOME_WORDS[str(value)] for value in column.values]
    return np.array(words, dtype=np.int8)[column.codes]


def _prompts(block: _Batch, coder: ColumnCoder, rows: IntArray | None) -> NameCodes | None:
    """Codes of the prompts' ids, or of the prompts by their digests."""
    columns = block.source.layout.columns
    if "prompt_id" in columns:
        column = block.field("prompt_id", rows)
        if None in column.values:
            raise _NotPlainError
        return _coded(column, coder.prompts)
    if "prompt" not in columns:
        return None
    column = block.column(columns["prompt"]).take(rows)
    return _coded(_Column([digest(value) for value in column.values], column.codes), coder.prompts)


def _covariates(block: _Batch, coder: ColumnCoder, rows: IntArray) -> FloatArray:
    differences = [_numbers(block, a)[rows] - _numbers(block, b)[rows] for a, b in coder.covariates]
    return np.stack(differences, axis=1) if differences else np.zeros((len(rows), 0))


def _numbers(block: _Batch, name: str) -> FloatArray:
    values = block.array(name)
    if pa.types.is_dictionary(values.type):
        column = block.column(name)
        row = Row("", 0, {})
        numbers = np.array([row.as_number(name, v) for v in column.values])[column.codes]
    elif values.null_count or not (
        pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    ):
        raise _NotPlainError
    else:
        numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)
    if not np.isfinite(numbers).all():
        raise _NotPlainError
    return numbers


def _lines_of(source: RowSource, facts: CsvFacts | None) -> Callable[[IntArray], list[str]]:
    """Gives "FILE:LINE" of the rows at ascending places in the file."""
    name = source.rows.table.source
    if facts is None:
        return lambda at: [f"{name}:{k + 1}" for k in at.tolist()]
    if not facts.has_quotes and not facts.n_empty_lines:
        return lambda at: [f"{name}:{k + 2}" for k in at.tolist()]
    known: list[int] = []
    rows = (row.line for batch in source.rows.table.batches(10_000) for row in batch.rows)

    def look_up(at: IntArray) -> list[str]:
        while len(at) and len(known) <= int(at[-1]):
            known.append(next(rows))
        return [f"{name}:{known[k]}" for k in at.tolist()]

    return look_up
