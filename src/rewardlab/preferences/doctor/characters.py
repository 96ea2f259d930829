"""Characters that cannot be seen, or that betray a damaged encoding."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from rewardlab.preferences.doctor.row_check import Flags, RowCheck
from rewardlab.preferences.doctor.tally import Wording
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import ChunkView
from rewardlab.types import BoolArray

ODD = Wording(
    name="odd-characters",
    clean="No control, zero-width or broken characters",
    found="Control, zero-width or broken characters",
    meaning="They are invisible to a rater and real tokens to a model: texts that look the same "
    "get different rewards, and a marker in one source's texts lets a reward recognise the source.",
    action="Remove or replace them on both sides alike; broken characters (U+FFFD, lone "
    "surrogates) mean that the text was decoded wrongly, so read the source again.",
)

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Joiners hold emoji and some scripts together, so they are odd only beside ASCII or at an edge.
ZERO_WIDTH = re.compile(
    "[\u00ad\u200b\u2060\u180e\ufeff]"
    "|(?:(?<=[\x00-\x7f])|\\A)[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f]|\\Z)"
)
DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
BROKEN = re.compile("[\ufffd\ud800-\udfff]")
NO_BREAK_SPACE = re.compile("[\u00a0\u202f]")
ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def character_checks(thresholds: Thresholds) -> list[RowCheck]:
    """The checks of this file."""
    return [RowCheck((ODD,), flag_characters, thresholds)]


def flag_characters(chunk: ChunkView) -> tuple[Flags, ...]:
    """Rows with odd characters in prompt or responses; no-break spaces and emoji only counted."""
    rows = list(zip(chunk.prompt, chunk.a, chunk.b, strict=True))
    # A line break is none of the characters, so that one search goes through all three texts.
    search = CONTROL.search
    control = np.array([search(f"{p}\n{a}\n{b}") is not None for p, a, b in rows], dtype=bool)
    beyond = [
        i for i, (p, a, b) in enumerate(rows) if not (p.isascii() and a.isascii() and b.isascii())
    ]
    zero_width = _rows_with(ZERO_WIDTH, rows, beyond)
    direction = _rows_with(DIRECTION, rows, beyond)
    broken = _rows_with(BROKEN, rows, beyond)
    parts = {
        "control": control,
        "zero_width": zero_width,
        "direction_override": direction,
        "broken": broken,
        "no_break_space": _rows_with(NO_BREAK_SPACE, rows, beyond),
        "outside_basic_plane": _rows_with(ASTRAL, rows, beyond),
    }
    return (Flags(control | zero_width | direction | broken, parts),)


def _rows_with(
    pattern: re.Pattern[str], rows: Sequence[tuple[str, str, str]], looked_at: Sequence[int]
) -> BoolArray:
    """Which rows hold a match in any of their texts; only those ``looked_at`` can."""
    search = pattern.search
    found = np.zeros(len(rows), dtype=bool)
    for i in looked_at:
        found[i] = any(search(text) is not None for text in rows[i])
    return found
