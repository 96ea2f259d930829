"""The real files load whole: their counts, and the oddities that are known of them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rewardlab.errors import FormatError
from rewardlab.preferences.formats import (
    ReadOptions,
    open_preferences,
    read_preferences,
    read_steps,
    read_table,
    read_unpaired,
)
from rewardlab.types import Preferences
from tests.preferences.preference_files import write_jsonl


@pytest.fixture(scope="module")
def hh(data_dir: Path) -> Preferences:
    return read_preferences(data_dir / "hh_harmless_test_filtered.jsonl.gz")


@pytest.fixture(scope="module")
def crowd(data_dir: Path) -> Preferences:
    options = ReadOptions(
        join=data_dir / "llmfao_pairs_text.jsonl.gz",
        join_on="pair_id",
        where={"judge_kind": "crowd"},
    )
    reader = open_preferences(data_dir / "llmfao_battles.csv.gz", options)
    preferences = reader.read()
    counted = {x.reason: x.count for x in reader.report.left_out}
    assert counted == {"judge_kind is not 'crowd'": 6472, "no text joined": 23}
    assert reader.report.n_delivered + sum(counted.values()) == reader.report.n_rows == 15403
    return preferences


def test_hh_keeps_every_row_and_blank_responses(hh: Preferences) -> None:
    assert (len(hh), hh.sides_recorded, len(set(hh.prompt_id))) == (1442, False, 1441)
    blank = [i for i, text in enumerate(hh.response_a) if not str(text).strip()]
    assert [hh.extra["source_row"][i] for i in blank] == [1103]
    assert all(str(text).startswith(" ") for text in (*hh.response_a, *hh.response_b))
    lengths = zip(hh.response_a, hh.response_b, strict=True)
    longer = [np.sign(len(str(a)) - len(str(b))) for a, b in lengths]
    assert (longer.count(1), longer.count(0)) == (643, 8)


def test_hh_transcripts_are_cut_where_the_prompts_end(hh: Preferences, tmp_path: Path) -> None:
    both = zip(hh.prompt, hh.response_a, hh.response_b, strict=True)
    rows = [{"chosen": f"{p}{a}", "rejected": f"{p}{b}"} for p, a, b in both]
    reader = open_preferences(write_jsonl(tmp_path / "transcripts.jsonl", rows))
    cut = reader.read()
    assert reader.layout.name == "hh"
    assert cut.prompt == hh.prompt
    assert (cut.response_a, cut.response_b) == (hh.response_a, hh.response_b)


def test_crowd_votes_are_joined_to_their_texts(crowd: Preferences) -> None:
    assert len(crowd) == 8931 - 23
    assert len(set(crowd.annotator)) == 124
    assert len(set(crowd.prompt_id)) == 13
    assert crowd.sides_recorded
    assert crowd.has_texts
    votes_a_pair = Counter(crowd.id).values()
    assert (min(votes_a_pair), max(votes_a_pair)) == (1, 5)
    assert Counter(votes_a_pair)[1] == 15


def test_blank_sides_and_invisible_characters_of_the_texts_are_kept(crowd: Preferences) -> None:
    blank = [
        (str(a).strip() == "", str(b).strip() == "")
        for a, b in zip(crowd.response_a, crowd.response_b, strict=True)
    ]
    won: Counter[str] = Counter()
    for (a, b), code in zip(blank, crowd.outcome.tolist(), strict=True):
        if a or b:
            won[
                "tie" if code > 1 else "blank" if (a, code) in ((True, 0), (False, 1)) else "other"
            ] += 1
    assert won == {"blank": 71, "tie": 676, "other": 459}
    texts = {str(text) for text in (*crowd.response_a, *crowd.response_b)}
    assert any(unicodedata.category(c) == "Cf" for text in texts for c in text)


def test_votes_without_texts_keep_their_verdicts(data_dir: Path) -> None:
    votes = read_preferences(data_dir / "llmfao_battles.csv.gz")
    assert len(votes) == 15403
    assert not votes.has_texts
    kind = np.array(votes.extra["judge_kind"])
    counts = np.bincount(votes.outcome[kind == "crowd"])
    assert counts.tolist() == [2911, 2549, 3471]
    assert len({*votes.item_a, *votes.item_b}) == 70


def test_llmbar_labels_follow_the_known_length_counts(data_dir: Path) -> None:
    reader = open_preferences(data_dir / "llmbar_pairs.jsonl.gz")
    pairs = reader.read()
    assert (reader.layout.name, len(pairs)) == ("alpaca", 599)
    longer = [
        (len(str(a)) > len(str(b))) == (code == 0)
        for a, b, code in zip(pairs.response_a, pairs.response_b, pairs.outcome, strict=True)
    ]
    by_subset: dict[str, list[int]] = {}
    for subset, hit in zip(pairs.extra["subset"], longer, strict=True):
        found = by_subset.setdefault(subset, [0, 0])
        found[0] += hit
        found[1] += 1
    assert {tuple(x) for x in by_subset.values()} >= {(54, 95), (16, 131), (12, 90)}


def test_sycophancy_probes_are_pairs_with_ids(data_dir: Path) -> None:
    probes = read_preferences(data_dir / "sycophancy_probes.jsonl.gz")
    assert len(probes) == 256
    assert probes.id[0] == "syco_philosophy_0"
    assert {"subset", "subdomain", "license"} == set(probes.extra)
    picked = Counter(
        str(a)
        for a, subset in zip(probes.response_a, probes.extra["subset"], strict=True)
        if subset == "hard_100"
    )
    assert (picked[" (A)"], picked[" (B)"]) == (68, 29)


def test_files_that_hold_no_pairs_are_read_as_tables(data_dir: Path) -> None:
    truthful = [row for _, row in read_table(data_dir / "truthfulqa_true_false_answers.jsonl.gz")]
    assert len(truthful) == 785
    assert sum(len(row["incorrect_answers"]) for row in truthful) == 3203
    edge = [row for row in truthful if row["question"] != row["question"].strip()]
    assert len(edge) == 1
    with pytest.raises(FormatError, match=r"columns found: row, type, category, question"):
        open_preferences(data_dir / "truthfulqa_true_false_answers.jsonl.gz")


def test_steps_with_their_first_mistake_load_whole(data_dir: Path) -> None:
    steps, report = read_steps(data_dir / "bigbench_mistake_steps.jsonl.gz")
    assert len(steps) == report.n_rows == 2186
    counts = [len(x) for x in steps.steps]
    assert (min(counts), max(counts)) == (4, 126)
    assert sum(step == "" for row in steps.steps for step in row) == 1
    assert sum(answer is None for answer in steps.rows.extra["answer"]) == 1
    assert sum(answer == "" for answer in steps.rows.extra["answer"]) == 50
    right = [bool((labels == 1).all()) for labels in steps.labels]
    correct = [
        a == t for a, t in zip(steps.rows.extra["answer"], steps.rows.extra["target"], strict=True)
    ]
    assert sum(not r and c for r, c in zip(right, correct, strict=True)) == 213


def test_model_solutions_are_unpaired_once_their_columns_are_named(data_dir: Path) -> None:
    mapped = {"completion": "solution", "label": "is_correct", "prompt": "question_text"}
    path = data_dir / "gsm8k_model_solutions.jsonl.gz"
    with pytest.raises(FormatError, match=r"prompt=question_text: there is no such column"):
        read_unpaired(path, ReadOptions(columns=mapped))
    rows = [row for _, row in read_table(path)]
    assert len(rows) == 5276
    assert len({row["question_id"] for row in rows}) == 1319
