"""One pass over a preference file: from texts to the arrays that the audit works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.rewards import text_features
from rewardlab.rewards.training_prompts import prompt_digests
from rewardlab.rewards.vocabulary import Vocabulary
from rewardlab.types import BoolArray, FloatArray, IntArray, Preferences, RewardFn, Text, as_text

MAX_REWARD = 1e150
"""Larger rewards have gaps whose squares are no finite numbers."""


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes with the text features of both sides; no rewards yet, and no texts.

    "a" is the response whose digest is the smaller, whatever side the file has it on.

    Attributes:
        features_a: Shape [n, d], in each feature's own unit.
        features_b: Shape [n, d].
        label: Shape [n], probability in [0, 1] that a is better.
        margin: Shape [n]; NaN where absent.
        prompt: Shape [n], int64 codes.
        prompt_digest: Shape [n], uint64 digests of the prompts' texts, the same in every file.
        pair: Shape [n], int64 codes.
        annotator: Shape [n], int64 codes; -1 where unknown.
        swapped: Shape [n]; True where "a" here is "b" in the file.
        row: Shape [n], int64; which vote it is in a pass over the file, from 0.
        source: Length n.
        line: Shape [n], int64.
        given: Shape [n, k, 2]; rewards of a and b, by k pairs of the file's columns or callables;
            NaN for none.
    """

    features_a: FloatArray
    features_b: FloatArray
    label: FloatArray
    margin: FloatArray
    prompt: IntArray
    prompt_digest: NDArray[np.uint64]
    pair: IntArray
    annotator: IntArray
    swapped: BoolArray
    row: IntArray
    source: list[str]
    line: IntArray
    given: FloatArray

    def __len__(self) -> int:
        return len(self.label)


ChunkScorer = Callable[[Preferences], tuple[FloatArray, FloatArray]]
"""Rewards of the file's a and b sides for one chunk, each of shape [rows]; NaN for none."""


def scores_of(reward: RewardFn) -> ChunkScorer:
    """Both sides scored by a reward, which gets the file's extra columns as columns.

    Raises:
        InputError: The reward returns another number of rewards than it got responses.
    """

    def score(chunk: Preferences) -> tuple[FloatArray, FloatArray]:
        sides = []
        for side in (chunk.response_a, chunk.response_b):
            texts = [r if r is not None else "" for r in side]
            rewards = np.asarray(reward(chunk.prompt, texts, **chunk.extra), dtype=np.float64)
            if rewards.shape != (len(chunk),):
                raise InputError(
                    f"reward: expected {len(chunk)} rewards, got shape {rewards.shape}"
                )
            sides.append(np.where(np.isfinite(rewards), rewards, np.nan))
        return sides[0], sides[1]

    return score


def scores_in(column_a: str, column_b: str) -> ChunkScorer:
    """Both sides' rewards as two columns of the file hold them.

    Raises:
        InputError: A column is missing, or holds something that is neither a finite number nor
            empty.
    """
    return lambda chunk: (_numbers(chunk, column_a), _numbers(chunk, column_b))


def _numbers(chunk: Preferences, column: str) -> FloatArray:
    if column not in chunk.extra:
        raise InputError(
            f"column {column!r}: expected rewards of one side, found no such column; the file's "
            f"other columns are {', '.join(chunk.extra) or 'none'}"
        )
    values = np.full(len(chunk), np.nan)
    for i, value in enumerate(chunk.extra[column]):
        if value is None or value == "":
            continue
        try:
            values[i] = float(value)
        except (TypeError, ValueError):
            raise InputError(
                f"{chunk.location(i)}: column {column!r}: got {value!r}, expected a number"
            ) from None
        if isinstance(value, bool) or np.isinf(values[i]):
            raise InputError(
                f"{chunk.location(i)}: column {column!r}: got {value!r}, expected a finite number"
            )
        if abs(values[i]) > MAX_REWARD:
            raise InputError(
                f"{chunk.location(i)}: column {column!r}: got {value!r}, expected a number between "
                f"-{MAX_REWARD:g} and {MAX_REWARD:g}; rescale the rewards"
            )
    return values


@dataclass(slots=True)
class _Codes:
    """Integer codes of keys, in order of first appearance, across chunks."""

    seen: dict[object, int] = field(default_factory=dict)

    def of(self, keys: Iterable[object]) -> IntArray:
        return np.array([self.seen.setdefault(k, len(self.seen)) for k in keys], dtype=np.int64)


@dataclass(slots=True)
class _Coding:
    """What has been met so far, across chunks."""

    prompts: _Codes = field(default_factory=_Codes)
    pairs: _Codes = field(default_factory=_Codes)
    annotators: _Codes = field(default_factory=_Codes)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    n_votes: int = 0


