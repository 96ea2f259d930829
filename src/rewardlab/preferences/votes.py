"""One comparison as a convention reads it, and rows whose two sides stand side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab.preferences.prompt_cuts import cut_conversations
from rewardlab.preferences.rows import Row
from rewardlab.types import Outcome, Text

OUTCOME_WORDS: Mapping[str, Outcome] = {
    "a": Outcome.A,
    "model_a": Outcome.A,
    "response_a": Outcome.A,
    "left": Outcome.A,
    "b": Outcome.B,
    "model_b": Outcome.B,
    "response_b": Outcome.B,
    "right": Outcome.B,
    "tie": Outcome.TIE,
    "both_bad": Outcome.BOTH_BAD,
    "tie (bothbad)": Outcome.BOTH_BAD,
}
"""The labels that name a side, in exactly this spelling."""


@dataclass(slots=True)
class Vote:
    """One comparison.

    Attributes:
        prompt: The prompt; "" where the row holds none.
        response_a: Text of side a; None where there is none.
        response_b: Text of side b; likewise.
        outcome: What the rater said.
        label: P(a is better), in [0, 1]; NaN for what the outcome stands for.
        item_a: Who wrote a; None where unknown.
        item_b: Who wrote b; likewise.
        annotator: Who judged, where no column of the row says so.
        margin: Strength of the preference, where no column of the row says so; else NaN.
        id: The pair's id, where it is not the row's.
        pair: Which of its row's pairs this is, where a row holds several pairs; else "".
        extra: What was taken apart and could not be placed.
    """

    prompt: Text
    response_a: Text | None
    response_b: Text | None
    outcome: Outcome
    label: float = math.nan
    item_a: str | None = None
    item_b: str | None = None
    annotator: str | None = None
    margin: float = math.nan
    id: str | None = None
    pair: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


def side_by_side(row: Row, columns: Mapping[str, str], outcome: Outcome) -> Vote:
    """The vote of a row whose prompt, texts and items may each be absent as columns."""
    prompt = row.prompt_or_response(columns["prompt"]) if "prompt" in columns else ""
    vote = Vote(prompt, None, None, outcome)
    vote.item_a, vote.item_b = row.name(columns.get("item_a")), row.name(columns.get("item_b"))
    if "response_a" in columns and "response_b" in columns:
        a = row.prompt_or_response(columns["response_a"])
        b = row.prompt_or_response(columns["response_b"])
        cut = cut_conversations(columns.get("prompt", ""), prompt, a, b)
        vote.prompt, vote.response_a, vote.response_b = cut.prompt, cut.a, cut.b
        vote.extra = cut.left_over
    return vote


def sort_key(text: Text) -> str:
    """A text by which the two sides of a pair can be put in one order in all its votes."""
    return text if isinstance(text, str) else json.dumps(text, sort_keys=True, default=repr)
