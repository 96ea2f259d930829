"""One pass over a preference file: from texts to the arrays that the audit works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np

from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.rewards import text_features
from rewardlab.types import FloatArray, IntArray, Preferences, RewardFn, Text, as_text


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
        pair: Shape [n], int64 codes.
        annotator: Shape [n], int64 codes; -1 where unknown.
        swapped: Shape [n]; True where "a" here is "b" in the file.
        source: Length n.
        line: Shape [n], int64.
        recorded_a: Shape [n], the reward that the file or a callable gives a; NaN for none.
        recorded_b: Shape [n].
    """

    features_a: FloatArray
    features_b: FloatArray
    label: FloatArray
    margin: FloatArray
    prompt: IntArray
    pair: IntArray
    annotator: IntArray
    swapped: np.ndarray[tuple[int], np.dtype[np.bool_]]
    source: list[str]
    line: IntArray
    recorded_a: FloatArray
    recorded_b: FloatArray

    def __len__(self) -> int:
        return len(self.label)


ChunkScorer = Callable[[Preferences], tuple[FloatArray, FloatArray]]
"""Rewards of the file's a and b sides for one chunk, each of shape [rows]; NaN for none."""


def scorer_of(reward: RewardFn) -> ChunkScorer:
    """Score both sides of a chunk with a reward; extra columns are passed on as columns."""

    def score(chunk: Preferences) -> tuple[FloatArray, FloatArray]:
        sides = [
            [r if r is not None else "" for r in s] for s in (chunk.response_a, chunk.response_b)
        ]
        a, b = (np.asarray(reward(chunk.prompt, s, **chunk.extra), np.float64) for s in sides)
        return a, b

    return score


def scores_in_columns(column_a: str, column_b: str) -> ChunkScorer:
    """Read both sides' rewards from two columns of the file.

    Raises:
        InputError: A column is missing, or holds something that is neither a number nor empty.
    """

    def score(chunk: Preferences) -> tuple[FloatArray, FloatArray]:
        return _numbers(chunk, column_a), _numbers(chunk, column_b)

    return score


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
    return values


@dataclass(slots=True)
class _Codes:
    """Integer codes of keys, in order of first appearance, across chunks."""

    seen: dict[object, int] = field(default_factory=dict)

    def of(self, keys: Iterable[object]) -> IntArray:
        return np.array([self.seen.setdefault(k, len(self.seen)) for k in keys], dtype=np.int64)


def collect(chunks: Iterable[Preferences], *, score: ChunkScorer | None = None) -> Votes:
    """Text features (and rewards, if a scorer is given) of every vote.

    Raises:
        InputError: There is no row, or a row has no text.
    """
    prompts, pairs, annotators = _Codes(), _Codes(), _Codes()
    parts = [_collect_chunk(c, score, prompts, pairs, annotators) for c in chunks if len(c)]
    if not parts:
        raise InputError("preferences: expected at least one vote, got none")
    joined: dict[str, object] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Votes.__slots__
        if name != "source"
    }
    return replace(parts[0], source=[s for part in parts for s in part.source], **joined)


def _collect_chunk(
    chunk: Preferences, score: ChunkScorer | None, prompts: _Codes, pairs: _Codes, names: _Codes
) -> Votes:
    if not chunk.has_texts:
        raise InputError(
            f"{chunk.source[0]}: expected the texts of both responses; this file only names them. "
            "Join the texts with --join FILE --on COLUMN"
        )
    digests = [[_digest(r) for r in side] for side in (chunk.response_a, chunk.response_b)]
    swapped = np.array([a > b for a, b in zip(*digests, strict=True)], dtype=bool)
    keys = ((p, *sorted(ab)) for p, *ab in zip(chunk.prompt_id, *digests, strict=True))
    features = [
        text_features.compute(chunk.prompt, [as_text(r) for r in side])
        for side in (chunk.response_a, chunk.response_b)
    ]
    rewards = list(score(chunk)) if score else [np.full(len(chunk), np.nan)] * 2
    annotator = np.array([-1 if a is None else 0 for a in chunk.annotator], dtype=np.int64)
    annotator[annotator == 0] = names.of(a for a in chunk.annotator if a is not None)
    swap = swapped[:, None]
    return Votes(
        features_a=np.where(swap, features[1], features[0]),
        features_b=np.where(swap, features[0], features[1]),
        label=np.where(swapped, 1 - chunk.label, chunk.label),
        margin=chunk.margin,
        prompt=prompts.of(chunk.prompt_id),
        pair=pairs.of(keys),
        annotator=annotator,
        swapped=swapped,
        source=chunk.source,
        line=chunk.line,
        recorded_a=np.where(swapped, rewards[1], rewards[0]),
        recorded_b=np.where(swapped, rewards[0], rewards[1]),
    )


def _digest(text: Text | None) -> bytes:
    return blake2b(as_text(text).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def with_rewards(
    votes: Votes, reward_a: FloatArray, reward_b: FloatArray, *, names: tuple[str, ...]
) -> ScoredVotes:
    """Votes with these rewards; a vote with a side that has none (NaN) is left out and counted.

    Args:
        votes: Length n.
        reward_a: Shape [n].
        reward_b: Shape [n].
        names: Length d, the features' names.

    Raises:
        InputError: No vote has rewards on both sides.
    """
    known = np.isfinite(reward_a) & np.isfinite(reward_b)
    if not known.any():
        raise InputError("rewards: no vote has a finite reward on both sides")
    keep = np.flatnonzero(known)
    scale = np.concatenate([votes.features_a, votes.features_b]).std(axis=0)
    words = names.index("n_words")
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
        feature_gap=votes.features_a[keep] - votes.features_b[keep],
        feature_names=names,
        feature_scale=np.where(scale > 0, scale, 1.0),
        swapped=votes.swapped[keep],
        source=[votes.source[i] for i in keep],
        line=votes.line[keep],
        n_no_reward=int(len(votes) - len(keep)),
    )
