"""Statistics of word streams: phrases, repeated pairs, variety, overlap with a request."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from rewardlab.rewards import token_facts as facts
from rewardlab.rewards.lexicons import LEXICONS
from rewardlab.rewards.token_layout import WordStream, sum_in_order
from rewardlab.rewards.vocabulary import Int32Array
from rewardlab.types import FloatArray, IntArray

WINDOW = 50
"""Words in the window of the moving-average type-token ratio."""


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """Which neighbouring phrase words make a phrase.

    Attributes:
        pair: Shape [W, W], int32; 1 + number of the pair of phrase words, 0 if no phrase has it.
        triple: Shape [n_pairs + 1, W], int32; 1 + number of the triple, 0 if none.
        pair_lists: Shape [n_pairs + 1, n_lexicons]; 1 where the pair is a phrase of the list.
        triple_lists: Shape [n_triples + 1, n_lexicons]; likewise.
    """

    pair: Int32Array
    triple: Int32Array
    pair_lists: FloatArray
    triple_lists: FloatArray


@cache
def phrase_table() -> PhraseTable:
    """The table of all phrases of ``LEXICONS``."""
    phrases = [(p, i) for i, x in enumerate(LEXICONS.values()) for p in sorted(x.phrases)]
    pairs: list[tuple[str, ...]] = sorted({phrase[:2] for phrase, _ in phrases})
    triples: list[tuple[str, ...]] = sorted({phrase for phrase, _ in phrases if len(phrase) == 3})
    width = len(facts.PHRASE_WORDS) + 1
    table = PhraseTable(
        pair=np.zeros((width, width), np.int32),
        triple=np.zeros((len(pairs) + 1, width), np.int32),
        pair_lists=np.zeros((len(pairs) + 1, len(LEXICONS))),
        triple_lists=np.zeros((len(triples) + 1, len(LEXICONS))),
    )
    number = facts.PHRASE_WORDS
    for i, (a, b) in enumerate(pairs, start=1):
        table.pair[number[a], number[b]] = i
    for i, (a, b, c) in enumerate(triples, start=1):
        table.triple[pairs.index((a, b)) + 1, number[c]] = i
    for phrase, lexicon in phrases:
        if len(phrase) == 2:
            table.pair_lists[pairs.index(phrase) + 1, lexicon] = 1
        else:
            table.triple_lists[triples.index(phrase) + 1, lexicon] = 1
    return table


def phrase_counts(words: WordStream) -> FloatArray:
    """Shape [n_texts, n_lexicons]: uses of the phrases of each word list."""
    n_texts, table = len(words.n_words), phrase_table()
    number = (words.packed >> facts.PHRASE_SHIFT) & ((1 << facts.PHRASE_BITS) - 1)
    pair_idx = np.flatnonzero((number[:-1] != 0) & (number[1:] != 0))
    pair = table.pair[number[pair_idx], number[pair_idx + 1]]
    found = (pair != 0) & (words.text[pair_idx] == words.text[pair_idx + 1])
    pair_idx, pair = pair_idx[found], pair[found]
    longer = pair_idx + 2 < len(number)
    triple_idx = pair_idx[longer]
    triple = table.triple[pair[longer], number[triple_idx + 2]]
    triple[words.text[triple_idx] != words.text[triple_idx + 2]] = 0
    return _count_by_text(words.text[pair_idx], pair, n_texts, len(table.pair_lists)) @ (
        table.pair_lists
    ) + _count_by_text(words.text[triple_idx], triple, n_texts, len(table.triple_lists)) @ (
        table.triple_lists
    )


def _count_by_text(text: IntArray, kind: IntArray, n_texts: int, n_kinds: int) -> FloatArray:
    """Shape [n_texts, n_kinds]: how often each kind occurs in each text."""
    counts = np.bincount(text * n_kinds + kind, minlength=n_texts * n_kinds)
    return counts.reshape(n_texts, n_kinds).astype(float)


def repeated_pairs(words: WordStream) -> FloatArray:
    """Shape [n_texts]: share of neighbouring pairs that occurred before in their text.

    It is 0 for a text of fewer than three words.
    """
    n_texts = len(words.n_words)
    type_id, n_bits = _types(words)
    same_text = words.text[:-1] == words.text[1:]
    # Texts of at most 1 GiB and batches of few characters keep this below 63 bits.
    key = ((words.text[:-1] << n_bits | type_id[:-1]) << n_bits | type_id[1:])[same_text]
    key.sort()
    repeated = key[1:][key[1:] == key[:-1]] >> 2 * n_bits
    n_repeated = np.bincount(repeated, minlength=n_texts)
    return n_repeated / np.maximum(words.n_words - 1, 1)


@dataclass(frozen=True, slots=True)
class RequestWords:
    """The distinct content words of requests, one request after the other.

    Attributes:
        type_id: Shape [n], int64.
        start: Shape [n_requests], int64; where the words of each request begin.
        n_types: Shape [n_requests], int64; how many it has.
    """

    type_id: IntArray
    start: IntArray
    n_types: IntArray


def request_words(asked: WordStream) -> RequestWords:
    """The distinct content words of each request, from all its words."""
    type_id, n_bits = _types(asked)
    content = asked.packed & (1 << facts.CONTENT_SHIFT) != 0
    key = (asked.text << n_bits | type_id)[content]
    key.sort()
    key = key[np.append(True, key[1:] != key[:-1])] if len(key) else key
    n_types = np.bincount(key >> n_bits, minlength=len(asked.n_words))
    return RequestWords(key & ((1 << n_bits) - 1), np.cumsum(n_types) - n_types, n_types)


@dataclass(frozen=True, slots=True)
class RepeatedWords:
    """How the words of each text recur in it and in its request.

    Attributes:
        variety: Shape [n_texts], in [0, 1]; moving-average type-token ratio, 0 without words.
        n_shared: Shape [n_texts]; uses of content words that the request holds too.
    """

    variety: FloatArray
    n_shared: FloatArray


def repeated_words(words: WordStream, asked: RequestWords, asked_of: IntArray) -> RepeatedWords:
    """Variety of the words of each text, and overlap with its request.

    One sort of (text, word type, position) brings the uses of each word in a text together, the
    request's mention first.

    Args:
        words: Words of n_texts texts.
        asked: Words of the distinct requests.
        asked_of: Shape [n_texts]; which request each text answers.
    """
    n_words = len(words.packed)
    request_text, request_type = _copied_requests(asked, asked_of)
    type_id, n_type_bits = _types(words, int(request_type.max(initial=0)))
    n_bits = n_words.bit_length()
    key = np.empty(n_words + len(request_type), np.int64)
    key[:n_words] = (words.text << n_type_bits | type_id) << n_bits
    key[:n_words] |= np.arange(1, n_words + 1)
    key[n_words:] = (request_text << n_type_bits | request_type) << n_bits
    key.sort()
    position = (key & ((1 << n_bits) - 1)).astype(np.int32) - np.int32(1)
    group = key >> n_bits
    is_first = np.empty(len(key), bool)
    is_first[:1], is_first[1:] = True, group[1:] != group[:-1]
    first = np.flatnonzero(is_first)
    return RepeatedWords(
        variety=_variety(words, position, first),
        n_shared=_shared(position, first, group[first] >> n_type_bits, len(words.n_words)),
    )


def _types(words: WordStream, largest: int = 0) -> tuple[IntArray, int]:
    """Type of each word, and the bits that the largest type (or ``largest``) needs."""
    type_id = words.packed & ((1 << facts.TYPE_BITS) - 1)
    return type_id, max(int(type_id.max(initial=0)), largest).bit_length()


def _copied_requests(asked: RequestWords, asked_of: IntArray) -> tuple[IntArray, IntArray]:
    """The request's words once for each text that answers it: (text, type), flat."""
    n_copied = asked.n_types[asked_of]
    text = np.repeat(np.arange(len(asked_of)), n_copied)
    first = np.repeat(asked.start[asked_of] - np.cumsum(n_copied) + n_copied, n_copied)
    return text, asked.type_id[first + np.arange(len(text))]


