"""``rewardlab convert`` wires reading and writing together and says what it did."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rewardlab.cli.main import app
from rewardlab.cli.reading import progress_bar
from rewardlab.errors import InputError
from rewardlab.preferences.formats import read_preferences

VOTES = "pair,model_a,model_b,winner,kind\n1,m,n,model_a,crowd\n1,m,n,tie,crowd\n2,m,n,tie,gpt\n"
TEXT = {"pair": 1, "prompt": "p", "response_x": "x", "response_y": "y"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "texts.jsonl").write_text(json.dumps(TEXT) + "\n")
    return tmp_path


def _convert(folder: Path, *arguments: str) -> Any:
    joined = ["--join", str(folder / "texts.jsonl"), "--on", "pair", "--where", "kind=crowd"]
    command = ["convert", str(folder / "votes.csv"), *joined, *arguments]
    return CliRunner().invoke(app, command)


def test_what_was_read_left_out_and_written_is_printed(folder: Path) -> None:
    out = folder / "pairs.jsonl"
    result = _convert(folder, "--out", str(out), "--ties", "leave-out")
    assert result.exit_code == 0
    said = result.stdout
    assert "Reading as arena battles (winner)" in said
    assert "Delivered 2 of 3 rows." in said
    assert "Left out 1: kind is not 'crowd'" in said
    assert f"Wrote 1 row to {out} in TRL's layout" in said
    assert "Left out as a tie or both bad: 1 vote (first at" in said
    assert read_preferences(out).response_a == ["x"]


def test_native_output_keeps_ties(folder: Path) -> None:
    out = folder / "votes.parquet.gz"
    result = _convert(folder, "--out", str(out), "--to", "native")
    assert result.exit_code == 0
    assert read_preferences(out).outcome.tolist() == [0, 2]


def test_ties_are_refused_in_one_line_with_exit_code_2(folder: Path) -> None:
    command = [sys.executable, "-c", "from rewardlab.cli.main import run; run()", "convert"]
    arguments = [str(folder / "votes.csv"), "--out", str(folder / "out.jsonl")]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "2 of 3 rows are ties" in done.stderr
    assert not (folder / "out.jsonl").exists()


def test_ratings_are_converted_through_the_reading_options(tmp_path: Path) -> None:
    rows = [{"prompt": "p", "response": r, "helpfulness": i} for i, r in enumerate("xyz")]
    (tmp_path / "rated.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "pairs.jsonl"
    command = ["convert", str(tmp_path / "rated.jsonl"), "--rating", "helpfulness"]
    result = CliRunner().invoke(app, [*command, "--out", str(out)])
    assert result.exit_code == 0
    pairs = read_preferences(out)
    assert (pairs.outcome.tolist(), pairs.margin.tolist()) == ([1, 1, 1], [1.0, 2.0, 1.0])


def test_bad_rows_are_skipped_aloud_on_request(tmp_path: Path) -> None:
    good = {"prompt": "p", "chosen": "x", "rejected": "y"}
    rows = [good, {**good, "chosen": True}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["convert", str(tmp_path / "in.jsonl"), "--out", str(tmp_path / "out.jsonl")]
    assert CliRunner().invoke(app, command).exit_code != 0
    result = CliRunner().invoke(app, [*command, "--skip-bad"])
    assert result.exit_code == 0
    assert "Left out 1: chosen is a boolean (first at" in result.stdout


def test_no_input_is_replaced(folder: Path) -> None:
    before = (folder / "texts.jsonl").read_text()
    result = _convert(folder, "--out", str(folder / "texts.jsonl"), "--ties", "leave-out")
    assert isinstance(result.exception, InputError)
    assert "would replace an input" in str(result.exception)
    assert (folder / "texts.jsonl").read_text() == before
    pair = folder / "pairs.jsonl"
    pair.write_text(json.dumps({"prompt": "p", "chosen": "x", "rejected": "y"}) + "\n")
    with pytest.raises(InputError, match="would replace an input"):
        CliRunner().invoke(app, ["convert", str(pair), "--out", str(pair)], catch_exceptions=False)


def test_own_labels_are_read_as_the_option_says(tmp_path: Path) -> None:
    pair = {"instruction": "p", "output_1": "x", "output_2": "y"}
    rows = [{**pair, "label": label} for label in (1, 0)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["convert", str(tmp_path / "in.jsonl"), "--out", str(tmp_path / "out.jsonl")]
    with pytest.raises(InputError, match="label holds only 0 and 1"):
        CliRunner().invoke(app, command, catch_exceptions=False)
    result = CliRunner().invoke(app, [*command, "--labels", "1=a,0=b"])
    assert result.exit_code == 0
    assert "label 1 = a, 0 = b" in result.stdout
    assert read_preferences(tmp_path / "out.jsonl").outcome.tolist() == [0, 1]


@pytest.mark.parametrize(
    "options",
    [
        ["--column", "prompt"],
        ["--column", "prompt="],
        ["--column", "a=b", "--column", "a=c"],
        ["--where", "=x"],
        ["--labels", "1"],
        ["--labels", "1=a,1=b"],
        ["--join", "texts.jsonl"],
        ["--on", "pair"],
    ],
    ids=" ".join,
)
def test_options_of_a_wrong_form_are_refused(options: list[str]) -> None:
    for command in (["convert", "in.jsonl", "--out", "out.jsonl"], ["doctor", "in.jsonl"]):
        with pytest.raises(InputError, match=options[0]):
            CliRunner().invoke(app, [*command, *options], catch_exceptions=False)


def test_no_bar_is_drawn_where_standard_error_is_no_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with progress_bar("Reading") as on_progress:
        on_progress(0.5)
    assert capfd.readouterr() == ("", "")


def test_the_help_shows_an_example() -> None:
    result = CliRunner().invoke(app, ["convert", "--help"])
    assert "Example: rewardlab convert" in result.stdout


def test_a_file_of_unreadable_labels_alone_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("prompt,response_a,response_b,winner\np,x,y,1\nq,x,y,0\n")
    command = ["convert", str(tmp_path / "v.csv"), "--out", str(tmp_path / "o.jsonl"), "--skip-bad"]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, InputError)
    assert "all 2 rows were left out: 2: winner is an unknown label" in str(result.exception)
    assert "--labels VALUE=OUTCOME" in str(result.exception)
