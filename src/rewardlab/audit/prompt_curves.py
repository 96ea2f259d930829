"""Each prompt's own best-of-n curve from recorded samples: what is averaged and resampled.

Gold may be known for every sample, or asked for with recorded probabilities (``choosing``). In
the second case a labelled sample stands for 1/probability samples like it (Horvitz-Thompson),
around a common centre so that the level of gold adds no noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import expected_best, log_spaced_n, sort_by_proxy
from rewardlab.stats.intervals import cluster_codes
from rewardlab.types import BoolArray, FloatArray, IntArray, ScoredSamples

ShortPrompts = Literal["error", "drop"]
"""What to do with prompts that have fewer samples than the largest n asked for."""


@dataclass(frozen=True, slots=True)
class PromptCurves:
    """Unbiased best-of-n expectations, prompt by prompt.

    Attributes:
        proxy_name: The proxy that picks.
        prompt_id: Length P.
        n: Shape [k], int64, increasing from 1.
        proxy: Shape [P, k]; expected proxy of the best of n.
        gold: Shape [P, k]; expected gold of the best of n.
        marginal_n: Shape [j]; n (geometric middle of n and n + 1) of each marginal gain.
        marginal: Shape [P, j]; gain in gold from n to n + 1, per unit of log n.
        n_samples: Samples used.
        samples_per_prompt: Smallest and largest count over the prompts used.
        n_dropped_prompts: Prompts left out because they have fewer than max(n) samples.
        n_labelled: Samples whose gold is known.
        tied_share: Share of samples whose proxy equals another's of the same prompt.
        gold_sd: Standard deviation of one sample's gold around its overall mean.
        gold_varies: False if every prompt gives all its samples the same gold.
    """

    proxy_name: str
    prompt_id: tuple[str, ...]
    n: IntArray
    proxy: FloatArray
    gold: FloatArray
    marginal_n: FloatArray
    marginal: FloatArray
    n_samples: int
    samples_per_prompt: tuple[int, int]
    n_dropped_prompts: int
    n_labelled: int
    tied_share: float
    gold_sd: float
    gold_varies: bool

    def __len__(self) -> int:
        return len(self.prompt_id)


@dataclass(frozen=True, slots=True)
class _Grouping:
    """Rows of samples by prompt: ``rows[starts[p] : starts[p] + counts[p]]`` are prompt p's."""

    names: tuple[str, ...]
    rows: IntArray
    starts: IntArray
    counts: IntArray

    def matrices(self) -> list[tuple[IntArray, IntArray]]:
        """For each distinct count m: the prompts [Q] that have it, and their rows [Q, m]."""
        found = []
        for m in np.unique(self.counts):
            prompts = np.flatnonzero(self.counts == m)
            found.append((prompts, self.rows[self.starts[prompts][:, None] + np.arange(m)]))
        return found


def prompt_curves(
    samples: ScoredSamples,
    proxy: str,
    *,
    n_max: int | None = None,
    short_prompts: ShortPrompts = "error",
) -> PromptCurves:
    """Best-of-n expectations of proxy and gold for each prompt, over a grid of n.

    Args:
        samples: Recorded samples; gold NaN only where it was not asked for (probability < 1).
        proxy: Name of the proxy that picks.
        n_max: Largest n; by default the smallest number of samples that a prompt has.
        short_prompts: "error" refuses prompts with fewer than ``n_max`` samples; "drop" leaves
            them out and counts them.

    Raises:
        InputError: The proxy is unknown or not finite; gold is missing; there are fewer than two
            prompts; or prompts have a single sample, or fewer than ``n_max``.
    """
    reward = _checked_proxy(samples, proxy)
    _check_gold(samples)
    grouping, n_dropped = _group(samples, n_max, short_prompts)
    n = log_spaced_n(int(n_max or grouping.counts.min()))
    used = grouping.rows
    centre, spread = _weighted_mean_sd(samples.gold[used], samples.probability[used])
    known = ~np.isnan(samples.gold)
    expanded = np.full(len(samples), centre)
    expanded[known] += (samples.gold[known] - centre) / samples.probability[known]
    # The points after those of the grid give the gain of exactly one more sample.
    dense = np.union1d(n, np.minimum(n + 1, n[-1]))
    proxy_curves = np.empty((len(grouping.names), len(dense)))
    gold_curves = np.empty_like(proxy_curves)
    n_tied, varies = 0, False
    for prompts, rows in grouping.matrices():
        ordered, gold = sort_by_proxy(reward[rows], expanded[rows])
        proxy_curves[prompts] = expected_best(ordered, dense)
        gold_curves[prompts] = expected_best(gold, dense)
        n_tied += _count_tied(ordered)
        varies = varies or _gold_varies(samples.gold[rows])
    at_grid = np.searchsorted(dense, n)
    one_apart = np.flatnonzero(np.diff(dense) == 1)
    low = dense[one_apart]
    log_step = np.log1p(1 / low)
    return PromptCurves(
        proxy_name=proxy,
        prompt_id=grouping.names,
        n=n,
        proxy=proxy_curves[:, at_grid],
        gold=gold_curves[:, at_grid],
        marginal_n=np.sqrt(low * (low + 1.0)),
        marginal=(gold_curves[:, one_apart + 1] - gold_curves[:, one_apart]) / log_step,
        n_samples=len(used),
        samples_per_prompt=(int(grouping.counts.min()), int(grouping.counts.max())),
        n_dropped_prompts=n_dropped,
        n_labelled=int(known[used].sum()),
        tied_share=n_tied / len(used),
        gold_sd=spread,
        gold_varies=varies,
    )


