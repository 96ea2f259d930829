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
    with pytest.raises(RowError, match=rf"line 1: column '{column}'.*one of 1, 0, 2, bad"):
        opened(tmp_path, [{**row, column: None}], labels=OWN).read()
    rows += [{**row, column: unknown} for unknown in (3, "Bad", 3.0, None)]
    for on_bad in ("raise", "count"):
        with pytest.raises(FormatError) as caught:
            opened(tmp_path, rows, labels=OWN, on_bad=on_bad)
        assert (
            f"line 5: {column} holds labels of which --labels says nothing: 3 (2), Bad (1); "
            in (str(caught.value))
        )
        assert "--labels 1=a,0=b,2=tie,bad=both_bad,3=OUTCOME (one of a, b, " in str(caught.value)


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


def test_labels_without_a_meaning_in_lists_of_votes_are_counted_vote_by_vote(
    tmp_path: Path,
) -> None:
    rows: Rows = [{**SHARED, "votes": [1, 0, {"annotator": "w", "label": 0}, None]}] * 3
    with pytest.raises(FormatError, match=r"votes holds .* says nothing: 0 \(6\); add"):
        opened(tmp_path, rows, labels={"1": "a"}, on_bad="count")


def test_rows_that_a_filter_leaves_out_need_no_meaning(tmp_path: Path) -> None:
    rows: Rows = [{**SHARED, "winner": w, "kind": k} for w, k in ((1, "x"), (0, "y"))]
    kept = opened(tmp_path, rows, labels={"1": "a"}, where={"kind": "x"}).read()
    assert kept.outcome.tolist() == [0]


@pytest.mark.parametrize("labels", [{"true": "a", "false": "b"}, {"True": "a", "False": "b"}])
def test_booleans_as_labels_are_said_in_either_spelling(
    tmp_path: Path, labels: dict[str, str]
) -> None:
    rows: Rows = [{**SHARED, "winner": value} for value in (True, False)]
    assert opened(tmp_path, rows, labels=labels).read().outcome.tolist() == [0, 1]


def test_booleans_as_labels_are_refused_in_the_spelling_of_json(tmp_path: Path) -> None:
    rows: Rows = [{**SHARED, "winner": value} for value in (True, False)]
    with pytest.raises(RowError, match=r"got true, expected one of a, .*--labels VALUE=OUTCOME"):
        opened(tmp_path, rows).read()
    with pytest.raises(FormatError, match=r"says nothing: false \(1\); .*true=a,false=OUTCOME"):
        opened(tmp_path, rows, labels={"true": "a"})


@pytest.mark.parametrize(
    ("row", "column"),
    [
        (PAIR, "preference"),
        ({"left": "cat", "right": "dog"}, "label"),
        ({"prompt": "p", "response_0": "x", "response_1": "y"}, "better_response_id"),
        ({"context": "p", "response1": "x", "response2": "y"}, "overall_preference"),
    ],
)
@pytest.mark.parametrize("label", [7, "first"])
def test_an_unknown_label_names_the_option_in_other_layouts(
    tmp_path: Path, row: dict[str, Any], column: str, label: object
) -> None:
    with pytest.raises(RowError, match=r"line 1: .*; say what .* with --labels VALUE=OUTCOME"):
        opened(tmp_path, [{**row, column: label}]).read()


def test_a_counting_pass_that_delivers_nothing_says_why_and_names_the_option(
    tmp_path: Path,
) -> None:
    reader = opened(tmp_path, [{**SHARED, "winner": i % 2} for i in range(120)], on_bad="count")
    assert list(reader.chunks()) == []
    for deliver in (reader.read, lambda: list(reader.some_chunks())):
        with pytest.raises(FormatError) as caught:
            deliver()
        said = str(caught.value)
        assert "no row is left to read: all 120 rows were left out: 120: winner is a number" in said
        assert said.endswith("--labels VALUE=OUTCOME,...)")
        assert ":1: got 0, expected one of a, model_a" in said


@pytest.mark.parametrize(
    ("row", "column", "first", "second"),
    [
        ({"model_a": "x", "model_b": "y"}, "winner", "model_a", "right"),
        (SHARED, "outcome", "a", "b"),
        ({"left": "cat", "right": "dog"}, "label", "cat", "dog"),
        ({"left": 7, "right": 8.0}, "label", 7, 8.0),
    ],
)
def test_words_that_a_layout_knows_need_no_meaning_beside_own_labels(
    tmp_path: Path, row: dict[str, Any], column: str, first: Any, second: Any
) -> None:
    rows = [{**row, column: value} for value in (first, second, "tie", "Draw", "draw")]
    labels = {"Draw": "tie", "draw": "both_bad"}
    assert opened(tmp_path, rows, labels=labels).read().outcome.tolist() == [0, 1, 2, 2, 3]
    with pytest.raises(FormatError, match=r"says nothing: DRAW \(1\); add"):
        opened(tmp_path, [*rows, {**row, column: "DRAW"}], labels=labels)
    votes: Rows = [{**SHARED, "votes": ["response_a", "b", "Draw"]}]
    assert opened(tmp_path, votes, labels=labels).read().outcome.tolist() == [0, 1, 2]


def test_a_known_word_of_another_meaning_leaves_no_other_word_known(tmp_path: Path) -> None:
    rows: Rows = [{**SHARED, "winner": word} for word in ("a", "b", "tie")]
    with pytest.raises(FormatError, match=r"says nothing: b \(1\), tie \(1\); add"):
        opened(tmp_path, rows, labels={"a": "b"})
    swapped = {"a": "b", "b": "a", "tie": "tie"}
    assert opened(tmp_path, rows, labels=swapped).read().outcome.tolist() == [1, 0, 2]


def test_numbers_keep_no_meaning_beside_own_labels(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"says nothing: 2 \(1\); add"):
        opened(tmp_path, alpaca(1, 2), labels={"1": "a"})
