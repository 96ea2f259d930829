"""Samples gathered by prompt, and the checks that a choice among them needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.stats.intervals import name_codes
from rewardlab.types import BoolArray, FloatArray, IntArray, ScoredSamples

ShortPrompts = Literal["error", "drop"]
"""What to do with prompts that have fewer samples than the largest n asked for."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows of samples by prompt: ``rows[starts[p] : starts[p] + counts[p]]`` are prompt p's.

    Attributes:
        names: Length P; the prompts in order of appearance.
        rows: Shape [n], int64; rows of the samples, prompt by prompt.
        starts: Shape [P], int64.
        counts: Shape [P], int64; samples a prompt.
        n_dropped: Prompts left out because they have too few samples.
    """

    names: tuple[str, ...]
    rows: IntArray
    starts: IntArray
    counts: IntArray
    n_dropped: int = 0

    def matrices(self) -> list[tuple[IntArray, IntArray]]:
        """For each distinct count m: the prompts [Q] that have it, and their rows [Q, m]."""
        sizes = np.unique(self.counts)
        if len(sizes) == 1:
            return [(np.arange(len(self.counts)), self.rows.reshape(-1, int(sizes[0])))]
        found = []
        for m in sizes:
            prompts = np.flatnonzero(self.counts == m)
            found.append((prompts, self.rows[self.starts[prompts][:, None] + np.arange(m)]))
        return found


def group_by_prompt(
    samples: ScoredSamples, *, n_max: int | None, short_prompts: ShortPrompts = "error"
) -> Grouping:
    """Rows by prompt; prompts with fewer than ``n_max`` (or two) samples refused or left out.

    Raises:
        InputError: ``n_max`` is below 2; prompts have too few samples; or there are fewer than
            two prompts.
    """
    needed = 2 if n_max is None else n_max
    if needed < 2:
        raise InputError(f"n_max: expected at least 2, got {n_max}")
    codes, names = name_codes(samples.prompt_id)
    n_prompts = len(names)
    counts = np.bincount(codes, minlength=n_prompts).astype(np.int64)
    in_order = bool(np.all(codes[1:] >= codes[:-1]))
    rows = np.arange(len(codes)) if in_order else np.argsort(codes, kind="stable")
    grouping = Grouping(names, rows, _starts(counts), counts)
    short = counts < needed
    n_short = int(short.sum())
    if n_short and short_prompts == "error":
        first = grouping.names[int(np.flatnonzero(short)[0])]
        smaller = f"ask for n up to {counts.min()} with --n-max {counts.min()}, "
        raise InputError(
            f"{samples.source}: {n_short:,} of {n_prompts:,} prompts have fewer than {needed:,} "
            f"samples (the first: prompt {first!r}); draw more samples for them, "
            f"{smaller if counts.min() > 1 else ''}or leave these prompts out with "
            "--short-prompts drop"
        )
    grouping = _keep(grouping, ~short)
    if len(grouping.names) < 2:
        raise InputError(
            f"{samples.source}: a curve needs at least 2 prompts with {needed} or more samples, "
            f"got {len(grouping.names)}; record samples of more prompts"
        )
    return grouping


def checked_proxy(samples: ScoredSamples, proxy: str) -> FloatArray:
    """The proxy's values, shape [n].

    Raises:
        InputError: There is no such proxy, or a value is not finite.
    """
    if proxy not in samples.proxy:
        known = ", ".join(samples.proxy)
        raise InputError(f"proxy: expected one of {known}, got {proxy!r}")
    reward = samples.proxy[proxy]
    wrong = np.flatnonzero(~np.isfinite(reward))
    if len(wrong):
        raise InputError(
            f"{samples.source}, line {samples.line[wrong[0]]}: proxy {proxy!r} is not a finite "
            f"number in {len(wrong):,} of {len(reward):,} samples"
        )
    return reward


def count_tied(proxy: FloatArray) -> int:
    """Samples whose proxy equals another's of the same prompt.

    Args:
        proxy: Shape [P, m], ascending within each prompt.
    """
    same = proxy[:, 1:] == proxy[:, :-1]
    tied = np.zeros(proxy.shape, dtype=bool)
    tied[:, 1:] |= same
    tied[:, :-1] |= same
    return int(tied.sum())


def _starts(counts: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)


def _keep(grouping: Grouping, kept: BoolArray) -> Grouping:
    if kept.all():
        return grouping
    counts = grouping.counts[kept]
    rows = grouping.rows[np.repeat(kept, grouping.counts)]
    names = tuple(name for name, keep in zip(grouping.names, kept, strict=True) if keep)
    return Grouping(names, rows, _starts(counts), counts, int((~kept).sum()))
