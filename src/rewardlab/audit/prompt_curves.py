"""Each prompt's own best-of-n curve from recorded samples: what is averaged and resampled.

Gold may be known for every sample, or only for samples chosen with recorded probabilities
(``choosing``); then ``known_gold`` expands it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.knots import knots
from rewardlab.audit.known_gold import check_gold, known_gold
from rewardlab.audit.labelling import Labelling, labelling
from rewardlab.audit.sample_groups import (
    Grouping,
    ShortPrompts,
    checked_proxy,
    count_tied,
    group_by_prompt,
)
from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import Ties, expected_best, log_spaced_n, sort_by_proxy
from rewardlab.types import FloatArray, IntArray, ScoredSamples


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
        proxy_varies: False if every prompt gives all its samples the same proxy.
        gold_varies: False if every prompt gives all its samples the same gold, as far as known.
        labelling: What labels weigh where only chosen samples have one; else None.
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
    proxy_varies: bool
    gold_varies: bool
    labelling: Labelling | None = None

    def __len__(self) -> int:
        return len(self.prompt_id)

    @property
    def can_change(self) -> bool:
        """False if picking by proxy cannot change gold: the curve is level but for rounding."""
        return self.gold_varies and self.proxy_varies


def prompt_curves(
    samples: ScoredSamples,
    proxy: str,
    *,
    n_max: int | None = None,
    short_prompts: ShortPrompts = "error",
    ties: Ties = "average",
    grouping: Grouping | None = None,
) -> PromptCurves:
    """Best-of-n expectations of proxy and gold for each prompt, over a grid of n.

    Args:
        samples: Recorded samples; gold NaN only where it was not asked for (probability < 1).
        proxy: Name of the proxy that picks.
        n_max: Largest n; by default the smallest number of samples that a prompt has.
        short_prompts: "error" refuses prompts with fewer than ``n_max`` samples; "drop" leaves
            them out and counts them.
        ties: Which of samples with the same proxy is picked.
        grouping: What ``group_by_prompt`` gives for samples of the same prompts and these options,
            where it is known already, as for further proxies.

    Raises:
        InputError: The proxy is unknown or not finite; gold is missing; there are fewer than two
            prompts; or prompts have a single sample, or fewer than ``n_max``.
    """
    reward = checked_proxy(samples, proxy)
    check_gold(samples)
    if grouping is None:
        grouping = group_by_prompt(samples, n_max=n_max, short_prompts=short_prompts)
    n = log_spaced_n(int(n_max or grouping.counts.min()))
    # The points after those of the grid give the gain of exactly one more sample.
    dense = np.union1d(n, np.minimum(n + 1, n[-1]))
    used = grouping.rows
    if np.isnan(samples.gold[used]).all():
        raise InputError(
            f"{samples.source}: all gold is of prompts that are left out for having too few "
            "samples; lower --n-max, or label samples of the others"
        )
    gold = known_gold(samples.gold[used], samples.probability[used])
    values = np.full(len(samples), np.nan)
    values[used] = gold.expanded
    proxy_curves = np.empty((len(grouping.names), len(dense)))
    gold_curves = np.empty_like(proxy_curves)
    n_tied, proxy_varies = 0, False
    for prompts, rows in grouping.matrices():
        ordered, sorted_values = sort_by_proxy(reward.take(rows), values.take(rows), ties=ties)
        proxy_curves[prompts] = expected_best(ordered, dense)
        gold_curves[prompts] = expected_best(sorted_values, dense)
        n_tied += count_tied(ordered)
        proxy_varies = proxy_varies or bool(np.any(ordered[:, -1] > ordered[:, 0]))
    at_grid = np.searchsorted(dense, n)
    one_apart = np.flatnonzero(np.diff(dense) == 1)
    low = dense[one_apart]
    marginal = gold_curves[:, one_apart + 1] - gold_curves[:, one_apart]
    return PromptCurves(
        proxy_name=proxy,
        prompt_id=grouping.names,
        n=n,
        proxy=proxy_curves[:, at_grid],
        gold=gold_curves[:, at_grid],
        marginal_n=np.sqrt(low * (low + 1.0)),
        marginal=marginal / np.log1p(1 / low),
        n_samples=len(used),
        samples_per_prompt=(int(grouping.counts.min()), int(grouping.counts.max())),
        n_dropped_prompts=grouping.n_dropped,
        n_labelled=int(gold.known.sum()),
        tied_share=n_tied / len(used),
        gold_sd=gold.spread,
        proxy_varies=proxy_varies,
        gold_varies=gold.varies
        and any(_gold_varies(samples.gold.take(rows)) for _, rows in grouping.matrices()),
        labelling=None
        if gold.known.all()
        else labelling(
            reward,
            samples.gold,
            samples.probability,
            grouping,
            n[knots(n)],
            mean=gold.mean,
            ties=ties,
        ),
    )


def _gold_varies(gold: FloatArray) -> bool:
    """True if some prompt has two known golds that differ, or too few known to tell."""
    known = ~np.isnan(gold)
    if known.all():
        return bool(np.any(gold[:, 1:] != gold[:, :-1]))
    if np.any(known.sum(axis=1) < 2):
        return True
    return bool(np.any(np.nanmax(gold, axis=1) > np.nanmin(gold, axis=1)))
