"""One raw row and its typed reading: texts, numbers and names, or a ``RowError``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rewardlab.errors import RowError
from rewardlab.preferences.prompt_cuts import shared_messages
from rewardlab.types import LABEL_OF_OUTCOME, Outcome, Text


class _Absent:
    """Stands for a key that a row lacks."""

    def __repr__(self) -> str:
        return "nothing (no such key)"


ABSENT: Final = _Absent()

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

EXPECTED_TEXT = "text or a list of messages with role and content"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (_Absent, "missing"),
    (type(None), "null"),
    (bool, "a boolean"),
    ((int, float), "a number"),
    (dict, "an object"),
    (list, "a list"),
)


def kind_of(value: object) -> str:
    """What a value is, in words: "a boolean", "null", "an object", ..."""
    if isinstance(value, str):
        return "text" if value.strip() else "blank"
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    return f"a {type(value).__name__}"


@dataclass(slots=True)
class Row:
    """One raw row.

    Attributes:
        source: Name of the file as given.
        line: 1-based line or row number.
        values: Column -> value.
        blank_is_none: True where the file has no null, so that a blank name or number is absent.
    """

    source: str
    line: int
    values: dict[str, Any]
    blank_is_none: bool = False

    def get(self, column: str) -> Any:
        """The column's value, or ``ABSENT``."""
        return self.values.get(column, ABSENT)

    def error(
        self, column: str, expected: str, value: object = ABSENT, reason: str = ""
    ) -> RowError:
        """The error that this row's column is not what was expected."""
        if value is ABSENT:
            value = self.get(column)
        said = reason or f"{column} is {kind_of(value)}"
        return RowError(self.source, self.line, column, value, expected, reason=said)

    def text(self, column: str) -> str:
        """The column's text, as it came."""
        value = self.values.get(column, ABSENT)
        if type(value) is not str:
            raise self.error(column, "text")
        return value

    def prompt_or_response(self, column: str) -> Text:
        """The column's text or messages, as they came."""
        value = self.values.get(column, ABSENT)
        if type(value) is str:
            return value
        if isinstance(value, list):
            return self.messages(column, value)
        raise self.error(column, EXPECTED_TEXT)

    def messages(self, column: str, value: list[Any]) -> list[dict[str, Any]]:
        """``value``, once every item is seen to be a message."""
        for item in value:
            if not isinstance(item, dict):
                raise self.error(column, EXPECTED_TEXT, item, f"{column} lists {kind_of(item)}")
            role, content = item.get("role", ABSENT), item.get("content", ABSENT)
            if not isinstance(role, str) or not (
                content is None or isinstance(content, (str, list))
            ):
                reason = f"{column} holds a message without role and content"
                raise self.error(column, EXPECTED_TEXT, item, reason)
        return value

    def name(self, column: str) -> str | None:
        """A name or an id as text; None where it is null, absent, NaN, or blank in a CSV."""
        value = self.values.get(column)
        if type(value) is str:
            return None if self.blank_is_none and not value.strip() else value
        if value is None:
            return None
        if type(value) in (int, float):
            return str(value) if value == value else None
        raise self.error(column, "a name: text or a number")

    def number(self, column: str) -> float:
        """A finite number, or text of one; NaN where it is null, absent, NaN or a blank of CSV."""
        value = self.values.get(column)
        if value is None or value != value or (self.blank_is_none and value == ""):
            return math.nan
        return self.as_number(column, value)

    def as_number(self, column: str, value: Any) -> float:
        """``value`` of the column as a finite number."""
        try:
            if isinstance(value, str) or type(value) in (int, float):
                number = float(value)
                if math.isfinite(number):
                    return number
        except (ValueError, OverflowError):
            pass
        raise self.error(column, "a finite number", value)

    def outcome(self, column: str) -> Outcome:
        """The outcome that the column names, spelt exactly as in ``OUTCOME_WORDS``."""
        return self.outcome_of(column, self.get(column))

    def outcome_of(self, column: str, word: Any) -> Outcome:
        """The outcome that one label in the column names."""
        found = OUTCOME_WORDS.get(word) if isinstance(word, str) else None
        if found is None:
            raise self.unknown_label(column, word, list(OUTCOME_WORDS))
        return found

    def unknown_label(self, column: str, value: Any, known: Sequence[str]) -> RowError:
        """The error for a label that is none of the known ones."""
        what = "an unknown label" if isinstance(value, str) and value.strip() else kind_of(value)
        return self.error(column, "one of " + ", ".join(known), value, f"{column} is {what}")


@dataclass(slots=True)
class Vote:
    """One comparison as a convention reads it from a row.

    Attributes:
        prompt: The prompt; "" where the row holds none.
        response_a: Text of side a; None where there is none.
        response_b: Text of side b; likewise.
        outcome: What the rater said.
        label: P(a is better), in [0, 1].
        item_a: Who wrote a; None where unknown.
        item_b: Who wrote b; likewise.
        annotator: Who judged, where the convention itself says so.
        margin: Strength of the preference, where the convention itself says so; else NaN.
        id: The pair's id, where the convention itself makes it.
        pair: Which of its row's pairs this is, where a row holds several pairs; else "".
        extra: What the convention took apart and could not place.
    """

    prompt: Text
    response_a: Text | None
    response_b: Text | None
    outcome: Outcome
    label: float
    item_a: str | None = None
    item_b: str | None = None
    annotator: str | None = None
    margin: float = math.nan
    id: str | None = None
    pair: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Cut:
    """A pair's texts, parted from their prompt.

    Attributes:
        prompt: What both sides answer.
        a: First response.
        b: Second response.
        left_over: Column -> value of what fitted nowhere.
    """

    prompt: Text
    a: Text
    b: Text
    left_over: dict[str, Any] = field(default_factory=dict)


def cut_conversations(prompt_column: str, prompt: Text, a: Text, b: Text) -> Cut:
    """Take the shared messages out of two whole conversations whose prompt is given as text.

    A prompt that is none of the shared messages is kept as an extra column.
    """
    if isinstance(prompt, str) and isinstance(a, list) and isinstance(b, list):
        at = shared_messages(a, b)
        if at:
            known = not prompt or any(message["content"] == prompt for message in a[:at])
            left_over = {} if known else {prompt_column: prompt}
            return Cut(a[:at], a[at:], b[at:], left_over)
    return Cut(prompt, a, b)


def sort_key(text: Text) -> str:
    """A text by which the two sides of a pair can be put in one order in all its votes."""
    return text if isinstance(text, str) else json.dumps(text, sort_keys=True, default=repr)


def label_of(outcome: Outcome) -> float:
    """P(a is better) that an outcome stands for."""
    return float(LABEL_OF_OUTCOME[outcome])