def collect(chunks: Iterable[Preferences], *, scorers: Sequence[ChunkScorer] = ()) -> Votes:
    """Text features of every vote, and the rewards that scorers give while texts are at hand.

    Args:
        chunks: The preferences, with texts.
        scorers: Rewards of the file's a and b, chunk by chunk.

    Raises:
        InputError: There is no row, a row has no text, or a scorer refuses.
    """
    coding = _Coding()
    parts: dict[str, list[Any]] = {name: [] for name in Votes.__slots__}
    for chunk in chunks:
        part = _collect_chunk(chunk, scorers, coding)
        for name, pieces in parts.items():
            pieces.append(getattr(part, name))
    if not parts["source"]:
        raise InputError("preferences: expected at least one vote, got none")
    # Column by column, each one's pieces let go, so that a file is never held twice.
    source = [s for piece in parts.pop("source") for s in piece]
    joined = {name: np.concatenate(parts.pop(name)) for name in list(parts)}
    return Votes(source=source, **joined)


def _collect_chunk(chunk: Preferences, scorers: Sequence[ChunkScorer], coding: _Coding) -> Votes:
    if not chunk.has_texts:
        raise InputError(
            f"{chunk.source[0]}: expected the texts of both responses; this file only names them. "
            "Join the texts with --join FILE --on COLUMN"
        )
    digests = [[_digest(r) for r in side] for side in (chunk.response_a, chunk.response_b)]
    swapped = np.array([a > b for a, b in zip(*digests, strict=True)], dtype=bool)
    keys = ((p, *sorted(ab)) for p, *ab in zip(chunk.prompt_id, *digests, strict=True))
    features = [
        text_features.compute(chunk.prompt, side, vocabulary=coding.vocabulary)
        for side in (chunk.response_a, chunk.response_b)
    ]
    given = np.empty((len(chunk), len(scorers), 2))
    for k, score in enumerate(scorers):
        given[:, k, :] = np.column_stack(score(chunk))
    given[swapped] = given[swapped][:, :, ::-1]
    first = coding.n_votes
    coding.n_votes += len(chunk)
    annotator = np.array([-1 if a is None else 0 for a in chunk.annotator], dtype=np.int64)
    annotator[annotator == 0] = coding.annotators.of(a for a in chunk.annotator if a is not None)
    swap = swapped[:, None]
    return Votes(
        features_a=np.where(swap, features[1], features[0]),
        features_b=np.where(swap, features[0], features[1]),
        label=np.where(swapped, 1 - chunk.label, chunk.label),
        margin=chunk.margin,
        prompt=coding.prompts.of(chunk.prompt_id),
        prompt_digest=prompt_digests(chunk.prompt),
        pair=coding.pairs.of(keys),
        annotator=annotator,
        swapped=swapped,
        row=np.arange(first, coding.n_votes),
        source=chunk.source,
        line=chunk.line,
        given=given,
    )


def _digest(text: Text | None) -> bytes:
    return blake2b(as_text(text).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def features_of(votes: Votes, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """The named features of both sides, each of shape [n, len(names)]."""
    if tuple(names) == text_features.NAMES:
        return votes.features_a, votes.features_b
    columns = [text_features.NAMES.index(name) for name in names]
    return votes.features_a[:, columns], votes.features_b[:, columns]


def feature_scale(features_a: FloatArray, features_b: FloatArray) -> FloatArray:
    """Standard deviation of each feature over the responses of both sides. Shape [d], >= 0."""
    mean = (features_a.mean(axis=0) + features_b.mean(axis=0)) / 2
    # Both sides are equally many; the spread between their means is part of the whole.
    between = (features_a.mean(axis=0) - mean) ** 2
    within = (features_a.var(axis=0) + features_b.var(axis=0)) / 2
    return np.asarray(np.sqrt(within + between))


def with_rewards(
    votes: Votes,
    reward_a: FloatArray,
    reward_b: FloatArray,
    *,
    features: Sequence[str] = text_features.NAMES,
) -> ScoredVotes:
    """The votes to whose two sides these rewards are known (not NaN).

    Args:
        votes: Length n.
        reward_a: Shape [n].
        reward_b: Shape [n].
        features: Names of the text features to keep beside them.

    Raises:
        InputError: No vote has rewards on both sides.
    """
    known = np.isfinite(reward_a) & np.isfinite(reward_b)
    if not known.any():
        raise InputError("rewards: no vote has a finite reward on both sides")
    keep = np.flatnonzero(known)
    features_a, features_b = features_of(votes, features)
    scale = feature_scale(features_a, features_b)
    words = text_features.NAMES.index("n_words")
    return ScoredVotes(
        reward_a=reward_a[keep],
        reward_b=reward_b[keep],
        label=votes.label[keep],
        margin=votes.margin[keep],
        prompt=votes.prompt[keep],
        pair=votes.pair[keep],
        annotator=votes.annotator[keep],
        n_words_a=votes.features_a[keep, words],
        n_words_b=votes.features_b[keep, words],
        feature_gap=(features_a - features_b)[keep],
        feature_names=tuple(features),
        feature_scale=np.where(scale > 0, scale, 1.0),
        swapped=votes.swapped[keep],
        row=votes.row[keep],
        source=[votes.source[i] for i in keep],
        line=votes.line[keep],
    )
