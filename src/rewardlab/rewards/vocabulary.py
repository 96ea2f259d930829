"""What each distinct token of a corpus is: its word type, marks and word lists, found once.

A token is a run of bytes above the blank (0x20) with the blanks after it, so blanks and control
characters of ASCII separate tokens and a token knows whether a line ends after it. Everything
that can be said of a token alone is packed into one integer, so that a text is analysed by
looking its tokens up instead of by reading its letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.rewards.lexicons import ABBREVIATIONS, FUNCTION_WORDS, LEXICONS
from rewardlab.types import IntArray

Int32Array = NDArray[np.int32]

BLANKS = bytes(range(33))
MAX_TEXT_BYTES = 2**30
MAX_TOKENS_KEPT = 2**18

MARKS = ("number", "question", "exclamation", "capitals", "link", "emphasis", "inline_code", "word")
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


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of several texts, one after the other.

    Attributes:
        packed: Shape [n_tokens], int64; the packed facts of each token.
        n_letters: Shape [n_tokens], int32; letters and digits of its word.
        n_tokens: Shape [n_texts], int64; tokens of each text.
    """

    packed: IntArray
    n_letters: Int32Array
    n_tokens: IntArray

    def parts(self, size: int) -> Iterator[tuple[int, int, Tokens]]:
        """First and past-the-last text, and tokens, of pieces of about ``size`` tokens."""
        ends = np.cumsum(self.n_tokens)
        first = token = 0
        while first < len(ends):
            last = max(first + 1, int(np.searchsorted(ends, token + size, side="right")))
            end = int(ends[last - 1])
            piece = Tokens(
                self.packed[token:end], self.n_letters[token:end], self.n_tokens[first:last]
            )
            yield first, last, piece
            first, token = last, end


