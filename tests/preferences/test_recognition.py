"""The layout is said aloud, can be forced, and is never guessed where it is unclear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.formats import open_preferences, read_unpaired
from tests.preferences.preference_files import Rows, opened, write_jsonl

PAIR = {"prompt": "p", "chosen": "x", "rejected": "y"}


def test_the_sentence_names_the_columns_and_what_is_unknown(tmp_path: Path) -> None:
    rows = [{"question": "p", "chosen": "x", "rejected": "y", "worker": "w", "split": "train"}]
    assert opened(tmp_path, rows).layout.sentence == (
        "TRL explicit prompt (question, chosen, rejected), with annotator from worker, split; "
        "sides unknown: the first column is the winner's, not the side shown first"
    )


def test_unknown_columns_are_listed_with_the_nearest_conventions_and_hints(tmp_path: Path) -> None:
    rows = [{"prompt": "p", "choosen": "x", "rejected": "y"}]
    with pytest.raises(FormatError) as caught:
        opened(tmp_path, rows)
    message = str(caught.value)
    assert "columns found: prompt, choosen, rejected" in message
    assert "trl-explicit misses chosen (did you mean 'choosen'?)" in message
    assert "--column" in message
    fixed = opened(tmp_path, rows, columns={"chosen": "choosen"})
    assert fixed.read().response_a == ["x"]


def test_several_fitting_conventions_are_refused_until_one_is_forced(tmp_path: Path) -> None:
    rows = [{**PAIR, "model_a": "m", "model_b": "n", "winner": "tie"}]
    with pytest.raises(FormatError, match=r"several conventions: trl-explicit .*arena.*--format"):
        opened(tmp_path, rows)
    assert opened(tmp_path, rows, format="arena").layout.name == "arena"
    assert opened(tmp_path, rows, format="trl-explicit").read().extra["winner"] == ["tie"]


def test_a_forced_convention_says_what_it_misses(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"not readable as arena: missing winner; columns found"):
        opened(tmp_path, [PAIR], format="arena")
    with pytest.raises(FormatError, match=r"no such convention; did you mean 'alpaca'"):
        opened(tmp_path, [PAIR], format="alpacca")


def test_columns_can_be_mapped_by_field_or_by_usual_name(tmp_path: Path) -> None:
    rows = [{"m1": "x", "m2": "y", "verdict": "tie", "who": "w", "group": "g"}]
    mapped = {"model_a": "m1", "item_b": "m2", "winner": "verdict"}
    reader = opened(tmp_path, rows, columns={**mapped, "annotator": "who", "prompt_id": "group"})
    p = reader.read()
    assert (p.item_a, p.item_b, p.annotator, p.prompt_id) == (["x"], ["y"], ["w"], ["g"])
    assert p.extra == {}


def test_a_mapping_to_or_from_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"prompt=promt: .*no such column; .* mean 'prompt'"):
        opened(tmp_path, [PAIR], columns={"prompt": "promt"})
    with pytest.raises(FormatError, match=r"no such field; did you mean 'chosen'"):
        opened(tmp_path, [PAIR], columns={"chosn": "prompt"})


def test_rows_are_filtered_by_column_and_counted(tmp_path: Path) -> None:
    rows = [{**PAIR, "kind": x} for x in ("a", "b", None, True, 3)]
    for wanted, kept in (("a", 1), ("", 1), ("true", 1), ("3", 1)):
        reader = opened(tmp_path, rows, where={"kind": wanted})
        assert len(reader.read()) == kept
        assert [(x.reason, x.count) for x in reader.report.left_out] == [
            (f"kind is not {wanted!r}", 4)
        ]
    with pytest.raises(FormatError, match=r"no row is left to read: 5: kind is not 'c'"):
        opened(tmp_path, rows, where={"kind": "c"})
    with pytest.raises(FormatError, match=r"--where sort=...: there is no such column"):
        opened(tmp_path, rows, where={"sort": "c"})


def test_a_filter_that_keeps_no_row_says_what_values_there_are(tmp_path: Path) -> None:
    rows = [{**PAIR, "kind": x} for x in ("b", "a", "b", None, True, *range(9))]
    with pytest.raises(FormatError) as caught:
        opened(tmp_path, rows * 200, where={"kind": "c"})  # more rows than a file is recognised by
    assert str(caught.value).endswith(
        "2,800: kind is not 'c'; kind holds 'b' (400), 'a' (200), '' (200), 'true' (200), "
        "'0' (200), '1' (200), '2' (200), '3' (200), ..."
    )


def test_several_files_are_splits_named_by_their_stems(tmp_path: Path) -> None:
    train = write_jsonl(tmp_path / "train.jsonl.gz", [PAIR])
    test = write_jsonl(tmp_path / "test.jsonl", [{**PAIR, "split": None}, {**PAIR, "split": "dev"}])
    p = open_preferences([train, test]).read()
    assert p.split == ["train", "test", "dev"]
    assert p.source == [str(train), str(test), str(test)]
    assert p.line.tolist() == [1, 1, 2]
    assert open_preferences(train).read().split == [None]


def test_files_of_different_layouts_are_not_mixed(tmp_path: Path) -> None:
    first = write_jsonl(tmp_path / "a.jsonl", [PAIR])
    other = write_jsonl(tmp_path / "b.jsonl", [{"model_a": "x", "model_b": "y", "winner": "tie"}])
    with pytest.raises(FormatError, match=r"differ in layout: .*a.jsonl is trl-explicit"):
        open_preferences([first, other])


def test_the_reader_can_be_read_again_and_reports_the_last_whole_pass(tmp_path: Path) -> None:
    reader = opened(tmp_path, [PAIR] * 5, chunk_rows=2)
    with pytest.raises(InputError, match=r"a complete pass"):
        _ = reader.report
    shares: list[float] = []
    assert [len(c) for c in reader.chunks(on_progress=shares.append)] == [2, 2, 1]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(reader.read()) == 5
    assert reader.report.n_rows == 5


def test_a_column_that_comes_late_is_none_before(tmp_path: Path) -> None:
    rows: Rows = [*[PAIR] * 3, {**PAIR, "late": 1}, PAIR]
    p = opened(tmp_path, rows, chunk_rows=2).read()
    assert p.extra == {"late": [None, None, None, 1, None]}


def test_an_extra_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    rows: Rows = [{**PAIR, "note": 1, "rewardlab.extra.note": 2}, PAIR]
    with pytest.raises(RowError, match=r"line 1: column 'rewardlab.extra.note'.*beside 'note'"):
        opened(tmp_path, rows).read()


def test_one_kind_is_not_read_as_another(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "rows.jsonl", [PAIR])
    with pytest.raises(FormatError, match=r"these are preferences, where unpaired were asked"):
        read_unpaired(path)
    rows = [{"prompt": "p", "completion": "x", "label": True}]
    with pytest.raises(FormatError, match=r"unpaired labels .*: these are unpaired"):
        opened(tmp_path, rows)


@pytest.mark.parametrize("options", [{"chunk_rows": 0}, {"rating": "x", "from_rankings": True}])
def test_options_that_make_no_sense_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        opened(tmp_path, [PAIR], **options)


def test_no_file_at_all_is_refused() -> None:
    with pytest.raises(InputError, match=r"at least one file"):
        open_preferences([])