def _variety(words: WordStream, position: Int32Array, first: IntArray) -> FloatArray:
    """Moving-average type-token ratio: a word is new to the windows after its last use."""
    n_words = words.n_words.astype(np.int32)
    # Positions are those of the whole stream; -1 stands for the request, or for no use before.
    previous = np.empty_like(position)
    previous[1:] = position[:-1]
    previous[first] = -1
    is_word = position >= 0
    here, before = position[is_word], previous[is_word]
    # Sorted by text, so the words of each text still come in one piece.
    text_start = np.cumsum(n_words, dtype=np.int32) - n_words
    width = np.minimum(np.int32(WINDOW), n_words)
    start = np.repeat(text_start, n_words)
    last_window = np.minimum(here, np.repeat(text_start + n_words - width, n_words))
    before = np.maximum(before, start - np.int32(1))
    first_window = np.maximum(before, here - np.repeat(width, n_words))
    n_windows = np.maximum(last_window - first_window, 0)
    n_distinct = sum_in_order(n_windows, words.n_words)
    n_places: FloatArray = np.maximum(width * (n_words - width + 1.0), 1)
    return n_distinct / n_places


def _shared(position: Int32Array, first: IntArray, text: IntArray, n_texts: int) -> FloatArray:
    """Words in groups that begin with a mention in the request."""
    asked = np.flatnonzero(position[first] < 0)
    after = np.minimum(asked + 1, len(first) - 1)
    end = np.where(asked + 1 < len(first), first[after], len(position))
    n_shared = np.bincount(text[asked], end - first[asked] - 1, minlength=n_texts)
    return n_shared.astype(float)
