"""Limits are checked before anything is read."""

from __future__ import annotations

from typing import Any

import pytest

from rewardlab.errors import InputError
from rewardlab.preferences.doctor import ROW_CHECKS, Thresholds
from tests.preferences.doctor.planting import Given, clean_rows, diagnose


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ({"max_share": {"identical": 0.1}}, "identical"),
        ({"max_share": {"duplicates": 1.5}}, "duplicates"),
        ({"max_share": {"duplicates": float("nan")}}, "duplicates"),
        ({"examples": -1}, "examples"),
        ({"truncate_chars": 0}, "truncate_chars"),
        ({"near_duplicate": 1.2}, "near_duplicate"),
        ({"level": 95}, "level"),
    ],
)
def test_a_limit_out_of_range_is_refused_by_name(limits: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=named):
        Thresholds(**limits)


def test_every_check_that_tolerates_a_share_exists() -> None:
    rows = [Given(margin=1.0, annotator="w", split="s"), *clean_rows(5, seed=1)]
    names = {finding.name for finding in diagnose(rows).findings}
    assert set(ROW_CHECKS) <= names
