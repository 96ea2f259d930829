"""Gold as far as it is known: checked, and expanded where only chosen samples were labelled.

A sample labelled with probability p stands for 1/p samples like it, around the mean of gold so
that its level adds no noise. Gold known throughout is left as it is.

Source: Horvitz and Thompson (1952), *JASA* 47, 663-685; centred as a difference estimator, Särndal,
Swensson and Wretman (1992), *Model Assisted Survey Sampling*, section 6.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import BoolArray, FloatArray, ScoredSamples


@dataclass(frozen=True, slots=True)
class KnownGold:
    """Gold of the samples in use.

    Attributes:
        expanded: Shape [n]; of expectation gold for every sample, known or not.
        known: Shape [n]; True where gold is given.
        varies: False if all known gold is the same.
        mean: Mean gold of a sample.
        spread: Standard deviation of one sample's gold.
    """

    expanded: FloatArray
    known: BoolArray
    varies: bool
    mean: float
    spread: float


def check_gold(samples: ScoredSamples) -> None:
    """Refuse gold that is missing although it was asked for.

    Raises:
        InputError: No gold at all; a sample without gold that was asked for with certainty; or
            fewer or more labels than the probabilities add up to.
    """
    missing = np.isnan(samples.gold)
    asked_for = samples.probability >= 1.0
    if missing.all():
        raise InputError(
            f"{samples.source}: no sample has gold; name the column that holds it with --gold, or "
            "choose which samples to label with --choose K"
        )
    lost = np.flatnonzero(missing & asked_for)
    if len(lost):
        raise InputError(
            f"{samples.source}, line {samples.line[lost[0]]}: gold is missing here "
            f"({len(lost):,} samples in all); fill it in, or use only the samples that have it "
            "with --missing-gold restrict"
        )
    asked, n_known = float(samples.probability.sum()), int((~missing).sum())
    if abs(asked - n_known) > 0.9999:
        raise InputError(
            f"{samples.source}: the probabilities add up to {asked:,.1f} labels, but {n_known:,} "
            "samples have gold; label all samples that were chosen and only those, and keep the "
            "rows of the others"
        )


def known_gold(gold: FloatArray, probability: FloatArray) -> KnownGold:
    """Gold expanded to every sample.

    Args:
        gold: Shape [n]; NaN where not labelled.
        probability: Shape [n], in (0, 1]; of being labelled.
    """
    known = ~np.isnan(gold)
    if known.all() and np.all(probability == 1.0):
        varies = bool(gold.max() > gold.min())
        return KnownGold(gold, known, varies, float(gold.mean()), float(gold.std()))
    weight = 1 / probability[known]
    varies = bool(gold[known].max() > gold[known].min())
    mean = float(np.average(gold[known], weights=weight))
    spread = float(np.sqrt(np.average((gold[known] - mean) ** 2, weights=weight)))
    expanded = np.full(len(gold), mean)
    expanded[known] += (gold[known] - mean) * weight
    return KnownGold(expanded, known, varies, mean, spread)