class Vocabulary:
    """Tokens met so far with their facts; a cache that never alters a result.

    Attributes:
        flags: Shape [n_classes, len(FLAGS)], the 0/1 flags that each class of tokens has; class 0
            has none.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every token; class and type numbers start again."""
        self._code_of: dict[bytes, int] = {}
        self._type_of: dict[str, tuple[int, int, int, bool]] = {}
        self._class_of: dict[int, int] = {0: 0}
        self._packed: IntArray = np.empty(1024, np.int64)
        self._n_letters = np.empty(1024, np.int32)

    def trim(self) -> None:
        """Forget every token if there are too many; call it only between batches."""
        if len(self._code_of) > MAX_TOKENS_KEPT:
            self.clear()

    @property
    def flags(self) -> IntArray:
        """Shape [n_classes, len(FLAGS)]: which flags each class of tokens has."""
        masks = np.fromiter(self._class_of, np.int64, len(self._class_of))
        return (masks[:, None] >> np.arange(len(FLAGS))) & 1

    def read(self, texts: Sequence[str]) -> Tokens:
        """Tokens of ``texts``.

        Raises:
            InputError: A text is larger than 1 GiB.
        """
        # Lone surrogates (possible in JSON) cannot be UTF-8; "surrogatepass" keeps them apart.
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        n_bytes = np.fromiter(map(len, encoded), np.int64, len(encoded))
        if len(texts) and n_bytes.max() > MAX_TEXT_BYTES:
            raise InputError(f"text {n_bytes.argmax()}: {n_bytes.max()} bytes, expected <= 1 GiB")
        buffer = b"\n" + b"\n".join(encoded) + b"\n"
        byte = np.frombuffer(buffer, np.uint8)
        blank = byte <= 32
        starts = np.flatnonzero(blank[:-1] & ~blank[1:]) + 1
        text_ends = np.cumsum(n_bytes + 1)
        last = np.searchsorted(starts, text_ends + 1)
        index, unique = _encode(buffer, starts)
        codes = self._codes(unique).take(index)
        return Tokens(
            self._packed.take(codes), self._n_letters.take(codes), np.diff(last, prepend=0)
        )

    def _codes(self, unique: list[bytes]) -> Int32Array:
        known = self._code_of
        codes = list(map(known.get, unique))
        if None in codes:
            self._add([token for token, code in zip(unique, codes, strict=True) if code is None])
            codes = list(map(known.get, unique))
        return np.array(codes, dtype=np.int32)

    def _add(self, new: list[bytes]) -> None:
        first = len(self._code_of)
        facts = [self._facts(token) for token in new]
        end = first + len(new)
        if end > len(self._packed):
            self._packed = np.resize(self._packed, 2 * end)
            self._n_letters = np.resize(self._n_letters, 2 * end)
        self._packed[first:end] = [packed for packed, _ in facts]
        self._n_letters[first:end] = [n_letters for _, n_letters in facts]
        self._code_of.update(zip(new, range(first, end), strict=True))

    def _facts(self, token: bytes) -> tuple[int, int]:
        """Packed facts and number of letters of one token (with the blanks after it)."""
        body = token.rstrip(BLANKS)
        n_lines = token.count(b"\n", len(body))
        lines = (n_lines > 0) << LINE_SHIFT | (n_lines > 1) << BLANK_LINE_SHIFT
        text = body.decode("utf-8", "surrogatepass")
        if text.isalpha():
            flags = _WORD | _capitals(text)
            packed, n_letters = self._word(text, flags), len(text)
        else:
            packed, n_letters = self._marked(text)
        return packed | lines, n_letters

    def _word(self, core: str, flags: int) -> int:
        """Type, class, phrase number, word and content bits of a word with ``flags``."""
        lower = core.lower()
        facts = self._type_of.get(lower)
        if facts is None:
            facts = self._type_of[lower] = (
                len(self._type_of),
                _LEXICON_FLAGS.get(lower, 0),
                PHRASE_WORDS.get(lower, 0),
                lower not in FUNCTION_WORDS,
            )
        type_id, lexicon_flags, phrase_word, content = facts
        packed = type_id | self._class(flags | lexicon_flags) << CLASS_SHIFT
        return packed | phrase_word << PHRASE_SHIFT | 1 << WORD_SHIFT | content << CONTENT_SHIFT

    def _class(self, flags: int) -> int:
        return self._class_of.setdefault(flags, len(self._class_of))

    def _marked(self, text: str) -> tuple[int, int]:
        """Facts of a token that is not letters alone."""
        first, last = _core_span(text)
        core, tail = text[first:last], text[last:]
        flags = _tail_flags(tail) if tail else 0
        if first or not core:
            flags |= _span_flags(text)
        if not core.isalpha():
            flags |= _link_flag(core)
        packed = _ends_sentence(core, tail) << END_SHIFT if tail else 0
        packed |= _marker(text) << MARKER_SHIFT
        if not core:
            return packed | self._class(flags) << CLASS_SHIFT, 0
        if core.isalpha():
            return packed | self._word(core, flags | _WORD | _capitals(core)), len(core)
        core = core.replace("’", "'")
        flags |= _WORD | _capitals(core) | bool(_DIGIT.search(core)) << _BIT["number"]
        return packed | self._word(core, flags), sum(map(str.isalnum, core))


_BIT = {name: i for i, name in enumerate(FLAGS)}
_WORD = 1 << _BIT["word"]
_LEXICON_FLAGS: dict[str, int] = {}
for _name, _lexicon in LEXICONS.items():
    for _entry in _lexicon.words:
        _LEXICON_FLAGS[_entry] = _LEXICON_FLAGS.get(_entry, 0) | 1 << _BIT[_name]


def _encode(buffer: bytes, starts: IntArray) -> tuple[Int32Array, list[bytes]]:
    """Index of each token among the distinct ones, and the distinct ones."""
    offsets = np.append(starts, len(buffer)).astype(np.int32)
    tokens = pa.Array.from_buffers(
        pa.binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(buffer)]
    )
    encoded = tokens.dictionary_encode()
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def _core_span(text: str) -> tuple[int, int]:
    """First and past-the-last position of the letters and digits; (0, 0) if there are none."""
    first, last = 0, len(text)
    while first < last and not text[first].isalnum():
        first += 1
    while last > first and not text[last - 1].isalnum():
        last -= 1
    return (first, last) if last > first else (0, 0)


def _capitals(core: str) -> int:
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


def flag_columns(names: Iterable[str]) -> list[int]:
    """Positions of the named flags in ``FLAGS``."""
    return [_BIT[name] for name in names]
