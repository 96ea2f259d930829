"""What a Bradley-Terry fit makes of ties: the gap that each way to count them converges to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.losses import davidson, rao_kupper
from rewardlab.types import FloatArray, Outcome

TieModel = Literal["davidson", "rao-kupper"]


@dataclass(frozen=True, slots=True)
class VoteShares:
    """Shares of votes for a, for b, and of ties, at each of n reward gaps.

    Attributes:
        a: Shape [n].
        b: Shape [n].
        tie: Shape [n]; the three sum to 1.
    """

    a: FloatArray
    b: FloatArray
    tie: FloatArray

    def gap_with_halves(self) -> FloatArray:
        """Shape [n], logits; what the fit converges to where a tie is a label of 1/2."""
        won = self.a + self.tie / 2
        return np.asarray(np.log(won) - np.log(self.b + self.tie / 2))

    def gap_without_ties(self) -> FloatArray:
        """Shape [n], logits; what the fit converges to where ties are dropped."""
        return np.asarray(np.log(self.a) - np.log(self.b))


def vote_shares(gap: FloatArray, *, model: TieModel, ties: float) -> VoteShares:
    """Shares of votes when equal responses tie a given share of the time.

    Args:
        gap: Shape [n]; reward of a less reward of b, in logits.
        model: How ties arise.
        ties: In [0, 1); share of ties between equal responses. Davidson's nu is 2 ties/(1 - ties),
            Rao and Kupper's theta (1 + ties)/(1 - ties).

    Raises:
        InputError: The share is outside its range.
    """
    if not 0 <= ties < 1:
        raise InputError(f"ties: expected a share in [0, 1), got {ties}")

    def share(outcome: Outcome) -> FloatArray:
        outcomes = np.full(gap.shape, outcome)
        if model == "davidson":
            return np.exp(-davidson(gap, outcomes, nu=2 * ties / (1 - ties)).loss)
        threshold = float(np.log((1 + ties) / (1 - ties)))
        return np.exp(-rao_kupper(gap, outcomes, threshold=threshold).loss)

    a, b = share(Outcome.A), share(Outcome.B)
    return VoteShares(a, b, share(Outcome.TIE) if ties else np.zeros_like(gap))
