"""Elo ratings: one gradient step on the Bradley-Terry likelihood for each game, in its order."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.rewards.item_fit import check_games
from rewardlab.types import FloatArray, IntArray

POINTS_PER_LOGIT = 400 / math.log(10)
"""Elo points to a logit: 400 points are odds of ten to one."""


def expected_score(ahead: FloatArray) -> FloatArray:
    """1 / (1 + 10^(-d / 400)): chance of winning at d points ahead (any shape), in [0, 1]."""
    return np.asarray(special.expit(ahead / POINTS_PER_LOGIT))


def play(ratings: FloatArray, winner: IntArray, loser: IntArray, *, k: float) -> FloatArray:
    """Ratings after n games, each moving K (1 - expected score) points from loser to winner.

    This is a gradient step of size K 400 / ln 10 on the game's log-likelihood in points, or of
    K ln 10 / 400 with ratings in logits.

    Args:
        ratings: Shape [m] or [r, m], points; r separate tables.
        winner: Shape [n] or [r, n]; index of each game's winner, in the order of play.
        loser: As ``winner``.
        k: K > 0, points.

    Raises:
        InputError: K is not positive, the shapes disagree, or a game names no item.

    Source: Elo (1978), *The Rating of Chessplayers*; read as gradient steps, section 2.2.3 of
    Christiano et al. (2017), arXiv:1706.03741, makes the comparison.
    """
    if not k > 0:
        raise InputError(f"k: expected a positive number, got {k}")
    if winner.shape != loser.shape or winner.shape[:-1] != ratings.shape[:-1]:
        raise InputError(
            f"winner, loser: expected the same games for ratings of shape {ratings.shape}, got "
            f"{winner.shape} and {loser.shape}"
        )
    check_games(winner, loser, ratings.shape[-1])
    tables = np.array(np.atleast_2d(ratings), dtype=float)
    every = np.arange(len(tables))
    for won, lost in zip(np.atleast_2d(winner).T, np.atleast_2d(loser).T, strict=True):
        moved = k * (1 - expected_score(tables[every, won] - tables[every, lost]))
        tables[every, won] += moved
        tables[every, lost] -= moved
    return tables.reshape(ratings.shape)


def gradient_step(k: float) -> float:
    """K 400 / ln 10: the step on the log-likelihood's gradient in points that K stands for."""
    return k * POINTS_PER_LOGIT
