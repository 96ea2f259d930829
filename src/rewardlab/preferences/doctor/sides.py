"""Sides that cannot teach: identical, empty, blank, or the same but for white space."""

from __future__ import annotations

import numpy as np

from rewardlab.preferences.doctor.row_check import Flags, RowCheck
from rewardlab.preferences.doctor.tally import Wording
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import ChunkView
from rewardlab.types import BoolArray, Outcome

IDENTICAL = Wording(
    name="identical-sides",
    clean="No pair has two identical responses",
    found="Two identical responses",
    meaning="Two equal texts get equal rewards, so such a row can only be a coin flip: it adds "
    "noise to the loss and caps the accuracy that any reward can reach.",
    action="Remove these rows; if one side was meant to differ, look for a copying mistake.",
    fails_on="decided",
)
SAME_BUT_SPACES = Wording(
    name="same-but-spaces",
    clean="No pair differs in white space alone",
    found="Responses that differ in white space alone",
    meaning="The label can then only be about blanks or line ends, which a rater rarely means; a "
    "reward learns to pay for them.",
    action="Remove these rows, or strip the responses and then remove what is identical.",
)
EMPTY = Wording(
    name="empty-sides",
    clean="No response is empty",
    found="Empty responses",
    meaning="An empty response is often a failed generation. Where it wins, the reward learns to "
    "pay for silence; where it loses, the row is too easy to teach anything.",
    action="Remove these rows unless silence is a real answer; look first at those where it won.",
    fails_on="blank_won",
)
WHITESPACE = Wording(
    name="whitespace-sides",
    clean="No response is white space alone",
    found="Responses of white space alone",
    meaning="It looks like text to a loader and is none: most tokenizers cut it to nothing. Where "
    "it wins, the reward learns to pay for silence.",
    action="Remove these rows unless silence is a real answer; look first at those where it won.",
    fails_on="blank_won",
)


def side_checks(thresholds: Thresholds) -> list[RowCheck]:
    """The checks of this file."""
    return [
        RowCheck((IDENTICAL, SAME_BUT_SPACES), flag_alike, thresholds),
        RowCheck((EMPTY, WHITESPACE), flag_blank, thresholds),
    ]


def flag_alike(chunk: ChunkView) -> tuple[Flags, ...]:
    """Rows with identical sides, and rows whose sides differ in white space alone."""
    same = chunk.a_digest == chunk.b_digest
    decided = chunk.won_a | chunk.won_b
    spaces = np.array(
        [a != b and _same_words(a, b) for a, b in zip(chunk.a, chunk.b, strict=True)], dtype=bool
    )
    parts = {"decided": same & decided, "undecided": same & ~decided}
    return Flags(same, parts), Flags(spaces, {"decided": spaces & decided})


def flag_blank(chunk: ChunkView) -> tuple[Flags, ...]:
    """Rows with an empty side, and rows with a side of white space alone."""
    empty = tuple(np.array([not t for t in side], dtype=bool) for side in (chunk.a, chunk.b))
    space = tuple(
        np.array([bool(t) and t.isspace() for t in side], dtype=bool) for side in (chunk.a, chunk.b)
    )
    return _blank_flags(chunk, *empty), _blank_flags(chunk, *space)


def _blank_flags(chunk: ChunkView, a: BoolArray, b: BoolArray) -> Flags:
    either = a | b
    won = (a & chunk.won_a) | (b & chunk.won_b)
    lost = ((a & chunk.won_b) | (b & chunk.won_a)) & ~won
    parts = {
        "blank_won": won,
        "blank_tied": either & (chunk.rows.outcome == Outcome.TIE),
        "blank_lost": lost,
        "both_bad": either & (chunk.rows.outcome == Outcome.BOTH_BAD),
        "both_sides_blank": a & b,
    }
    return Flags(either, parts)


def _same_words(a: str, b: str) -> bool:
    # The first letters differ in most pairs, which spares splitting both texts.
    if a.lstrip()[:1] != b.lstrip()[:1]:
        return False
    return bool(a.strip()) and a.split() == b.split()
