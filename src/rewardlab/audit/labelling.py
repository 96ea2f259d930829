"""How much of a curve's uncertainty comes from labels, and how many more would settle a question.

Where gold is known for chosen samples only, the standard error of a change of gold has two parts:
prompts differ, and each label stands for others like it. The second part goes away with labels;
the first is left when every sample of the pool has one. With y the weight of a sample in the
change times its gold's distance from the mean, the second part is

    sum over prompts of m / (m - 1) times sum over its m labels of (1 - p) (y / p - A)^2,

A being the mean of its y / p with weights 1 - p: labels are spread evenly over prompts, so that
only their place within a prompt is left to chance. A prompt's single label has A = 0, as if
samples were asked for independently. While this is most of the variance, the first part
cannot be had by subtraction: that is mostly noise. It is then the variance of a prompt's own sum
of y if all that a prompt's samples share is their level, which is no part of a change.

Source: Deville (1999), *Survey Methodology* 25, 193-203, for samples of a fixed size with unequal
probabilities; for single labels Särndal, Swensson and Wretman (1992), *Model Assisted Survey
Sampling*, section 3.5 (Poisson sampling).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.sample_groups import Grouping
from rewardlab.policies.best_of_n import Ties, average_ties, order_weights, sort_by_proxy
from rewardlab.types import FloatArray, IntArray

_FEWEST_PROMPTS_TO_SHARE = 20
"""Fewer prompts with two labels or more do not tell what a prompt's samples share."""


@dataclass(frozen=True, slots=True)
class Labelling:
    """Labels that stand for others like them.

    Attributes:
        n: Shape [j], int64; the n of ``weight``.
        weight: Shape [l, j]; what each labelled sample weighs in its prompt's gold at each n.
        distance: Shape [l]; gold minus mean gold.
        prompt: Shape [l], int64; which prompt the sample is of.
        probability: Shape [l], in (0, 1]; with which the sample was asked for.
        shared: Share of the variance of gold that samples of one prompt have in common, in [0, 1];
            None where too few prompts have two labels to tell.
        unlabelled: Samples without gold.
        unlabelled_mass: Sum of the probabilities of these.
        n_prompts: Prompts of the curve.
    """

    n: IntArray
    weight: FloatArray
    distance: FloatArray
    prompt: IntArray
    probability: FloatArray
    shared: float | None
    unlabelled: int
    unlabelled_mass: float
    n_prompts: int

    def variance(self, n_from: int, n_to: int) -> float:
        """The part of a change's variance that is owed to labels."""
        p = self.probability
        return float(np.sum((1 - p) * self._around_prompt(n_from, n_to)))

    def variance_with_more(self, n_more: int, n_from: int, n_to: int) -> float:
        """The same, once ``n_more`` of the samples without gold are chosen and labelled too.

        Labels that there are then stand for themselves alone, and those added, chosen as before
        among the rest, stand for the rest. This is on the safe side while most prompts
        have a single label, which does not tell what spreading labels over prompts will save.
        """
        p = self.probability
        later = np.minimum(1.0, n_more / self.unlabelled_mass * p)
        # Each label stands for (1 - p) / p samples without one.
        spread = p * (1 - p) * self._around_prompt(n_from, n_to)
        return float(np.sum(spread * (1 - later) / later))

    def variance_with_all(self, n_from: int, n_to: int, variance: float) -> float | None:
        """The variance of a change that is left if every sample is labelled.

        None where labels owe most of the variance and too few prompts have two of them to tell.

        Args:
            n_from: Where the change starts.
            n_to: Where it ends.
            variance: Its variance now.
        """
        owed = self.variance(n_from, n_to)
        if owed <= variance / 2:
            return variance - owed
        if self.shared is None:
            return None
        single = float(np.sum(self._in_change(n_from, n_to) ** 2 / self.probability))
        return (1 - self.shared) * single

    def more_labels(self, target: float, n_from: int, n_to: int) -> int | None:
        """The fewest further labels with which the variance owed to labels is at most ``target``.

        None where the target is not above 0: even all labels are then too few.
        """
        if not target > 0:
            return None
        low, high = 0, self.unlabelled
        while high - low > 1:
            middle = (low + high) // 2
            enough = self.variance_with_more(middle, n_from, n_to) <= target
            low, high = (low, middle) if enough else (middle, high)
        return high

    def _in_change(self, n_from: int, n_to: int) -> FloatArray:
        """Shape [l]; y."""
        start, end = np.searchsorted(self.n, [n_from, n_to])
        change = (self.weight[:, end] - self.weight[:, start]) / self.n_prompts
        return np.asarray(change * self.distance)

    def _around_prompt(self, n_from: int, n_to: int) -> FloatArray:
        """Shape [l]; squares of y / p around their mean in the prompt, m / (m - 1) times."""
        expanded = self._in_change(n_from, n_to) / self.probability
        chance = 1 - self.probability
        n, total, weighted = (
            np.bincount(self.prompt, weights=x) for x in (chance > 0, chance, chance * expanded)
        )
        several = n >= 2
        mean = np.divide(weighted, total, out=np.zeros_like(total), where=several)
        factor = np.divide(n, n - 1, out=np.ones_like(n), where=several)
        return np.asarray(factor[self.prompt] * (expanded - mean[self.prompt]) ** 2)


