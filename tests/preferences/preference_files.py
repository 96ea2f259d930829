"""Small preference files and random preferences, for the tests of reading and writing."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from rewardlab.preferences.formats import PreferenceReader, ReadOptions, open_preferences
from rewardlab.types import LABEL_OF_OUTCOME, Preferences

Rows = list[dict[str, Any]]


def jsonl_bytes(rows: Rows) -> bytes:
    """The rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def csv_bytes(rows: Rows, columns: Sequence[str]) -> bytes:
    """Some columns of the rows as CSV, lists as JSON."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        values = [row[name] for name in columns]
        writer.writerow([json.dumps(v) if isinstance(v, list) else v for v in values])
    return text.getvalue().encode()


def parquet_bytes(rows: Rows, **options: Any) -> bytes:
    """The rows as a Parquet file."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file, **options)
    return file.getvalue()


def arrow_bytes(rows: Rows, *, stream: bool, batch_rows: int = 2) -> bytes:
    """The rows as an Arrow stream or file of several batches."""
    file, table = io.BytesIO(), pa.Table.from_pylist(rows)
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=batch_rows)
    return file.getvalue()


def write_jsonl(path: Path, rows: Rows) -> Path:
    """The rows as JSON Lines; gzipped if the name says so."""
    data = jsonl_bytes(rows)
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return path


def opened(folder: Path, rows: Rows, **options: Any) -> PreferenceReader:
    """A reader of the rows, written to ``rows.jsonl`` in the folder, with these ``ReadOptions``."""
    return open_preferences(write_jsonl(folder / "rows.jsonl", rows), ReadOptions(**options))


def same(a: Any, b: Any) -> bool:
    """Equality by which NaN equals NaN, and 1, 1.0 and True differ."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a == b or (a != a and b != b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def differences(a: Preferences, b: Preferences) -> list[str]:
    """Fields in which two sets of preferences differ, ``line`` and ``source`` apart."""

    def values(preferences: Preferences, name: str) -> Any:
        value = getattr(preferences, name)
        return value.tolist() if isinstance(value, np.ndarray) else value

    compared = [f.name for f in fields(Preferences) if f.name not in ("line", "source")]
    return [name for name in compared if not same(values(a, name), values(b, name))]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.none() | texts
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": texts},
        optional={"name": texts, "weight": st.integers(0, 1)},
    ),
    min_size=1,
    max_size=3,
)
prompts_or_responses = texts | messages
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=True)
    | texts
    | st.binary(max_size=4)
    | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
extra_names = texts | st.sampled_from(
    [
        *("label", "id", "winner", "prompt", "chosen", "margin", "output_1", "split"),
        *("rewardlab.extra.id", "$rewardlab"),
    ]
)


@st.composite
def preferences(
    draw: st.DrawFn, *, with_ties: bool = True, with_texts: bool = False
) -> Preferences:
    """Random preferences: texts and messages mixed, soft labels, gaps, odd extra columns."""
    n = draw(st.integers(1, 5))

    def column(strategy: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(strategy, min_size=n, max_size=n))

    outcome = np.array(column(st.integers(0, 3 if with_ties else 1)), dtype=np.int8)
    soft = column(st.none() | st.floats(0, 1))
    given = np.array([np.nan if x is None else x for x in soft], dtype=float)
    label = np.where(np.isnan(given), LABEL_OF_OUTCOME[outcome], given)
    margins = st.none() | st.floats(-1e300, 1e300)
    margin = np.array([np.nan if m is None else m for m in column(margins)], dtype=float)
    response = prompts_or_responses if with_texts else st.none() | prompts_or_responses
    response_a, response_b = column(response), column(response)
    item = names if with_texts else texts
    extra = draw(st.lists(extra_names, unique=True, max_size=3))
    return Preferences(
        prompt=column(prompts_or_responses),
        response_a=response_a,
        response_b=response_b,
        outcome=outcome,
        label=label,
        margin=margin,
        annotator=column(names) if draw(st.booleans()) else [None] * n,
        id=column(texts),
        prompt_id=column(texts),
        split=column(names) if draw(st.booleans()) else [None] * n,
        item_a=column(item),
        item_b=column(item),
        line=np.arange(1, n + 1),
        source=["made"] * n,
        sides_recorded=draw(st.booleans()),
        extra={name: column(json_values) for name in extra},
    )
