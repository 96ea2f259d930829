"""Elo ratings: one gradient step on the Bradley-Terry likelihood for each game, in its order."""

from __future__ import annotations

import math

import numpy as np
import scipy

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray

POINTS_PER_LOGIT = 400 / math.log(10)
"""Elo points to a logit: 400 points are odds of ten to one."""


def expected_score(ahead: FloatArray) -> FloatArray:
    """1 / (1 + 10^(-d / 400)): chance of winning at d points ahead (any shape), in [0, 1]."""
    return np.asarray(scipy.special.expit(ahead / POINTS_PER_LOGIT))


def play(
    ratings: FloatArray,
    winner: IntArray,
    loser: IntArray,
    *,
    k: float,
    score: FloatArray | float = 1.0,
) -> FloatArray:
    """Ratings after n games, each moving K (score - expected score) points from loser to winner.

    This is a gradient step of size K 400 / ln 10 on the game's log-likelihood in points, or of
    K ln 10 / 400 with ratings in logits; a tie is half a win for each.

    Args:
        ratings: Shape [m] or [r, m], points; r separate tables.
        winner: Shape [n] or [r, n]; index of each game's winner, in the order of play.
        loser: As ``winner``.
        k: K > 0, points.
        score: A number or as ``winner``, in [0, 1]; what the one called winner got: 1 for a win,
            1/2 for a tie.

    Raises:
        InputError: K is not positive, a score outside its range, the shapes disagree, or a game
            names no item or one item twice.

    Source: Elo (1978), *The Rating of Chessplayers*; read as gradient steps, section 2.2.3 of
    Christiano et al. (2017), arXiv:1706.03741, makes the comparison.
    """
    scores = np.asarray(score, dtype=float)
    _check(ratings, winner, loser, k, scores)
    tables = np.array(np.atleast_2d(ratings), dtype=float)
    # One row a game and flat positions: a game costs a few operations, however many tables.
    first, n_items = np.arange(len(tables)) * tables.shape[1], tables.shape[1]
    won = np.ascontiguousarray((np.atleast_2d(winner) + first[:, None]).T)
    lost = np.ascontiguousarray((np.atleast_2d(loser) + first[:, None]).T)
    got = np.broadcast_to(np.atleast_2d(scores).T, won.shape)
    flat = tables.reshape(len(tables) * n_items)
    for i, j, points in zip(won, lost, got, strict=True):
        of_i, of_j = flat[i], flat[j]
        moved = k * (points - scipy.special.expit((of_i - of_j) / POINTS_PER_LOGIT))
        flat[i] = of_i + moved
        flat[j] = of_j - moved
    return flat.reshape(ratings.shape)


def _check(
    ratings: FloatArray, winner: IntArray, loser: IntArray, k: float, score: FloatArray
) -> None:
    if not 0 < k < math.inf:
        raise InputError(f"k: expected a positive number, got {k}")
    if winner.shape != loser.shape or winner.shape[:-1] != ratings.shape[:-1]:
        raise InputError(
            f"winner, loser: expected the same games for ratings of shape {ratings.shape}, got "
            f"{winner.shape} and {loser.shape}"
        )
    m = ratings.shape[-1]
    for name, items in (("winner", winner), ("loser", loser)):
        if items.size and not 0 <= items.min() <= items.max() < m:
            raise InputError(
                f"{name}: expected indices from 0 to {m - 1}, got {items.min()} to {items.max()}"
            )
    if np.any(winner == loser):
        raise InputError("winner, loser: expected two items a game, got one against itself")
    if score.shape not in ((), winner.shape):
        raise InputError(f"score: expected a number or {winner.shape}, got {score.shape}")
    if not bool(np.all((score >= 0) & (score <= 1))):
        raise InputError("score: expected numbers in [0, 1]")


def gradient_step(k: float) -> float:
    """K 400 / ln 10: the step on the log-likelihood's gradient in points that K stands for."""
    return k * POINTS_PER_LOGIT
