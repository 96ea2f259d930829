"""How well rankings of k responses tell their rewards, by the full ranking or by its pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.rewards.losses import all_pairs, plackett_luce
from rewardlab.types import FloatArray, IntArray

MOST_RESPONSES = 7
"""Every ranking is visited; 7 responses have 5,040."""


@dataclass(frozen=True, slots=True)
class RankingErrors:
    """Covariance of the estimated rewards from one ranking; from n rankings, an n-th of it.

    Attributes:
        full: Shape [k, k]; maximum likelihood of the full ranking (Plackett-Luce).
        pairs: Shape [k, k]; the mean loss over all pairs, each ranking being one observation.
        naive: Shape [k, k]; what the pairs claim if each is taken for an observation of its own.
    """

    full: FloatArray
    pairs: FloatArray
    naive: FloatArray

    @property
    def rankings_needed(self) -> float:
        """How many times as many rankings the pairs need for the same mean square error."""
        return float(np.trace(self.pairs) / np.trace(self.full))

    @property
    def overstated(self) -> float:
        """True over claimed standard error where pairs are taken for independent."""
        return float(np.sqrt(np.trace(self.pairs) / np.trace(self.naive)))


def ranking_errors(rewards: FloatArray) -> RankingErrors:
    """Exact large-sample errors, by going through every ranking of k responses.

    Args:
        rewards: Shape [k], logits, 2 <= k <= 7; rankings follow Plackett-Luce.

    Raises:
        InputError: There are too few or too many responses.

    Source: Zhu, Jordan and Jiao (2023), arXiv:2301.11270, for both estimators being consistent and
    the full likelihood efficient; the errors of the pairs are the usual sandwich H^-1 V H^-1.
    """
    k = len(rewards)
    if rewards.ndim != 1 or not 2 <= k <= MOST_RESPONSES:
        raise InputError(f"rewards: expected 2 to {MOST_RESPONSES}, got shape {rewards.shape}")
    orders = np.array(list(permutations(range(k))))
    ranked = rewards[orders]
    full, pairs = plackett_luce(ranked), all_pairs(ranked)
    chance = np.exp(-full.loss)
    information = _second_moment(full.gradient, orders, chance)
    scores = _second_moment(pairs.gradient, orders, chance)
    hessian = _pair_hessian(rewards)
    inverse = _inverse(hessian)
    return RankingErrors(
        full=_inverse(information),
        pairs=np.asarray(inverse @ scores @ inverse),
        naive=np.asarray(inverse / (k * (k - 1) / 2)),
    )


def _inverse(information: FloatArray) -> FloatArray:
    """Inverse on the vectors that sum to zero; a constant on all rewards is not identified."""
    return np.asarray(np.linalg.pinv(information, rcond=1e-10, hermitian=True))


def _second_moment(gradient: FloatArray, orders: IntArray, chance: FloatArray) -> FloatArray:
    """Shape [k, k]; mean of g g' with each ranking's gradient put back in the items' order."""
    of_item = np.take_along_axis(gradient, np.argsort(orders, axis=1), axis=1)
    return np.asarray((of_item * chance[:, None]).T @ of_item)


def _pair_hessian(rewards: FloatArray) -> FloatArray:
    """Of the mean loss over pairs; the same for every ranking."""
    gap = rewards[:, None] - rewards
    p = special.expit(gap)
    off = -p * (1 - p)
    np.fill_diagonal(off, 0.0)
    k = len(rewards)
    return np.asarray((off - np.diag(off.sum(axis=1))) / (k * (k - 1) / 2))
