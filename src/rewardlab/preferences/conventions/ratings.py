"""Ratings: HelpSteer's rows of one rated response, UltraFeedback's lists of rated completions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab.errors import RowError
from rewardlab.preferences.column_names import PROMPT, SHARED_FIELDS
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.conventions.rankings import MODEL_KEYS, TEXT_KEYS, listed_response
from rewardlab.preferences.entries import Entry
from rewardlab.preferences.rows import Row
from rewardlab.types import Text

_NOT_RATED = ("", "N/A", "n/a", None)
_NO_RATING = frozenset(name for aliases in SHARED_FIELDS.values() for name in aliases) | {
    "row",
    "index",
    "line",
}


@dataclass(slots=True)
class Rated(Entry):
    """One rated response.

    Attributes:
        response: Its text.
        ratings: Name -> number; names without a rating are absent.
        item: Who wrote it.
        completion: What else was said of it, where it is one of a list.
    """

    response: Text
    ratings: dict[str, float]
    item: str | None
    completion: dict[str, Any]


def _is_number(row: Row, value: Any) -> bool:
    """Whether the value is a number (or a CSV's text of one)."""
    if row.blank_is_none and isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return type(value) in (int, float)


def _is_missing(value: Any) -> bool:
    return value != value or (not isinstance(value, (list, dict)) and value in _NOT_RATED)


def rating_columns(rows: Sequence[Row], columns: Columns) -> list[str]:
    """Columns that hold numbers wherever they hold anything, ids and line numbers apart."""
    taken = set(columns.values()) | _NO_RATING
    numeric: dict[str, bool] = {}
    for row in rows:
        for name, value in row.values.items():
            if name not in taken and not _is_missing(value):
                numeric[name] = numeric.get(name, True) and _is_number(row, value)
    return [name for name, always in numeric.items() if always]


def _decode_row(row: Row, columns: Columns) -> Sequence[Rated]:
    taken = set(columns.values())
    ratings = {
        name: row.as_number(name, value)
        for name, value in row.values.items()
        if name not in taken and not _is_missing(value) and _is_number(row, value)
    }
    item = row.name(columns.get("item"))
    prompt = row.prompt_or_response(columns["prompt"])
    return [Rated(prompt, row.prompt_or_response(columns["response"]), ratings, item, {})]


def _holds_numbers(rows: Sequence[Row], columns: Columns) -> bool:
    return bool(rating_columns(rows, columns))


def _decode_list(row: Row, columns: Columns) -> Sequence[Rated]:
    column = columns["completions"]
    listed = row.listed(column)
    if not listed:
        raise row.error(column, "a list of rated completions")
    prompt = row.prompt_or_response(columns["prompt"])
    return [_rated(row, column, prompt, item) for item in listed]


def _rated(row: Row, column: str, prompt: Text, item: Any) -> Rated:
    if not isinstance(item, dict):
        raise row.error(column, "objects with a response and ratings", item)
    text, model = listed_response(row, column, item)
    used = next(k for k in TEXT_KEYS if k in item)
    ratings: dict[str, float] = {}
    for name, value in item.items():
        if name in (used, *MODEL_KEYS) or _is_missing(value):
            continue
        if type(value) in (int, float):
            ratings[name] = row.as_number(column, value)
    annotations = item.get("annotations")
    for name, value in annotations.items() if isinstance(annotations, dict) else ():
        number = _nested_rating(row, column, value)
        if number is not None:
            ratings[name] = number
    return Rated(prompt, text, ratings, model, {k: v for k, v in item.items() if k != used})


def _nested_rating(row: Row, column: str, value: Any) -> float | None:
    """UltraFeedback's ``{"Rating": "4", "Rationale": ...}``, or a bare number."""
    if isinstance(value, dict):
        value = value.get("Rating", value.get("rating"))
    if isinstance(value, (list, dict)) or _is_missing(value):
        return None
    return row.as_number(column, value)


def _holds_rated_objects(rows: Sequence[Row], columns: Columns) -> bool:
    listed = rows[0].listed(columns["completions"]) or []
    return bool(listed) and all(isinstance(item, dict) and "rank" not in item for item in listed)


def rating_names(rows: Sequence[Row], columns: Columns) -> list[str]:
    """The names of the ratings that the rows hold."""
    if "completions" not in columns:
        return rating_columns(rows, columns)
    names: dict[str, None] = {}
    for row in rows:
        try:
            names.update((name, None) for x in _decode_list(row, columns) for name in x.ratings)
        except RowError:  # such a row is met again, and then raised or counted
            continue
    return list(names)


RATINGS = Convention(
    name="ratings",
    kind="ratings",
    title="ratings, one response a row",
    required={"prompt": PROMPT, "response": ("response", "answer", "output")},
    optional={"item": ("model", "generator", "system")},
    forbidden=("chosen", "rejected", "winner"),
    decode=_decode_row,
    holds=_holds_numbers,
)

RATINGS_LIST = Convention(
    name="ratings-list",
    kind="ratings",
    title="ratings, a list of completions a row",
    required={"prompt": PROMPT, "completions": ("completions", "responses")},
    decode=_decode_list,
    holds=_holds_rated_objects,
)
