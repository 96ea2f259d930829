"""A check that looks at one row at a time: flag the rows, count them, word the finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rewardlab.preferences.doctor.tally import NO_TEXTS, Tally, Wording, cannot_say, counted
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import ChunkView
from rewardlab.types import BoolArray, Finding


@dataclass(frozen=True, slots=True)
class Flags:
    """What one check flagged in a chunk.

    Attributes:
        rows: Shape [n]; the rows that count.
        parts: Name -> shape [n]; what they are made of, or further facts, each counted apart.
    """

    rows: BoolArray
    parts: Mapping[str, BoolArray] = field(default_factory=dict)


FlagFn = Callable[[ChunkView], tuple[Flags, ...]]
"""Flags of a chunk, one for each wording of the check."""


class RowCheck:
    """Counts what a ``FlagFn`` flags, chunk by chunk, over rows that hold texts."""

    def __init__(self, wordings: tuple[Wording, ...], flag: FlagFn, thresholds: Thresholds) -> None:
        self._wordings = wordings
        self._flag = flag
        self._thresholds = thresholds
        self._total = 0
        self._tallies = [Tally(thresholds.examples) for _ in wordings]
        self._parts: list[dict[str, Tally]] = [{} for _ in wordings]

    def see(self, chunk: ChunkView) -> None:
        """Count the rows of one chunk."""
        self._total += int(np.count_nonzero(chunk.has_texts))
        for i, flags in enumerate(self._flag(chunk)):
            self._tallies[i].add(flags.rows & chunk.has_texts, chunk)
            for name, mask in flags.parts.items():
                tally = self._parts[i].setdefault(name, Tally(0))
                tally.add(mask & chunk.has_texts, chunk)

    def findings(self) -> list[Finding]:
        """One finding for each wording."""
        return [self._finding(i, wording) for i, wording in enumerate(self._wordings)]

    def _finding(self, i: int, wording: Wording) -> Finding:
        if not self._total:
            title = f"{wording.found}: no row holds the texts of both responses"
            return cannot_say(wording.name, title, wording.meaning, NO_TEXTS)
        tally = self._tallies[i]
        return counted(
            wording,
            tally.count,
            self._total,
            self._thresholds,
            examples=tuple(tally.examples),
            details={**self._pairs(tally), **self._part_counts(i)},
        )

    def _part_counts(self, i: int) -> dict[str, Any]:
        counts: dict[str, Any] = {}
        for name, tally in self._parts[i].items():
            counts |= {name: tally.count, **self._pairs(tally, f"{name}_")}
        return counts

    @staticmethod
    def _pairs(tally: Tally, prefix: str = "") -> dict[str, int]:
        """The count of distinct pairs, where several votes on one pair make it differ."""
        n_pairs = tally.n_pairs
        return {f"{prefix}pairs": n_pairs} if n_pairs != tally.count else {}
