"""Layouts whose first column is the winner's: TRL explicit, TRL implicit, HH transcripts.

The sides that raters saw are unknown in them, unless a column ``chosen_side`` says a or b.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from rewardlab.preferences.conventions.convention import PROMPT, Columns, Convention
from rewardlab.preferences.conventions.native import probability
from rewardlab.preferences.rows import Row, Vote
from rewardlab.types import Outcome, Text

_ASSISTANT = "\n\nAssistant:"
_HUMAN = "\n\nHuman:"

_Cut = tuple[Text, Text, Text]
_SIDES = {"a": Outcome.A, "b": Outcome.B}


def shared_messages(chosen: list[Any], rejected: list[Any]) -> int:
    """How many leading messages are the prompt: those shared, short of one side's last message.

    Source: TRL's ``extract_prompt``, which this equals on message lists.
    """
    shorter = min(len(chosen), len(rejected))
    for i in range(shorter):
        if chosen[i] != rejected[i]:
            return i
    return max(0, shorter - 1)


def _shared_prefix(a: str, b: str) -> str:
    shorter = min(len(a), len(b))
    if a[:shorter] == b[:shorter]:
        return a[:shorter]
    low, high = 0, shorter  # a[:low] is shared, a[:high] is not
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return a[:low]


def cut_transcripts(chosen: str, rejected: str) -> int:
    """Where two transcripts part: behind the last "Assistant:" marker that they share, or 0."""
    at = _shared_prefix(chosen, rejected).rfind(_ASSISTANT)
    return at + len(_ASSISTANT) if at >= 0 else 0


def cut_plain(chosen: str, rejected: str) -> int:
    """Where two texts part: behind their last shared line break, else at their last shared blank.

    No word is cut in two, unlike in a plain shared prefix.
    """
    shared = _shared_prefix(chosen, rejected)
    if len(shared) in (len(chosen), len(rejected)):
        shared = shared[:-1]
    newline = shared.rfind("\n")
    return newline + 1 if newline >= 0 else max(0, shared.rfind(" "))


def _pair(row: Row, columns: Columns) -> tuple[Text, Text]:
    chosen = row.prompt_or_response(columns["chosen"])
    rejected = row.prompt_or_response(columns["rejected"])
    if type(chosen) is not type(rejected):
        other = "text" if isinstance(chosen, str) else "a list of messages"
        reason = f"{columns['rejected']} is not of {columns['chosen']}'s kind"
        raise row.error(columns["rejected"], f"{other}, as in {columns['chosen']!r}", reason=reason)
    return chosen, rejected


def _explicit(row: Row, columns: Columns) -> tuple[_Cut, dict[str, Any]]:
    prompt = row.prompt_or_response(columns["prompt"])
    chosen, rejected = _pair(row, columns)
    if isinstance(prompt, str) and isinstance(chosen, list) and isinstance(rejected, list):
        at = shared_messages(chosen, rejected)
        if at:
            same = any(message["content"] == prompt for message in chosen[:at])
            extra = {} if same else {columns["prompt"]: prompt}
            return (chosen[:at], chosen[at:], rejected[at:]), extra
    return (prompt, chosen, rejected), {}


def _implicit(
    cut_text: Callable[[str, str], int],
) -> Callable[[Row, Columns], tuple[_Cut, dict[str, Any]]]:
    def cut(row: Row, columns: Columns) -> tuple[_Cut, dict[str, Any]]:
        chosen, rejected = _pair(row, columns)
        if isinstance(chosen, str) and isinstance(rejected, str):
            at = cut_text(chosen, rejected)
        else:
            at = shared_messages(list(chosen), list(rejected))
        return (chosen[:at], chosen[at:], rejected[at:]), {}

    return cut


def _decoder(
    cut: Callable[[Row, Columns], tuple[_Cut, dict[str, Any]]],
) -> Callable[[Row, Columns], Sequence[Vote]]:
    def decode(row: Row, columns: Columns) -> Sequence[Vote]:
        (prompt, chosen, rejected), extra = cut(row, columns)
        item_chosen = row.name(columns["item_chosen"]) if "item_chosen" in columns else None
        item_rejected = row.name(columns["item_rejected"]) if "item_rejected" in columns else None
        winner = _winner(row, columns, chosen, rejected)
        label = 1.0 if winner is Outcome.A else 0.0
        if "label_a" in columns:
            given = probability(row, columns["label_a"])
            label = given if given == given else label
        if winner is Outcome.A:
            vote = Vote(prompt, chosen, rejected, winner, label, item_chosen, item_rejected)
        else:
            vote = Vote(prompt, rejected, chosen, winner, label, item_rejected, item_chosen)
        vote.extra = extra
        return [vote]

    return decode


def _winner(row: Row, columns: Columns, chosen: Text, rejected: Text) -> Outcome:
    """Which side the chosen response is to be.

    With annotators the votes on one pair must agree on which response is "a", so that the sides
    are then ordered by their text; else "a" is the chosen one.
    """
    if "chosen_side" in columns:
        side = row.get(columns["chosen_side"])
        found = _SIDES.get(side) if isinstance(side, str) else None
        if found is None:
            raise row.unknown_label(columns["chosen_side"], side, list(_SIDES))
        return found
    if "annotator" not in columns:
        return Outcome.A
    return Outcome.A if _sort_key(chosen) <= _sort_key(rejected) else Outcome.B


def _sort_key(text: Text) -> str:
    return text if isinstance(text, str) else json.dumps(text, sort_keys=True, default=repr)


def _has_role_markers(rows: Sequence[Row], columns: Columns) -> bool:
    texts = [row.values.get(columns["chosen"]) for row in rows]
    strings = [text for text in texts if isinstance(text, str)]
    marked = sum(_HUMAN in text and _ASSISTANT in text for text in strings)
    return bool(strings) and 2 * marked >= len(strings)


def _has_no_role_markers(rows: Sequence[Row], columns: Columns) -> bool:
    return not _has_role_markers(rows, columns)


_PAIR = {"chosen": ("chosen",), "rejected": ("rejected",)}
_OPTIONAL = {
    "margin": ("margin",),
    "chosen_side": ("chosen_side",),
    "label_a": ("label_a",),
    "sides_recorded": ("sides_recorded",),
    "item_chosen": ("chosen_model", "chosen-model", "model_chosen"),
    "item_rejected": ("rejected_model", "rejected-model", "model_rejected"),
}

TRL_EXPLICIT = Convention(
    name="trl-explicit",
    kind="preferences",
    title="TRL explicit prompt",
    required={"prompt": PROMPT, **_PAIR},
    optional=_OPTIONAL,
    decode=_decoder(_explicit),
    sides_recorded=False,
)

TRL_IMPLICIT = Convention(
    name="trl-implicit",
    kind="preferences",
    title="TRL implicit prompt",
    required=_PAIR,
    optional=_OPTIONAL,
    forbidden=PROMPT,
    holds=_has_no_role_markers,
    decode=_decoder(_implicit(cut_plain)),
    sides_recorded=False,
)

HH = Convention(
    name="hh",
    kind="preferences",
    title="HH transcripts (Human: and Assistant: turns, cut at the last shared Assistant:)",
    required=_PAIR,
    optional=_OPTIONAL,
    forbidden=PROMPT,
    holds=_has_role_markers,
    decode=_decoder(_implicit(cut_transcripts)),
    sides_recorded=False,
)
