"""Solutions in steps: TRL's stepwise supervision, and BIG-bench's first mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewardlab.preferences.column_names import PROMPT
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import Entry
from rewardlab.preferences.records import UNKNOWN_STEP
from rewardlab.preferences.rows import Row

_IGNORED = -100


@dataclass(slots=True)
class Stepped(Entry):
    """One solution, with 1 (right), 0 (wrong) or -1 (unknown) a step."""

    steps: list[str]
    labels: list[int]


def _steps(row: Row, column: str) -> list[str]:
    steps = row.listed(column)
    if steps is None:
        raise row.error(column, "a list of steps")
    for step in steps:
        if not isinstance(step, str):
            reason = f"{column} lists a {type(step).__name__}"
            raise row.error(column, "a list of texts", step, reason)
    return steps


def _label(row: Row, column: str, value: Any) -> int:
    if value is None or (type(value) is int and value == _IGNORED):
        return UNKNOWN_STEP
    if isinstance(value, bool) or (type(value) in (int, float) and value in (0, 1)):
        return int(value)
    expected = f"true, false, 1, 0, or {_IGNORED} or null for a step without a label"
    raise row.error(column, expected, value, f"{column} holds an unknown step label")


def _decode(row: Row, columns: Columns) -> Sequence[Stepped]:
    steps = _steps(row, columns["steps"])
    labels = row.listed(columns["labels"])
    if labels is None or len(labels) != len(steps):
        reason = f"not as many {columns['labels']} as {columns['steps']}"
        raise row.error(columns["labels"], f"a list of {len(steps)} labels", labels, reason)
    read = [_label(row, columns["labels"], value) for value in labels]
    return [Stepped(row.prompt_or_response(columns["prompt"]), steps, read)]


def _decode_mistake(row: Row, columns: Columns) -> Sequence[Stepped]:
    steps = _steps(row, columns["steps"])
    first = row.number(columns["mistake_index"])
    labels = [1] * len(steps)
    if first == first:
        if first != int(first) or not 0 <= first < len(steps):
            reason = f"{columns['mistake_index']} is no step"
            expected = f"a step from 0 to {len(steps) - 1}, or null"
            raise row.error(columns["mistake_index"], expected, reason=reason)
        at = int(first)
        labels = [1] * at + [0] + [UNKNOWN_STEP] * (len(steps) - at - 1)
    return [Stepped(row.prompt_or_response(columns["prompt"]), steps, labels)]


def _lists_texts(rows: Sequence[Row], columns: Columns) -> bool:
    steps = rows[0].listed(columns["steps"])
    return steps is not None and not any(isinstance(step, dict) for step in steps)


STEPWISE = Convention(
    name="stepwise",
    kind="steps",
    title="stepwise labels",
    required={"prompt": PROMPT, "steps": ("completions", "steps"), "labels": ("labels",)},
    decode=_decode,
    holds=_lists_texts,
)

FIRST_MISTAKE = replace(
    STEPWISE,
    name="first-mistake",
    title="steps with the first mistake's index (later steps unknown)",
    required={"prompt": PROMPT, "steps": ("steps",), "mistake_index": ("mistake_index",)},
    decode=_decode_mistake,
)
