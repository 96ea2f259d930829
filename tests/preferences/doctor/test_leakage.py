"""Leaks between splits: pairs, prompts, and prompts that are nearly the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.preferences.doctor import Thresholds, examine
from rewardlab.preferences.doctor.near_duplicates import (
    N_PERMUTATIONS,
    RECALL,
    jaccard,
    rows_per_band,
    shingles,
)
from rewardlab.types import Status
from tests.preferences.doctor.planting import (
    WORDS,
    Given,
    Served,
    clean_rows,
    diagnose,
    preferences,
)

NAMES = ("shared-pairs", "shared-prompts", "near-duplicate-prompts")


def splits(train: list[Given], test: list[Given]) -> list[Given]:
    return [replace(r, split="train") for r in train] + [replace(r, split="test") for r in test]


def test_clean_splits_pass() -> None:
    found = diagnose(splits(clean_rows(200, seed=5), clean_rows(50, seed=6)))
    assert [found[n].status for n in NAMES] == [Status.PASS] * 3
    assert [found[n].count for n in NAMES] == [0, 0, 0]


def test_one_split_cannot_say_and_names_the_remedy() -> None:
    rows = [replace(r, split="train") for r in clean_rows(20, seed=5)]
    for given in (rows, clean_rows(20, seed=5)):
        found = diagnose(given)
        assert [found[n].status for n in NAMES] == [Status.CANNOT_SAY] * 3
        assert "rewardlab doctor train.jsonl test.jsonl" in found["shared-pairs"].action
    told = diagnose(splits(clean_rows(20, seed=5), clean_rows(20, seed=6)))
    assert all(told[n].status is Status.PASS for n in NAMES)


def test_a_pair_in_both_splits_fails_even_with_its_sides_swapped() -> None:
    train = clean_rows(20, seed=5)
    swapped = replace(train[3], a=train[3].b, b=train[3].a)
    found = diagnose(splits(train, [*clean_rows(9, seed=6), swapped]))
    assert (found["shared-pairs"].status, found["shared-pairs"].count) == (Status.FAIL, 1)
    assert found["shared-pairs"].examples == ("f.jsonl:4 and f.jsonl:30",)
    assert found["shared-pairs"].details == {"between": {"train & test": 1}}
    assert found["shared-prompts"].count == 1
    assert found["duplicates"].count == 0, "a leak between splits is no duplicate within one"


def test_a_prompt_in_both_splits_with_other_answers_warns() -> None:
    train = clean_rows(20, seed=5)
    again = Given(prompt=train[0].prompt, a="new answer", b="newer answer")
    found = diagnose(splits(train, [again]))
    assert found["shared-pairs"].status is Status.PASS
    finding = found["shared-prompts"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 1, 20)
    assert finding.examples == ("f.jsonl:1 and f.jsonl:21",)


def test_near_duplicate_prompts_are_found_and_verified_exactly() -> None:
    rng = np.random.default_rng(0)
    long_prompts = [" ".join(rng.choice(WORDS, 60)) for _ in range(300)]
    train = [Given(prompt=p) for p in long_prompts]
    near = [Given(prompt=p + " please now") for p in long_prompts[:7]]
    far = [Given(prompt=" ".join(rng.choice(WORDS, 60))) for _ in range(40)]
    finding = diagnose(splits(train, [*far, *near]), examples=20)["near-duplicate-prompts"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 7, 47)
    places = {e.split(" (")[0] for e in finding.examples}
    assert places == {f"f.jsonl:{341 + i} and f.jsonl:{1 + i}" for i in range(7)}


def test_candidates_below_the_threshold_are_not_reported() -> None:
    prompt = " ".join(WORDS)
    other = " ".join([*WORDS[:18], *reversed(WORDS[18:])])
    similarity = jaccard(shingles(prompt), shingles(other))
    assert 0.4 < similarity < 0.6
    rows = splits([Given(prompt=prompt), Given(prompt="else")], [Given(prompt=other)])
    assert diagnose(rows)["near-duplicate-prompts"].count == 0
    assert diagnose(rows, near_duplicate=0.4)["near-duplicate-prompts"].count == 1


def test_a_template_in_both_splits_is_found_in_bounded_time() -> None:
    def fill(i: int) -> Given:
        return Given(prompt=" ".join(WORDS) + f" number {i}", a=f"a {i}", b=f"b {i}")

    rows = splits([fill(i) for i in range(3000)], [fill(i) for i in range(3000, 4000)])
    finding = diagnose(rows)["near-duplicate-prompts"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 1000, 1000)
    assert finding.details["candidates"] <= 20 * 4 * 1000


def test_texts_are_read_a_second_time_only_for_candidates() -> None:
    clean = Served(preferences(splits(clean_rows(50, seed=5), clean_rows(20, seed=6))))
    examine(clean)
    assert clean.passes == 1
    prompt = " ".join(WORDS)
    near = splits([Given(prompt=prompt), Given(prompt="x")], [Given(prompt=prompt + " again")])
    served = Served(preferences(near))
    assert examine(served)["near-duplicate-prompts"].count == 1
    assert served.passes == 2


@pytest.mark.parametrize("threshold", [0.4, 0.5, 0.8, 0.9])
def test_banding_keeps_its_promised_recall_at_the_threshold(threshold: float) -> None:
    r = rows_per_band(threshold)
    assert 1 - (1 - threshold**r) ** (N_PERMUTATIONS // r) >= RECALL


def test_sketches_find_pairs_at_the_threshold_as_often_as_promised() -> None:
    # 200 pairs of prompts with Jaccard similarity just above .8; 99% promised, so at least 192
    # found but for one run in a thousand (binomial tail at .99).
    rng = np.random.default_rng(3)
    names = [f"w{i}" for i in range(2000)]
    train, test = [], []
    for _ in range(200):
        words = list(rng.choice(names, 56, replace=False))
        changed = [*words[:50], *rng.choice(names, 6, replace=False)]
        train.append(Given(prompt=" ".join(words)))
        test.append(Given(prompt=" ".join(changed)))
    similarity = [
        jaccard(shingles(str(a.prompt)), shingles(str(b.prompt)))
        for a, b in zip(train, test, strict=True)
    ]
    assert min(similarity) > 0.79
    found = diagnose(splits([*train, Given(prompt="one more")], test), near_duplicate=0.79)
    assert (found["near-duplicate-prompts"].count or 0) >= 192


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("The cat sat on the mat", "the CAT, sat on the mat!", 1.0),
        ("今日は天気がとても良いです", "今日は天気がとても良いです", 1.0),
        ("hi", "yo", 0.0),
    ],
)
def test_shingles_ignore_case_and_marks_and_manage_texts_without_spaces(
    a: str, b: str, alike: float
) -> None:
    assert jaccard(shingles(a), shingles(b)) == alike


def test_thresholds_of_a_share_apply_to_leaks_too() -> None:
    train = clean_rows(100, seed=5)
    rows = splits(train, [train[0], *clean_rows(10, seed=6)])
    served = Served(preferences(rows))
    limits = Thresholds(max_share={"shared-pairs": 0.01})
    assert examine(served, thresholds=limits)["shared-pairs"].status is Status.PASS
