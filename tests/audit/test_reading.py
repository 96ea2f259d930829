"""What is shown to be read belongs to the vote it stands beside, whatever the file's layout."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.audit.calibration import measure_calibration
from rewardlab.audit.compare import choose_disagreements
from rewardlab.audit.reading import Reading, choose_reading, unlikely_labels_finding
from rewardlab.audit.reward_choice import RecordedScores
from rewardlab.audit.scored import ScoredVotes
from rewardlab.audit.scoring import score_votes
from rewardlab.preferences.formats import PreferenceReader, ReadOptions, open_preferences
from rewardlab.types import FloatArray, IntArray, Status, Text
from tests.making import bradley_terry_votes, scored_votes


def longest(prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Any) -> FloatArray:
    """A reward that is the number of words."""
    return np.array([len(str(r).split()) for r in responses], dtype=np.float64)


def shortest(prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Any) -> FloatArray:
    """The opposite."""
    return -longest(prompts, responses)


def write_pairs(path: Path, n: int, *, seed: int) -> PreferenceReader:
    """Pairs whose texts tell their own length and whether they were chosen."""
    rng = np.random.default_rng(seed)
    with path.open("w") as file:
        for i in range(n):
            sizes = rng.choice(np.arange(3, 60), size=2, replace=False)
            row = {
                "prompt": f"question {i}",
                "chosen": f"chosen {i} " + "x " * int(sizes[0] - 2),
                "rejected": f"rejected {i} " + "x " * int(sizes[1] - 2),
            }
            file.write(json.dumps(row) + "\n")
    return open_preferences(path, ReadOptions(chunk_rows=7))


def read(reader: PreferenceReader, slope: float | None = 0.1) -> tuple[ScoredVotes, Reading]:
    (scored,) = score_votes(reader, [longest], 0)
    return scored.votes, choose_reading(scored.votes, reader.chunks(), slope=slope)


def test_preferred_and_other_are_the_texts_of_that_vote(tmp_path: Path) -> None:
    votes, reading = read(write_pairs(tmp_path / "v.jsonl", 60, seed=0))
    assert votes.swapped.any()
    assert len(reading.confident_errors) == 8
    for vote in reading.confident_errors:
        number = vote.prompt.split()[1]
        assert vote.preferred.startswith(f"chosen {number} ")
        assert vote.other.startswith(f"rejected {number} ")
        assert len(vote.preferred.split()) < len(vote.other.split())
        assert vote.location.endswith(f":{int(number) + 1}")
        assert vote.probability < 0.5
    chances = [vote.probability for vote in reading.confident_errors]
    assert chances == sorted(chances)


def test_extremes_are_the_longest_and_the_shortest(tmp_path: Path) -> None:
    _, reading = read(write_pairs(tmp_path / "v.jsonl", 60, seed=1))
    for shown, sign in ((reading.top, -1), (reading.bottom, 1)):
        rewards = [text.reward for text in shown]
        assert rewards == sorted(rewards, key=lambda r: sign * r)
        assert all(len(text.response.split()) == text.reward for text in shown)
    assert reading.top[0].reward > reading.bottom[0].reward


@pytest.mark.parametrize("layout", ["ratings", "rankings"])
def test_a_line_that_holds_many_votes_shows_each_its_own_texts(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    rng = np.random.default_rng(2)
    with path.open("w") as file:
        for i in range(40):
            texts = ["w " * int(k) for k in rng.choice(np.arange(2, 50), 4, replace=False)]
            if layout == "rankings":
                row = {"prompt": f"q{i}", "responses": texts, "ranks": [1, 2, 3, 4]}
            else:
                done = [
                    {"response": t, "overall_score": float(s)}
                    for t, s in zip(texts, rng.permutation(4), strict=True)
                ]
                row = {"instruction": f"q{i}", "completions": done}
            file.write(json.dumps(row) + "\n")
    options = (
        ReadOptions(from_rankings=True)
        if layout == "rankings"
        else ReadOptions(rating="overall_score")
    )
    votes, reading = read(open_preferences(path, options))
    assert len(votes) == 240
    for text in (*reading.top, *reading.bottom):
        assert len(text.response.split()) == text.reward
    for vote in reading.confident_errors:
        gap = len(vote.preferred.split()) - len(vote.other.split())
        assert vote.probability == pytest.approx(1 / (1 + np.exp(-0.1 * gap)))


def test_only_a_vote_alone_against_two_named_annotators_and_the_reward_is_doubtful(
    tmp_path: Path,
) -> None:
    path = tmp_path / "v.jsonl"
    outcomes = {"alone": "aab", "even": "abab"[:2], "right": "bba", "unnamed": "aab"}
    with path.open("w") as file:
        for i, (name, said) in enumerate(outcomes.items()):
            for k, outcome in enumerate(said):
                row = {
                    "id": str(i),
                    "prompt": name,
                    "response_a": "long " * 9,
                    "response_b": "short",
                    "outcome": outcome,
                    "annotator": None if name == "unnamed" else f"w{k}",
                }
                file.write(json.dumps(row) + "\n")
    _, reading = read(open_preferences(path))
    assert [vote.prompt for vote in reading.doubtful_labels] == ["alone"]
    assert reading.doubtful_labels[0].preferred == "short"


def unlikely(gap: FloatArray, label: FloatArray, prompt: IntArray | None = None) -> Status:
    """As in the audit: the slope is fitted on the same votes."""
    votes = scored_votes(gap, label, prompt=prompt)
    slope = measure_calibration(votes).slope.value
    return unlikely_labels_finding(choose_reading(votes, [], slope=slope, n_shown=0)).status


def test_flipped_labels_are_noticed_and_honest_ones_seldom() -> None:
    alarms = found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        gap = 3 * rng.normal(size=1000)
        label = bradley_terry_votes(gap, rng)
        alarms += unlikely(gap, label) is Status.WARN
        flipped = np.where(rng.random(1000) < 0.1, 1 - label, label)
        found += unlikely(gap, flipped) is Status.WARN
    # One end of a 95% interval: 2.5%; Monte Carlo error of 100 runs is 1.6 points.
    assert alarms <= 7
    # Flips also lower the slope, which hides some of them; 74 of these 100 are noticed.
    assert found >= 65


def test_copied_votes_raise_no_more_alarms() -> None:
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        gap = 2.5 * rng.normal(size=100)
        label = bradley_terry_votes(gap, rng)
        prompt = np.repeat(np.arange(100), 10)
        alarms += unlikely(np.repeat(gap, 10), np.repeat(label, 10), prompt) is Status.WARN
    assert alarms <= 7


def test_a_reward_that_does_not_predict_calls_no_label_unlikely(tmp_path: Path) -> None:
    _, reading = read(write_pairs(tmp_path / "v.jsonl", 60, seed=3), slope=None)
    refused = unlikely_labels_finding(reading)
    assert refused.status is Status.CANNOT_SAY
    assert "predicts" in refused.action
    rng = np.random.default_rng(0)
    gap = 3 * rng.normal(size=2000)
    assert unlikely(gap, bradley_terry_votes(gap, rng)) is Status.PASS


def test_a_reward_that_is_never_confident_shows_no_flips_and_a_confident_one_does() -> None:
    rng = np.random.default_rng(1)
    gap = 0.3 * rng.normal(size=500)
    assert unlikely(gap, bradley_terry_votes(gap, rng)) is Status.CANNOT_SAY
    sharp = 3 * rng.normal(size=2000)
    assert unlikely(sharp, bradley_terry_votes(sharp, rng)) is Status.PASS


def test_disagreements_name_the_reward_that_is_right(tmp_path: Path) -> None:
    reader = write_pairs(tmp_path / "v.jsonl", 60, seed=4)
    a, b = score_votes(reader, [longest, shortest], 0)
    n, shown = choose_disagreements(a.votes, b.votes, reader.chunks())
    assert n == 60
    for one in shown:
        longer_won = len(one.preferred.split()) > len(one.other.split())
        assert one.right == ("A" if longer_won else "B")
        assert one.preferred.startswith("chosen ")


def test_recorded_scores_are_read_with_their_own_rows(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    with path.open("w") as file:
        for i in range(30):
            row = {"prompt": f"q{i}", "chosen": f"c{i}", "rejected": f"r{i}", "s": i, "t": 0}
            file.write(json.dumps(row) + "\n")
    reader = open_preferences(path)
    (scored,) = score_votes(reader, [RecordedScores("s", "t")], 0)
    reading = choose_reading(scored.votes, reader.chunks(), slope=1.0)
    assert [(t.response, t.reward) for t in reading.top[:2]] == [("c29", 29.0), ("c28", 28.0)]
