"""Where a prompt ends when both texts of a pair begin with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rewardlab.types import Message, Text

_ASSISTANT = "\n\nAssistant:"
_HUMAN = "\n\nHuman:"


@dataclass(slots=True)
class Cut:
    """A pair's texts, parted from their prompt.

    Attributes:
        prompt: What both sides answer.
        a: First response.
        b: Second response.
        left_over: Column -> value of what fitted nowhere.
    """

    prompt: Text
    a: Text
    b: Text
    left_over: dict[str, Any] = field(default_factory=dict)


def cut_conversations(prompt_column: str, prompt: Text, a: Text, b: Text) -> Cut:
    """Take the shared messages out of two whole conversations whose prompt is given as text.

    A prompt that is none of the shared messages is kept as an extra column.
    """
    if isinstance(prompt, str) and isinstance(a, list) and isinstance(b, list):
        at = shared_messages(a, b)
        if at:
            known = not prompt or any(message["content"] == prompt for message in a[:at])
            return Cut(a[:at], a[at:], b[at:], {} if known else {prompt_column: prompt})
    return Cut(prompt, a, b)


def shared_messages(a: list[Message], b: list[Message]) -> int:
    """How many leading messages are the prompt: those shared, short of one side's last message.

    Source: TRL's ``extract_prompt``, which this equals on message lists.
    """
    shorter = min(len(a), len(b))
    for i in range(shorter):
        if a[i] != b[i]:
            return i
    return max(0, shorter - 1)


def cut_transcripts(a: str, b: str) -> int:
    """Where two transcripts part: behind the last "Assistant:" marker that they share, or 0."""
    at = _shared_prefix(a, b).rfind(_ASSISTANT)
    return at + len(_ASSISTANT) if at >= 0 else 0


def cut_plain(a: str, b: str) -> int:
    """Where two texts part: behind their last shared line break, else at their last shared blank.

    No word is cut in two, unlike in a plain shared prefix, and no text is left empty.
    """
    shared = _shared_prefix(a, b)
    if len(shared) in (len(a), len(b)):
        shared = shared[:-1]
    newline = shared.rfind("\n")
    return newline + 1 if newline >= 0 else max(0, shared.rfind(" "))


def has_turns(text: str) -> bool:
    """Whether a text is a transcript of Human: and Assistant: turns."""
    return _HUMAN in text and _ASSISTANT in text


def _shared_prefix(a: str, b: str) -> str:
    low, high = 0, min(len(a), len(b))  # a[:low] is shared; nothing beyond a[:high] is
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return a[:low]
