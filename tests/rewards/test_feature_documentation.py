"""The page on fitting documents every feature as the code describes it."""

from __future__ import annotations

from pathlib import Path

from rewardlab.rewards.text_features import FEATURES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fit.md"


def test_the_page_has_a_row_for_each_feature_in_order() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    assert rows == [f"| `{f.name}` | {f.unit} | {f.counts} |" for f in FEATURES]
