"""A damaged file is an error that is ours, or it loads with every row accounted for."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import FormatError, InputError, RewardLabError
from rewardlab.preferences.formats import (
    ReadOptions,
    ReadReport,
    open_preferences,
    read_rankings,
    read_ratings,
    read_steps,
    read_unpaired,
)
from rewardlab.preferences.samples import MissingGold, read_sample_texts, read_samples
from tests.preferences.preference_files import (
    arrow_bytes,
    csv_bytes,
    json_values,
    jsonl_bytes,
    parquet_bytes,
)

PAIRS: list[dict[str, Any]] = [
    {
        "prompt": f'p{i}\n"x", é',
        "chosen": "good, answer " * (i % 3 + 1),
        "rejected": "bad\u200b",
        "margin": i / 3,
        "annotator": f"w{i % 3}",
        "tags": [{"a": i}],
    }
    for i in range(9)
]


FILES: dict[str, bytes] = {
    "pairs.jsonl": jsonl_bytes(PAIRS),
    "pairs.json": json.dumps(PAIRS).encode(),
    "pairs.csv": csv_bytes(PAIRS, list(PAIRS[0])),
    "pairs.parquet": parquet_bytes(PAIRS),
    "plain.parquet": parquet_bytes(PAIRS, compression=None, use_dictionary=False),
    "stream.arrow": arrow_bytes(PAIRS, stream=True, batch_rows=4),
    "file.arrow": arrow_bytes(PAIRS, stream=False, batch_rows=4),
    "pairs.jsonl.gz": gzip.compress(jsonl_bytes(PAIRS)),
    "pairs.csv.gz": gzip.compress(csv_bytes(PAIRS, list(PAIRS[0]))),
    "pairs.parquet.gz": gzip.compress(parquet_bytes(PAIRS)),
}
CHECKSUMMED = [name for name in FILES if name.endswith(".gz")]


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with a few of them changed, removed, put in, repeated or cut off."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(out) - 1)))
        match draw(st.sampled_from(["change", "remove", "insert", "repeat", "cut"])):
            case "change":
                out[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
            case "remove":
                del out[at : at + draw(st.integers(1, 30))]
            case "insert":
                out[at:at] = draw(st.binary(min_size=1, max_size=8))
            case "repeat":
                start = draw(st.integers(0, max(0, len(out) - 1)))
                out[at:at] = out[start : start + draw(st.integers(1, 60))]
            case "cut":
                del out[at:]
    return bytes(out)


OnBad = Literal["raise", "count"]
ON_BAD: tuple[OnBad, ...] = ("raise", "count")


def _load(path: Path, on_bad: OnBad, **options: Any) -> tuple[int, ReadReport] | None:
    """(votes, report), once the accounts are seen to add up; None for an error that is ours."""
    try:
        reader = open_preferences(path, ReadOptions(on_bad=on_bad, chunk_rows=4, **options))
        n = len(reader.read())
    except RewardLabError as error:
        assert str(error)
        return None
    report = reader.report
    assert report.n_delivered + sum(x.count for x in report.left_out) == report.n_rows
    assert n == report.n_votes
    assert on_bad == "count" or all(x.cause == "unusable" for x in report.left_out)
    return n, report


def test_a_column_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stream.arrow"
    path.write_bytes(FILES["stream.arrow"].replace(b"annotator", b"ann\xfftator"))
    with pytest.raises(FormatError, match="cannot be read"):
        open_preferences(path, ReadOptions(chunk_rows=4)).read()


@pytest.mark.parametrize("name", list(FILES))
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_load_with_every_row_counted(
    name: str, data: st.DataObject
) -> None:
    damage = data.draw(damaged(FILES[name]))
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(damage)
        for on_bad in ON_BAD:
            loaded = _load(path, on_bad)
            if loaded is None:
                continue
            _, report = loaded
            if name == "pairs.jsonl":
                assert report.n_rows == sum(bool(line.strip()) for line in damage.split(b"\n"))
            if name in CHECKSUMMED and gzip.GzipFile(path).read(2):
                assert report.n_rows % len(PAIRS) == 0


GOOD: dict[str, dict[str, Any]] = {
    "trl": {"prompt": "p", "chosen": "x", "rejected": "y", "margin": 1},
    "arena": {"model_a": "x", "model_b": "y", "winner": "model_a", "id": 1},
    "one-hot": {
        "prompt": '["p"]',
        "response_a": '["x"]',
        "response_b": '["y"]',
        "winner_model_a": 1,
        "winner_model_b": 0,
        "winner_tie": 0,
    },
    "votes": {"response_a": "x", "response_b": "y", "votes": ["a", {"label": "b"}]},
    "crowd": {"worker": "w", "left": "x", "right": "y", "label": "x"},
    "alpaca": {"instruction": "p", "output_1": "x", "output_2": "y", "preference": 1.5},
    "native": {"response_a": "x", "response_b": "y", "outcome": "a", "label": 0.5},
    "rankings": {"prompt": "p", "responses": ["x", "y"], "ranks": [1, 2]},
    "answers": {"prompt": "p", "answers": [{"answer": a, "rank": 1} for a in "xy"]},
    "ratings": {"prompt": "p", "response": "x", "helpfulness": 3, "annotator": "w"},
    "completions": {
        "instruction": "p",
        "completions": [
            {"response": a, "helpfulness": 2, "annotations": {"truth": {"Rating": "3"}}}
            for a in "xy"
        ],
    },
}
OPTIONS: dict[str, dict[str, Any]] = {
    "rankings": {"from_rankings": True},
    "answers": {"from_rankings": True},
    "ratings": {"rating": "helpfulness"},
    "completions": {"rating": "helpfulness"},
}


def _spoilt(data: st.DataObject, row: dict[str, Any]) -> dict[str, Any]:
    """The row with one value, at any depth, removed or put in place of another."""
    bad: dict[str, Any] = json.loads(json.dumps(row))
    inner: Any = bad
    key: Any = data.draw(st.sampled_from(list(row)))
    while isinstance(inner[key], (dict, list)) and inner[key] and data.draw(st.booleans()):
        inner = inner[key]
        key = data.draw(
            st.sampled_from(list(inner if isinstance(inner, dict) else range(len(inner))))
        )
    if data.draw(st.booleans()):
        del inner[key]
    else:
        inner[key] = data.draw(json_values.filter(_is_plain_json))
    return bad


@pytest.mark.parametrize("layout", list(GOOD))
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_damaged_values_are_refused_or_counted_by_reason(layout: str, data: st.DataObject) -> None:
    row = GOOD[layout]
    rows = [row, row, *(_spoilt(data, row) for _ in range(data.draw(st.integers(1, 4))))]
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_bytes(jsonl_bytes(rows))
        _load(path, "raise", **OPTIONS.get(layout, {}))
        loaded = _load(path, "count", **OPTIONS.get(layout, {}))
        if layout != "ratings":  # there, one odd value may leave no column of numbers
            assert loaded is not None, "the first rows are sound"
        if loaded is not None:
            assert loaded[1].n_rows == len(rows)


SIBLINGS: dict[str, tuple[Any, dict[str, Any]]] = {
    "unpaired": (read_unpaired, {"prompt": "p", "completion": "x", "label": True}),
    "steps": (read_steps, {"prompt": "p", "completions": ["x", "y"], "labels": [1, -100]}),
    "mistake": (read_steps, {"input": "p", "steps": ["x", "y"], "mistake_index": 1}),
    "rankings": (read_rankings, GOOD["rankings"]),
    "ratings": (read_ratings, GOOD["ratings"]),
    "completions": (read_ratings, GOOD["completions"]),
}


@pytest.mark.parametrize("name", list(SIBLINGS))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_siblings_are_refused_or_counted(name: str, data: st.DataObject) -> None:
    read, row = SIBLINGS[name]
    rows = [row, *(_spoilt(data, row) for _ in range(data.draw(st.integers(1, 3))))]
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_bytes(jsonl_bytes(rows))
        for on_bad in ON_BAD:
            try:
                _, report = read(path, ReadOptions(on_bad=on_bad))
            except RewardLabError:
                continue
            left_out = sum(x.count for x in report.left_out)
            assert report.n_delivered + left_out == report.n_rows == len(rows)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_samples_are_refused_or_counted(data: st.DataObject) -> None:
    row = {"id": 1, "proxy": 0.5, "gold": "win", "q": 0.5, "response": "x", "prompt": "p"}
    rows = [row, *(_spoilt(data, row) for _ in range(data.draw(st.integers(1, 3))))]
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_bytes(jsonl_bytes(rows))
        options: dict[str, Any] = {"group": "id", "proxies": ["proxy"], "probability": "q"}
        ways: tuple[MissingGold, ...] = ("error", "restrict", "keep")
        for missing in ways:
            try:
                read = read_samples(path, gold="gold", missing_gold=missing, **options)
            except RewardLabError:
                continue
            assert len(read.samples) + sum(x.count for x in read.left_out) == len(rows)
        with suppress(RewardLabError):
            assert sum(len(chunk) for chunk in read_sample_texts(path)) == len(rows)


def _is_plain_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True


def test_parquet_cells_of_nested_json_that_is_damaged_are_refused(tmp_path: Path) -> None:
    for text in ("{", '{"$rewardlab": 1}', "[" * 100_000):
        field = pa.field("note", pa.string(), metadata={"rewardlab.json": "1"})
        schema = pa.schema(
            [*((name, pa.string()) for name in ("prompt", "chosen", "rejected")), field]
        )
        table = pa.table([["p"], ["x"], ["y"], [text]], schema=schema)
        pq.write_table(table, tmp_path / "rows.parquet")
        with pytest.raises(FormatError, match=r"rows 1 to 1: cannot be read"):
            open_preferences(tmp_path / "rows.parquet")


def test_a_bad_row_late_in_the_file_is_still_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(jsonl_bytes([GOOD["trl"]] * 1_500) + b"{\n")
    with pytest.raises(RewardLabError, match=r"line 1501"):
        open_preferences(path).read()


def test_a_file_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(jsonl_bytes(PAIRS))
    (tmp_path / "again.jsonl").symlink_to(tmp_path / "a.jsonl")
    for other in ("a.jsonl", "again.jsonl"):
        with pytest.raises(InputError, match="given twice"):
            open_preferences([tmp_path / "a.jsonl", tmp_path / other])
