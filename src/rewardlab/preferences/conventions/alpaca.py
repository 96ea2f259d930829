"""Alpaca annotations: an instruction, two outputs, and a preference of 1 or 2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.column_names import PROMPT
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import Vote, side_by_side
from rewardlab.preferences.rows import OWN_LABELS, Row
from rewardlab.types import Outcome

_EXPECTED = "1 (first better), 2, 0 or 1.5 (tie), or a number from 1 to 2 (1 + P(second better))"


def _verdict(row: Row, column: str) -> tuple[Outcome, float]:
    """(outcome, P(first better)) from a preference on AlpacaEval's scale; NaN where unsaid."""
    own = row.own_label(column)
    if own is not None:
        return own, math.nan
    value = row.number_label(column)
    if value == 0:
        return Outcome.TIE, 0.5
    if not 1 <= value <= 2:
        reason = f"{column} is out of range" if value == value else ""
        raise row.error(column, _EXPECTED + OWN_LABELS, reason=reason)
    label = 2.0 - value
    if label == 0.5:
        return Outcome.TIE, label
    return (Outcome.A if label > 0.5 else Outcome.B), label


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    outcome, label = _verdict(row, columns["label"])
    vote = side_by_side(row, columns, outcome)
    vote.label = label
    context = row.values.get(columns.get("context", ""))
    if context:
        if not isinstance(context, str) or not isinstance(vote.prompt, str):
            raise row.error(columns["context"], "text, or null")
        vote.prompt = f"{vote.prompt}\n\n{context}"
    return [vote]


def _require_known_scale(rows: Iterable[tuple[Row, Columns]]) -> None:
    """Refuse labels of 0 and 1 alone, which other files mean otherwise.

    Raises:
        FormatError: There is a 0, and nothing above 1.
    """
    first_zero: tuple[Row, str] | None = None
    for row, columns in rows:
        column = columns["label"]
        try:
            value = row.number(column)
        except RowError:  # such a row is met again, and then raised or counted
            continue
        if value > 1:
            return
        if value == 0 and first_zero is None:
            first_zero = row, column
    if first_zero is not None:
        row, column = first_zero
        raise FormatError(
            f"{row.source}: {column} holds only 0 and 1, which has two readings: 1 the first "
            "better and 0 the second (--labels 1=a,0=b), or 0 a tie, as in AlpacaEval "
            f"(--labels 1=a,0=tie); say which (the first 0 is in line {row.line})"
        )


ALPACA = Convention(
    name="alpaca",
    title="alpaca annotations",
    required={
        "prompt": PROMPT,
        "response_a": ("output_1",),
        "response_b": ("output_2",),
        "label": ("preference", "label"),
    },
    optional={
        "context": ("input",),
        "item_a": ("generator_1",),
        "item_b": ("generator_2",),
        "margin": ("margin",),
    },
    decode=_decode,
    verdict="label",
    settle=_require_known_scale,
    kept=frozenset({"context"}),
)
