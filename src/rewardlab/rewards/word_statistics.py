"""Statistics of word streams: phrases, repeated pairs, variety, overlap with a request."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from rewardlab.rewards import vocabulary as v
from rewardlab.rewards.lexicons import LEXICONS
from rewardlab.rewards.token_layout import WordStream
from rewardlab.types import BoolArray, FloatArray, IntArray

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

    pair: IntArray
    triple: IntArray
    pair_lists: FloatArray
    triple_lists: FloatArray


@cache
def phrase_table() -> PhraseTable:
    """The table of all phrases of ``LEXICONS``."""
    phrases = [(p, i) for i, x in enumerate(LEXICONS.values()) for p in sorted(x.phrases)]
    pairs = sorted({phrase[:2] for phrase, _ in phrases})
    triples = sorted({phrase for phrase, _ in phrases if len(phrase) == 3})
    width = len(v.PHRASE_WORDS) + 1
    table = PhraseTable(
        pair=np.zeros((width, width), np.int32),
        triple=np.zeros((len(pairs) + 1, width), np.int32),
        pair_lists=np.zeros((len(pairs) + 1, len(LEXICONS))),
        triple_lists=np.zeros((len(triples) + 1, len(LEXICONS))),
    )
    number = v.PHRASE_WORDS
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
    number = (words.packed >> v.PHRASE_SHIFT) & ((1 << v.PHRASE_BITS) - 1)
    pair_idx = np.flatnonzero((number[:-1] != 0) & (number[1:] != 0))
    pair = table.pair[number[pair_idx], number[pair_idx + 1]]
    found = (pair != 0) & (words.text[pair_idx] == words.text[pair_idx + 1])
    pair_idx, pair = pair_idx[found], pair[found]
    longer = pair_idx + 2 < len(number)
    triple_idx = pair_idx[longer]
    triple = table.triple[pair[longer], number[triple_idx + 2]]
    triple[words.text[triple_idx] != words.text[triple_idx + 2]] = 0
    return _sum_by_text(table.pair_lists[pair], words.text[pair_idx], n_texts) + _sum_by_text(
        table.triple_lists[triple], words.text[triple_idx], n_texts
    )


def _sum_by_text(rows: FloatArray, text: IntArray, n_texts: int) -> FloatArray:
    total = np.zeros((n_texts, rows.shape[1]))
    np.add.at(total, text, rows)
    return total


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
class RepeatedWords:
    """How the words of each text recur in it and in its request.

    Attributes:
        variety: Shape [n_texts], in [0, 1]; moving-average type-token ratio, 0 without words.
        overlap: Shape [n_texts], in [0, 1]; share of content words that the request holds too, 0
            without content words.
    """

    variety: FloatArray
    overlap: FloatArray


def repeated_words(words: WordStream, asked: WordStream, asked_of: IntArray) -> RepeatedWords:
    """Variety of the words of each text, and overlap with its request.

    One sort of (text, word type, position) brings the uses of each word in a text together, the
    request's mention first.

    Args:
        words: Words of n_texts texts.
        asked: Words of the distinct requests.
        asked_of: Shape [n_texts]; which request each text answers.
    """
    n_words = len(words.packed)
    request_text, request_type = _request_types(asked, asked_of)
    type_id, n_type_bits = _types(words, int(request_type.max(initial=0)))
    n_bits = n_words.bit_length()
    in_response = (words.text << n_type_bits | type_id) << n_bits | np.arange(1, n_words + 1)
    in_request = (request_text << n_type_bits | request_type) << n_bits
    key = np.concatenate([in_response, in_request])
    key.sort()
    position = (key & ((1 << n_bits) - 1)) - 1
    group = key >> n_bits
    is_first = np.empty(len(key), bool)
    is_first[:1], is_first[1:] = True, group[1:] != group[:-1]
    return RepeatedWords(
        variety=_variety(words, position, is_first),
        overlap=_overlap(words, position, is_first, group >> n_type_bits),
    )


def _types(words: WordStream, largest: int = 0) -> tuple[IntArray, int]:
    """Type of each word, and the bits that the largest type (or ``largest``) needs."""
    type_id = words.packed & ((1 << v.TYPE_BITS) - 1)
    return type_id, max(int(type_id.max(initial=0)), largest).bit_length()


def _request_types(asked: WordStream, asked_of: IntArray) -> tuple[IntArray, IntArray]:
    """For each text the distinct content words of its request: (text, type), flat."""
    type_id, n_bits = _types(asked)
    content = asked.packed & (1 << v.CONTENT_SHIFT) != 0
    key = (asked.text << n_bits | type_id)[content]
    key.sort()
    key = key[np.append(True, key[1:] != key[:-1])] if len(key) else key
    n_types = np.bincount(key >> n_bits, minlength=len(asked.n_words))
    start = np.cumsum(n_types) - n_types
    n_copied = n_types[asked_of]
    text = np.repeat(np.arange(len(asked_of)), n_copied)
    first = np.repeat(start[asked_of] - np.cumsum(n_copied) + n_copied, n_copied)
    return text, key[first + np.arange(len(text))] & ((1 << n_bits) - 1)


def _variety(words: WordStream, position: IntArray, is_first: BoolArray) -> FloatArray:
    """Moving-average type-token ratio: a word is new to the windows after its last use."""
    is_word = position >= 0
    # Sorted by text, so the words of each text still come in one piece.
    text = words.text
    text_start = np.cumsum(words.n_words) - words.n_words
    previous = np.empty_like(position)
    previous[:1], previous[1:] = -1, position[:-1]
    previous[is_first] = -1
    start = text_start[text]
    here = position[is_word] - start
    before = np.maximum(previous[is_word] - start, -1)
    n_words = words.n_words[text]
    window = np.minimum(WINDOW, n_words)
    last_window = np.minimum(here, n_words - window)
    n_windows = np.maximum(last_window - np.maximum(before, here - window), 0)
    n_distinct = np.bincount(text, n_windows, minlength=len(words.n_words))
    width = np.minimum(WINDOW, words.n_words)
    return n_distinct / np.maximum(width * (words.n_words - width + 1), 1)


def _overlap(
    words: WordStream, position: IntArray, is_first: BoolArray, text: IntArray
) -> FloatArray:
    """Share of content words in groups that begin with a mention in the request."""
    n_texts = len(words.n_words)
    first = np.flatnonzero(is_first)
    n_uses = np.diff(first, append=len(position)) - 1
    asked = position[first] < 0
    n_shared = np.bincount(text[first[asked]], n_uses[asked], minlength=n_texts)
    content = words.packed & (1 << v.CONTENT_SHIFT) != 0
    n_content = np.bincount(words.text[content], minlength=n_texts)
    return n_shared / np.maximum(n_content, 1)
