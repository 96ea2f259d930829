"""What one token is, by its letters alone: marks, word lists, sentence end, line marker.

Everything is packed into one integer, so that a text is analysed by looking its tokens up instead
of by reading its letters. A token comes with the blanks after it, so it knows whether a line ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from rewardlab.rewards.lexicons import ABBREVIATIONS, FUNCTION_WORDS, LEXICONS

BLANKS = bytes(range(33))
"""What separates tokens: the blank and the control characters of ASCII."""

MARKS = (
    "number",
    "question",
    "exclamation",
    "capitals",
    "link",
    "emphasis",
    "inline_code",
    "word",
    "content",
)
"""What a token may be or carry, apart from the word lists."""
FLAGS = (*MARKS, *LEXICONS)
"""Columns of ``Vocabulary.flags``: marks, then word lists (single words only)."""

BULLET, ENUMERATOR, HEADING, FENCE = 1, 2, 3, 4
"""Markers that count only at the start of a line (and are then not words)."""

# Layout of the packed integer, from the lowest bit.
TYPE_BITS = 30
CLASS_SHIFT, CLASS_BITS = 30, 16
PHRASE_SHIFT, PHRASE_BITS = 46, 8
MARKER_SHIFT, MARKER_BITS = 54, 3
WORD_SHIFT, CONTENT_SHIFT, END_SHIFT, LINE_SHIFT, BLANK_LINE_SHIFT = 57, 58, 59, 60, 61

_BULLETS = frozenset("-*+•–—·◦‣▪●")
_ENUMERATOR = re.compile(r"(?:\*\*)?\(?(?:[0-9]{1,3}|[A-Za-z])[.):]{1,2}(?:\*\*)?")
_LONGEST_MARKER = 10
_HEADING = re.compile(r"#{1,6}")
_SPAN_OPENS = re.compile(
    r"[(\[\"'“‘]*(?:(?P<stars>\*{1,3}|_{1,3})|(?P<ticks>`{1,2}))(?P<next>[^`])"
)
_TERMINAL = frozenset(".!?…。！？")
_DIGIT = re.compile(r"\d")

PHRASE_WORDS: dict[str, int] = {
    word: i
    for i, word in enumerate(
        sorted({w for lexicon in LEXICONS.values() for p in lexicon.phrases for w in p}), start=1
    )
}
"""Words that occur in a phrase, numbered from 1; 0 is any other word."""

_BIT = {name: i for i, name in enumerate(FLAGS)}
_LEXICON_FLAGS: dict[str, int] = {}
for _name, _lexicon in LEXICONS.items():
    for _entry in _lexicon.words:
        _LEXICON_FLAGS[_entry] = _LEXICON_FLAGS.get(_entry, 0) | 1 << _BIT[_name]

SIMPLE_ENDS = b".,;:!?"
"""Marks that may follow a word without any other analysis."""
ABBREVIATED = frozenset(word.encode() for word in ABBREVIATIONS)


class WordFacts(NamedTuple):
    """What a word type is, whatever marks surround it.

    Attributes:
        flags: Bits of ``FLAGS``: being a word, and the word lists it is in.
        packed: Word bit, content bit and phrase number, in their places.
    """

    flags: int
    packed: int


def _word_facts(lower: str) -> WordFacts:
    is_content = lower not in FUNCTION_WORDS
    packed = PHRASE_WORDS.get(lower, 0) << PHRASE_SHIFT | 1 << WORD_SHIFT
    packed |= is_content << CONTENT_SHIFT
    flags = 1 << _BIT["word"] | is_content << _BIT["content"] | _LEXICON_FLAGS.get(lower, 0)
    return WordFacts(flags, packed)


ANY_WORD = _word_facts("")
"""Facts of a word that is in no list."""
LISTED_WORDS: dict[bytes, WordFacts] = {
    lower.encode(): _word_facts(lower)
    for lower in (*FUNCTION_WORDS, *PHRASE_WORDS, *_LEXICON_FLAGS)
}
"""Facts of the words of all lists, by their lower-case form with straight apostrophes."""


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """What a token is apart from its word.

    Attributes:
        core: Its word, "" if it has none.
        flags: Bits of ``FLAGS`` for the marks it carries.
        packed: Line bits, sentence end and marker, in their places.
        n_letters: Letters and digits of the core.
    """

    core: str
    flags: int
    packed: int
    n_letters: int


def token_facts(token: bytes) -> TokenFacts:
    """Facts of any token with the blanks after it."""
    body = token.rstrip(BLANKS)
    n_lines = token.count(b"\n", len(body))
    text = body.decode("utf-8", "surrogatepass")
    first, last = _core_span(text)
    core, tail = text[first:last], text[last:]
    flags = _tail_flags(tail) | _span_flags(text) | _link_flag(core) | capitals_flag(core)
    flags |= bool(_DIGIT.search(core)) << _BIT["number"]
    packed = _ends_sentence(core, tail) << END_SHIFT | _marker(text) << MARKER_SHIFT
    packed |= (n_lines > 0) << LINE_SHIFT | (n_lines > 1) << BLANK_LINE_SHIFT
    return TokenFacts(core.replace("’", "'"), flags, packed, sum(map(str.isalnum, core)))


def _core_span(text: str) -> tuple[int, int]:
    """First and past-the-last position of the letters and digits; (0, 0) if there are none."""
    first, last = 0, len(text)
    while first < last and not text[first].isalnum():
        first += 1
    while last > first and not text[last - 1].isalnum():
        last -= 1
    return (first, last) if last > first else (0, 0)


def capitals_flag(core: str) -> int:
    """The flag of a word in capitals with two letters or more."""
    if not core.isupper():
        return 0
    return (sum(map(str.isalpha, core)) >= 2) << _BIT["capitals"]


def _tail_flags(tail: str) -> int:
    question = ("?" in tail or "？" in tail) << _BIT["question"]
    exclamation = ("!" in tail or "！" in tail) << _BIT["exclamation"]
    return question | exclamation


def _span_flags(text: str) -> int:
    """Flags of a token that opens bold or italic text, or inline code."""
    opens = _SPAN_OPENS.match(text)
    if opens is None:
        return 0
    if opens["ticks"]:
        return 1 << _BIT["inline_code"]
    return opens["next"].isalnum() << _BIT["emphasis"]


def _link_flag(core: str) -> int:
    is_link = "://" in core or "](" in core or core[:4].lower() == "www."
    return is_link << _BIT["link"]


def _ends_sentence(core: str, tail: str) -> bool:
    marks = _TERMINAL.intersection(tail)
    if not marks or marks != {"."}:
        return bool(marks)
    lower = core.lower()
    is_initial = len(core) == 1 and core.isalpha() and lower != "i"
    return not (is_initial or lower in ABBREVIATIONS)


def _marker(text: str) -> int:
    """Which marker a token is when it starts a line; 0 for none."""
    if len(text) > _LONGEST_MARKER and text[0] not in "`~":
        return 0
    if text in _BULLETS:
        return BULLET
    if text.startswith(("```", "~~~")):
        return FENCE
    if _ENUMERATOR.fullmatch(text):
        return ENUMERATOR
    return HEADING if _HEADING.fullmatch(text) else 0


def flag_column(name: str) -> int:
    """Position of a flag in ``FLAGS``."""
    return _BIT[name]
