"""What annotators said as files: every judgement that stands, with its sides as shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine, insert

from rewardlab.app.annotate.admin.sentences import left_out_sentence
from rewardlab.app.annotate.admin.summary import asked_pairs, summarised
from rewardlab.app.annotate.exports.judgements import preferences_of, write_labels, write_record
from rewardlab.app.annotate.exports.sample_gold import write_samples
from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.annotate.store.projects import create_project, find_project
from rewardlab.app.annotate.store.tables import LABELS
from rewardlab.app.database import open_database
from rewardlab.audit.running import audit
from rewardlab.errors import InputError
from rewardlab.preferences.formats import open_preferences, read_preferences
from rewardlab.preferences.pair_pool import LINE
from rewardlab.preferences.samples import read_samples
from rewardlab.types import Outcome, Text

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(f"sqlite:///{tmp_path / 'lab.sqlite'}")
    yield opened
    opened.dispose()


def project(engine: Engine, pairs: Sequence[Pair], **options: Any) -> None:
    create_project(engine, "p", pairs, **options)


def pair(number: int, **options: Any) -> Pair:
    content = Content(f"id{number}", f"q{number}", f"prompt {number}", f"a{number}", f"b{number}")
    return Pair(number, options.pop("kind", "pair"), content, **options)


def record(engine: Engine, *events: dict[str, Any]) -> None:
    """Write events as they are, after the usual of each."""
    usual: dict[str, Any] = dict.fromkeys(("strength", "duration_s", "undone", "outcome"))
    usual |= {"project": "p", "annotator": "ann", "did": "label", "flipped": False}
    usual |= {"reason": "", "judged_at": NOW, "stored_at": NOW}
    rows = [{**usual, "number": i, "id": f"e{i}", **event} for i, event in enumerate(events)]
    with engine.begin() as connection:
        connection.execute(insert(LABELS), rows)


def test_side_a_is_the_one_that_was_shown_on_the_left(engine: Engine) -> None:
    contents = Content("x", "q", "?", "first", "second", "model 1", "model 2")
    project(engine, [Pair(0, "pair", contents)])
    record(
        engine,
        {"pair": 0, "annotator": "ann", "outcome": "a", "strength": 3},
        {"pair": 0, "annotator": "bob", "outcome": "a", "flipped": True},
        {"pair": 0, "annotator": "cyd", "outcome": "both_bad", "flipped": True},
    )
    found = preferences_of(engine, "p").preferences
    assert found.sides_recorded
    assert found.response_a == ["first", "second", "second"]
    assert found.item_a == ["model 1", "model 2", "model 2"]
    assert found.outcome.tolist() == [Outcome.A, Outcome.B, Outcome.BOTH_BAD]
    assert found.label.tolist() == [1.0, 0.0, 0.5]
    np.testing.assert_array_equal(found.margin, [3.0, np.nan, np.nan])
    assert found.id == ["x"] * 3
    assert found.annotator == ["ann", "bob", "cyd"]


def test_what_is_left_out_is_counted_by_its_reason(engine: Engine) -> None:
    known = pair(3, kind="known", known="a")
    project(engine, [pair(0), pair(1), pair(2, kind="repeat", of=0), known])
    record(
        engine,
        {"pair": 0, "outcome": "a"},
        {"pair": 1, "outcome": "b", "id": "wrong"},
        {"pair": 1, "did": "undo", "undone": "wrong"},
        {"pair": 1, "outcome": "skip"},
        {"pair": 2, "outcome": "a"},
        {"pair": 3, "outcome": "a"},
    )
    plain, checks = (preferences_of(engine, "p", checks=wanted) for wanted in (False, True))
    shared = {"undone or judged again": 1, "skipped": 1}
    planted = {"of planted repeats": 1, "of known pairs": 1}
    assert plain.left_out == {**shared, **planted}
    assert checks.left_out == shared
    assert plain.preferences.extra["kind"] == ["pair"]
    assert checks.preferences.extra["kind"] == ["pair", "repeat", "known"]
    assert plain.preferences.line.tolist() == [1]


def test_the_admin_reads_the_counts_of_the_export(engine: Engine) -> None:
    repeats = [pair(4, kind="repeat", of=0), pair(5, kind="repeat", of=1)]
    project(engine, [*(pair(i) for i in range(4)), *repeats, pair(6, kind="known", known="a")])
    said = ["a", "b", "skip", "tie", "skip", "b", "a"]
    record(engine, *({"pair": i, "outcome": outcome} for i, outcome in enumerate(said)))
    exported = preferences_of(engine, "p")
    found = find_project(engine, "p")
    assert found is not None
    asked = asked_pairs(engine, "p")
    assert left_out_sentence(summarised(engine, found, NOW, asked=asked)) == (
        "3 judgements; left out: 2 skipped, 1 of planted repeats, 1 of known pairs."
    )
    assert len(exported.preferences) == 3
    assert exported.left_out == {"skipped": 2, "of planted repeats": 1, "of known pairs": 1}


@pytest.mark.parametrize("name", ["labels.jsonl", "labels.parquet", "labels.jsonl.gz"])
def test_reading_a_file_of_judgements_gives_them_back(
    engine: Engine, tmp_path: Path, name: str
) -> None:
    said: list[dict[str, str]] = [{"role": "user", "content": "Hi 👋"}]
    prompt: Text = [dict(turn) for turn in said]
    extra = {"kind": "theirs", "file.kind": "older", "pair_id": "7", "topic": "ü", "worker": "w"}
    pairs = [
        Pair(0, "pair", Content("x", "q", prompt, "a\nb", "\u2028 {", "m", None, extra)),
        pair(1),
    ]
    project(engine, pairs)
    record(
        engine,
        {"pair": 0, "outcome": "b", "strength": 1, "reason": "wéll\n", "duration_s": 3.25},
        {"pair": 1, "outcome": "tie", "flipped": True},
        {"pair": 1, "annotator": "bob", "outcome": "both_bad"},
    )
    path = tmp_path / name
    assert write_labels(engine, "p", path).n == 3
    before, after = preferences_of(engine, "p").preferences, read_preferences(path)
    for field in ("prompt", "response_a", "response_b", "annotator", "id", "prompt_id", "item_a"):
        assert getattr(after, field) == getattr(before, field), field
    assert after.extra == before.extra
    assert set(extra) - {"kind", "file.kind"} < set(after.extra)
    assert after.extra["file.kind"] == ["theirs", None, None]
    assert after.extra["file.file.kind"] == ["older", None, None]
    assert after.outcome.tolist() == before.outcome.tolist()
    np.testing.assert_array_equal(after.margin, before.margin)
    assert after.sides_recorded


def test_an_audit_takes_the_file_and_sees_that_people_agree_across_sides(
    engine: Engine, tmp_path: Path
) -> None:
    texts = [("word " * (1 + i % 5), "other " * (2 + i % 7)) for i in range(60)]
    project(
        engine,
        [Pair(i, "pair", Content(f"id{i}", f"q{i}", "?", *both)) for i, both in enumerate(texts)],
    )
    record(
        engine,
        *(
            {"pair": i, "annotator": name, "outcome": "ab"[i % 2], "flipped": (i + j) % 2 == 0}
            for i in range(60)
            for j, name in enumerate(("ann", "bob"))
        ),
    )
    path = tmp_path / "labels.jsonl"
    write_labels(engine, "p", path)
    result = audit(open_preferences(path), seed=0)
    assert result.ceiling is not None
    assert result.ceiling.agreement.value == 1.0
    assert result.ceiling.n_pairs == 60


def test_the_record_holds_every_event_and_says_what_stands(engine: Engine, tmp_path: Path) -> None:
    project(engine, [pair(0)])
    record(
        engine,
        {"pair": 0, "outcome": "b", "id": "wrong"},
        {"pair": 0, "did": "undo", "undone": "wrong"},
        {"pair": 0, "outcome": "a", "reason": "clearer"},
    )
    path = tmp_path / "record.jsonl"
    assert write_record(engine, "p", path).n == 3
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(x["did"], x["outcome"], x["stands"]) for x in lines] == [
        ("label", "b", False),
        ("undo", None, False),
        ("label", "a", True),
    ]
    assert lines[2]["pair_id"] == "id0"
    assert lines[2]["judged_at"] == "2026-11-30T12:00:00+00:00"


def test_where_nothing_was_judged_there_is_nothing_to_export(
    engine: Engine, tmp_path: Path
) -> None:
    project(engine, [pair(0)])
    assert len(preferences_of(engine, "p").preferences) == 0
    with pytest.raises(InputError, match="Nobody has judged a pair yet"):
        write_labels(engine, "p", tmp_path / "x.jsonl")
    with pytest.raises(InputError, match="the record is empty"):
        write_record(engine, "p", tmp_path / "x.jsonl")
    record(engine, {"pair": 0, "outcome": "skip"})
    with pytest.raises(InputError, match="Left out: 1 skipped"):
        write_labels(engine, "p", tmp_path / "x.jsonl")
    assert not list(tmp_path.glob("x*"))


def asked(number: int, line: int) -> Pair:
    content = Content(f"s{line}", "q", "?", f"sample {line}", "drawn", extra={LINE: line})
    return Pair(number, "pair", content)


def sample_file(tmp_path: Path, n: int = 5) -> Path:
    path = tmp_path / "to-label.jsonl"
    rows: list[dict[str, Any]] = [
        {"prompt_id": "q", "response": f"sample {i}", "proxy": i, "ask": 1, "probability": 0.5}
        | {"gold": None}
        for i in range(1, n + 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_samples_get_the_share_of_judgements_that_they_won_as_gold(
    engine: Engine, tmp_path: Path
) -> None:
    project(engine, [asked(0, 1), asked(1, 2), asked(2, 4)], about={"settled": [5]})
    record(
        engine,
        {"pair": 0, "annotator": "ann", "outcome": "a"},
        {"pair": 0, "annotator": "bob", "outcome": "tie", "flipped": True},
        {"pair": 1, "annotator": "ann", "outcome": "b"},
        {"pair": 2, "annotator": "ann", "outcome": "skip"},
    )
    out = tmp_path / "labelled.jsonl"
    filled = write_samples(engine, "p", sample_file(tmp_path), out)
    assert (filled.n_rows, filled.n_filled, filled.n_settled, filled.n_waiting) == (5, 2, 1, 1)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["gold"] for row in rows] == [0.75, 0.0, None, None, 0.5]
    read = read_samples(
        out,
        group="prompt_id",
        proxies=["proxy"],
        gold="gold",
        probability="probability",
        missing_gold="keep",
    )
    np.testing.assert_array_equal(read.samples.gold, [0.75, 0.0, np.nan, np.nan, 0.5])


def test_gold_that_a_file_had_already_is_kept_and_counted(engine: Engine, tmp_path: Path) -> None:
    project(engine, [asked(0, 1)])
    record(engine, {"pair": 0, "outcome": "a"})
    path, out = sample_file(tmp_path, 4), tmp_path / "labelled.jsonl"
    rows = map(json.loads, path.read_text().splitlines())
    had = [row | {"gold": gold} for row, gold in zip(rows, [7.5, 15, 22.5, ""], strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in had))
    filled = write_samples(engine, "p", path, out)
    assert (filled.n_filled, filled.n_kept) == (1, 2)
    filled_in = [json.loads(line)["gold"] for line in out.read_text().splitlines()]
    assert filled_in == [1.0, 15, 22.5, ""]


def test_another_file_than_the_one_that_was_judged_is_refused(
    engine: Engine, tmp_path: Path
) -> None:
    project(engine, [asked(0, 1), asked(1, 9)])
    record(engine, {"pair": 0, "outcome": "a"})
    path, out = sample_file(tmp_path), tmp_path / "out.jsonl"
    with pytest.raises(InputError, match="has no line 9"):
        write_samples(engine, "p", path, out)
    path.write_text(path.read_text().replace("sample 1", "another"))
    with pytest.raises(InputError, match=r"line 1 of .* does not hold the response"):
        write_samples(engine, "p", path, out)
    assert not out.exists()


def test_a_project_of_pairs_has_no_samples_to_fill_in(engine: Engine, tmp_path: Path) -> None:
    project(engine, [pair(0)])
    with pytest.raises(InputError, match="was not made from the samples"):
        write_samples(engine, "p", sample_file(tmp_path), tmp_path / "out.jsonl")
