"""rewardlab's own layout: one row a vote, every field of ``Preferences`` a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import Vote
from rewardlab.preferences.rows import Row
from rewardlab.types import Outcome, Text

WORD_OF_OUTCOME = {
    Outcome.A: "a",
    Outcome.B: "b",
    Outcome.TIE: "tie",
    Outcome.BOTH_BAD: "both_bad",
}
OUTCOME_OF_WORD = {word: outcome for outcome, word in WORD_OF_OUTCOME.items()}


def _words(_row: Row, _columns: Columns) -> Mapping[str, Outcome]:
    return OUTCOME_OF_WORD


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    return [
        Vote(
            row.prompt_or_response(columns["prompt"]) if "prompt" in columns else "",
            _response(row, columns["response_a"], columns.get("item_a")),
            _response(row, columns["response_b"], columns.get("item_b")),
            row.outcome(columns["outcome"], OUTCOME_OF_WORD),
            row.probability(columns.get("label")),
            row.name(columns.get("item_a")),
            row.name(columns.get("item_b")),
        )
    ]


def _response(row: Row, column: str, item: str | None) -> Text | None:
    """The response; None where it is null and the item is named instead."""
    is_null = row.get(column) is None
    if is_null and item is not None and row.values.get(item) is not None:
        return None
    return row.prompt_or_response(column)


NATIVE = Convention(
    name="native",
    title="rewardlab's own layout",
    required={
        "response_a": ("response_a",),
        "response_b": ("response_b",),
        "outcome": ("outcome",),
    },
    optional={
        "prompt": ("prompt",),
        "label": ("label",),
        "margin": ("margin",),
        "item_a": ("item_a",),
        "item_b": ("item_b",),
        "sides_recorded": ("sides_recorded",),
    },
    decode=_decode,
    verdict="outcome",
    words=_words,
)
