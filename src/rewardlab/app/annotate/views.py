"""What annotation's pages get: texts to show, and how far things are."""

from __future__ import annotations

from typing import Any

from rewardlab.app.annotate.contents import Assigned
from rewardlab.types import Text


def pair_view(assigned: Assigned) -> dict[str, Any]:
    """A pair as an annotator sees it: blind, its sides as they were drawn."""
    content = assigned.content
    sides = content.response_a, content.response_b
    left, right = reversed(sides) if assigned.flipped else sides
    return {
        "pair": assigned.pair,
        "prompt": text_view(content.prompt),
        "left": text_view(left),
        "right": text_view(right),
    }


def text_view(text: Text) -> list[dict[str, Any]]:
    """A text as turns: who speaks ("" for a plain text), and what is said."""
    if isinstance(text, str):
        return [{"role": "", "text": text}]
    return [
        {"role": str(turn.get("role") or ""), "text": str(turn.get("content") or "")}
        for turn in text
    ]
