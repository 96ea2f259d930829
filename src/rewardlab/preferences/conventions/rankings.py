"""Rankings: one prompt, several responses, and their order.

``ranks`` gives each response's rank (1 the best, equal ranks tied). ``ranking`` and ``order`` give
positions of responses, the best first. A ``ranking`` that counts from 1 could be either, so that it
is refused where the two readings differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab.preferences.column_names import PROMPT
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import Entry
from rewardlab.preferences.rows import ABSENT, Row
from rewardlab.types import Text

TEXT_KEYS = ("response", "answer", "text", "completion", "output", "content")
_TOO_LARGE = 2**53
MODEL_KEYS = ("model", "generator", "source")


@dataclass(slots=True)
class Ranking(Entry):
    """One row's ranking.

    Attributes:
        responses: The k responses.
        ranks: Their ranks, 1 the best.
        items: Who wrote them.
    """

    responses: list[Text]
    ranks: list[int]
    items: list[str | None]


def listed_response(row: Row, column: str, item: Any) -> tuple[Text, str | None]:
    """(text, who wrote it) of one entry in a list of responses."""
    if isinstance(item, dict):
        key = next((k for k in TEXT_KEYS if k in item), None)
        if key is None:
            reason = f"{column} lists an object without a text"
            raise row.error(column, f"objects with one of {', '.join(TEXT_KEYS)}", item, reason)
        who = next((k for k in MODEL_KEYS if k in item), None)
        name = row.as_name(column, item[who]) if who else None
        return listed_response(row, column, item[key])[0], name
    if isinstance(item, list):
        return row.messages(column, item), None
    if not isinstance(item, str):
        raise row.error(column, "a list of texts", item, f"{column} lists {type(item).__name__}")
    return item, None


def _numbers(row: Row, column: str, listed: list[Any] | None) -> list[int]:
    if listed is None or not all(_is_whole(value) for value in listed):
        raise row.error(column, "a list of whole numbers", ABSENT if listed is None else listed)
    return [int(v) for v in listed]


def _is_whole(value: Any) -> bool:
    if type(value) is float:
        return value.is_integer() and abs(value) < _TOO_LARGE
    return type(value) is int and abs(value) < _TOO_LARGE


def _decode(row: Row, columns: Columns) -> Sequence[Ranking]:
    column = columns["responses"]
    listed = row.listed(column)
    if not listed:
        raise row.error(column, "a list of at least one response")
    read = [listed_response(row, column, item) for item in listed]
    ranks = _ranks(row, columns, listed)
    if len(ranks) != len(read):
        reason = "not as many ranks as responses"
        raise row.error(column, f"{len(ranks)} responses, as many as ranks", len(read), reason)
    prompt = row.prompt_or_response(columns["prompt"])
    items = _items(row, columns, [item for _, item in read])
    return [Ranking(prompt, [text for text, _ in read], ranks, items)]


def _items(row: Row, columns: Columns, items: list[str | None]) -> list[str | None]:
    if "items" not in columns:
        return items
    named = row.listed(columns["items"])
    if named is None or len(named) != len(items):
        raise row.error(columns["items"], f"a list of {len(items)} names")
    return [None if name is None else str(name) for name in named]


def _ranks(row: Row, columns: Columns, listed: list[Any]) -> list[int]:
    if "ranks" in columns:
        return _numbers(row, columns["ranks"], row.listed(columns["ranks"]))
    if "order" in columns:
        return _inverse(row, columns["order"], len(listed))
    if "ranking" in columns:
        return _either(row, columns["ranking"], len(listed))
    column = columns["responses"]
    ranks = [item.get("rank") if isinstance(item, dict) else None for item in listed]
    return _numbers(row, column, ranks)


def _inverse(row: Row, column: str, k: int) -> list[int]:
    order = _numbers(row, column, row.listed(column))
    first = 0 if 0 in order else 1
    if sorted(order) != list(range(first, first + k)):
        expected = f"each of the positions {first} to {first + k - 1} once, the best first"
        raise row.error(column, expected, reason=f"{column} is no order of the responses")
    return [order.index(i) + 1 for i in range(first, first + k)]


def _either(row: Row, column: str, k: int) -> list[int]:
    given = _numbers(row, column, row.listed(column))
    if len(set(given)) < len(given) and 0 not in given:
        return given
    inverse = _inverse(row, column, k)
    if 0 in given or inverse == given:
        return inverse
    expected = (
        f"positions counted from 0, the best first; counted from 1 it is ambiguous: say with "
        f"--column ranks={column} that each number is a response's rank, or with "
        f"--column order={column} that each is the position of the next best"
    )
    raise row.error(column, expected, reason=f"{column} is ambiguous")


def _holds_ranks(rows: Sequence[Row], columns: Columns) -> bool:
    listed = rows[0].listed(columns["responses"])
    if listed is not None and {"ranks", "order", "ranking"} & columns.keys():
        return True
    return bool(listed) and all(isinstance(x, dict) and "rank" in x for x in listed or ())


RANKINGS = Convention(
    name="rankings",
    kind="rankings",
    title="rankings",
    required={"prompt": PROMPT, "responses": ("responses", "answers", "completions")},
    optional={
        "ranks": ("ranks", "rank"),
        "order": ("order",),
        "ranking": ("ranking",),
        "items": ("models", "items"),
    },
    decode=_decode,
    holds=_holds_ranks,
)
