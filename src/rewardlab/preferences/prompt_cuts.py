"""Where a prompt ends when both texts of a pair begin with it."""

from __future__ import annotations

from rewardlab.types import Message

ASSISTANT = "\n\nAssistant:"
HUMAN = "\n\nHuman:"


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
    at = _shared_prefix(a, b).rfind(ASSISTANT)
    return at + len(ASSISTANT) if at >= 0 else 0


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
    return HUMAN in text and ASSISTANT in text


def _shared_prefix(a: str, b: str) -> str:
    low, high = 0, min(len(a), len(b))  # a[:low] is shared; nothing beyond a[:high] is
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return a[:low]
