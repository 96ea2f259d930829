"""First strengths from shares of wins alone, as if everybody met everybody."""

from __future__ import annotations

import numpy as np

from rewardlab.rewards.items.pair_counts import PairCounts
from rewardlab.types import FloatArray

N_OPPONENTS = 32
MAX_ROUNDS = 4
NEAR = 3e-3
LONGEST = 2.0


def strengths_of_shares(pairs: PairCounts) -> tuple[FloatArray, FloatArray]:
    """Strengths at which each item's share of wins is expected against the field.

    The field is a few quantiles of the strengths themselves, by votes. Where opponents were drawn
    at random, that is near the fit; anywhere else it is only where to begin.

    Args:
        pairs: Counted.

    Returns:
        Strengths, of shape [m], and the curvature of the loss by each alone.
    """
    votes = np.maximum(pairs.n_votes, 1.0)
    share = (pairs.wins + 0.25) / (votes + 0.5)  # never 0 or 1
    strength = np.log(share) - np.log1p(-share)
    for _ in range(MAX_ROUNDS):
        chance = _against_field(strength, votes)
        miss = chance.mean(0) - share
        if np.max(np.abs(miss)) <= NEAR:
            break
        slope = np.mean(chance * (1 - chance), axis=0)
        strength = strength - np.clip(miss / np.maximum(slope, 1e-3), -LONGEST, LONGEST)
        strength -= strength.mean()
    chance = _against_field(strength, votes)
    return strength, votes * np.mean(chance * (1 - chance), axis=0)


def _against_field(strength: FloatArray, votes: FloatArray) -> FloatArray:
    """Shape [k, m]; the chance of each item against each of the field."""
    order = np.argsort(strength)
    at = np.cumsum(votes[order])
    middles = (np.arange(N_OPPONENTS) + 0.5) / N_OPPONENTS * at[-1]
    field = np.exp(strength[order[np.searchsorted(at, middles)]])
    worth = np.exp(strength)
    return np.asarray(worth / (worth + field[:, None]))
