"""Votes with the rewards of both sides: the arrays that every part of the audit reads."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class ScoredVotes:
    """Votes on pairs, with the reward of each side. No texts: those are read again where shown.

    Which response is "a" is settled by the responses themselves, not by the file, so that all votes
    on a pair point the same way and a file that lists winners first shows no artefact.

    Attributes:
        reward_a: Shape [n], finite; higher is better.
        reward_b: Shape [n], finite.
        label: Shape [n], probability in [0, 1] that a is better; .5 is no decision.
        margin: Shape [n], the file's own strength of preference; NaN where absent.
        prompt: Shape [n], int64 codes; what is resampled together.
        pair: Shape [n], int64 codes; votes on the same two responses share a code.
        annotator: Shape [n], int64 codes; -1 where unknown.
        n_words_a: Shape [n], words in response a.
        n_words_b: Shape [n].
        feature_gap: Shape [n, d], features of a minus features of b, in each feature's own unit.
        feature_names: Length d.
        feature_scale: Shape [d], standard deviation of each feature over responses, > 0.
        swapped: Shape [n]; True where "a" here is "b" in the file.
        row: Shape [n], int64; which vote it is in a pass over the file, from 0.
        source: Length n, file of each row.
        line: Shape [n], int64, 1-based line in ``source``.
    """

    reward_a: FloatArray
    reward_b: FloatArray
    label: FloatArray
    margin: FloatArray
    prompt: IntArray
    pair: IntArray
    annotator: IntArray
    n_words_a: FloatArray
    n_words_b: FloatArray
    feature_gap: FloatArray
    feature_names: tuple[str, ...]
    feature_scale: FloatArray
    swapped: BoolArray
    row: IntArray
    source: list[str]
    line: IntArray

    def __post_init__(self) -> None:
        n = len(self.label)
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name in ("feature_names", "feature_scale") or not hasattr(value, "__len__"):
                continue
            if len(value) != n:
                raise InputError(f"ScoredVotes.{f.name}: expected length {n}, got {len(value)}")
        if not (np.all(np.isfinite(self.reward_a)) and np.all(np.isfinite(self.reward_b))):
            raise InputError("ScoredVotes: expected finite rewards; leave rows without one out")

    def __len__(self) -> int:
        return len(self.label)

    @property
    def reward_gap(self) -> FloatArray:
        """Shape [n]: reward of a minus reward of b."""
        return self.reward_a - self.reward_b

    @property
    def gap_spread(self) -> float:
        """Root mean square of the reward gaps, whatever their unit; 0 if all are 0."""
        largest = float(np.max(np.abs(self.reward_gap), initial=0.0))
        if largest == 0:
            return 0.0
        return largest * float(np.sqrt(np.mean((self.reward_gap / largest) ** 2)))

    @property
    def decided(self) -> BoolArray:
        """Shape [n]: True where the vote prefers a side."""
        decided: BoolArray = self.label != 0.5
        return decided

    @property
    def correct(self) -> FloatArray:
        """Shape [n]: 1 if the reward prefers the vote's side, 0 if the other, .5 if it ties.

        Meaningless where the vote is not decided.
        """
        side = np.sign(self.label - 0.5)
        return 0.5 + 0.5 * np.sign(self.reward_gap) * side

    def take(self, mask: BoolArray) -> ScoredVotes:
        """The votes where ``mask`` (shape [n]) holds."""
        n, picked = len(self), dict[str, Any]()
        idx = np.flatnonzero(mask)
        for f in fields(self):
            value: Any = getattr(self, f.name)
            if f.name in ("feature_names", "feature_scale"):
                continue
            if isinstance(value, np.ndarray) and len(value) == n:
                picked[f.name] = value[idx]
            elif isinstance(value, list):
                picked[f.name] = [value[i] for i in idx]
        return replace(self, **picked)

    def location(self, i: int) -> str:
        """Where vote ``i`` stands, as "FILE:LINE"."""
        return f"{self.source[i]}:{self.line[i]}"
