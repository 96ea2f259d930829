"""Turns of a conversation where they should not be: in responses, inline, or out of order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rewardlab.preferences.doctor.row_check import Flags, RowCheck
from rewardlab.preferences.doctor.tally import Wording
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import ChunkView
from rewardlab.types import IntArray, Message, Text

EXTRA = Wording(
    name="extra-turns",
    clean="No response goes on into a further turn",
    found="Responses that go on into a further turn",
    meaning="A role marker at the start of a line inside a response means that the model went on "
    "to write the user's next turn, or that the conversation was cut too early. The reward then "
    "judges words of the wrong speaker.",
    action="Cut such responses at the first marker, or move the earlier turns into the prompt.",
)
INLINE = Wording(
    name="inline-role-markers",
    clean="No role markers inside running text",
    found="Role markers inside running text",
    meaning="Words such as 'Human:' or '<|im_start|>' inside a text teach a reward to react to "
    "the marker, and a chat template may read them as a new turn.",
    action="Read the examples; remove markers that leaked from a template, keep those that are "
    "part of what was asked (a play, a quoted chat).",
)
REPEATED = Wording(
    name="repeated-roles",
    clean="Speakers take turns in every prompt",
    found="Prompts where one speaker has two turns running",
    meaning="Chat templates assume that speakers alternate; some refuse such a prompt and some "
    "render it as a conversation that never took place. Often a turn was lost.",
    action="Join the two turns or restore the missing one between them.",
)
UNEQUAL = Wording(
    name="unequal-turns",
    clean="Both sides hold equally many turns",
    found="More turns on one side than on the other",
    meaning="The two sides then do not answer the same point of the conversation, and a reward can "
    "tell them apart by counting turns.",
    action="Cut both sides after their first turn, or remove the rows.",
)

NAMES = ("Human", "HUMAN", "User", "USER", "Assistant", "ASSISTANT")
_NAMED = "|".join(NAMES)
_DRESS = r"(?:\*\*|#{1,4} ?)?"
# Group 1 is filled where the marker starts a line: a turn of its own. Inline it must begin the
# text or follow punctuation, so that "class User:" and "Virtual Assistant:" are left alone.
NAMED = re.compile(
    rf"(?:(\n[ \t]*)|(?:\A|(?<=[.!?:;,\"'”’)\]>…*]))[ \t]*){_DRESS}(?:{_NAMED})(?:\*\*)?:"
)
HEADING = re.compile(r"(?:(\n[ \t]*)|\A[ \t]*)#{2,4} ?(?:Instruction|Response) ?:")
TEMPLATE = re.compile(
    r"<\|[A-Za-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
    r"|</?(?:human|assistant|bot)>|</s>\s*\Z"
)
PROMPT_TURN = re.compile(rf"(?:\A|\n)[ \t]*{_DRESS}({_NAMED}|System|SYSTEM)(?:\*\*)?:")
_ALIAS = {"human": "user"}
_TOOL_ROLES = ("tool", "function")
_OTHER_SPEAKERS = ("user", "human", "system")


@dataclass(frozen=True, slots=True)
class Markers:
    """Role markers in one text: how many start a line, and how many stand inline."""

    turns: int = 0
    inline: int = 0

    def __add__(self, other: Markers) -> Markers:
        return Markers(self.turns + other.turns, self.inline + other.inline)


_NO_MARKERS = Markers()


def markers(text: str) -> Markers:
    """Role markers in a response."""
    turns = inline = 0
    found: list[str] = []
    if ":" in text:
        if any(name in text for name in NAMES):
            found += NAMED.findall(text)
        if "##" in text:
            found += HEADING.findall(text)
        turns = sum(1 for line_start in found if line_start)
        inline = len(found) - turns
    if "<" in text or "[" in text:
        inline += len(TEMPLATE.findall(text))
    return Markers(turns, inline) if turns or inline else _NO_MARKERS


def turn_checks(thresholds: Thresholds) -> list[RowCheck]:
    """The checks of this file."""
    return [RowCheck((EXTRA, INLINE, REPEATED, UNEQUAL), flag_turns, thresholds)]


def flag_turns(chunk: ChunkView) -> tuple[Flags, ...]:
    """Rows with further turns, inline markers, a speaker twice running, unequal turns."""
    a, b = chunk.rows.response_a, chunk.rows.response_b
    in_a, in_b = ([_markers_of(response) for response in side] for side in (a, b))
    # A prompt's first speaker starts a line, as if one had ended before it.
    in_prompt = [markers("\n" + text) for text in chunk.prompt]
    turns_a, turns_b = _turn_counts(a, in_a), _turn_counts(b, in_b)
    whole = np.array([_is_dialogue(x) and _is_dialogue(y) for x, y in zip(a, b, strict=True)])
    leaks_a, leaks_b = (np.array([m.turns > 0 for m in found]) for found in (in_a, in_b))
    extra_a = np.where(whole, leaks_a, turns_a > 1)
    extra_b = np.where(whole, leaks_b, turns_b > 1)
    inline_a, inline_b, inline_prompt = (
        np.array([m.inline > 0 for m in found], dtype=bool) for found in (in_a, in_b, in_prompt)
    )
    extra_won = (extra_a & chunk.won_a) | (extra_b & chunk.won_b)
    inline_won = (inline_a & chunk.won_a) | (inline_b & chunk.won_b)
    inline = {
        "in_prompt": inline_prompt,
        "in_response": inline_a | inline_b,
        "in_prompt_or_winner": inline_prompt | inline_won,
    }
    repeated = np.array([repeats_a_role(p) for p in chunk.rows.prompt], dtype=bool)
    return (
        Flags(extra_a | extra_b, {"in_winner": extra_won}),
        Flags(inline_a | inline_b | inline_prompt, inline),
        Flags(repeated),
        Flags(turns_a != turns_b),
    )


def repeats_a_role(prompt: Text) -> bool:
    """True if one speaker has two turns running; parallel tool results do not count."""
    if isinstance(prompt, str):
        if ":" not in prompt:
            return False
        roles = PROMPT_TURN.findall(prompt)
    else:
        roles = [str(message.get("role")) for message in prompt]
    names = [_ALIAS.get(role.lower(), role.lower()) for role in roles]
    return any(a == b and a not in _TOOL_ROLES for a, b in pairwise(names))


def _role(message: Message) -> str:
    return str(message.get("role")).lower()


def _is_dialogue(response: Text | None) -> bool:
    """True for a message list in which every turn of someone else is answered."""
    if not isinstance(response, list) or not response:
        return False
    speakers = [role for m in response if (role := _role(m)) not in _TOOL_ROLES]
    others = [role in _OTHER_SPEAKERS for role in speakers]
    return any(others) and not others[-1]


def _markers_of(response: Text | None) -> Markers:
    """Role markers in a text, or in what the model itself says in a message list."""
    if not isinstance(response, list):
        return markers(response or "")
    said = [str(m.get("content") or "") for m in response if _role(m) not in _OTHER_SPEAKERS]
    return sum((markers(text) for text in said), _NO_MARKERS)


def _turn_counts(texts: list[Text | None], found: list[Markers]) -> IntArray:
    # A response is one turn, and one more each time someone else speaks.
    counts = [
        1
        + (
            sum(_role(message) in _OTHER_SPEAKERS for message in text)
            if isinstance(text, list)
            else marks.turns
        )
        for text, marks in zip(texts, found, strict=True)
    ]
    return np.array(counts, dtype=np.int64)
