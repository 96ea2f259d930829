"""Files and rewards that an audit refuses are refused with what to do next."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rewardlab.audit.reward_choice import FittedHere, RecordedScores, RewardChoice
from rewardlab.audit.scoring import score_votes
from rewardlab.errors import InputError
from rewardlab.preferences.formats import ReadOptions, open_preferences

SHARED: dict[str, Any] = {"response_a": "one answer", "response_b": "another, longer answer"}


def refusal(path: Path, rows: list[dict[str, Any]], reward: RewardChoice) -> str:
    path.write_text("".join(json.dumps({**SHARED, **row}) + "\n" for row in rows))
    reader = open_preferences(path, ReadOptions(on_bad="count"))
    with pytest.raises(InputError) as caught:
        score_votes(reader, [reward], 0)
    return str(caught.value)


def test_labels_of_0_and_1_are_refused_with_the_option_that_says_what_they_mean(
    tmp_path: Path,
) -> None:
    rows = [{"prompt": f"Question {i}?", "winner": i % 2} for i in range(60)]
    said = refusal(tmp_path / "v.jsonl", rows, FittedHere())
    assert "no row is left to read: all 60 rows were left out: 60: winner is a number" in said
    assert "--labels VALUE=OUTCOME" in said


@pytest.mark.parametrize("value", [1e308, -1e308, "1e151"])
def test_rewards_whose_squares_are_not_finite_are_refused_where_they_stand(
    tmp_path: Path, value: object
) -> None:
    rows: list[dict[str, Any]] = [
        {"prompt": f"Question {i}?", "winner": "a", "x": -1e149, "y": 0.5} for i in range(3)
    ]
    rows[1]["y"] = value
    said = refusal(tmp_path / "v.jsonl", rows, RecordedScores("x", "y"))
    assert re.search(r"v\.jsonl:2: column 'y': got .*; rescale the rewards$", said)
