"""Writing samples again with columns added: nothing lost, nothing overwritten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.preferences.sample_pool import write_with_columns

ROWS: list[dict[str, Any]] = [
    {"prompt": "p", "messages": [{"role": "user", "content": "a\nb"}], "x": 1},
    {"prompt": "q", "x": None, "late": "é"},
    {"prompt": "q", "x": 2.5},
]


def written(folder: Path) -> Path:
    path = folder / "pool.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_rows_keep_every_column_and_gain_the_added_ones(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    keep = np.array([True, True, False])
    n = write_with_columns(
        written(tmp_path), out, {"ask": [1, 0, 1], "gold": [None] * 3}, keep=keep
    )
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert n == 2
    assert [row["ask"] for row in rows] == [1, 0]
    assert all(row["gold"] is None for row in rows)
    for row, before in zip(rows, ROWS[:2], strict=True):
        assert {name: row[name] for name in before} == before


def test_a_taken_column_and_the_source_itself_are_refused(tmp_path: Path) -> None:
    path, keep = written(tmp_path), np.ones(3, dtype=bool)
    with pytest.raises(InputError, match="there is a column 'x' already"):
        write_with_columns(path, tmp_path / "out.jsonl", {"x": [0, 0, 0]}, keep=keep)
    with pytest.raises(InputError, match="another file than the samples"):
        write_with_columns(path, path, {"ask": [0, 0, 0]}, keep=keep)
    assert not (tmp_path / "out.jsonl").exists()
