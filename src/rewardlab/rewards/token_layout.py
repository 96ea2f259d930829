"""How tokens stand in their texts: lines, markers, sentences and the stream of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.rewards import token_facts as facts
from rewardlab.rewards.vocabulary import Int32Array, Tokens
from rewardlab.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class TextLayout:
    """Counts that depend on where tokens stand, and the words.

    Attributes:
        flag_counts: Shape [n_texts, len(FLAGS)]; tokens with each flag, markers left out.
        n_sentences: Shape [n_texts].
        n_paragraphs: Shape [n_texts].
        n_markers: Shape [n_texts, 5]; bullets, enumerators, headings and fences in columns 1 to 4.
        n_letters: Shape [n_texts]; letters and digits of the words.
        words: The words of the texts in order.
    """

    flag_counts: FloatArray
    n_sentences: IntArray
    n_paragraphs: IntArray
    n_markers: IntArray
    n_letters: FloatArray
    words: WordStream


@dataclass(frozen=True, slots=True)
class WordStream:
    """The words of several texts, one after the other.

    Attributes:
        packed: Shape [n_words], int64; the packed facts of each word.
        text: Shape [n_words], int64; which text it belongs to.
        n_words: Shape [n_texts], int64; words of each text.
    """

    packed: IntArray
    text: IntArray
    n_words: IntArray


def read_layout(tokens: Tokens, flags: IntArray) -> TextLayout:
    """The layout of texts from the facts of their tokens.

    Args:
        tokens: Tokens of n_texts texts.
        flags: Shape [n_classes, len(FLAGS)]; of the vocabulary that read them.
    """
    packed, n_texts = tokens.packed, len(tokens.n_tokens)
    text = np.repeat(np.arange(n_texts), tokens.n_tokens)
    ends_text, starts_text = _edges(tokens.n_tokens)
    markers, marker_kind = _markers(packed, starts_text)
    marker_counts = np.bincount(text[markers] * 5 + marker_kind, minlength=n_texts * 5)
    n_letters = sum_in_order(tokens.n_letters, tokens.n_tokens)
    n_letters -= np.bincount(text[markers], tokens.n_letters[markers], minlength=n_texts)
    is_word = _has(packed, facts.WORD_SHIFT)
    is_word[markers] = False
    blank_line = _has(packed, facts.BLANK_LINE_SHIFT) | ends_text
    ends = _has(packed, facts.END_SHIFT)
    ends[markers] = False
    ends |= blank_line
    ends[markers[~starts_text[markers]] - 1] = True
    flag_counts = _flag_counts(packed, text, markers, flags, n_texts)
    word_idx = np.flatnonzero(is_word)
    n_words_until = np.cumsum(is_word.astype(np.int32), dtype=np.int32)
    n_words = flag_counts[:, facts.flag_column("word")].astype(np.int64)
    return TextLayout(
        flag_counts=flag_counts,
        n_sentences=_stretches_with_words(ends, n_words_until, text, n_texts),
        n_paragraphs=_stretches_with_words(blank_line, n_words_until, text, n_texts),
        n_markers=marker_counts.reshape(n_texts, 5),
        n_letters=n_letters,
        words=WordStream(packed[word_idx], text[word_idx], n_words),
    )


def sum_in_order(values: Int32Array, n_each: IntArray) -> FloatArray:
    """Sums of consecutive pieces of ``n_each`` values."""
    sums = np.zeros(len(n_each))
    filled = n_each > 0
    if filled.any():
        starts = (np.cumsum(n_each) - n_each)[filled]
        # Widened first: a sum of many windows may not fit 32 bits.
        sums[filled] = np.add.reduceat(values.astype(np.int64), starts)
    return sums


def _has(packed: IntArray, shift: int) -> BoolArray:
    return np.asarray(packed & (1 << shift) != 0)


def _flag_counts(
    packed: IntArray, text: IntArray, markers: IntArray, flags: IntArray, n_texts: int
) -> FloatArray:
    """Shape [n_texts, len(FLAGS)]: by way of the classes, because few classes have many flags."""
    token_class = (packed >> facts.CLASS_SHIFT) & ((1 << facts.CLASS_BITS) - 1)
    token_class[markers] = 0
    n_classes = len(flags)
    counts = np.bincount(text * n_classes + token_class, minlength=n_texts * n_classes)
    return np.asarray(counts.reshape(n_texts, n_classes).astype(float) @ flags)


def _edges(n_tokens: IntArray) -> tuple[BoolArray, BoolArray]:
    """Masks of the last and the first token of every text that has one."""
    last = np.cumsum(n_tokens)[n_tokens > 0] - 1
    ends = np.zeros(int(n_tokens.sum()), bool)
    ends[last] = True
    starts = np.empty_like(ends)
    starts[:1], starts[1:] = True, ends[:-1]
    return ends, starts


def _markers(packed: IntArray, starts_text: BoolArray) -> tuple[IntArray, IntArray]:
    """Positions and kinds of list markers, headings and fences that start a line."""
    mask = ((1 << facts.MARKER_BITS) - 1) << facts.MARKER_SHIFT
    candidates = np.flatnonzero(packed & mask != 0)
    before = packed[np.maximum(candidates - 1, 0)]
    starts_line = starts_text[candidates] | (before & (1 << facts.LINE_SHIFT) != 0)
    positions = candidates[starts_line]
    return positions, (packed[positions] >> facts.MARKER_SHIFT) & ((1 << facts.MARKER_BITS) - 1)


def _stretches_with_words(
    ends: BoolArray, n_words_until: Int32Array, text: IntArray, n_texts: int
) -> IntArray:
    """Shape [n_texts]: stretches up to each end that hold a word."""
    end_idx = np.flatnonzero(ends)
    has_word = np.diff(n_words_until[end_idx], prepend=0) > 0
    return np.bincount(text[end_idx[has_word]], minlength=n_texts)
