"""Which samples to label when there is no gold: those that bear most on the curve.

The gain of best-of-n over one sample weighs a prompt's i-th sample by w_i(n) - 1/m, so a label
matters by the root mean square of these weights over n. Exactly K samples are drawn with
probabilities proportional to that (plus a floor, so that every sample can be asked for), and the
probabilities are recorded: with them the curve is estimated without bias.

Where some samples have labels already, K more are drawn among the others. Given the first labels,
whichever they are, these then stand for themselves alone (probability 1), and the estimate stays
without bias.

Source: Madow (1949) for systematic sampling with unequal probabilities; Horvitz and Thompson
(1952) for the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.knots import knots
from rewardlab.audit.sample_groups import (
    Grouping,
    ShortPrompts,
    checked_proxy,
    group_by_prompt,
)
from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import average_ties, log_spaced_n, order_weights
from rewardlab.types import BoolArray, FloatArray, IntArray, ScoredSamples

_FLOOR_SHARE = 0.1
"""Each sample's size is at least this share of the mean size."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Samples to label, and with what probability each sample of the pool was asked for.

    Attributes:
        proxy_name: The proxy whose curve the labels should teach about.
        asked: Shape [n]; True for the K samples to label.
        probability: Shape [n], in (0, 1]; for every sample of the pool; 1 for those labelled.
        n_max: Largest n that the labels are for.
        n_asked: K.
        n_prompts: Prompts of the pool.
        n_prompts_asked: Prompts with at least one sample to label.
        n_dropped_prompts: Prompts left out because they have too few samples; theirs are not
            asked for, and their probability is NaN.
    """

    proxy_name: str
    asked: BoolArray
    probability: FloatArray
    n_max: int
    n_asked: int
    n_prompts: int
    n_prompts_asked: int
    n_dropped_prompts: int


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """One sample to label.

    Attributes:
        prompt_id: Its prompt.
        sample: Its name within the prompt.
        line: 1-based line in the pool's file.
        proxy: Its proxy reward.
        probability: With what probability it was asked for.
    """

    prompt_id: str
    sample: str
    line: int
    proxy: float
    probability: float


def choose(
    samples: ScoredSamples,
    proxy: str,
    k: int,
    *,
    labelled: BoolArray | None = None,
    n_max: int | None = None,
    short_prompts: ShortPrompts = "error",
    rng: np.random.Generator,
) -> Chosen:
    """The K samples whose gold would teach most about the curve; gold itself is not needed.

    Args:
        samples: The pool; its gold is ignored.
        proxy: The proxy whose curve is wanted.
        k: How many labels can be had, 2 to the number of samples without one.
        labelled: Shape [n]; True for samples that have a label already; by default none has.
        n_max: Largest n of interest; by default the smallest number of samples that a prompt has.
        short_prompts: "error" refuses prompts with fewer than ``n_max`` samples; "drop" leaves
            them out and counts them.
        rng: Source of randomness.

    Raises:
        InputError: ``k`` is out of range, or see ``prompt_curves``.
    """
    reward = checked_proxy(samples, proxy)
    grouping = group_by_prompt(samples, n_max=n_max, short_prompts=short_prompts)
    pool = grouping.rows if labelled is None else grouping.rows[~labelled[grouping.rows]]
    if not 2 <= k <= len(pool):
        raise InputError(f"k: expected 2 to {len(pool):,}, the samples to choose from, got {k:,}")
    last = int(n_max or grouping.counts.min())
    size = sample_sizes(reward, grouping, last)
    probability = np.full(len(samples), np.nan)
    probability[grouping.rows] = 1.0
    probability[pool] = _inclusion(size[pool], k)
    order = _random_order(grouping, rng)
    order = order if labelled is None else order[~labelled[order]]
    asked = np.zeros(len(samples), dtype=bool)
    asked[order[_systematic(probability[order], k, rng)]] = True
    prompts_asked = {samples.prompt_id[i] for i in np.flatnonzero(asked)}
    return Chosen(
        proxy_name=proxy,
        asked=asked,
        probability=probability,
        n_max=last,
        n_asked=int(asked.sum()),
        n_prompts=len(grouping.names),
        n_prompts_asked=len(prompts_asked),
        n_dropped_prompts=grouping.n_dropped,
    )


def chosen_rows(samples: ScoredSamples, chosen: Chosen) -> tuple[ChosenRow, ...]:
    """The samples to label, in the order of the file."""
    reward = samples.proxy[chosen.proxy_name]
    return tuple(
        ChosenRow(
            samples.prompt_id[i],
            samples.sample[i],
            int(samples.line[i]),
            float(reward[i]),
            float(chosen.probability[i]),
        )
        for i in np.flatnonzero(chosen.asked)
    )


def sample_sizes(reward: FloatArray, grouping: Grouping, n_max: int) -> FloatArray:
    """Shape [n]; root mean square over n of what each sample's gold weighs in the gain.

    The n are about two an octave, so that small and large n count alike. NaN outside the grouping.
    """
    grid = log_spaced_n(n_max)
    n = grid[knots(grid)][1:]
    size = np.full(len(reward), np.nan)
    for _, rows in grouping.matrices():
        m = rows.shape[1]
        by_rank = np.sqrt(np.mean((order_weights(m, n) - 1 / m) ** 2, axis=0))
        proxy = reward[rows]
        order = np.argsort(proxy, axis=1)
        ordered = np.take_along_axis(proxy, order, axis=1)
        shared = average_ties(ordered, np.broadcast_to(by_rank, proxy.shape))
        size[np.take_along_axis(rows, order, axis=1)] = shared
    return size + _FLOOR_SHARE * float(np.nanmean(size))


def _inclusion(size: FloatArray, k: int) -> FloatArray:
    """Probabilities proportional to size, capped at 1, that add up to k."""
    probability = np.zeros(len(size))
    certain = np.zeros(len(size), dtype=bool)
    while True:
        left = k - int(certain.sum())
        probability[certain] = 1.0
        free = ~certain
        if left == 0 or not free.any():
            return probability
        probability[free] = left * size[free] / size[free].sum()
        too_big = free & (probability >= 1.0)
        if not too_big.any():
            return probability
        certain |= too_big


def _random_order(grouping: Grouping, rng: np.random.Generator) -> IntArray:
    """Rows prompt by prompt, both in random order.

    Keeping a prompt's samples together spreads the labels evenly over prompts; shuffling them
    within it keeps systematic steps from hitting the same rank in every prompt.
    """
    prompt = np.repeat(rng.permutation(len(grouping.counts)), grouping.counts)
    return grouping.rows[np.lexsort((rng.random(len(grouping.rows)), prompt))]


def _systematic(probability: FloatArray, k: int, rng: np.random.Generator) -> IntArray:
    """Positions hit by k equal steps through the cumulated probabilities from a random start."""
    edges = np.cumsum(probability)
    edges *= k / edges[-1]
    hits = rng.random() + np.arange(k)
    return np.searchsorted(edges, hits, side="right")
