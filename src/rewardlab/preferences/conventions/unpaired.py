"""Unpaired labels: a prompt, a completion, and whether it is good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.preferences.column_names import PROMPT
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import Entry
from rewardlab.preferences.rows import Row
from rewardlab.types import Text

_WORDS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


@dataclass(slots=True)
class Judged(Entry):
    """One completion and whether it is good."""

    completion: Text
    label: bool


def _label(row: Row, column: str) -> bool:
    value = row.get(column)
    if isinstance(value, bool):
        return value
    if type(value) in (int, float) and value in (0, 1):
        return bool(value)
    if row.blank_is_none and isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    raise row.error(column, "true or false")


def _decode(row: Row, columns: Columns) -> Sequence[Judged]:
    return [
        Judged(
            row.prompt_or_response(columns["prompt"]),
            row.prompt_or_response(columns["completion"]),
            _label(row, columns["label"]),
        )
    ]


UNPAIRED = Convention(
    name="unpaired",
    kind="unpaired",
    title="unpaired labels",
    required={"prompt": PROMPT, "completion": ("completion",), "label": ("label",)},
    decode=_decode,
)
