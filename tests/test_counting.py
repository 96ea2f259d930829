"""Counts in words."""

from __future__ import annotations

import pytest

from rewardlab.counting import counted


@pytest.mark.parametrize(
    ("n", "told"), [(0, "0 votes"), (1, "1 vote"), (2, "2 votes"), (1_200, "1,200 votes")]
)
def test_one_alone_takes_no_s(n: int, told: str) -> None:
    assert counted(n, "vote") == told
