"""Scored samples: gold as numbers or words, missing gold never read as anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.samples import read_sample_texts, read_samples
from rewardlab.preferences.tallies import Tally
from tests.preferences.preference_files import write_jsonl


def _read(tmp_path: Path, rows: list[dict[str, Any]], **options: Any) -> Any:
    path = write_jsonl(tmp_path / "samples.jsonl", rows)
    settings: dict[str, Any] = {"group": "id", "proxies": ["r"], "gold": "g", **options}
    return read_samples(path, **settings)


def _rows(*gold: Any) -> list[dict[str, Any]]:
    return [{"id": i // 2, "r": float(i), "g": value} for i, value in enumerate(gold)]


def test_best_of_16_samples_restrict_to_the_rows_with_gold(data_dir: Path) -> None:
    path = data_dir / "bon16_samples.csv.gz"
    settings: dict[str, Any] = {
        "group": "prompt_id",
        "proxies": ["n_chars", "n_words"],
        "gold": "gold_preference",
        "sample": "sample_idx",
    }
    with pytest.raises(InputError, match=r"4,025 of 12,880 rows have no gold_preference .*:13,"):
        read_samples(path, **settings)
    read = read_samples(path, **settings, missing_gold="restrict")
    assert (len(read.samples), len(set(read.samples.prompt_id)), read.n_rows) == (8855, 805, 12880)
    assert [(x.reason, x.count) for x in read.left_out] == [("no gold_preference", 4025)]
    assert set(read.samples.sample) == {str(i) for i in range(11)}
    assert any("left out 4,025" in sentence for sentence in read.sentences)
    kept = read_samples(path, **settings, missing_gold="keep").samples
    assert (len(kept), int(np.isnan(kept.gold).sum())) == (12880, 4025)
    assert list(kept.proxy) == ["n_chars", "n_words"]


def test_gold_words_are_wins_losses_and_ties(tmp_path: Path) -> None:
    words = ["win", "loss", "tie", "True", "false", True, False, 0.25, "3"]
    read = _read(tmp_path, _rows(*words))
    assert read.samples.gold.tolist() == [1, 0, 0.5, 1, 0, 1, 0, 0.25, 3]
    assert read.samples.sample == ["0", "1"] * 4 + ["0"]


@pytest.mark.parametrize("missing", [None, "", "nan", float("nan")])
def test_every_spelling_of_missing_gold_is_missing(tmp_path: Path, missing: Any) -> None:
    with pytest.raises(InputError, match=r"1 of 2 rows have no g .*:2.*--missing-gold restrict"):
        _read(tmp_path, _rows(1, missing))
    assert len(_read(tmp_path, _rows(1, missing), missing_gold="restrict").samples) == 1


def test_gold_that_comes_late_or_not_at_all(tmp_path: Path) -> None:
    rows = [{"id": 1, "r": 1}, {"id": 1, "r": 2, "g": 1}]
    assert np.isnan(_read(tmp_path, rows, missing_gold="keep").samples.gold[0])
    with pytest.raises(FormatError, match=r"--gold g: there is no such column"):
        _read(tmp_path, rows[:1], missing_gold="keep")
    with pytest.raises(InputError, match=r"no row has a g"):
        _read(tmp_path, _rows(None), missing_gold="restrict")
    assert np.isnan(_read(tmp_path, rows, gold=None).samples.gold).all()


@pytest.mark.parametrize("value", ["high", None, True, float("inf"), float("nan"), [1], 10**400])
def test_a_proxy_that_is_no_finite_number_is_named(tmp_path: Path, value: Any) -> None:
    rows = [*_rows(1), {"id": 1, "r": value, "g": 1}]
    with pytest.raises(RowError, match=r"line 2: column 'r'.*a finite number"):
        _read(tmp_path, rows)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"g": "great"}, "g"),
        ({"g": float("inf")}, "g"),
        ({"g": [1]}, "g"),
        ({"id": None}, "id"),
        ({"q": 0}, "q"),
        ({"q": 1.5}, "q"),
        ({"s": "first"}, "s"),
    ],
)
def test_other_faulty_values_are_named(tmp_path: Path, row: dict[str, Any], column: str) -> None:
    rows = [{"id": 1, "r": 1, "g": 1, "q": 1, "s": "first"}]
    rows.append({"id": 1, "r": 1, "g": 1, "q": 0.5, "s": "second", **row})
    with pytest.raises(RowError, match=r"line 2") as caught:
        _read(tmp_path, rows, probability="q", sample="s")
    assert caught.value.column == column


def test_columns_that_are_missing_are_named_with_the_nearest(tmp_path: Path) -> None:
    rows = [{"prompt_id": 1, "reward": 1, "gold": 1}]
    with pytest.raises(FormatError, match=r"--group promptid.*did you mean 'prompt_id'"):
        _read(tmp_path, rows, group="promptid", proxies=["reward"], gold="gold")
    with pytest.raises(InputError, match=r"at least one column"):
        _read(tmp_path, rows, proxies=[])


def test_texts_to_score_come_in_chunks_with_their_lines(tmp_path: Path) -> None:
    rows = [{"question": f"q{i}", "solution": "s", "n": i} for i in range(5)]
    path = write_jsonl(tmp_path / "texts.jsonl", rows)
    chunks = list(read_sample_texts(path, chunk_rows=2))
    assert [len(chunk) for chunk in chunks] == [2, 2, 1]
    assert (chunks[1].prompt, chunks[1].line) == (["q2", "q3"], [3, 4])
    with pytest.raises(FormatError, match=r"--column response: text: there is no such column"):
        list(read_sample_texts(path, response="text"))
    other = write_jsonl(tmp_path / "other.jsonl", [{"prompt": "p", "said": "x"}])
    with pytest.raises(FormatError, match=r"no column for the response"):
        list(read_sample_texts(other))
    assert next(read_sample_texts(other, response="said")).response == ["x"]


def test_rows_without_a_text_are_refused_or_counted(tmp_path: Path) -> None:
    rows = [{"prompt": "p", "response": x} for x in ("x", None, "")] + [{"prompt": "p"}]
    path = write_jsonl(tmp_path / "texts.jsonl", rows)
    with pytest.raises(RowError, match=r"line 2: column 'response'"):
        list(read_sample_texts(path))
    tally = Tally("count")
    (chunk,) = read_sample_texts(path, tally=tally)
    assert chunk.response == ["x", None, "", None]
    assert {x.reason: x.count for x in tally.left_out()} == {
        "response is null": 1,
        "response is missing": 1,
    }
