"""Which words only one of two texts has: lines first, then the words of lines that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_LINES = 2_000
MOST_WORDS = 4_000
"""Of each side in a stretch that differs; a longer one is marked as a whole."""

_WORDS = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a text.

    Attributes:
        text: It.
        own: True where the other text has none of it at this place.
    """

    text: str
    own: bool


def differences(left: str, right: str) -> tuple[list[Part], list[Part]]:
    """The two texts in stretches; joined, they are the texts again.

    The time is bounded: words that are common are left to their neighbours where a stretch is
    long (``difflib``'s rule), and one of more than ``MOST_WORDS`` is not looked into.
    """
    a, b = left.splitlines(keepends=True), right.splitlines(keepends=True)
    if max(len(a), len(b)) > MOST_LINES:
        return _of_words(left, right)
    ours: list[Part] = []
    theirs: list[Part] = []
    for same, one, other in _stretches(a, b):
        x, y = ([Part(one, False)], [Part(other, False)]) if same else _of_words(one, other)
        ours += x
        theirs += y
    return _joined(ours), _joined(theirs)


def _of_words(left: str, right: str) -> tuple[list[Part], list[Part]]:
    a, b = _WORDS.findall(left), _WORDS.findall(right)
    if max(len(a), len(b)) > MOST_WORDS:
        return _joined([Part(left, True)]), _joined([Part(right, True)])
    stretches = _stretches(a, b)
    ours = [Part(one, not same) for same, one, _ in stretches]
    theirs = [Part(other, not same) for same, _, other in stretches]
    return _joined(ours), _joined(theirs)


def _stretches(a: Sequence[str], b: Sequence[str]) -> list[tuple[bool, str, str]]:
    """Whether a stretch is the same, but for the blanks at the ends of its words, and both."""
    matcher = SequenceMatcher(None, [x.rstrip() for x in a], [x.rstrip() for x in b])
    return [
        (tag == "equal", "".join(a[i1:i2]), "".join(b[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
    ]


def _joined(parts: list[Part]) -> list[Part]:
    """Without empty ones, and neighbours of a kind as one."""
    whole: list[Part] = []
    for part in parts:
        if whole and whole[-1].own == part.own:
            whole[-1] = Part(whole[-1].text + part.text, part.own)
        elif part.text:
            whole.append(part)
    return whole
