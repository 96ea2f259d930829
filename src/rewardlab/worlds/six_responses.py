"""Six responses of hidden quality, and raters who compare two of them at a time.

The qualities are made up: close enough for thirty votes to misplace some, far enough apart for
many votes to rank all.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray

NAMES = ("A", "B", "C", "D", "E", "F")
QUALITY: FloatArray = np.array([1.6, 1.0, 0.4, -0.2, -1.0, -1.8])
"""Shape [6], logits; they sum to zero."""


def vote_shares(flips: float = 0.0) -> FloatArray:
    """Shape [6, 6]; chance that a vote prefers the row's response: q (1 - e) + (1 - q) e.

    Args:
        flips: e in [0, 1], share of Bradley-Terry votes that are turned round.

    Raises:
        InputError: The share is outside its range.
    """
    if not 0 <= flips <= 1:
        raise InputError(f"flips: expected a share in [0, 1], got {flips}")
    q = special.expit(QUALITY[:, None] - QUALITY)
    return np.asarray((1 - flips) * q + flips * (1 - q))


def draw_votes(
    n: int, rng: np.random.Generator, *, flips: float = 0.0
) -> tuple[IntArray, IntArray]:
    """Winner and loser of n votes on random pairs; shape [n] each.

    Args:
        n: Votes.
        rng: Source of randomness.
        flips: As ``vote_shares``.
    """
    a, b = np.array(np.triu_indices(len(QUALITY), 1))[:, rng.integers(15, size=n)]
    a_wins = rng.random(n) < vote_shares(flips)[a, b]
    return np.where(a_wins, a, b), np.where(a_wins, b, a)


def accuracy(score: FloatArray, flips: float = 0.0) -> float:
    """Expected share of fresh votes, on random pairs, that a score predicts; ties count half.

    Args:
        score: Shape [6].
        flips: As ``vote_shares``.
    """
    i, j = np.triu_indices(len(QUALITY), 1)
    ahead = np.sign(score[i] - score[j])
    return float(np.mean(0.5 + ahead * (vote_shares(flips)[i, j] - 0.5)))


def ceiling(flips: float = 0.0) -> float:
    """The most that any score can reach: each pair's likelier vote, E[max(q, 1 - q)]."""
    shares = vote_shares(flips)[np.triu_indices(len(QUALITY), 1)]
    return float(np.mean(np.maximum(shares, 1 - shares)))
