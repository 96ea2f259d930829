"""What is to be judged: how each shape of file is read, and what is left out of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import FormatError, InputError
from rewardlab.preferences.pair_pool import LINE, PROBABILITY, ToJudge
from rewardlab.preferences.prompt_pairs import pairs_within
from rewardlab.preferences.to_judge import read_to_judge
from rewardlab.types import Outcome


def read(folder: Path, rows: list[dict[str, Any]], **options: Any) -> ToJudge:
    path = folder / "file.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return read_to_judge(path, rng=np.random.default_rng(0), **options)


def reasons(found: ToJudge) -> dict[str, int]:
    return {left.reason: left.count for left in found.left_out}


def test_a_list_of_three_responses_gives_every_pair_once(tmp_path: Path) -> None:
    listed = ["one", {"response": "two", "model": "m"}, {"text": "three"}]
    found = read(tmp_path, [{"prompt": "q", "responses": listed, "topic": "t"}])
    assert found.kind == "responses"
    assert {frozenset((x.response_a, x.response_b)) for x in found.pairs} == {
        frozenset(pair) for pair in (("one", "two"), ("one", "three"), ("two", "three"))
    }
    assert all(x.extra == {"topic": "t"} for x in found.pairs)
    made = [x.item_a if x.response_a == "two" else x.item_b for x in found.pairs]
    assert made.count("m") == 2
    assert len({x.id for x in found.pairs}) == 3


def test_what_cannot_be_judged_in_a_list_is_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"prompt": "q", "responses": ["one", " ", "one", "two"]},
        {"prompt": "r", "responses": ["alone"]},
        {"prompt": "s", "responses": 3},
    ]
    found = read(tmp_path, rows)
    assert len(found.pairs) == 1
    assert reasons(found) == {
        "a response is blank": 1,
        "the same response to a prompt once more": 1,
        "a prompt with fewer than two different responses": 1,
        "responses is a number": 1,
    }


@given(st.integers(4, 12), st.integers(0, 2**32 - 1))
def test_a_ring_lets_each_response_meet_two_others(k: int, seed: int) -> None:
    pairs = pairs_within(k, np.random.default_rng(seed))
    assert len({frozenset(pair) for pair in pairs}) == k
    assert set(Counter(i for pair in pairs for i in pair).values()) == {2}


@given(st.integers(2, 9), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_as_many_different_pairs_are_made_as_are_asked_for_and_exist(
    k: int, n: int, seed: int
) -> None:
    pairs = pairs_within(k, np.random.default_rng(seed), n_pairs=n)
    assert len(pairs) == len({frozenset(pair) for pair in pairs}) == min(n, k * (k - 1) // 2)
    assert all(i != j and min(i, j) >= 0 and max(i, j) < k for i, j in pairs)


def test_samples_are_paired_within_their_prompt_only(tmp_path: Path) -> None:
    rows = [{"prompt": f"q{i % 5}", "response": f"r{i}", "model": f"m{i}"} for i in range(20)]
    found = read(tmp_path, rows)
    assert found.kind == "samples"
    assert len(found.pairs) == 20  # rings of four
    number = [int(str(x.response_a)[1:]) - int(str(x.response_b)[1:]) for x in found.pairs]
    assert all(gap % 5 == 0 for gap in number)


@pytest.mark.parametrize(
    ("a", "b"),
    [("response_a", "response_b"), ("output_1", "output_2"), ("response_0", "response_1")],
)
def test_pairs_without_votes_are_read_by_many_names(tmp_path: Path, a: str, b: str) -> None:
    found = read(tmp_path, [{"pair_id": 7, "prompt": "q", a: "x", b: "y", "note": 1}])
    (pair,) = found.pairs
    assert (pair.id, pair.response_a, pair.response_b, pair.known) == ("7", "x", "y", None)
    assert pair.extra == {"note": 1}


def test_columns_of_other_names_can_be_said(tmp_path: Path) -> None:
    rows = [{"q": "q", "first": "x", "second": "y"}]
    with pytest.raises(FormatError, match=r"nothing to judge is recognised.*columns found: q, fi"):
        read(tmp_path, rows)
    names = {"prompt": "q", "response_a": "first", "response_b": "second"}
    (pair,) = read(tmp_path, rows, columns=names).pairs
    assert (pair.prompt, pair.response_a, pair.response_b) == ("q", "x", "y")
    with pytest.raises(FormatError, match="no such column"):
        read(tmp_path, rows, columns={"prompt": "question"})


def test_votes_are_kept_as_the_known_outcome_and_each_pair_is_there_once(tmp_path: Path) -> None:
    rows = [
        {"prompt": "q", "response_a": "x", "response_b": "y", "outcome": "a"},
        {"prompt": "q", "response_a": "y", "response_b": "x", "outcome": "b"},
        {"prompt": "q", "response_a": "x", "response_b": "y", "outcome": "tie"},
        {"prompt": "r", "response_a": "x", "response_b": "y", "outcome": "a"},
        {"prompt": "r", "response_a": "x", "response_b": "y", "outcome": "b"},
    ]
    found = read(tmp_path, rows)
    assert (found.n_votes, [x.known for x in found.pairs]) == (5, [Outcome.A, None])
    assert "outcome" not in found.pairs[0].extra
    assert "5 votes, which annotators do not see" in found.sentence


def test_a_form_whose_verdicts_are_blank_is_read_as_pairs_without_votes(tmp_path: Path) -> None:
    rows = [{"prompt": "q", "response_a": "x", "response_b": "y", "outcome": None}]
    assert read(tmp_path, rows).n_votes == 0


def test_conversations_are_kept_and_odd_values_do_not_stop_a_file(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "hello"}]
    rows: list[dict[str, Any]] = [
        {"prompt": talk, "response_a": "x", "response_b": "y", "big": 2**70},
        {"prompt": "q", "response_a": "same", "response_b": "same"},
        {"prompt": "q", "response_a": "x" * 100_001, "response_b": "y"},
    ]
    found = read(tmp_path, rows)
    assert found.pairs[0].prompt == talk
    assert found.pairs[0].extra["big"] == str(2**70)
    assert reasons(found) == {
        "both responses are the same": 1,
        "a text is longer than 100,000 characters": 1,
    }


def test_pairs_that_share_an_id_get_ids_of_their_own(tmp_path: Path) -> None:
    rows = [{"id": "p", "prompt": "q", "response_a": f"{i}", "response_b": "y"} for i in range(3)]
    assert len({x.id for x in read(tmp_path, rows).pairs}) == 3


def test_more_pairs_than_may_be_are_refused(tmp_path: Path) -> None:
    rows = [{"prompt": "q", "response_a": f"{i}", "response_b": "y"} for i in range(3)]
    with pytest.raises(InputError, match="expected at most 2 pairs to judge, got more"):
        read(tmp_path, rows, most_pairs=2)


def asked_for(n_prompts: int, m: int) -> list[dict[str, Any]]:
    return [
        {"prompt": f"q{i}", "response": f"r{i}-{j}", "ask": int(j == 0), "probability": 0.25}
        for i in range(n_prompts)
        for j in range(m)
    ]


def test_a_sample_asked_for_meets_each_other_sample_of_its_prompt_equally_often(
    tmp_path: Path,
) -> None:
    found = read(tmp_path, asked_for(600, 4))
    assert found.chosen
    assert [x.extra[LINE] for x in found.pairs] == [4 * i + 1 for i in range(600)]
    assert all(x.extra[PROBABILITY] == 0.25 for x in found.pairs)
    assert all(str(x.response_a).endswith("-0") for x in found.pairs)
    met = Counter(str(x.response_b).rpartition("-")[2] for x in found.pairs)
    assert set(met) == {"1", "2", "3"}
    assert all(abs(n - 200) < 60 for n in met.values())  # five standard errors of a third of 600


def test_a_sample_that_meets_its_own_words_is_a_tie_without_a_judge(tmp_path: Path) -> None:
    rows = asked_for(2, 2)
    rows[1]["response"] = rows[0]["response"]
    found = read(tmp_path, rows)
    assert (found.settled, len(found.pairs)) == ((1,), 1)
    assert sum(reasons(found).values()) == 1


def test_samples_asked_for_without_texts_are_refused_with_the_remedy(tmp_path: Path) -> None:
    rows = [{"prompt_id": "1", "ask": 1, "probability": 0.5, "response": "x"}]
    with pytest.raises(FormatError, match=r"no column of the prompt's text.*before it is chosen"):
        read(tmp_path, rows)


def test_reading_again_with_the_same_seed_gives_the_same_pairs(tmp_path: Path) -> None:
    rows = [{"prompt": f"q{i}", "responses": list("abcdefg")} for i in range(9)]
    assert read(tmp_path, rows).pairs == read(tmp_path, rows).pairs


@pytest.mark.parametrize(
    ("name", "kind", "n_pairs", "n_votes"),
    [
        ("llmbar_pairs.jsonl.gz", "pairs", 594, 599),
        ("llmfao_pairs_text.jsonl.gz", "pairs", 1720, 0),
        ("hh_harmless_test_filtered.jsonl.gz", "pairs", 1441, 1442),
    ],
)
def test_published_files_are_read(
    data_dir: Path, name: str, kind: str, n_pairs: int, n_votes: int
) -> None:
    found = read_to_judge(data_dir / name, rng=np.random.default_rng(0))
    assert (found.kind, len(found.pairs), found.n_votes) == (kind, n_pairs, n_votes)


def test_votes_without_texts_are_refused(data_dir: Path) -> None:
    with pytest.raises(FormatError, match="there is no text of it"):
        read_to_judge(data_dir / "llmfao_battles.csv.gz", rng=np.random.default_rng(0))
