"""Files that a visitor of the lab can take along."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rewardlab.cli.main import app
from rewardlab.preferences.formats import open_preferences
from rewardlab.types import Outcome
from rewardlab.worlds.lab import FEATURE_NAMES, lab_world
from tests.app.lab.client import Visitor, auto, client_in, label


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    """A visitor of a lab with an empty database."""
    with client_in(tmp_path) as client:
        yield Visitor(client)


def test_exported_labels_are_read_back_as_they_were_given(visitor: Visitor, tmp_path: Path) -> None:
    visitor.do(auto(10), label("b", prompt="money"), label("tie"), label("skip"), label("both_bad"))
    got = visitor.post("labels.jsonl")
    assert got.headers["X-Left-Out"] == "3"
    assert "1 tied, 1 both bad, 1 skipped" in got.headers["X-Left-Out-Reason"]
    assert got.headers["Content-Disposition"] == 'attachment; filename="lab-labels.jsonl"'
    path = tmp_path / "labels.jsonl"
    path.write_bytes(got.content)
    read = open_preferences(path).read()
    assert len(read) == 11
    assert read.prompt[10] == lab_world("money").prompt
    assert read.outcome[10] == Outcome.B
    assert read.response_a[10] == lab_world("money").texts[0]
    assert read.annotator == ["hurried rater"] * 10 + ["visitor"]
    assert [i for i, name in enumerate(read.split) if name == "test"] == [4, 9]
    assert read.sides_recorded


def test_the_doctor_reads_exported_labels_as_trl(visitor: Visitor, tmp_path: Path) -> None:
    visitor.do(auto(40))
    path = tmp_path / "labels.jsonl"
    path.write_bytes(visitor.post("labels.jsonl").content)
    told = CliRunner().invoke(app, ["doctor", str(path)])
    assert told.exit_code in (0, 1), told.output  # 1 where a check fails, as on any file
    assert "TRL" in told.output


def test_nothing_with_a_winner_is_no_file(visitor: Visitor) -> None:
    visitor.do(label("tie"))
    assert "no label with a winner" in visitor.refused("labels.jsonl")


def test_a_path_is_a_table_of_its_points(visitor: Visitor) -> None:
    visitor.do(auto(100))
    settings = {"method": "natural_gradient", "n_steps": 30}
    run = visitor.ask("run", settings)
    got = visitor.post("path.csv", settings)
    assert got.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(got.text.splitlines()))
    assert len(rows) == 31
    assert set(FEATURE_NAMES) < set(rows[0])
    gold = [float(row["gold_reward"]) for row in rows]
    np.testing.assert_allclose(gold, run["path"]["gold"], rtol=1e-6)
    assert float(rows[-1]["sqrt_kl"]) == pytest.approx(run["end"]["sqrt_kl"])
