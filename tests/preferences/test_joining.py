"""Votes get their texts from another file, and what finds no partner is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.formats import ReadOptions, open_preferences
from tests.preferences.preference_files import write_jsonl

VOTES = "pair,model_a,model_b,winner,judge,topic\n1,m,n,model_a,w1,t\n2,m,n,tie,w1,u\n"
TEXTS: list[dict[str, Any]] = [
    {"pair": 1, "prompt": "p", "response_x": "x", "response_y": "y", "slug": "s", "topic": "t"},
    {"pair": 3, "prompt": "q", "response_x": "x", "response_y": "y", "slug": "s", "topic": "t"},
]


def _open(tmp_path: Path, texts: list[dict[str, Any]], votes: str = VOTES, **columns: str) -> Any:
    (tmp_path / "votes.csv").write_text(votes)
    path = write_jsonl(tmp_path / "texts.jsonl", texts)
    options = ReadOptions(join=path, join_on="pair", columns=columns)
    return open_preferences(tmp_path / "votes.csv", options)


def test_votes_are_joined_and_both_sides_left_overs_are_counted(tmp_path: Path) -> None:
    reader = _open(tmp_path, TEXTS)
    for _ in range(2):  # counts start anew at every pass
        p = reader.read()
        assert (p.prompt, p.response_a, p.response_b) == (["p"], ["x"], ["y"])
        assert (p.line.tolist(), p.extra["slug"], p.extra["topic"]) == ([2], ["s"], ["t"])
        assert [(x.reason, x.count) for x in reader.report.left_out] == [("no text joined", 1)]
        assert any("1 of 2 texts" in sentence for sentence in reader.report.sentences)


def test_other_text_columns_are_named_on_request(tmp_path: Path) -> None:
    texts = [{"pair": "1", "ask": "p", "first": "x", "second": "y"}]
    with pytest.raises(FormatError, match=r"no column for response_a and response_b"):
        _open(tmp_path, texts)
    reader = _open(tmp_path, texts, prompt="ask", response_a="first", response_b="second")
    assert reader.read().prompt == ["p"]


def test_texts_follow_the_votes_models_where_both_name_them(tmp_path: Path) -> None:
    texts = [{**TEXTS[0], "model_x": "n", "model_y": "m"}]
    assert _open(tmp_path, texts).read().response_a == ["y"]


def test_columns_of_both_files_that_differ_are_both_kept(tmp_path: Path) -> None:
    p = _open(tmp_path, [{**TEXTS[0], "topic": "other"}]).read()
    assert (p.extra["topic"], p.extra["texts.topic"]) == (["t"], ["other"])


def test_a_key_that_stands_twice_among_the_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"line 2: column 'pair'.*it stands in line 1 too"):
        _open(tmp_path, [TEXTS[0], TEXTS[0]])


def test_a_vote_without_a_key_is_named(tmp_path: Path) -> None:
    votes = VOTES + ",m,n,tie,w1,t\n"
    with pytest.raises(RowError, match=r"line 4: column 'pair'"):
        _open(tmp_path, TEXTS, votes).read()


def test_columns_that_are_missing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"votes.csv: --on pair: there is no such column"):
        _open(tmp_path, TEXTS, VOTES.replace("pair", "key"))
    with pytest.raises(FormatError, match=r"texts.jsonl: --on pair: there is no such column"):
        _open(tmp_path, [{"x": 1}])
    with pytest.raises(FormatError, match=r"no row is left to read: 2: no text joined"):
        _open(tmp_path, TEXTS[1:])
    path = tmp_path / "texts.jsonl"
    with pytest.raises(InputError, match=r"join_on"):
        open_preferences(tmp_path / "votes.csv", ReadOptions(join=path))


def test_crowd_tables_are_joined_too(tmp_path: Path) -> None:
    votes = "pair,worker,left,right,label\n1,w1,m,n,n\n"
    reader = _open(tmp_path, TEXTS, votes)
    assert reader.layout.name == "crowd"
    p = reader.read()
    assert (p.response_b, p.item_b, p.outcome.tolist()) == (["y"], ["n"], [1])
