"""Reading by columns gives what reading by rows gives, or hands over to it."""

from __future__ import annotations

import gzip
from dataclasses import fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import FormatError, RewardLabError
from rewardlab.preferences.battle_columns import ColumnCoder, code_columns
from rewardlab.preferences.battle_gathering import BattleGatherer
from rewardlab.preferences.battle_reading import (
    BattleOptions,
    ReadBattles,
    battles_by_row,
    read_battles,
)
from rewardlab.preferences.battles import Battles
from rewardlab.preferences.formats import open_preferences
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.sources import open_sources
from rewardlab.preferences.tallies import Tally

HEADER = "model_a,model_b,winner,prompt_id,judge\n"
ROWS = "x,y,model_a,p1,w1\ny,z,tie,p2,\nz,x,model_b,p1,w2\nx,z,both_bad,p3,w1\n"


def went_by_column(path: Path, reading: ReadOptions, options: BattleOptions) -> bool:
    """Whether the file needs no reading by rows."""
    sources = open_sources([path], reading, kinds=("preferences",))
    gathered = BattleGatherer(options.both_bad, tuple(options.covariates))
    coder = ColumnCoder(gathered, tuple(options.covariates.values()), Tally("raise"))
    return code_columns(sources, [path], reading, coder)


def require_same(path: Path, reading: ReadOptions, options: BattleOptions) -> None:
    """Both ways of reading give the same, field by field."""
    by_row = battles_by_row(open_preferences(path, reading), reading, options)
    read = read_battles(path, reading, options)
    for field in fields(ReadBattles):
        if field.name != "battles":
            assert getattr(read, field.name) == getattr(by_row, field.name)
    for field in fields(Battles):
        one, other = getattr(read.battles, field.name), getattr(by_row.battles, field.name)
        np.testing.assert_array_equal(one, other, err_msg=field.name)


PLAIN = {
    "plain": HEADER + ROWS,
    "no last newline": (HEADER + ROWS)[:-1],
    "crlf": (HEADER + ROWS).replace("\n", "\r\n"),
    "semicolons": (HEADER + ROWS).replace(",", ";"),
    "byte order mark": "\ufeff" + HEADER + ROWS,
    "blank lines": HEADER + ROWS.replace("\n", "\n\n"),
    "blank and same names": HEADER + ROWS + " ,y,tie,p1,w1\n,y,tie,p1,w1\nx,x,tie,p9,w9\n",
    "quotes": HEADER + ROWS + '"x, or ""y""",z,model_a,"p,1",w1\n"x","y","tie","p2","w2"\n',
    "quoted line breaks": HEADER + '"x\n1",y,model_a,p1,w1\n' + ROWS + "x,x,tie,p1,w1\n",
    "letters beyond ascii": HEADER + ROWS.replace("x", "é€"),
    "names that look like null": HEADER + ROWS.replace("x", "NA").replace("y", "null"),
    "texts": HEADER.replace("prompt_id", "prompt") + ROWS,
}
NOT_PLAIN = {
    "an odd quote": HEADER + ROWS + 'x "y" z,y,tie,p1,w1\n',
    "no prompt id in one row": HEADER + ROWS + "x,y,tie,,w1\n",
    "a margin": HEADER.replace("judge", "margin") + "x,y,model_a,p1,1.5\n",
}


@pytest.mark.parametrize("where", [{}, {"judge": "w1"}, {"judge": "w1", "prompt_id": "p1"}])
@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_file_gives_the_same_by_column_as_by_row(
    tmp_path: Path, name: str, where: dict[str, str]
) -> None:
    if "prompt_id" in where and name == "texts":
        where = {"prompt": "p1"}
    path = tmp_path / "votes.csv"
    path.write_text(PLAIN[name], encoding="utf-8", newline="")
    reading = ReadOptions(where=where, chunk_rows=3)
    assert went_by_column(path, reading, BattleOptions())
    require_same(path, reading, BattleOptions())
    require_same(path, reading, BattleOptions(both_bad="leave-out"))


