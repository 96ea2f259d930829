"""How tokens stand in their texts: lines, markers, sentences and the stream of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.rewards import token_facts as facts
from rewardlab.rewards.vocabulary import Tokens
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
    is_word = packed & (1 << facts.WORD_SHIFT) != 0
    is_word[markers] = False
    token_class = (packed >> facts.CLASS_SHIFT) & ((1 << facts.CLASS_BITS) - 1)
    token_class[markers] = 0
    class_counts = np.bincount(
        text * len(flags) + token_class, minlength=n_texts * len(flags)
    ).reshape(n_texts, len(flags))
    word_idx = np.flatnonzero(is_word)
    word_text = text[word_idx]
    blank_line = packed & (1 << facts.BLANK_LINE_SHIFT) != 0
    blank_line |= ends_text
    ends = packed & (1 << facts.END_SHIFT) != 0
    ends[markers] = False
    ends |= blank_line
    ends[markers[~starts_text[markers]] - 1] = True
    return TextLayout(
        flag_counts=class_counts.astype(float) @ flags,
        n_sentences=_stretches_with_words(ends, is_word, text, n_texts),
        n_paragraphs=_stretches_with_words(blank_line, is_word, text, n_texts),
        n_markers=np.bincount(text[markers] * 5 + marker_kind, minlength=n_texts * 5).reshape(
            n_texts, 5
        ),
        n_letters=np.bincount(word_text, tokens.n_letters[word_idx], minlength=n_texts).astype(
            float
        ),
        words=WordStream(packed[word_idx], word_text, np.bincount(word_text, minlength=n_texts)),
    )


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
    candidates = np.flatnonzero(packed & (((1 << facts.MARKER_BITS) - 1) << facts.MARKER_SHIFT))
    before = packed[np.maximum(candidates - 1, 0)]
    starts_line = starts_text[candidates] | (before & (1 << facts.LINE_SHIFT) != 0)
    positions = candidates[starts_line]
    return positions, (packed[positions] >> facts.MARKER_SHIFT) & ((1 << facts.MARKER_BITS) - 1)


def _stretches_with_words(
    ends: BoolArray, is_word: BoolArray, text: IntArray, n_texts: int
) -> IntArray:
    """Shape [n_texts]: stretches up to each end that hold a word."""
    end_idx = np.flatnonzero(ends)
    n_words_before = np.cumsum(is_word, dtype=np.int32)[end_idx]
    has_word = np.diff(n_words_before, prepend=0) > 0
    return np.bincount(text[end_idx[has_word]], minlength=n_texts)
