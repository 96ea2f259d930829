"""What conventions read from rows, and rows whose two sides stand side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
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
class Entry:
    """One thing that a convention reads from a row: a vote, a ranking, a rated response.

    What follows the prompt is filled in from the row's other columns, where the convention itself
    does not say it.

    Attributes:
        prompt: The prompt; "" where the row holds none.
        id: Its id; for a vote that of its pair.
        prompt_id: The prompt's id.
        annotator: Who judged.
        split: The split it belongs to.
        line: Line of the row.
        source: File of the row.
        extra: What the convention took apart and could not place, and the row's extra columns.
    """

    prompt: Text
    _: KW_ONLY
    id: str | None = None
    prompt_id: str | None = None
    annotator: str | None = None
    split: str | None = None
    line: int = 0
    source: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Vote(Entry):
    """One comparison.

    Attributes:
        response_a: Text of side a; None where there is none.
        response_b: Text of side b; likewise.
        outcome: What the rater said.
        label: P(a is better), in [0, 1]; NaN for what the outcome stands for.
        item_a: Who wrote a; None where unknown.
        item_b: Who wrote b; likewise.
        margin: Strength of the preference, where no column of the row says so; else NaN.
        pair: Which of its row's pairs this is, where a row holds several pairs; else "".
    """

    response_a: Text | None
    response_b: Text | None
    outcome: Outcome
    label: float = math.nan
    item_a: str | None = None
    item_b: str | None = None
    margin: float = math.nan
    pair: str = ""


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