@pytest.mark.parametrize("name", NOT_PLAIN)
def test_what_is_not_plain_is_handed_over(tmp_path: Path, name: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(NOT_PLAIN[name], encoding="utf-8")
    assert not went_by_column(path, ReadOptions(), BattleOptions())
    require_same(path, ReadOptions(), BattleOptions())


def test_a_compressed_file_and_a_parquet_file_give_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "votes.csv.gz"
    packed.write_bytes(gzip.compress((HEADER + ROWS).encode()))
    assert went_by_column(packed, ReadOptions(), BattleOptions())
    require_same(packed, ReadOptions(), BattleOptions())
    columns = dict(zip(HEADER.strip().split(","), zip(*_cells(), strict=True), strict=True))
    columns["judge"] = tuple(int(v[1:]) if v else None for v in columns["judge"])
    table = pa.table({name: list(values) for name, values in columns.items()})
    path = tmp_path / "votes.parquet"
    for use_dictionary in (True, False):
        encoded = table.set_column(0, "model_a", table["model_a"].dictionary_encode())
        pq.write_table(encoded if use_dictionary else table, path)
        assert went_by_column(path, ReadOptions(), BattleOptions())
        require_same(path, ReadOptions(), BattleOptions())
        require_same(path, ReadOptions(where={"judge": "1"}), BattleOptions())


def _cells() -> list[list[str]]:
    return [line.split(",") for line in ROWS.splitlines()]


@pytest.mark.parametrize("blank", ["\n", "\r\n"])
def test_a_blank_line_among_quoted_records_is_no_row_that_a_filter_leaves_out(
    tmp_path: Path, blank: str
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + ROWS + blank + '"x","y","tie","p2","w2"\n', newline="")
    require_same(path, ReadOptions(where={"judge": "w1"}), BattleOptions())


@pytest.mark.parametrize("codes", [pa.uint8(), pa.uint16(), pa.int64()])
def test_a_dictionary_with_nulls_may_have_codes_of_any_width(
    tmp_path: Path, codes: pa.DataType
) -> None:
    names = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], codes), pa.array(["x", "y"]))
    winner = ["tie", "model_a", "tie", "model_b"]
    table = pa.table({"model_a": names, "model_b": ["z", "z", "z", "y"], "winner": winner})
    path = tmp_path / "votes.parquet"
    pq.write_table(table, path)
    assert went_by_column(path, ReadOptions(), BattleOptions())
    require_same(path, ReadOptions(), BattleOptions())


def test_a_covariate_that_a_table_lacks_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    pq.write_table(pa.table({"model_a": ["x"], "model_b": ["y"], "winner": ["tie"]}), path)
    options = BattleOptions(covariates={"length": ("len_a", "len_b")})
    with pytest.raises(FormatError, match="len_a: there is no such column"):
        read_battles(path, None, options)


@pytest.mark.parametrize("first", ["with", "without"])
def test_annotators_and_prompts_of_some_files_are_read_in_any_order_of_files(
    tmp_path: Path, first: str
) -> None:
    texts = {"with": HEADER + ROWS, "without": "model_a,model_b,winner\nx,y,tie\ny,z,model_b\n"}
    paths = [tmp_path / f"{name}.csv" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    paths.sort(key=lambda path: path.stem != first)
    read = read_battles(paths)
    assert set(read.battles.annotator_names) == {"w1", "w2", ""}
    assert read.n_no_annotator == 3
    # Three prompts of the one file, and each vote of the other is one of its own.
    assert read.battles.prompt is not None and len(np.unique(read.battles.prompt)) == 5


def test_covariates_are_the_same_by_column(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,u,v\nx,y,model_a,1.5,1e3\ny,x,tie, 2 ,-.5\n")
    options = BattleOptions(covariates={"length": ("u", "v"), "back": ("v", "u")})
    assert went_by_column(path, ReadOptions(), options)
    require_same(path, ReadOptions(), options)
    path.write_text("model_a,model_b,winner,u,v\nx,y,model_a,1.5,inf\ny,x,tie,2,3\n")
    assert not went_by_column(path, ReadOptions(), options)
    require_same(path, ReadOptions(on_bad="count"), options)


def test_real_battles_are_the_same_by_column(data_dir: Path) -> None:
    path = data_dir / "llmfao_battles.csv.gz"
    reading = ReadOptions(where={"judge_kind": "crowd"})
    assert went_by_column(path, reading, BattleOptions())
    require_same(path, reading, BattleOptions())


def told_by_row(path: Path) -> str:
    """Why the file cannot be read by rows; "" where it can."""
    try:
        battles_by_row(open_preferences(path), ReadOptions(), BattleOptions())
    except RewardLabError as error:
        return str(error)
    return ""


def told(path: Path) -> str:
    """Why the file cannot be read; "" where it can."""
    try:
        read_battles(path)
    except RewardLabError as error:
        return str(error)
    return ""


LETTERS = st.text(alphabet='x,"\n\r é', max_size=12)


@settings(max_examples=60, deadline=None)
@given(cells=st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=3))
def test_any_bytes_are_read_by_column_as_by_row_or_refused_alike(
    cells: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "votes.csv"
    rows = "".join(f"{a}x,y,tie{b}\n" for a, b in cells)
    path.write_text("model_a,model_b,winner\n" + rows, encoding="utf-8", newline="")
    refused = told_by_row(path)
    assert told(path) == refused
    if not refused:
        require_same(path, ReadOptions(), BattleOptions())
