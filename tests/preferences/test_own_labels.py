"""A file's own labels are read as the user says, and never guessed where they have two readings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.formats import ReadOptions, open_preferences
from tests.preferences.preference_files import Rows, csv_bytes, opened, write_jsonl

PAIR: dict[str, Any] = {"instruction": "p", "output_1": "x", "output_2": "y"}
SHARED: dict[str, Any] = {"prompt": "p", "response_a": "x", "response_b": "y"}
OWN = {"1": "a", "0": "b", "2": "tie", "bad": "both_bad"}


def alpaca(*labels: Any) -> Rows:
    return [{**PAIR, "label": label} for label in labels]


@pytest.mark.parametrize("labels", [(1, 0), (0, 0), ("1", "0"), (1.0, 0.0), (1,) * 600 + (0,)])
def test_labels_of_0_and_1_alone_are_refused_with_both_readings(
    tmp_path: Path, labels: tuple[Any, ...]
) -> None:
    with pytest.raises(FormatError) as caught:
        opened(tmp_path, alpaca(*labels))
    said = str(caught.value)
    assert "label holds only 0 and 1" in said
    assert "--labels 1=a,0=b" in said
    assert "--labels 1=a,0=tie" in said


@pytest.mark.parametrize("last", [2, 1.5, 1.25])
def test_one_label_above_1_anywhere_settles_the_scale(tmp_path: Path, last: float) -> None:
    p = opened(tmp_path, alpaca(*(1, 0) * 600, last)).read()
    assert p.outcome[:2].tolist() == [0, 2]


def test_labels_of_1_alone_have_one_reading(tmp_path: Path) -> None:
    assert opened(tmp_path, alpaca(1, 1)).read().outcome.tolist() == [0, 0]


def test_a_label_above_1_in_another_split_or_kept_row_settles_the_scale(tmp_path: Path) -> None:
    first = write_jsonl(tmp_path / "a.jsonl", alpaca(0, 1))
    second = write_jsonl(tmp_path / "b.jsonl", alpaca(2, 1))
    assert open_preferences([first, second]).read().outcome.tolist() == [2, 0, 1, 0]
    rows = [{**row, "kind": kind} for row, kind in zip(alpaca(0, 2), "xy", strict=True)]
    with pytest.raises(FormatError, match="only 0 and 1"):
        opened(tmp_path, rows, where={"kind": "x"})


@pytest.mark.parametrize(
    ("row", "column"),
    [
        (PAIR, "preference"),
        (SHARED, "outcome"),
        (SHARED, "winner"),
        ({"left": "cat", "right": "dog"}, "label"),
        ({"prompt": "p", "response_0": "x", "response_1": "y"}, "better_response_id"),
        ({"history": "p", "human_ref_A": "x", "human_ref_B": "y"}, "labels"),
        ({"context": "p", "response1": "x", "response2": "y"}, "overall_preference"),
    ],
)
def test_own_labels_are_read_in_every_layout_with_a_column_of_them(
    tmp_path: Path, row: dict[str, Any], column: str
) -> None:
    rows = [{**row, column: value} for value in (1, 0, 2.0, "bad")]
    reader = opened(tmp_path, rows, labels=OWN)
    assert reader.layout.sentence.endswith(f"; {column} 1 = a, 0 = b, 2 = tie, bad = both_bad")
    assert reader.read().outcome.tolist() == [0, 1, 2, 3]
    for unknown in (3, None, "Bad"):
        with pytest.raises(RowError, match=rf"line 1: column '{column}'.*one of 1, 0, 2, bad"):
            opened(tmp_path, [{**row, column: unknown}], labels=OWN).read()


def test_own_labels_are_read_in_lists_of_votes_and_in_csv(tmp_path: Path) -> None:
    votes = [{**SHARED, "votes": [1, {"annotator": "w", "label": False}]}]
    p = opened(tmp_path, votes, labels={"1": "a", "false": "b"}).read()
    assert p.outcome.tolist() == [0, 1]
    rows = [{"left": "a", "right": "b", "label": x} for x in ("a", "b")]
    path = tmp_path / "crowd.csv"
    path.write_bytes(csv_bytes(rows, list(rows[0])))
    swapped = ReadOptions(labels={"a": "b", "b": "a"})
    assert open_preferences(path, swapped).read().outcome.tolist() == [1, 0]


def test_own_labels_that_cannot_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--labels 1=first: .* a, b, tie, both_bad"):
        opened(tmp_path, alpaca(1), labels={"1": "first"})
    rows: Rows = [{"prompt": "p", "chosen": "x", "rejected": "y"}]
    with pytest.raises(FormatError, match=r"--labels: TRL explicit prompt has no column of labels"):
        opened(tmp_path, rows, labels={"1": "a"})


def test_an_unknown_label_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"got 1, expected one of a, .*--labels VALUE=OUTCOME"):
        opened(tmp_path, [{**SHARED, "winner": 1}]).read()
