"""Intervals of flip rates, each from its annotator's own votes."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse, special

from rewardlab.errors import EstimationError
from rewardlab.rewards.flip_profile import FLIPS, profile_intervals
from rewardlab.rewards.items.crowd_model import CrowdVotes, agreeing, log_likelihoods
from rewardlab.rewards.items.inverse_information import MOST_PARAMETERS
from rewardlab.rewards.items.model import Ridge
from rewardlab.types import FloatArray

EDGE = 1e-6


def shares_left(votes: CrowdVotes, s: FloatArray, flip: FloatArray, ridge: Ridge) -> FloatArray:
    """Shape [K]; of the information on each rate, what is left with strengths and others estimated.

    The information is the expected one, with the prior of the strengths and none of the crowd's
    distribution.

    With C^-1 = I_ss - sum over k of I_sk I_ks / I_kk the strengths' share, the variance of rate k
    is (1 + I_ks C I_sk / I_kk) / I_kk.

    Args:
        votes: Decided votes.
        s: Shape [m]; fitted strengths.
        flip: Shape [K]; fitted rates.
        ridge: Prior of the strengths.

    Raises:
        EstimationError: There are too many items for a dense covariance.
    """
    m, agrees = votes.n_items, agreeing(votes, s)
    if m > MOST_PARAMETERS:
        raise EstimationError(
            f"a covariance of {m:,} strengths is too large (at most {MOST_PARAMETERS:,})",
            remedy="Take fewer items.",
        )
    e = np.clip(flip, EDGE, 1 - EDGE)[votes.annotator]
    chance = e + (1 - 2 * e) * agrees
    # Expected, as the other answer could have been given: 1 / p (1 - p) a vote.
    weight = votes.times / (chance * (1 - chance))
    by_rate, by_margin = 1 - 2 * agrees, (1 - 2 * e) * agrees * (1 - agrees)
    own = np.add.reduceat(weight * by_rate**2, votes.first[:-1])
    own = np.where(own > 0, own, 1.0)
    cross = weight * by_rate * by_margin
    entries = (
        np.concatenate([cross, -cross]),
        (np.tile(votes.annotator, 2), np.concatenate([votes.winner, votes.loser])),
    )
    shared = sparse.csr_matrix(entries, shape=(votes.n_annotators, m))
    between = sparse.csr_matrix((weight * by_margin**2, (votes.winner, votes.loser)), (m, m))
    between = (between + between.T).toarray()
    left = np.diag(between.sum(axis=1) + ridge.l2) - between
    left -= (shared.T @ sparse.diags_array(1 / own) @ shared).toarray()
    # The ridge keeps this positive: what rates explain is never more than there is.
    covariance = np.asarray(linalg.inv(left))
    lost = np.asarray(shared.multiply(shared @ covariance).sum(axis=1)).ravel() / own
    return np.asarray(1 / (1 + lost))


def flip_rate_intervals(
    votes: CrowdVotes, s: FloatArray, left: FloatArray, *, level: float
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends, shape [K] each.

    An interval holds the rates whose profile likelihood is within half the chi-squared quantile of
    its maximum: exact at the fitted strengths, and flattened by what estimating these costs to
    second order. The crowd's distribution is not used: an annotator is judged by their own votes.

    Args:
        votes: Decided votes.
        s: Shape [m]; fitted strengths.
        left: Shape [K]; see ``shares_left``.
        level: Confidence level.
    """
    profile = log_likelihoods(votes, agreeing(votes, s), np.clip(FLIPS, EDGE, 1 - EDGE))
    drop = float(special.chdtri(1, 1 - level)) / 2
    return profile_intervals(left[:, None] * profile, drop)
