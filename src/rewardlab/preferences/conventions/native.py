"""rewardlab's own layout: one row a vote, every field of ``Preferences`` a column."""

from __future__ import annotations

from collections.abc import Sequence

from rewardlab.errors import RowError
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.rows import Row, Vote, label_of
from rewardlab.types import Outcome, Text

WORD_OF_OUTCOME = {
    Outcome.A: "a",
    Outcome.B: "b",
    Outcome.TIE: "tie",
    Outcome.BOTH_BAD: "both_bad",
}
_OUTCOME_OF_WORD = {word: outcome for outcome, word in WORD_OF_OUTCOME.items()}


def _response(row: Row, columns: Columns, side: str) -> Text | None:
    column = columns[f"response_{side}"]
    if row.values.get(column, "") is None:
        item = columns.get(f"item_{side}")
        if item is not None and row.values.get(item) is not None:
            return None
    return row.prompt_or_response(column)


def probability(row: Row, column: str) -> float:
    """The column's number, in [0, 1]; NaN where it is absent."""
    value = row.number(column)
    if value < 0 or value > 1:
        raise row.error(column, "a probability from 0 to 1", reason=f"{column} is out of range")
    return value


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    outcome = outcome_word(row, columns["outcome"])
    label = label_of(outcome)
    if "label" in columns:
        given = probability(row, columns["label"])
        label = given if given == given else label
    return [
        Vote(
            row.prompt_or_response(columns["prompt"]) if "prompt" in columns else "",
            _response(row, columns, "a"),
            _response(row, columns, "b"),
            outcome,
            label,
            row.name(columns["item_a"]) if "item_a" in columns else None,
            row.name(columns["item_b"]) if "item_b" in columns else None,
        )
    ]


def outcome_word(row: Row, column: str) -> Outcome:
    """The outcome that one of the words a, b, tie and both_bad names."""
    word = row.get(column)
    found = _OUTCOME_OF_WORD.get(word) if isinstance(word, str) else None
    if found is None:
        raise _unknown(row, column, word)
    return found


def _unknown(row: Row, column: str, word: object) -> RowError:
    return row.unknown_label(column, word, list(_OUTCOME_OF_WORD))


NATIVE = Convention(
    name="native",
    kind="preferences",
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
)
