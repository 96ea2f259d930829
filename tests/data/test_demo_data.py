"""The packaged sample data are what their README says."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.demo_replies import state_fact
from examples.demo_topic_files import read_phrases, read_topics
from examples.make_demo_data import PREFERENCES, SAMPLES, SEED, as_jsonl, preference_rows
from examples.make_demo_data import sample_rows as make_sample_rows
from rewardlab.data import demo_path
from rewardlab.errors import InputError
from rewardlab.preferences.formats import open_preferences
from rewardlab.rewards.inference import infer_weights
from rewardlab.rewards.text_features import NAMES, compute
from rewardlab.types import FloatArray

Rows = list[dict[str, Any]]
N_SAMPLES = 16


def _read(name: str) -> Rows:
    with gzip.open(demo_path(name), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def votes() -> Rows:
    return _read(PREFERENCES)


@pytest.fixture(scope="module")
def samples() -> Rows:
    return _read(SAMPLES)


@dataclass(frozen=True, slots=True)
class Featured:
    """Features of both sides, shapes [n, d], one row a vote."""

    a: FloatArray
    b: FloatArray


@pytest.fixture(scope="module")
def featured(votes: Rows) -> Featured:
    prompts = [row["prompt"] for row in votes]
    return Featured(
        compute(prompts, [row["response_a"] for row in votes]),
        compute(prompts, [row["response_b"] for row in votes]),
    )


def _planted(votes: Rows) -> dict[str, list[str]]:
    """Fault -> ids of the pairs that have it."""
    found: dict[str, list[str]] = defaultdict(list)
    earlier: dict[tuple[str, str, str], str] = {}
    for row in votes:
        a, b = row["response_a"], row["response_b"]
        if a == b:
            found["identical"].append(row["id"])
        if not a.strip() or not b.strip():
            found["white space"].append(row["id"])
        if "Human:" in a + b:
            found["marker"].append(row["id"])
        if a != b and (row["annotator"], b, a) in earlier:
            found["twin"].append(row["id"])
            found["twin of"].append(earlier[row["annotator"], b, a])
        earlier[row["annotator"], a, b] = row["id"]
    return found


def test_the_script_writes_the_packaged_files_again() -> None:
    for name, rows in ((PREFERENCES, preference_rows(SEED)), (SAMPLES, make_sample_rows(SEED))):
        packaged = demo_path(name).read_bytes()
        assert packaged[4:8] == bytes(4), "a time stamp would change the file at each run"
        assert gzip.decompress(packaged) == as_jsonl(rows)


def test_the_files_are_small() -> None:
    assert sum(demo_path(name).stat().st_size for name in (PREFERENCES, SAMPLES)) < 1.2e6


def test_a_sample_file_is_found_without_its_suffixes() -> None:
    assert demo_path("demo_samples") == demo_path(SAMPLES)


def test_an_unknown_sample_file_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match=r"demo_preferences\.jsonl\.gz"):
        demo_path("demo_votes.csv")


def test_the_preferences_are_recognised_with_their_sides() -> None:
    reader = open_preferences(demo_path(PREFERENCES))
    read = reader.read()
    assert reader.layout.name == "native"
    assert read.sides_recorded
    assert len(read) == 1265
    assert reader.report.left_out == ()
    assert set(read.extra) == {"quality_a", "quality_b"}


def test_the_faults_are_those_that_the_readme_lists(votes: Rows) -> None:
    found = _planted(votes)
    counts = {fault: len(ids) for fault, ids in found.items()}
    assert counts == {"identical": 2, "white space": 3, "marker": 4, "twin": 1, "twin of": 1}
    table = (Path(str(demo_path(PREFERENCES).parent)) / "README.md").read_text(encoding="utf-8")
    for ids in found.values():
        assert ", ".join(ids) in table


def test_the_twin_contradicts_its_original(votes: Rows) -> None:
    twin = votes[-1]
    (original,) = (
        row
        for row in votes
        if row["response_a"] == twin["response_b"] and row["annotator"] == twin["annotator"]
    )
    assert original["response_b"] == twin["response_a"]
    assert original["outcome"] == twin["outcome"] == "a"


def test_each_pair_has_votes_of_two_or_three_annotators(votes: Rows) -> None:
    faulty = {i for ids in _planted(votes).values() for i in ids} - {"c0415"}
    raters: dict[str, list[str]] = defaultdict(list)
    for row in votes:
        raters[row["id"]].append(row["annotator"])
    for pair, names in raters.items():
        assert len(set(names)) == len(names)
        assert len(names) == 1 if pair in faulty else len(names) in (2, 3)
    assert len({name for names in raters.values() for name in names}) == 6


def test_agreement_and_ties_are_as_the_readme_says(votes: Rows) -> None:
    by_pair: dict[str, list[str]] = defaultdict(list)
    for row in votes:
        by_pair[row["id"]].append(row["outcome"])
    alike = [
        first == second
        for outcomes in by_pair.values()
        for first, second in combinations([o for o in outcomes if o in ("a", "b")], 2)
    ]
    assert np.mean(alike) == pytest.approx(0.74, abs=0.005)
    outcomes = [row["outcome"] for row in votes]
    assert outcomes.count("tie") / len(votes) == pytest.approx(0.070, abs=5e-4)
    assert outcomes.count("both_bad") / len(votes) == pytest.approx(0.022, abs=5e-4)


def test_neither_side_is_favoured(votes: Rows) -> None:
    decided = [row["outcome"] == "a" for row in votes if row["outcome"] in ("a", "b")]
    # Votes on a pair go together, so the standard error is at most sqrt(3) that of single votes.
    assert abs(np.mean(decided) - 0.5) < 2 * np.sqrt(3) * 0.5 / np.sqrt(len(decided))


def test_no_feature_of_the_text_tells_quality(votes: Rows, featured: Featured) -> None:
    first = np.unique([row["id"] for row in votes], return_index=True)[1]
    features = np.vstack([featured.a[first], featured.b[first]])
    quality = np.concatenate([[votes[i][f"quality_{side}"] for i in first] for side in "ab"])
    differing = features.std(axis=0) > 0
    centred = features[:, differing] - features[:, differing].mean(axis=0)
    error = quality - quality.mean()
    z = (error @ centred) / np.sqrt((error**2) @ (centred**2))
    # The largest of thirty independent |z| exceeds 3.3 in 3% of draws.
    assert np.abs(z).max() < 3.3


def test_a_valid_fit_names_length_and_flattery_and_nothing_else(
    votes: Rows, featured: Featured
) -> None:
    gap = featured.a - featured.b
    used = np.flatnonzero(gap.std(axis=0) > 0)
    scale = np.vstack([featured.a, featured.b]).std(axis=0)[used]
    label = np.array([{"a": 1.0, "b": 0.0}.get(row["outcome"], 0.5) for row in votes])
    prompt = np.unique([row["prompt_id"] for row in votes], return_inverse=True)[1]
    weights = infer_weights(gap[:, used] / scale, label, prompt, names=[NAMES[i] for i in used])
    assert set(weights.significant()) == {"log_words", "flattery"}
    assert all(weights.weight[weights.names.index(name)] > 0 for name in weights.significant())


def test_flattering_phrases_are_counted_once_and_nothing_else_flatters() -> None:
    flattery = NAMES.index("flattery")
    phrases = read_phrases()
    rng = np.random.default_rng(0)
    for kind, sentences in phrases.items():
        counted = compute([""] * len(sentences), sentences)[:, flattery]
        assert counted.tolist() == [float(kind == "flattery")] * len(sentences), kind
    for topic in read_topics():
        said = [*topic.padding, topic.name]
        for right in (True, False):
            said += [state_fact(fact, right=right, rng=rng) for fact in topic.facts]
        assert not compute([""] * len(said), said)[:, flattery].any(), topic.name


def test_every_fact_has_a_right_and_a_wrong_version() -> None:
    for topic in read_topics():
        assert (len(topic.prompts), len(topic.facts), len(topic.padding)) == (6, 7, 4)
        views = sorted(str(prompt.view_is_right) for prompt in topic.prompts)
        assert views == ["False", *["None"] * 4, "True"]
        for fact in topic.facts:
            right, wrong = (
                state_fact(fact, right=r, rng=np.random.default_rng(0)) for r in (True, False)
            )
            assert right != wrong


def _matrix(samples: Rows, column: str) -> FloatArray:
    return np.array([row[column] for row in samples], dtype=float).reshape(-1, N_SAMPLES)


def test_samples_of_a_prompt_are_distinct_and_in_no_order(samples: Rows) -> None:
    assert [row["sample"] for row in samples] == [*range(N_SAMPLES)] * 200
    assert len({(row["prompt_id"], row["response"]) for row in samples}) == len(samples)
    place = np.arange(N_SAMPLES) - (N_SAMPLES - 1) / 2
    for column in ("n_words", "gold", "proxy_reward", "careful_reward"):
        slope = _matrix(samples, column) @ place
        # One of four |z| exceeds 3 in 1% of draws of exchangeable samples.
        assert abs(slope.mean()) < 3 * slope.std(ddof=1) / np.sqrt(len(slope)), column


def _best_of_n(proxy: FloatArray, gold: FloatArray) -> FloatArray:
    """Gold of the best of every n of the samples by proxy; shape [prompts, 16], for n = 1..16."""
    by_n = np.empty_like(gold)
    for i, order in enumerate(np.argsort(proxy, axis=1)):
        for n in range(1, N_SAMPLES + 1):
            chance = [comb(rank, n - 1) / comb(N_SAMPLES, n) for rank in range(N_SAMPLES)]
            by_n[i, n - 1] = np.dot(chance, gold[i, order])
    return by_n


def test_gold_peaks_inside_under_the_proxy(samples: Rows) -> None:
    curve = _best_of_n(_matrix(samples, "proxy_reward"), _matrix(samples, "gold"))
    mean = curve.mean(axis=0)
    peak = int(np.argmax(mean))
    assert 2 <= peak <= 4, "a peak at n = 3 to 5"
    assert mean[[0, peak, -1]] == pytest.approx([-0.41, 0.65, -0.37], abs=0.005)
    for end in (0, -1):
        change = curve[:, peak] - curve[:, end]
        assert change.mean() > 4 * change.std(ddof=1) / np.sqrt(len(change))


def test_gold_keeps_rising_under_the_careful_reward(samples: Rows) -> None:
    mean = _best_of_n(_matrix(samples, "careful_reward"), _matrix(samples, "gold")).mean(axis=0)
    assert np.all(np.diff(mean) > 0)
    assert mean[-1] == pytest.approx(3.21, abs=0.005)


def test_gold_falls_from_the_start_under_length(samples: Rows) -> None:
    """Ties in length are broken by the order of the file, which means nothing."""
    mean = _best_of_n(_matrix(samples, "n_words"), _matrix(samples, "gold")).mean(axis=0)
    assert np.all(np.diff(mean) < 0)
