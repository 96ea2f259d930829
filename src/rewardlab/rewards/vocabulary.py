"""The distinct tokens of a corpus, numbered, with the facts of each found once.

A token is a run of bytes above the blank (0x20) with the blanks after it, so blanks and control
characters of ASCII separate tokens and a token knows whether a line ends after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.rewards import token_facts as t
from rewardlab.types import IntArray

Int32Array = NDArray[np.int32]

MAX_TEXT_BYTES = 2**30
MAX_TOKENS_KEPT = 2**18


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
        flags: Shape [n_classes, len(t.FLAGS)], the 0/1 flags that each class of tokens has; class 0
            has none.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget every token; class and type numbers start again."""
        self._code_of: dict[bytes, int] = {}
        self._type_of: dict[bytes, tuple[int, int]] = {}
        self._ending: dict[bytes, tuple[int, int]] = {}
        self._class_of: dict[int, int] = {0: 0}
        self._packed: IntArray = np.empty(1024, np.int64)
        self._n_letters = np.empty(1024, np.int32)

    def trim(self) -> None:
        """Forget every token if there are too many; call it only between batches."""
        if len(self._code_of) > MAX_TOKENS_KEPT:
            self.clear()

    @property
    def flags(self) -> IntArray:
        """Shape [n_classes, len(t.FLAGS)]: which flags each class of tokens has."""
        masks = np.fromiter(self._class_of, np.int64, len(self._class_of))
        return (masks[:, None] >> np.arange(len(t.FLAGS))) & 1

    def read(self, texts: Sequence[str]) -> Tokens:
        """Tokens of ``texts``.

        Raises:
            InputError: A text is larger than 1 GiB.
        """
        encoded = _encode_texts(texts)
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
        codes = self._codes(unique)
        return Tokens(
            self._packed.take(codes).take(index),
            self._n_letters.take(codes).take(index),
            np.diff(last, prepend=0),
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
        end = first + len(new)
        packed, n_letters = self._facts(new)
        if end > len(self._packed):
            self._packed = np.resize(self._packed, 2 * end)
            self._n_letters = np.resize(self._n_letters, 2 * end)
        self._packed[first:end], self._n_letters[first:end] = packed, n_letters
        self._code_of.update(zip(new, range(first, end), strict=True))

    def _facts(self, tokens: list[bytes]) -> tuple[list[int], list[int]]:
        """Packed facts and number of letters of tokens (each with the blanks after it)."""
        packed: list[int] = []
        n_letters: list[int] = []
        for token in tokens:
            body = token.rstrip(t.BLANKS)
            core = body.rstrip(t.SIMPLE_ENDS)
            # Most tokens are letters of ASCII with simple marks, whose facts are found once. But a
            # single letter may be an initial or a marker, and an abbreviation ends no sentence.
            is_plain = core.isalpha() and (len(core) > 1 or len(core) == len(body))
            if is_plain and (lower := core.lower()) not in t.ABBREVIATED:
                ending = token[len(core) :]
                flags, rest = self._ending.get(ending) or self._add_ending(ending)
                if core.isupper():
                    flags |= t.capitals_flag(core.decode())
                packed.append(rest | self._word(lower, flags))
                n_letters.append(len(core))
                continue
            facts = t.token_facts(token)
            if facts.core:
                lower = facts.core.lower().encode("utf-8", "surrogatepass")
                packed.append(facts.packed | self._word(lower, facts.flags))
            else:
                packed.append(facts.packed | self._class(facts.flags) << t.CLASS_SHIFT)
            n_letters.append(facts.n_letters)
        return packed, n_letters

    def _add_ending(self, ending: bytes) -> tuple[int, int]:
        """Flags and packed facts that a plain word has from its ending."""
        facts = t.token_facts(b"word" + ending)
        known = self._ending[ending] = (facts.flags, facts.packed)
        return known

    def _word(self, lower: bytes, flags: int) -> int:
        """Type, class and facts of a word with the flags of its token, packed."""
        known = self._type_of.get(lower)
        if known is None:
            flags_of_word, packed = t.LISTED_WORDS.get(lower, t.ANY_WORD)
            known = self._type_of[lower] = (flags_of_word, packed | len(self._type_of))
        number = self._class_of.get(known[0] | flags)
        if number is None:
            number = self._class(known[0] | flags)
        return known[1] | number << t.CLASS_SHIFT

    def _class(self, flags: int) -> int:
        known = self._class_of.get(flags)
        if known is None:
            known = self._class_of[flags] = len(self._class_of)
        return known


def _encode_texts(texts: Sequence[str]) -> list[bytes]:
    """The texts in UTF-8; lone surrogates, which JSON can hold, are kept apart as three bytes."""
    try:
        return [text.encode() for text in texts]
    except UnicodeEncodeError:
        return [text.encode("utf-8", "surrogatepass") for text in texts]


def _encode(buffer: bytes, starts: IntArray) -> tuple[Int32Array, list[bytes]]:
    """Index of each token among the distinct ones, and the distinct ones."""
    offsets = np.empty(len(starts) + 1, np.int32)
    offsets[:-1], offsets[-1] = starts, len(buffer)
    tokens = pa.Array.from_buffers(
        pa.binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(buffer)]
    )
    encoded = tokens.dictionary_encode()
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
