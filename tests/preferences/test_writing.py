"""Whatever is written is read back unchanged; what a layout cannot hold is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from rewardlab.errors import InputError
from rewardlab.preferences.formats import (
    ReadOptions,
    open_preferences,
    read_preferences,
    read_table,
)
from rewardlab.preferences.table_writing import write_table
from rewardlab.preferences.writing import Layout, write_preferences
from rewardlab.types import Preferences
from tests.preferences.preference_files import differences, preferences, write_jsonl


def _battles(tmp_path: Path, *winners: str, **more: Any) -> Preferences:
    rows = [
        {"prompt": "p", "response_a": "x", "response_b": "y", "winner": w, **more} for w in winners
    ]
    return read_preferences(write_jsonl(tmp_path / "battles.jsonl", rows))


def test_trl_refuses_ties_and_both_remedies_work(tmp_path: Path) -> None:
    battles = _battles(tmp_path, "model_b", "tie", "both_bad")
    out = tmp_path / "out.jsonl"
    with pytest.raises(InputError, match=r"2 of 3 rows are ties .*:2\).*--ties leave-out.*native"):
        write_preferences(lambda: [battles], out)
    assert not out.exists()
    written = write_preferences(lambda: [battles], out, ties="leave-out")
    assert (written.n_written, written.n_ties_left_out) == (1, 2)
    assert any("as a tie or both bad: 2 votes" in sentence for sentence in written.sentences)
    assert differences(read_preferences(out), battles.take([0])) == []
    write_preferences(lambda: [battles], out, layout="native")
    assert differences(read_preferences(out), battles) == []


def test_trl_rows_are_plain_trl_rows(tmp_path: Path) -> None:
    battles = _battles(tmp_path, "model_b")
    write_preferences(lambda: [battles], tmp_path / "out.jsonl")
    row = json.loads((tmp_path / "out.jsonl").read_text())
    assert list(row)[:3] == ["prompt", "chosen", "rejected"]
    assert (row["chosen"], row["rejected"], row["chosen_side"]) == ("y", "x", "b")


def test_mixed_texts_become_messages_for_trl_and_come_back(tmp_path: Path) -> None:
    messages = [{"role": "assistant", "content": "x"}]
    rows: list[dict[str, Any]] = [
        {"prompt": "p", "chosen": "x", "rejected": "y"},
        {"prompt": "p", "chosen": messages, "rejected": messages},
    ]
    mixed = read_preferences(write_jsonl(tmp_path / "mixed.jsonl", rows))
    out = tmp_path / "out.jsonl"
    written = write_preferences(lambda: [mixed], out)
    assert any("became messages" in sentence for sentence in written.sentences)
    assert all(isinstance(row["prompt"], list) for _, row in read_table(out))
    assert differences(read_preferences(out), mixed) == []


@pytest.mark.parametrize(("layout", "n_passes"), [("native", 2), ("trl", 3)])
def test_chunks_of_messages_behind_chunks_of_plain_texts_come_back_from_parquet(
    tmp_path: Path, layout: Layout, n_passes: int
) -> None:
    messages = [{"role": "assistant", "content": "x"}]
    rows: list[dict[str, Any]] = [
        {"prompt": "p", "chosen": "x", "rejected": "y"},
        {"prompt": [], "chosen": messages, "rejected": messages},
    ]
    mixed = read_preferences(write_jsonl(tmp_path / "mixed.jsonl", rows))
    passes = []

    def chunks() -> list[Preferences]:
        passes.append(layout)
        return [mixed.take([0]), mixed.take([1])]

    out = tmp_path / "out.parquet"
    write_preferences(chunks, out, layout=layout)
    assert differences(read_preferences(out), mixed) == []
    assert len(passes) == n_passes


def test_trl_refuses_votes_without_texts(tmp_path: Path) -> None:
    rows = [{"model_a": "x", "model_b": "y", "winner": "model_a"}]
    votes = read_preferences(write_jsonl(tmp_path / "votes.jsonl", rows))
    with pytest.raises(InputError, match=r"1 of 1 rows lack one .*--join FILE.*native"):
        write_preferences(lambda: [votes], tmp_path / "out.jsonl")


def test_a_file_appears_only_once_it_is_whole(tmp_path: Path) -> None:
    battles = _battles(tmp_path, "model_a", "model_b")
    out = tmp_path / "out.jsonl"
    out.write_text("before")

    def breaking() -> Any:
        yield battles
        if calls:
            raise OSError("gone")
        calls.append(1)

    calls: list[int] = []
    with pytest.raises(OSError, match=r"gone"):
        write_preferences(breaking, out)
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["battles.jsonl", "out.jsonl"]


def test_gzipped_output_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    battles = _battles(tmp_path, "model_a")
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_preferences(lambda: [battles], tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


@pytest.mark.parametrize("name", ["out.csv", "out.txt", "out", "out.gz"])
def test_names_of_no_writable_kind_are_refused(tmp_path: Path, name: str) -> None:
    battles = _battles(tmp_path, "model_a")
    with pytest.raises(InputError, match=r"jsonl"):
        write_preferences(lambda: [battles], tmp_path / name)
    with pytest.raises(InputError, match=r"cannot be written"):
        write_preferences(lambda: [battles], tmp_path / "no" / "folder.jsonl")


def test_nothing_to_write_and_infinite_margins_are_refused(tmp_path: Path) -> None:
    battles = _battles(tmp_path, "tie")
    with pytest.raises(InputError, match=r"nothing to write: of 1 rows, 1 are ties"):
        write_preferences(lambda: [battles], tmp_path / "out.jsonl", ties="leave-out")
    with pytest.raises(InputError, match=r"nothing to write"):
        write_preferences(list, tmp_path / "out.jsonl", layout="native")
    battles.margin[:] = np.inf
    with pytest.raises(InputError, match=r"battles.jsonl:1: the margin is infinite"):
        write_preferences(lambda: [battles], tmp_path / "out.jsonl", layout="native")


def test_lone_surrogates_are_refused(tmp_path: Path) -> None:
    battles = _battles(tmp_path, "model_a")
    battles.prompt[0] = "\ud800"
    for name in ("out.jsonl", "out.parquet"):
        with pytest.raises(InputError, match=r"lone surrogate"):
            write_preferences(lambda: [battles], tmp_path / name)


ROWS: list[dict[str, Any]] = [
    {"prompt": 'p, "q"\n', "score": 0.1, "n": 1, "ok": True, "tags": ["x"]},
    {"prompt": "é", "score": 1e-17, "n": None, "ok": False, "tags": []},
]


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.parquet", "t.parquet.gz"])
def test_tables_come_back_as_they_were(tmp_path: Path, name: str) -> None:
    assert write_table(tmp_path / name, ROWS) == 2
    assert [row for _, row in read_table(tmp_path / name)] == ROWS


def test_tables_as_csv_hold_numbers_to_the_last_digit(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv.gz", ROWS)
    rows = [row for _, row in read_table(tmp_path / "t.csv.gz")]
    assert rows[0] == {
        "prompt": 'p, "q"\n',
        "score": "0.1",
        "n": "1",
        "ok": "true",
        "tags": '["x"]',
    }
    assert (float(rows[1]["score"]), rows[1]["n"]) == (1e-17, "")
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).startswith(b"prompt,score")
    with pytest.raises(InputError, match=r"at least one row"):
        write_table(tmp_path / "t.csv", [])


KINDS = (".jsonl", ".jsonl.gz", ".parquet", ".parquet.gz")


def _written_and_read(original: Preferences, layout: Layout, kind: str) -> list[str]:
    with TemporaryDirectory() as folder:
        path = Path(folder, f"pairs{kind}")
        written = write_preferences(lambda: iter([original]), path, layout=layout)
        assert written.n_written == len(original)
        reader = open_preferences(path, ReadOptions(chunk_rows=2))
        assert reader.layout.name == {"trl": "trl-explicit", "native": "native"}[layout]
        return differences(original, reader.read())


@pytest.mark.parametrize("kind", KINDS)
@given(original=preferences())
@settings(max_examples=60, deadline=None)
def test_native_files_give_back_every_field(kind: str, original: Preferences) -> None:
    assert _written_and_read(original, "native", kind) == []


@pytest.mark.parametrize("kind", KINDS)
@given(original=preferences(with_ties=False, with_texts=True))
@settings(max_examples=60, deadline=None)
def test_trl_files_give_back_every_field(kind: str, original: Preferences) -> None:
    assert _written_and_read(original, "trl", kind) == []


def test_real_pairs_survive_both_layouts_and_kinds(data_dir: Path, tmp_path: Path) -> None:
    original = read_preferences(data_dir / "hh_harmless_test_filtered.jsonl.gz")
    layouts: tuple[Layout, ...] = ("trl", "native")
    for layout in layouts:
        for kind in KINDS:
            path = tmp_path / f"{layout}{kind}"
            write_preferences(lambda: iter([original]), path, layout=layout)
            assert differences(original, read_preferences(path)) == []
