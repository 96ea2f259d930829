"""Newton's method on a table of all pairs, for few items: dense, and exact on long chains."""

from __future__ import annotations

import numpy as np
import scipy

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.items.model import Prior
from rewardlab.rewards.items.prior_terms import prior_curvature, prior_gradient
from rewardlab.rewards.items.quasi_newton import NEAR_BEFORE, OVERSHOOT, Minimum
from rewardlab.types import FloatArray, IntArray

MAX_ITERATIONS = 100
MAX_HALVINGS = 40
WIDEST = 600.0
"""Logits from the first to the last up to which exp of strengths about their mean is safe."""


def newton_on_pairs(
    votes: FloatArray,
    wins: FloatArray,
    prior: Prior | None,
    group: IntArray,
    *,
    tol: float,
) -> Minimum:
    """Strengths at which no gradient exceeds ``tol`` a vote.

    Args:
        votes: Shape [m, m], symmetric; of each pair.
        wins: Shape [m].
        prior: On the strengths.
        group: Shape [m], codes; each group's mean stays where it is if no prior moves it.
        tol: Largest gradient a vote.

    Raises:
        ConvergenceError: It was not reached.
    """
    size = np.maximum(votes.sum(1), 1.0)
    share_won = (wins + 0.25) / (votes.sum(1) + 0.5)  # never 0 or 1
    strength = np.log(share_won) - np.log1p(-share_won)
    share, gradient = _gradient(votes, wins, prior, strength)
    whole_fall = np.inf
    for iteration in range(MAX_ITERATIONS):
        norm = float(np.max(np.abs(gradient) / size))
        if norm <= tol and (whole_fall <= NEAR_BEFORE or not gradient.any()):
            return Minimum(strength, gradient, norm, iteration)
        step = _step(votes, share, gradient, prior_curvature(prior, strength), group)
        whole_fall = fall = -float(gradient @ step)
        for _ in range(MAX_HALVINGS):
            share, gradient = _gradient(votes, wins, prior, strength + step)
            # The derivative along a line of a convex loss never falls: one slope tells enough.
            if float(gradient @ step) <= OVERSHOOT * fall:
                break
            step, fall = step / 2, fall / 2
        strength = strength + step
    raise ConvergenceError(
        f"items: Newton's method did not end in {MAX_ITERATIONS} steps (gradient {norm:.1e} a vote)"
    )


def table_loss(votes: FloatArray, wins: FloatArray, strength: FloatArray) -> float:
    """Loss of all votes, in nats."""
    if np.ptp(strength) > WIDEST:
        totals = np.logaddexp(strength[:, None], strength)
    else:
        strength = strength - strength.mean()
        worth = np.exp(strength)
        totals = np.log(worth[:, None] + worth)
    return float(np.einsum("ij,ij->", votes, totals)) / 2 - float(wins @ strength)


def _gradient(
    votes: FloatArray, wins: FloatArray, prior: Prior | None, strength: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Chances of the row's item, shape [m, m], and the gradient, shape [m]."""
    if np.ptp(strength) > WIDEST:
        share = scipy.special.expit(strength[:, None] - strength)
    else:
        worth = np.exp(strength - strength.mean())
        share = worth[:, None] / (worth[:, None] + worth)
    expected = np.einsum("ij,ij->i", votes, share)
    with np.errstate(over="ignore"):  # a step that goes so far is halved
        return share, expected - wins + prior_gradient(prior, strength)


def _step(
    votes: FloatArray,
    share: FloatArray,
    gradient: FloatArray,
    own: FloatArray,
    group: IntArray,
) -> FloatArray:
    """Newton's step; a group without a prior gets a unit of curvature along its common shift."""
    hessian = votes * share * share.T
    degree = hessian.sum(1)
    np.negative(hessian, out=hessian)
    hessian.ravel()[:: len(own) + 1] += degree + own
    if not own.any():
        scale = float(np.mean(degree)) / len(own)
        hessian += scale if not group.any() else scale * (group[:, None] == group)
    # LAPACK itself: of a small fit its wrapper's checks would be a good part.
    _, step, failed = scipy.linalg.lapack.dposv(hessian.T, -gradient, lower=True, overwrite_a=True)
    if failed:
        raise ConvergenceError("items: the curvature of the strengths is singular")
    return np.asarray(step)