def group_by_prompt(samples: ScoredSamples) -> list[tuple[IntArray, IntArray]]:
    """For each distinct number m of samples a prompt: prompts [Q] and their rows [Q, m]."""
    return _grouped(samples).matrices()


def _grouped(samples: ScoredSamples) -> _Grouping:
    codes, n_prompts = cluster_codes(samples.prompt_id)
    counts = np.bincount(codes, minlength=n_prompts).astype(np.int64)
    rows = np.argsort(codes, kind="stable").astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    return _Grouping(tuple(dict.fromkeys(samples.prompt_id)), rows, starts, counts)


def _group(
    samples: ScoredSamples, n_max: int | None, short_prompts: ShortPrompts
) -> tuple[_Grouping, int]:
    grouping = _grouped(samples)
    needed = 2 if n_max is None else n_max
    if needed < 2:
        raise InputError(f"n_max: expected at least 2, got {n_max}")
    short = grouping.counts < needed
    n_short = int(short.sum())
    if n_short and short_prompts == "error":
        first = grouping.names[int(np.flatnonzero(short)[0])]
        raise InputError(
            f"{samples.source}: {n_short} of {len(short)} prompts have fewer than {needed} "
            f"samples (the first: prompt {first!r}); draw more samples for them, ask for a "
            "smaller n, or leave these prompts out with --short-prompts drop"
        )
    if n_short:
        grouping = _keep(grouping, ~short)
    if len(grouping.names) < 2:
        raise InputError(
            f"{samples.source}: a curve needs at least 2 prompts with {needed} or more samples, "
            f"got {len(grouping.names)}; record samples of more prompts"
        )
    return grouping, n_short


def _keep(grouping: _Grouping, kept: BoolArray) -> _Grouping:
    counts = grouping.counts[kept]
    rows = grouping.rows[np.repeat(kept, grouping.counts)]
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    names = tuple(name for name, keep in zip(grouping.names, kept, strict=True) if keep)
    return _Grouping(names, rows, starts, counts)


def _checked_proxy(samples: ScoredSamples, proxy: str) -> FloatArray:
    if proxy not in samples.proxy:
        known = ", ".join(samples.proxy)
        raise InputError(f"proxy: expected one of {known}, got {proxy!r}")
    reward = samples.proxy[proxy]
    wrong = np.flatnonzero(~np.isfinite(reward))
    if len(wrong):
        raise InputError(
            f"{samples.source}, line {samples.line[wrong[0]]}: proxy {proxy!r} is not a finite "
            f"number in {len(wrong)} of {len(reward)} samples"
        )
    return reward


def _check_gold(samples: ScoredSamples) -> None:
    """Refuse gold that is missing although it was asked for."""
    missing = np.isnan(samples.gold)
    asked_for = samples.probability >= 1.0
    if missing.all():
        raise InputError(
            f"{samples.source}: no sample has gold; name the gold column, or choose which samples "
            "to label with --choose K"
        )
    lost = np.flatnonzero(missing & asked_for)
    if len(lost):
        raise InputError(
            f"{samples.source}, line {samples.line[lost[0]]}: gold is missing there and in "
            f"{len(lost) - 1} other samples; fill it in, or use only the samples that have it "
            "with --missing-gold restrict"
        )
    if not asked_for.all():
        asked, known = float(samples.probability.sum()), int((~missing).sum())
        if abs(asked - known) > 0.9999:
            raise InputError(
                f"{samples.source}: the probabilities add up to {asked:.1f} labels, but {known} "
                "samples have gold; label all that were chosen and only those, and keep the rows "
                "that were not"
            )


def _weighted_mean_sd(gold: FloatArray, probability: FloatArray) -> tuple[float, float]:
    """Mean and standard deviation of gold, each known sample standing for 1/probability."""
    known = ~np.isnan(gold)
    weight = 1 / probability[known]
    mean = float(np.average(gold[known], weights=weight))
    return mean, float(np.sqrt(np.average((gold[known] - mean) ** 2, weights=weight)))


def _count_tied(ordered: FloatArray) -> int:
    same = ordered[:, 1:] == ordered[:, :-1]
    tied = np.zeros(ordered.shape, dtype=bool)
    tied[:, 1:] |= same
    tied[:, :-1] |= same
    return int(tied.sum())


def _gold_varies(gold: FloatArray) -> bool:
    """True if some prompt has two known golds that differ, or too few known to tell."""
    n_known = (~np.isnan(gold)).sum(axis=1)
    if np.any(n_known < 2):
        return True
    return bool(np.any(np.nanmax(gold, axis=1) > np.nanmin(gold, axis=1)))
