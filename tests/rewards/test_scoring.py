"""Scoring files: rewards beside every row and column as it was, null where there is none."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.formats import ReadOptions, open_preferences
from rewardlab.rewards.scoring import ScoreReport, open_pairs, score_preferences, score_samples
from rewardlab.rewards.text_feature_reward import TextFeatureReward
from rewardlab.rewards.training_prompts import prompt_digests

REWARD = TextFeatureReward(("n_words",), np.array([1.0]), np.array([0.0]), np.array([1.0]))
"""One logit a word, so that a reward is a count of words."""


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def score(path: Path, out: Path, options: ReadOptions | None = None) -> ScoreReport:
    return score_preferences(REWARD, open_preferences(path, options or ReadOptions()), path, out)


def test_winner_first_pairs_get_rewards_named_as_their_columns(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"prompt": "p", "chosen": "one two", "rejected": "one", "topic": ["x", {"y": 1}]},
        {"prompt": "q", "chosen": "", "rejected": "one two three", "topic": None},
    ]
    path = write_jsonl(tmp_path / "in.jsonl", rows)
    report = score(path, tmp_path / "out.jsonl")
    expected = [(2.0, 1.0), (0.0, 3.0)]
    assert read_jsonl(tmp_path / "out.jsonl") == [
        {**row, "reward_chosen": c, "reward_rejected": r}
        for row, (c, r) in zip(rows, expected, strict=True)
    ]
    assert (report.n_rows, report.n_without) == (2, 0)


def test_recorded_sides_and_votes_do_not_swap_the_rewards(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"prompt": "p", "chosen": "b b", "rejected": "a", "annotator": name} for name in "xyz"
    ]
    path = write_jsonl(tmp_path / "in.jsonl", rows)
    score(path, tmp_path / "out.jsonl")
    written = read_jsonl(tmp_path / "out.jsonl")
    assert {(row["reward_chosen"], row["reward_rejected"]) for row in written} == {(2.0, 1.0)}
    sides: list[dict[str, Any]] = [
        {"prompt": "p", "response_a": "a", "response_b": "b b", "outcome": "b"}
    ]
    path = write_jsonl(tmp_path / "sides.jsonl", sides)
    score(path, tmp_path / "sided.jsonl")
    assert read_jsonl(tmp_path / "sided.jsonl") == [{**sides[0], "reward_a": 1.0, "reward_b": 2.0}]


def test_rows_left_out_keep_their_place_with_null(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"prompt": "p", "chosen": "one two", "rejected": "one"},
        {"prompt": "p", "chosen": True, "rejected": "one"},
        {"prompt": "p", "chosen": "one", "rejected": "one two"},
    ]
    path = write_jsonl(tmp_path / "in.jsonl", rows)
    report = score(path, tmp_path / "out.jsonl", ReadOptions(on_bad="count"))
    written = read_jsonl(tmp_path / "out.jsonl")
    assert [row["reward_chosen"] for row in written] == [2.0, None, 1.0]
    assert [row["chosen"] for row in written] == ["one two", True, "one"]
    assert report.n_without == 1
    assert any("1 rows have no reward (null)" in said for said in report.sentences)


def test_csv_and_parquet_keep_rows_and_hold_null(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text('prompt,response,note\np,"one, two",n\nq,,\n', encoding="utf-8")
    score_samples(REWARD, path, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["prompt", "response", "note", "reward"],
            ["p", "one, two", "n", "2.0"],
            ["q", "", "", "0.0"],
        ]
    rows: list[dict[str, Any]] = [{"prompt": "p", "chosen": "one", "rejected": "one two"}] * 2
    rows.append({"prompt": "p", "chosen": "one", "rejected": None})
    pairs = write_jsonl(tmp_path / "pairs.jsonl", rows)
    score(pairs, tmp_path / "out.parquet", ReadOptions(on_bad="count"))
    table = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert table["reward_rejected"] == [2.0, 2.0, None]
    assert table["rejected"] == ["one two", "one two", None]


def test_samples_are_scored_one_by_one_in_gzip_too(tmp_path: Path) -> None:
    rows = [{"question": "q", "answer": "a " * (k % 50), "k": k} for k in range(12_000)]
    path = write_jsonl(tmp_path / "in.jsonl", rows)
    report = score_samples(REWARD, path, tmp_path / "out.jsonl.gz", name="words")
    with gzip.open(tmp_path / "out.jsonl.gz", "rt", encoding="utf-8") as file:
        written = [json.loads(line) for line in file]
    assert [row["words"] for row in written] == [float(k % 50) for k in range(12_000)]
    assert report.n_rows == 12_000


def test_pairs_and_samples_are_told_apart(tmp_path: Path) -> None:
    pairs = write_jsonl(tmp_path / "p.jsonl", [{"prompt": "p", "chosen": "a", "rejected": "b"}])
    samples = write_jsonl(tmp_path / "s.jsonl", [{"prompt": "p", "response": "a"}])
    neither = write_jsonl(tmp_path / "n.jsonl", [{"x": 1}])
    assert open_pairs(pairs, ReadOptions()) is not None
    assert open_pairs(samples, ReadOptions()) is None
    assert open_pairs(pairs, ReadOptions(columns={"response": "chosen"})) is None
    with pytest.raises(FormatError):
        open_pairs(neither, ReadOptions())


def test_a_column_of_that_name_is_not_overwritten(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "in.jsonl", [{"prompt": "p", "response": "a", "reward": 1}])
    with pytest.raises(InputError, match="there is a column 'reward' already; choose another name"):
        score_samples(REWARD, path, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
    score_samples(REWARD, path, tmp_path / "out.jsonl", name="mine")
    assert read_jsonl(tmp_path / "out.jsonl")[0]["mine"] == 1.0


def test_an_empty_response_is_scored_and_a_missing_one_is_refused_or_null(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"prompt": "p", "response": x} for x in ("", None, "one")]
    path = write_jsonl(tmp_path / "in.jsonl", rows)
    with pytest.raises(RowError, match=r"line 2: column 'response'"):
        score_samples(REWARD, path, tmp_path / "out.jsonl")
    with path.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    report = score_samples(REWARD, path, tmp_path / "out.jsonl", on_bad="count")
    assert [row["reward"] for row in read_jsonl(tmp_path / "out.jsonl")] == [0.0, None, 1.0]
    assert (report.n_rows, report.n_without) == (3, 1)
    said = " ".join(report.sentences)
    assert f"No reward for 1: response is null (first at {path}:2)." in said
    assert "1 rows have no reward (null)" in said
    assert "1 rows could not be read at all" in said


def test_rows_on_prompts_of_the_fit_are_counted_as_not_held_out(tmp_path: Path) -> None:
    trained = np.unique(prompt_digests(["p", "other"]))
    pairs: list[dict[str, Any]] = [
        {"prompt": p, "chosen": "a", "rejected": "b", "annotator": w} for p in "pqr" for w in "xy"
    ]
    pairs.append({"prompt": " p ", "chosen": None, "rejected": "b"})
    path = write_jsonl(tmp_path / "pairs.jsonl", pairs)
    reader = open_preferences(path, ReadOptions(on_bad="count"))
    out = tmp_path / "out.jsonl"
    report = score_preferences(REWARD, reader, path, out, trained_prompts=trained)
    warning = "2 of 6 rows are on prompts that the reward was fitted on: their scores are not held"
    assert report.n_trained == 2
    assert report.sentences[-1].startswith(warning)
    samples = write_jsonl(tmp_path / "s.jsonl", [{"prompt": p, "response": "a"} for p in "pqp"])
    report = score_samples(REWARD, samples, out, trained_prompts=trained)
    assert report.sentences[-1].startswith("2 of 3 rows are on prompts")
    report = score_samples(REWARD, samples, out, trained_prompts=prompt_digests(["z"]))
    assert report.n_trained == 0
    assert report.sentences[-1] == "None of 3 rows is on a prompt that the reward was fitted on."
    report = score_samples(REWARD, samples, out)
    assert report.n_trained is None
    assert "no score here counts as held out" in report.sentences[-1]


def test_options_of_pairs_are_not_dropped_where_samples_are_scored(tmp_path: Path) -> None:
    samples = write_jsonl(tmp_path / "s.jsonl", [{"prompt": "p", "response": "a", "kind": "x"}])
    with pytest.raises(InputError, match="--where is for preferences"):
        open_pairs(samples, ReadOptions(where={"kind": "x"}))


def test_an_input_is_never_replaced(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "in.jsonl", [{"prompt": "p", "chosen": "a", "rejected": "b"}])
    samples = write_jsonl(tmp_path / "s.jsonl", [{"prompt": "p", "response": "a"}])
    (tmp_path / "link.jsonl").symlink_to(path)
    for out in (path, tmp_path / "link.jsonl", tmp_path / "." / "in.jsonl"):
        with pytest.raises(InputError, match="would replace an input"):
            score(path, out)
    with pytest.raises(InputError, match="would replace an input"):
        score_samples(REWARD, samples, samples)


def test_an_unknown_kind_of_output_is_refused_before_reading(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "in.jsonl", [{"prompt": "p", "response": "a"}])
    with pytest.raises(InputError, match="expected a name that ends in"):
        score_samples(REWARD, path, tmp_path / "out.txt")
