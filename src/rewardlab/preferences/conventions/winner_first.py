"""Layouts whose first column is the winner's: TRL explicit, TRL implicit, HH transcripts.

The sides that raters saw are unknown in them, unless a column ``chosen_side`` says a or b.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rewardlab.preferences.column_names import PROMPT
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import Vote, sort_key
from rewardlab.preferences.prompt_cuts import (
    Cut,
    cut_conversations,
    cut_plain,
    cut_transcripts,
    has_turns,
    shared_messages,
)
from rewardlab.preferences.rows import Row
from rewardlab.types import Outcome, Text

_Cutter = Callable[[Row, Columns], Cut]
PLAIN_TEXT_NAMES = ("prompt", "chosen", "rejected")
_SIDES = {"a": Outcome.A, "b": Outcome.B}


def _pair(row: Row, columns: Columns) -> tuple[Text, Text]:
    chosen = row.prompt_or_response(columns["chosen"])
    rejected = row.prompt_or_response(columns["rejected"])
    if type(chosen) is not type(rejected):
        other = "text" if isinstance(chosen, str) else "a list of messages"
        reason = f"{columns['rejected']} is not of {columns['chosen']}'s kind"
        raise row.error(columns["rejected"], f"{other}, as in {columns['chosen']!r}", reason=reason)
    return chosen, rejected


def _explicit(row: Row, columns: Columns) -> Cut:
    prompt = row.prompt_or_response(columns["prompt"])
    return cut_conversations(columns["prompt"], prompt, *_pair(row, columns))


def _implicit(cut_text: Callable[[str, str], int]) -> _Cutter:
    def cut(row: Row, columns: Columns) -> Cut:
        chosen, rejected = _pair(row, columns)
        if isinstance(chosen, list) and isinstance(rejected, list):
            at = shared_messages(chosen, rejected)
            return Cut(chosen[:at], chosen[at:], rejected[at:])
        a, b = str(chosen), str(rejected)
        at = cut_text(a, b)
        return Cut(a[:at], a[at:], b[at:])

    return cut


def _decoder(cut: _Cutter) -> Callable[[Row, Columns], Sequence[Vote]]:
    def decode(row: Row, columns: Columns) -> Sequence[Vote]:
        texts = cut(row, columns)
        if "plain_text" in columns:
            texts = _unwrapped(row, columns["plain_text"], texts)
        winner = _winner(row, columns, texts.a, texts.b)
        label = row.probability(columns.get("label_a"))
        a, item_a = texts.a, row.name(columns.get("item_chosen"))
        b, item_b = texts.b, row.name(columns.get("item_rejected"))
        if winner is Outcome.B:
            a, b, item_a, item_b = b, a, item_b, item_a
        return [Vote(texts.prompt, a, b, winner, label, item_a, item_b, extra=texts.left_over)]

    return decode


def _unwrapped(row: Row, column: str, texts: Cut) -> Cut:
    """The texts, with those that the column names turned back from one message into text."""
    named = row.name(column)
    if named is None:
        return texts
    found: dict[str, Text] = dict(
        zip(PLAIN_TEXT_NAMES, (texts.prompt, texts.a, texts.b), strict=True)
    )
    for name in named.split("+"):
        messages = found.get(name)
        if not isinstance(messages, list) or len(messages) != 1:
            expected = f"names of one-message columns among {', '.join(PLAIN_TEXT_NAMES)}"
            raise row.error(column, expected, reason=f"{column} names no single message")
        found[name] = str(messages[0]["content"])
    return Cut(found["prompt"], found["chosen"], found["rejected"], texts.left_over)


def _winner(row: Row, columns: Columns, chosen: Text, rejected: Text) -> Outcome:
    """Which side the chosen response is to be.

    With annotators the votes on one pair must agree on which response is "a", so that the sides
    are then ordered by their text; else "a" is the chosen one.
    """
    if "chosen_side" in columns:
        return row.word(columns["chosen_side"], _SIDES)
    if "annotator" not in columns:
        return Outcome.A
    return Outcome.A if sort_key(chosen) <= sort_key(rejected) else Outcome.B


def _has_turns(rows: Sequence[Row], columns: Columns) -> bool:
    values = [row.values.get(columns["chosen"]) for row in rows]
    texts = [value for value in values if isinstance(value, str)]
    return bool(texts) and 2 * sum(has_turns(text) for text in texts) >= len(texts)


_PAIR = {"chosen": ("chosen",), "rejected": ("rejected",)}
_OPTIONAL = {
    "margin": ("margin",),
    "chosen_side": ("chosen_side",),
    "label_a": ("label_a",),
    "sides_recorded": ("sides_recorded",),
    "plain_text": ("plain_text",),
    "item_chosen": ("chosen_model", "chosen-model", "model_chosen"),
    "item_rejected": ("rejected_model", "rejected-model", "model_rejected"),
}

TRL_EXPLICIT = Convention(
    name="trl-explicit",
    title="TRL explicit prompt",
    required={"prompt": PROMPT, **_PAIR},
    optional=_OPTIONAL,
    decode=_decoder(_explicit),
    sides_recorded=False,
)

TRL_IMPLICIT = Convention(
    name="trl-implicit",
    title="TRL implicit prompt (the shared beginning, cut at a line break or a blank)",
    required=_PAIR,
    optional=_OPTIONAL,
    forbidden=PROMPT,
    holds=lambda rows, columns: not _has_turns(rows, columns),
    decode=_decoder(_implicit(cut_plain)),
    sides_recorded=False,
)

HH = replace(
    TRL_IMPLICIT,
    name="hh",
    title="HH transcripts (Human: and Assistant: turns, cut at the last shared Assistant:)",
    holds=_has_turns,
    decode=_decoder(_implicit(cut_transcripts)),
)
