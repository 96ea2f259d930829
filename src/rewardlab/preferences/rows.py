"""One raw row and its typed reading: texts, numbers and names, or a ``RowError``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeVar

from rewardlab.errors import RowError
from rewardlab.preferences.exact_json import loads
from rewardlab.types import Outcome, Text

T = TypeVar("T")


class _Absent:
    """Stands for a key that a row lacks."""

    def __repr__(self) -> str:
        return "nothing (no such key)"


ABSENT: Final = _Absent()

_EXPECTED_TEXT = "text or a list of messages with role and content"
_SHAREGPT = (
    "messages with role and content; ShareGPT's are not read: rename from to role (human to user, "
    "gpt to assistant) and value to content"
)
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (_Absent, "missing"),
    (type(None), "null"),
    (bool, "a boolean"),
    ((int, float), "a number"),
    (dict, "an object"),
    (list, "a list"),
)


NO_WORDS: Mapping[str, Outcome] = MappingProxyType({})
"""Of layouts whose labels are numbers."""

OWN_LABELS = "; say what this file's labels mean with --labels VALUE=OUTCOME,..."


def spellings(value: object) -> tuple[str, ...]:
    """How a label may be written on the command line, the usual way first; none for no label."""
    if isinstance(value, bool):
        return (str(value).lower(), str(value))
    if isinstance(value, float) and value.is_integer():
        return (str(int(value)), str(value))
    return (str(value),) if isinstance(value, (str, int, float)) else ()


def with_known(
    labels: Mapping[str, Outcome], known: Mapping[str, Outcome]
) -> Mapping[str, Outcome]:
    """The user's labels with the words that a layout knows by itself.

    Where the user gives one of these words another meaning, the others are not known either: a
    file that swaps a and b wants both said.
    """
    if any(known.get(label, outcome) is not outcome for label, outcome in labels.items()):
        return labels
    return {**labels, **known}


def kind_of(value: object) -> str:
    """What a value is, in words: "a boolean", "null", "an object", ..."""
    if isinstance(value, str):
        return "text" if value.strip() else "blank"
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    return f"a {type(value).__name__}"


def _is_sharegpt(value: object) -> bool:
    return isinstance(value, dict) and {"from", "value"} <= value.keys()


@dataclass(slots=True)
class Row:
    """One raw row.

    Attributes:
        source: Name of the file as given.
        line: 1-based starting line (JSON, CSV) or row number (Parquet, Arrow).
        values: Column -> value.
        blank_is_none: True for CSV, which has no null: a blank name or number is an absent one.
        labels: What the file's own labels mean, where the user says it; else None.
    """

    source: str
    line: int
    values: dict[str, Any]
    blank_is_none: bool = False
    labels: Mapping[str, Outcome] | None = None

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

    def prompt_or_response(self, column: str) -> Text:
        """The column's text or messages, as they came."""
        value = self.values.get(column, ABSENT)
        if type(value) is str:
            return value
        if isinstance(value, list):
            return self.messages(column, value)
        if _is_sharegpt(value):
            raise self._sharegpt(column, value)
        raise self.error(column, _EXPECTED_TEXT)

    def messages(self, column: str, value: list[Any]) -> list[dict[str, Any]]:
        """``value``, once every item is seen to be a message."""
        for item in value:
            if not isinstance(item, dict):
                raise self.error(column, _EXPECTED_TEXT, item, f"{column} lists {kind_of(item)}")
            if _is_sharegpt(item) and "role" not in item:
                raise self._sharegpt(column, item)
            role, content = item.get("role", ABSENT), item.get("content", ABSENT)
            if not isinstance(role, str) or not (
                content is None or isinstance(content, (str, list))
            ):
                reason = f"{column} holds a message without role and content"
                raise self.error(column, _EXPECTED_TEXT, item, reason)
        return value

    def _sharegpt(self, column: str, value: object) -> RowError:
        return self.error(column, _SHAREGPT, value, f"{column} holds ShareGPT's messages")

    def name(self, column: str | None) -> str | None:
        """A name or an id as text; None where it is null, NaN, blank in a CSV, or no column."""
        return None if column is None else self.as_name(column, self.values.get(column))

    def as_name(self, column: str, value: Any) -> str | None:
        """``value`` of the column as a name."""
        if type(value) is str:
            return None if self.blank_is_none and not value.strip() else value
        if value is None:
            return None
        if type(value) in (int, float):
            return str(value) if value == value else None
        raise self.error(column, "a name: text or a number", value)

    def number(self, column: str | None) -> float:
        """A finite number, or text of one; NaN where ``name`` would be None."""
        if column is None:
            return math.nan
        value = self.values.get(column)
        if value is None or value != value or (self.blank_is_none and value == ""):
            return math.nan
        return self.as_number(column, value)

    def number_label(self, column: str) -> float:
        """``number`` of a column of labels, where what else it may hold the user can say."""
        try:
            return self.number(column)
        except RowError as error:
            expected = error.expected + OWN_LABELS
            raise self.error(column, expected, reason=error.reason) from None

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

    def probability(self, column: str | None) -> float:
        """A number in [0, 1]; NaN where it is absent."""
        if column is None:
            return math.nan
        value = self.number(column)
        if value < 0 or value > 1:
            reason = f"{column} is out of range"
            raise self.error(column, "a probability from 0 to 1", reason=reason)
        return value

    def listed(self, column: str) -> list[Any] | None:
        """The column's list, or the list that its JSON text holds; None where it is none."""
        value = self.values.get(column)
        if isinstance(value, str) and value.lstrip().startswith("["):
            try:
                value = loads(value)
            except ValueError:
                return None
        return value if isinstance(value, list) else None

    def word(self, column: str, meaning: Mapping[str, T], value: Any = ABSENT) -> T:
        """What the column's word (or ``value``, one in it) means, in exactly that spelling."""
        word = self.get(column) if value is ABSENT else value
        if not isinstance(word, str) or word not in meaning:
            raise self.unknown_word(column, word, list(meaning))
        return meaning[word]

    def own_label(
        self, column: str, value: Any = ABSENT, *, known: Mapping[str, Outcome] = NO_WORDS
    ) -> Outcome | None:
        """What the user says that the column's label means; None where nothing is said of labels.

        Args:
            column: The column.
            value: A label in it; ``ABSENT`` for its only one.
            known: Words that mean an outcome by themselves.

        Raises:
            RowError: Labels are said, and this is none of them, nor known.
        """
        if self.labels is None:
            return None
        if value is ABSENT:
            value = self.get(column)
        meaning = with_known(self.labels, known)
        for spelling in spellings(value):
            if spelling in meaning:
                return meaning[spelling]
        raise self.unknown_word(column, value, list(meaning))

    def outcome(self, column: str, meaning: Mapping[str, Outcome], value: Any = ABSENT) -> Outcome:
        """What the column's label (or ``value``, one in it) means: the user's word for it first."""
        own = self.own_label(column, value, known=meaning)
        if own is not None:
            return own
        word = self.get(column) if value is ABSENT else value
        if not isinstance(word, str) or word not in meaning:
            raise self.unknown_word(column, word, list(meaning), hint=OWN_LABELS)
        return meaning[word]

    def unknown_word(
        self, column: str, value: Any, known: Sequence[str], *, hint: str = ""
    ) -> RowError:
        """The error for a word that is none of the known ones."""
        what = "an unknown label" if isinstance(value, str) and value.strip() else kind_of(value)
        expected = "one of " + ", ".join(known) + hint
        return self.error(column, expected, value, f"{column} is {what}")


@dataclass(slots=True)
class RowBatch:
    """Some consecutive rows of a table.

    Attributes:
        rows: The rows that could be read.
        bad: Why others of the same stretch could not be read at all.
        blank_lines: Number of blank lines passed over.
        share: Share of the file's bytes read once they are, in [0, 1].
    """

    rows: list[Row] = field(default_factory=list)
    bad: list[RowError] = field(default_factory=list)
    blank_lines: int = 0
    share: float = 1.0

    def __len__(self) -> int:
        return len(self.rows) + len(self.bad)
