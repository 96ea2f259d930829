"""Raw rows come with their true line numbers, and every fault is named with its place."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rewardlab.errors import FormatError, RewardLabError, RowError
from rewardlab.preferences.tables import open_tables, read_table
from rewardlab.preferences.text_tables import CSV_FIELD_LIMIT
from tests.preferences.preference_files import arrow_bytes, csv_bytes, jsonl_bytes, parquet_bytes

ROWS = [
    {"prompt": "one\nline\nmore", "n": 1, "list": [{"a": None}]},
    {"prompt": 'quoted "x", comma', "n": 2, "list": []},
    {"prompt": "zero\u200bwidth é 😀 \x00 nul", "n": 3, "list": [{"a": 1}]},
]


JSONL, CSV, PARQUET = jsonl_bytes(ROWS), csv_bytes(ROWS, ["prompt", "n"]), parquet_bytes(ROWS)
STREAM, FILE = arrow_bytes(ROWS, stream=True), arrow_bytes(ROWS, stream=False)


def _read(path: Path) -> list[tuple[int, dict[str, Any]]]:
    return list(read_table(path))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("name", "data", "lines"),
    [
        ("rows.jsonl", JSONL, [1, 2, 3]),
        ("rows.txt", JSONL, [1, 2, 3]),
        ("rows.json", json.dumps(ROWS, indent=1).encode(), [2, 11, 16]),
        ("rows.parquet", PARQUET, [1, 2, 3]),
        ("no_suffix", PARQUET, [1, 2, 3]),
        ("rows.arrow", STREAM, [1, 2, 3]),
        ("rows.arrow", FILE, [1, 2, 3]),
    ],
)
def test_rows_come_as_they_are_with_their_lines(
    tmp_path: Path, name: str, data: bytes, lines: list[int], pack: Any
) -> None:
    path = tmp_path / name  # gzip is told by its bytes, so that the name need not say it
    path.write_bytes(pack(data))
    assert _read(path) == list(zip(lines, ROWS, strict=True))


def test_csv_records_are_numbered_by_the_line_they_start_in(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(CSV)
    rows = _read(path)
    assert [line for line, _ in rows] == [2, 5, 6]
    assert [row["prompt"] for _, row in rows] == [row["prompt"] for row in ROWS]


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    for name, data in (
        ("a.jsonl", JSONL),
        ("a.csv", CSV),
        ("a.json", b'[{"a": 1}]'),
    ):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + data)
        assert next(iter(_read(tmp_path / name)[0][1])) in ("prompt", "a")


@pytest.mark.parametrize("mark", [";", "\t"])
def test_csv_may_be_separated_by_semicolons_or_tabs(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"prompt{mark}n\nhi, you{mark}2\n")
    assert _read(path) == [(2, {"prompt": "hi, you", "n": "2"})]


def test_long_csv_fields_are_read_and_the_modules_limit_is_left_as_it_was(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = tmp_path / "rows.csv"
    path.write_text(f"prompt,n\n{'x' * 500_000},1\n")
    assert len(_read(path)[0][1]["prompt"]) == 500_000
    assert csv.field_size_limit() == before


JSONL_FAULTS = [
    (b'{"a": 1}\n{"a": tru}\n', 2, "Expecting value"),
    (b'{"a": 1}\n{"a": 1', 2, "Expecting ',' delimiter"),
    (b'{"a": 1}\n\xff\xfe\n', 2, "valid UTF-8"),
    (b'{"a": 1}\n[1, 2]\n', 2, "one JSON object a line"),
    (b'{"a": 1}\n{"a": 1, "a": 2}\n', 2, "stands twice"),
    (b'{"a": 1}\n{"a": "\\ud800"}\n', 2, "lone surrogate"),
    (b'{"a": 1}\n{"a": ' + b"[" * 200 + b"]" * 200 + b"}\n", 2, "nested deeper"),
    (b'{"a": 1}\n{"a": ' + b"[" * 99_999 + b"]" * 99_999 + b"}\n", 2, "nested"),
    (b'{"a": 1}\n{"a": ' + b"9" * 5_000 + b"}\n", 2, "integer string conversion"),
    (b'{"a": 1}\n\n{"a": 1} x\n', 3, "Extra data"),
    (b'{"a": 1}\n{"a": {"$rewardlab": "date", "value": "soon"}}\n', 2, "isoformat"),
]


@pytest.mark.parametrize(("data", "line", "said"), JSONL_FAULTS)
def test_a_faulty_json_line_is_named(tmp_path: Path, data: bytes, line: int, said: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    with pytest.raises(RowError, match=said) as caught:
        _read(path)
    assert (caught.value.source, caught.value.line) == (str(path), line)


def test_brackets_inside_texts_are_no_nesting(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"a": "[{" * 500}) + "\n")
    assert len(_read(path)) == 1


CSV_FAULTS = [
    (b"a,b\n1,2\n3\n", "line 3.*2 fields, as in the header .found 1."),
    (b"a,b\n1,2\n3,4,5\n", "line 3.*found 3"),
    (b'a,b\n1,2\n3,"4\n', "line 3: broken CSV"),
    (b'a,b\n1,"2"x\n', "line 2: broken CSV"),
    (b"a,b,a\n1,2,3\n", "line 1: the column 'a' stands twice"),
    (b"a,b\n1,2\n3,\xff\n", "line 3: column 'b'.*valid UTF-8"),
    (b"a,\xff\n1,2\n", "line 1: the header is not valid UTF-8"),
    (b"a,b\r1,2\r", "line 1: broken CSV"),
    (b"a,b\n1," + b"x" * (CSV_FIELD_LIMIT + 1) + b"\n", "line 2: broken CSV .field larger"),
]


ARRAY_FAULTS = [
    (b'[{"a": 1},\n{"a": tru}]', "line 2.*Expecting value"),
    (b'[{"a": 1}\n{"a": 2}]', "line 1.*after an array's item"),
    (b'[{"a": 1},\n2]', "line 2.*JSON object in the array"),
    (b'[{"a": 1}] x', "nothing after the array"),
    (b'[{"a": 1},\n{"a": 2', "line 2"),
    (b"[]", "holds no rows"),
]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [("rows.csv", *f) for f in CSV_FAULTS] + [("rows.json", *f) for f in ARRAY_FAULTS],
)
def test_a_faulty_csv_record_or_json_array_is_named(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(RewardLabError, match=said):
        _read(tmp_path / name)


def test_a_truncated_gzip_is_named_with_the_line_reached(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    data = "".join(json.dumps({"a": i, "b": f"{i * 7919 % 99991}"}) + "\n" for i in range(50_000))
    packed = gzip.compress(data.encode())
    path.write_bytes(packed[: len(packed) * 2 // 3])
    with pytest.raises(FormatError, match=r"line \d+: the file is truncated or damaged"):
        _read(path)


FOREIGN = [
    (b"", "holds no rows"),
    (b"\n \n\n", "holds no rows"),
    (b"PK\x03\x04rest", "zip archive"),
    (b"\x28\xb5\x2f\xfdrest", "zstd"),
    (b"\xff\xfea\x00", "UTF-16"),
    (b"a,b\n", "holds no rows"),
    (gzip.compress(b"", mtime=0), "holds no rows"),
    (b"\x1f\x8bnonsense", "cannot be read"),
    (b"PAR1nonsense", "truncated or damaged"),
    (PARQUET[:-20], "truncated or damaged"),
    (STREAM[:-8], "end mark"),
    (FILE[:-8], "truncated or damaged"),
]


@pytest.mark.parametrize(("data", "said"), FOREIGN)
def test_a_file_of_no_readable_kind_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "rows"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=said):
        _read(path)


def test_missing_files_and_folders_without_a_dataset_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no such file"):
        open_tables(tmp_path / "nothing.jsonl")
    with pytest.raises(FormatError, match=r"no dataset saved by HF datasets"):
        open_tables(tmp_path)


def test_a_header_of_very_many_columns_is_read_in_linear_time(tmp_path: Path) -> None:
    names = [f"c{k}" for k in range(300_000)]  # the square of it would take a minute
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names))
    ((line, row),) = _read(tmp_path / "wide.csv")
    assert (line, len(row)) == (2, 300_000)


def test_parquet_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(table, tmp_path / "twice.parquet")
    with pytest.raises(FormatError, match=r"the column 'a' stands twice"):
        _read(tmp_path / "twice.parquet")


def _save_like_datasets(folder: Path, *, files: int = 2) -> None:
    folder.mkdir(parents=True)
    names = [f"data-{i:05}-of-{files:05}.arrow" for i in range(files)]
    for name in names:
        (folder / name).write_bytes(STREAM)
    state = {"_data_files": [{"filename": name} for name in names], "_indices_files": None}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text("{}")


def test_a_saved_dataset_is_read_file_after_file(tmp_path: Path) -> None:
    _save_like_datasets(tmp_path / "saved")
    rows = _read(tmp_path / "saved")
    assert rows == list(zip(range(1, 7), ROWS * 2, strict=True))


def test_a_saved_dataset_dict_is_one_table_a_split(tmp_path: Path) -> None:
    for name in ("train", "test"):
        _save_like_datasets(tmp_path / "saved" / name, files=1)
    (tmp_path / "saved" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    assert [table.split for table in open_tables(tmp_path / "saved")] == ["train", "test"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("state.json", '{"_data_files": [{"filename": "gone.arrow"}]}', "'gone.arrow', which is"),
        ("state.json", '{"_data_files": [{"filename": "../x"}]}', "plain file name"),
        ("state.json", '{"_data_files": 3}', "list of files"),
        ("state.json", "[1]", "expected a JSON object"),
        ("state.json", "{", "cannot be read as JSON"),
        ("state.json", '{"_data_files": [], "_indices_files": [{}]}', "flatten_indices"),
        ("dataset_dict.json", '{"splits": []}', "list of split names"),
        ("dataset_dict.json", '{"splits": ["gone"]}', "no dataset saved"),
    ],
)
def test_a_damaged_saved_dataset_is_refused(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    _save_like_datasets(tmp_path / "saved")
    (tmp_path / "saved" / name).write_text(text)
    with pytest.raises(FormatError, match=said):
        _read(tmp_path / "saved")
