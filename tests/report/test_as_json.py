"""Results become strict JSON: nothing is lost and NaN becomes null."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.report.as_json import findings_as_json, json_text, to_json
from rewardlab.types import Figure, Finding, Outcome, Status


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("inf"), None),
        (np.float64("nan"), None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1.5, np.nan], [2.0, -np.inf]]), [[1.5, None], [2.0, None]]),
        (Status.CANNOT_SAY, "cannot say"),
        (Outcome.BOTH_BAD, "both_bad"),
        ({Outcome.A: 1, 2: (3,), "x": {"b", "a"}}, {"a": 1, "2": [3], "x": ["a", "b"]}),
        (Path("a/b.jsonl"), "a/b.jsonl"),
        (date(2024, 5, 6), "2024-05-06"),
        (None, None),
        (True, True),
        ("é\u200b", "é\u200b"),
    ],
)
def test_values_become_plain_json(value: Any, expected: Any) -> None:
    assert to_json(value) == expected
    assert type(to_json(value)) is type(expected)


@pytest.mark.parametrize("value", [b"bytes", object(), 1j])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="expected a value that JSON can hold"):
        to_json(value)


def test_findings_carry_their_share_and_null_intervals() -> None:
    finding = Finding(
        "name", Status.WARN, "title", "why", "do", figure=Figure(0.25), count=1, total=4
    )
    (plain,) = findings_as_json([finding])
    assert plain["share"] == 0.25
    assert plain["status"] == "warn"
    assert plain["figure"]["low"] is None
    assert json.loads(json_text([finding]))[0]["name"] == "name"
