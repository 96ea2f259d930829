"""One pass over a preference file: from texts to the arrays that the audit works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.rewards import text_features
from rewardlab.rewards.training_prompts import prompt_digests
from rewardlab.types import BoolArray, FloatArray, IntArray, Preferences, Text, as_text


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
        source: Length n.
        line: Shape [n], int64.
        recorded: Shape [n, k, 2]; rewards of a and b in k pairs of the file's columns; NaN for
            none.
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
    source: list[str]
    line: IntArray
    recorded: FloatArray

    def __len__(self) -> int:
        return len(self.label)


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


@dataclass(slots=True)
class _Coding:
    """What has been met so far, across chunks."""

    prompts: _Codes = field(default_factory=_Codes)
    pairs: _Codes = field(default_factory=_Codes)
    annotators: _Codes = field(default_factory=_Codes)


def collect(
    chunks: Iterable[Preferences], *, score_columns: Sequence[tuple[str, str]] = ()
) -> Votes:
    """Text features of every vote, and the rewards that the file records.

    Args:
        chunks: The preferences, with texts.
        score_columns: Pairs of columns that hold rewards of the file's a and b.

    Raises:
        InputError: There is no row, a row has no text, or a column is missing or holds something
            that is neither a finite number nor empty.
    """
    coding = _Coding()
    parts: dict[str, list[Any]] = {name: [] for name in Votes.__slots__}
    for chunk in chunks:
        part = _collect_chunk(chunk, score_columns, coding)
        for name, pieces in parts.items():
            pieces.append(getattr(part, name))
    if not parts["source"]:
        raise InputError("preferences: expected at least one vote, got none")
    # Column by column, each one's pieces let go, so that a file is never held twice.
    source = [s for piece in parts.pop("source") for s in piece]
    joined = {name: np.concatenate(parts.pop(name)) for name in list(parts)}
    return Votes(source=source, **joined)


def _collect_chunk(
    chunk: Preferences, score_columns: Sequence[tuple[str, str]], coding: _Coding
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
    recorded = np.empty((len(chunk), len(score_columns), 2))
    for k, columns in enumerate(score_columns):
        recorded[:, k, :] = np.column_stack([_numbers(chunk, c) for c in columns])
    recorded[swapped] = recorded[swapped][:, :, ::-1]
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
        source=chunk.source,
        line=chunk.line,
        recorded=recorded,
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
    """Votes with these rewards; a vote with a side that has none (NaN) is left out and counted.

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
        source=[votes.source[i] for i in keep],
        line=votes.line[keep],
        n_no_reward=int(len(votes) - len(keep)),
    )