def labelling(
    reward: FloatArray,
    gold: FloatArray,
    probability: FloatArray,
    grouping: Grouping,
    n: IntArray,
    *,
    mean: float,
    ties: Ties,
) -> Labelling | None:
    """What the labels of a choice weigh, or None where every gold is known.

    Args:
        reward: Shape [n]; the proxy.
        gold: Shape [n]; NaN where not labelled.
        probability: Shape [n], in (0, 1]; of being asked for.
        grouping: The samples in use, by prompt.
        n: Shape [j], int64; the n between which changes will be looked at.
        mean: Mean gold.
        ties: Which of samples with the same proxy is picked.
    """
    used = grouping.rows
    missing = np.isnan(gold[used])
    if not missing.any():
        return None
    kept = used[~missing]
    distance = gold[kept] - mean
    prompt = np.repeat(np.arange(len(grouping.counts)), grouping.counts)[~missing]
    return Labelling(
        n=n,
        weight=_weights(reward, kept, grouping, n, ties),
        distance=distance,
        prompt=prompt,
        probability=probability[kept],
        shared=_shared(distance, prompt),
        unlabelled=int(missing.sum()),
        unlabelled_mass=float(probability[used][missing].sum()),
        n_prompts=len(grouping.names),
    )


def _shared(distance: FloatArray, prompt: IntArray) -> float | None:
    """Mean product of two labels of a prompt over the mean square, prompts with several alone."""
    n = np.bincount(prompt)
    sums, squares = (np.bincount(prompt, weights=x) for x in (distance, distance**2))
    several = n >= 2
    if several.sum() < _FEWEST_PROMPTS_TO_SHARE or not squares[several].any():
        return None
    products = (sums[several] ** 2 - squares[several]) / (n[several] - 1)
    return float(np.clip(products.sum() / squares[several].sum(), 0.0, 1.0))


def _weights(
    reward: FloatArray, kept: IntArray, grouping: Grouping, n: IntArray, ties: Ties
) -> FloatArray:
    """Shape [len(kept), j]; weights of the samples in the rows ``kept``."""
    position = np.full(len(reward), -1)
    position[kept] = np.arange(len(kept))
    weight = np.empty((len(kept), len(n)))
    for _, rows in grouping.matrices():
        order = "last" if ties == "average" else ties
        ordered, sorted_rows = sort_by_proxy(reward[rows], rows.astype(np.float64), ties=order)
        at = position[sorted_rows.astype(np.int64)]
        for j, by_rank in enumerate(order_weights(rows.shape[1], n)):
            each = np.broadcast_to(by_rank, rows.shape)
            if ties == "average":
                each = average_ties(ordered, each)
            weight[at[at >= 0], j] = each[at >= 0]
    return weight
