"""What people said of pairs, as arrays: one row a judgement that stands, skips included."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import BoolArray, FloatArray, IntArray, Outcome, Preferences, Text, as_text

SKIPPED = -1
"""What stands for an ``Outcome`` where a pair was looked at and skipped."""

_SWAPPED = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}


class Asked(IntEnum):
    """Why a pair was asked."""

    PAIR = 0
    REPEAT = 1
    KNOWN = 2


OUTCOME_WORDS = {
    "a": int(Outcome.A),
    "b": int(Outcome.B),
    "tie": int(Outcome.TIE),
    "both_bad": int(Outcome.BOTH_BAD),
    "skip": SKIPPED,
}
ASKED_WORDS = {"pair": Asked.PAIR, "repeat": Asked.REPEAT, "known": Asked.KNOWN}


@dataclass(frozen=True, slots=True)
class Judgements:
    """Judgements that stand; at most one by each annotator on each pair. n rows.

    Attributes:
        pair: Shape [n], int64 codes 0.. of the pairs. A repeat has a code of its own.
        prompt: Shape [n], int64 codes; what is resampled together.
        annotator: Shape [n], int64 places in ``annotators``; -1 where nobody is named.
        annotators: Names.
        outcome: Shape [n], int64 codes of ``Outcome`` in terms of the pair's a and b, or
            ``SKIPPED``.
        a_first: Shape [n]; True where response a was shown first (left).
        sides_recorded: False where ``a_first`` says nothing.
        duration_s: Shape [n], seconds that the judgement took, >= 0; NaN where unknown.
        asked: Shape [n], int64 codes of ``Asked``.
        of: Shape [n]; for a repeat, the code of the pair that it repeats; -1 elsewhere. A pair and
            its repeat have the same response a.
        known: Shape [n]; for a known pair, the ``Outcome`` that is right; -1 elsewhere.
    """

    pair: IntArray
    prompt: IntArray
    annotator: IntArray
    annotators: tuple[str, ...]
    outcome: IntArray
    a_first: BoolArray
    sides_recorded: bool
    duration_s: FloatArray
    asked: IntArray
    of: IntArray
    known: IntArray

    def __post_init__(self) -> None:
        n = len(self.pair)
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray) and value.shape != (n,):
                raise InputError(f"Judgements.{f.name}: expected shape ({n},), got {value.shape}")
        outcomes = list(OUTCOME_WORDS.values())
        _check_codes("outcome", self.outcome, np.isin(self.outcome, outcomes), "an outcome")
        _check_codes("asked", self.asked, np.isin(self.asked, list(Asked)), "why it was asked")
        within = (self.annotator >= -1) & (self.annotator < len(self.annotators))
        _check_codes("annotator", self.annotator, within, "a place in annotators")
        _check_codes("pair", self.pair, self.pair >= 0, "a code from 0")
        repeats, known = self.asked == Asked.REPEAT, self.asked == Asked.KNOWN
        _check_codes("of", self.of, (self.of >= 0) == repeats, "a pair for repeats alone")
        _check_codes("known", self.known, (self.known >= 0) == known, "one for known pairs alone")
        if np.any(self.duration_s < 0) or np.any(np.isinf(self.duration_s)):
            raise InputError("Judgements.duration_s: expected finite seconds >= 0, or NaN")
        self._check_once()

    def _check_once(self) -> None:
        named = self.annotator >= 0
        key = self.pair[named] * len(self.annotators) + self.annotator[named]
        _, first, n = np.unique(key, return_index=True, return_counts=True)
        if np.any(n > 1):
            i = np.flatnonzero(named)[first[int(np.argmax(n > 1))]]
            raise InputError(
                f"Judgements: expected one judgement by each annotator on a pair, got "
                f"{int(n.max())} by {self.annotators[self.annotator[i]]!r} on pair {self.pair[i]}"
            )

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def decided(self) -> BoolArray:
        """Shape [n]: True where one response was preferred."""
        return np.asarray((self.outcome == Outcome.A) | (self.outcome == Outcome.B))

    @property
    def judged(self) -> BoolArray:
        """Shape [n]: True where the pair was not skipped."""
        return np.asarray(self.outcome != SKIPPED)

    @property
    def left(self) -> BoolArray:
        """Shape [n]: True where the response shown first was preferred."""
        return np.asarray(self.decided & ((self.outcome == Outcome.A) == self.a_first))

    def take(self, mask: BoolArray) -> Judgements:
        """The judgements where ``mask`` (shape [n]) holds; codes stay as they are."""
        kept = {
            f.name: getattr(self, f.name)[mask]
            if isinstance(getattr(self, f.name), np.ndarray)
            else getattr(self, f.name)
            for f in fields(self)
        }
        return Judgements(**kept)


def judgements_of(
    *,
    pair: Sequence[Hashable],
    annotator: Sequence[str | None],
    outcome: Sequence[str],
    prompt: Sequence[Hashable] | None = None,
    a_first: Sequence[bool] | None = None,
    duration_s: Sequence[float | None] | None = None,
    asked: Sequence[str] | None = None,
    of: Sequence[Hashable | None] | None = None,
    known: Sequence[str | None] | None = None,
) -> Judgements:
    """Judgements from plain sequences of one length; names become codes as they come up.

    Args:
        pair: Names (or numbers) of the pairs.
        annotator: Names; None where nobody is named.
        outcome: "a", "b", "tie", "both_bad" or "skip".
        prompt: Names of the prompts; each pair its own if not given.
        a_first: Whether response a was shown first; if not given, sides are not recorded.
        duration_s: Seconds; None where unknown.
        asked: "pair", "repeat" or "known"; all "pair" if not given.
        of: For repeats, the name of the pair that is repeated; it needs no judgement of its own.
        known: For known pairs, the outcome that is right.

    Raises:
        InputError: The lengths differ, or a word is not one of those above.
    """
    n = len(pair)
    columns = (annotator, outcome, prompt, a_first, duration_s, asked, of, known)
    names = ("annotator", "outcome", "prompt", "a_first", "duration_s", "asked", "of", "known")
    for name, column in zip(names, columns, strict=True):
        if column is not None and len(column) != n:
            raise InputError(f"{name}: expected length {n}, got {len(column)}")
    pairs = _Codes()
    people = _Codes()
    prompts = _Codes()
    return Judgements(
        pair=pairs.coded(pair),
        prompt=prompts.coded(pair if prompt is None else prompt),
        annotator=people.coded(annotator),
        annotators=tuple(str(name) for name in people.names()),
        outcome=_words("outcome", outcome, OUTCOME_WORDS),
        a_first=np.ones(n, dtype=bool) if a_first is None else np.asarray(a_first, dtype=bool),
        sides_recorded=a_first is not None,
        duration_s=_seconds(duration_s, n),
        asked=_words("asked", ["pair"] * n if asked is None else asked, ASKED_WORDS),
        of=np.full(n, -1) if of is None else pairs.coded(of),
        known=np.full(n, -1) if known is None else _words("known", known, OUTCOME_WORDS),
    )


def judgements_from_preferences(preferences: Preferences) -> Judgements:
    """Judgements from votes of a file: pairs are those with the same prompt and responses.

    Where the file has no texts, a response is told by its prompt's id and its item's name. Which
    response is "a" is settled by the texts (or names), so that all votes on a pair point the same
    way whatever side they were shown on. Where an annotator voted on a pair more than once, the
    last vote counts. A column "duration_s" gives the times.

    Args:
        preferences: Votes; skipped pairs are not among them.

    Raises:
        InputError: A vote has neither texts nor items by which to tell pairs.
    """
    keys, swapped = [], np.zeros(len(preferences), dtype=bool)
    for i, (prompt, a, b) in enumerate(_sides(preferences)):
        swapped[i] = a > b
        keys.append((prompt, min(a, b), max(a, b)))
    outcome = preferences.outcome.astype(np.int64)
    for code, other in _SWAPPED.items():
        outcome[swapped & (preferences.outcome == code)] = other
    word_of = {code: word for word, code in OUTCOME_WORDS.items()}
    last = {
        (key, name if name is not None else i): i
        for i, (key, name) in enumerate(zip(keys, preferences.annotator, strict=True))
    }
    kept = sorted(last.values())
    durations = preferences.extra.get("duration_s", [None] * len(preferences))
    return judgements_of(
        pair=[keys[i] for i in kept],
        annotator=[preferences.annotator[i] for i in kept],
        outcome=[word_of[int(outcome[i])] for i in kept],
        prompt=[preferences.prompt_id[i] for i in kept],
        a_first=[not swapped[i] for i in kept] if preferences.sides_recorded else None,
        duration_s=[durations[i] for i in kept],
    )


def _sides(preferences: Preferences) -> Iterator[tuple[str, str, str]]:
    """What tells the prompt and the two responses of each vote."""
    items: tuple[Sequence[str | None], ...] = (preferences.item_a, preferences.item_b)
    columns: tuple[Sequence[Text | None], ...]
    if preferences.has_texts:
        columns = (preferences.prompt, preferences.response_a, preferences.response_b)
    elif all(name is not None for column in items for name in column):
        columns = (preferences.prompt_id, *items)
    else:
        raise InputError(
            "preferences: expected the texts of both responses in every row, or the names of the "
            "items that gave them"
        )
    for prompt, a, b in zip(*columns, strict=True):
        yield as_text(prompt), as_text(a), as_text(b)


class _Codes:
    """Codes 0.. of names in the order in which they come up; -1 for None."""

    def __init__(self) -> None:
        self._codes: dict[Hashable, int] = {}

    def coded(self, names: Sequence[Hashable | None]) -> IntArray:
        codes = self._codes
        each = (-1 if x is None else codes.setdefault(x, len(codes)) for x in names)
        return np.fromiter(each, np.int64, len(names))

    def names(self) -> list[Hashable]:
        return list(self._codes)


def _words(name: str, words: Sequence[str | None], codes: Mapping[str, int]) -> IntArray:
    for word in words:
        if word is not None and word not in codes:
            raise InputError(f"{name}: expected one of {', '.join(codes)}, got {word!r}")
    return np.array([-1 if word is None else codes[word] for word in words], dtype=np.int64)


def _seconds(durations: Sequence[float | None] | None, n: int) -> FloatArray:
    if durations is None:
        return np.full(n, np.nan)
    return np.array([np.nan if x is None else x for x in durations], dtype=np.float64)


def _check_codes(name: str, values: IntArray, good: BoolArray, expected: str) -> None:
    if not bool(np.all(good)):
        i = int(np.argmin(good))
        raise InputError(f"Judgements.{name}: expected {expected}, got {values[i]} in row {i}")
