"""Published pairs whose verdict is a number: PKU-SafeRLHF, SHP, HelpSteer's preferences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rewardlab.preferences.column_names import PROMPT
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import Vote, side_by_side
from rewardlab.preferences.rows import OWN_LABELS, Row
from rewardlab.types import Outcome

_STRONGEST = 3


def _two_valued(zero: Outcome, one: Outcome) -> Callable[[Row, Columns], Sequence[Vote]]:
    """Reads rows whose verdict is 0 or 1."""
    expected = f"0 (response {zero.name.lower()} better) or 1 ({one.name.lower()} better)"

    def decode(row: Row, columns: Columns) -> Sequence[Vote]:
        column = columns["verdict"]
        outcome = row.own_label(column)
        if outcome is None:
            value = row.number_label(column)
            if value not in (0, 1):
                raise row.error(
                    column, expected + OWN_LABELS, reason=f"{column} is neither 0 nor 1"
                )
            outcome = one if value else zero
        return [side_by_side(row, columns, outcome)]

    return decode


def _signed(row: Row, columns: Columns) -> Sequence[Vote]:
    """Reads a row whose verdict is a sign, below 0 for the first response, and a strength."""
    column = columns["verdict"]
    outcome = row.own_label(column)
    if outcome is not None:
        return [side_by_side(row, columns, outcome)]
    value = row.number_label(column)
    if not abs(value) <= _STRONGEST:
        expected = f"a number from -{_STRONGEST} (first much better) to {_STRONGEST}, 0 for a tie"
        raise row.error(column, expected + OWN_LABELS, reason=f"{column} is out of range")
    sides = Outcome.A if value < 0 else Outcome.B
    vote = side_by_side(row, columns, sides if value else Outcome.TIE)
    vote.margin = abs(value)
    return [vote]


PKU = Convention(
    name="pku",
    title="PKU-SafeRLHF pairs",
    required={
        "prompt": PROMPT,
        "response_a": ("response_0",),
        "response_b": ("response_1",),
        "verdict": ("better_response_id",),
    },
    optional={"item_a": ("response_0_source",), "item_b": ("response_1_source",)},
    decode=_two_valued(zero=Outcome.A, one=Outcome.B),
    verdict="verdict",
)

SHP = Convention(
    name="shp",
    title="Stanford Human Preferences",
    required={
        "prompt": ("history",),
        "response_a": ("human_ref_A",),
        "response_b": ("human_ref_B",),
        "verdict": ("labels",),
    },
    decode=_two_valued(zero=Outcome.B, one=Outcome.A),
    verdict="verdict",
    sides_recorded=False,
    no_sides="nobody was shown the two side by side",
)

HELPSTEER = Convention(
    name="helpsteer",
    title="HelpSteer preferences (strength as margin)",
    required={
        "prompt": ("context", *PROMPT),
        "response_a": ("response1", "response_1"),
        "response_b": ("response2", "response_2"),
        "verdict": ("overall_preference", "preference_strength"),
    },
    decode=_signed,
    verdict="verdict",
)
