"""What votes tell of strengths and flip rates together: covariance, and intervals of the rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse, special

from rewardlab.errors import EstimationError
from rewardlab.rewards.flip_profile import FLIPS, profile_intervals
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.rewards.items.crowd_model import CrowdVotes, agreeing, log_likelihoods
from rewardlab.rewards.items.inverse_information import MOST_PARAMETERS
from rewardlab.rewards.items.model import Ridge
from rewardlab.rewards.items.within_groups import centred
from rewardlab.types import FloatArray, IntArray

EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class CrowdInformation:
    """From the expected information of votes, with the prior of the strengths.

    Attributes:
        covariance: Shape [m, m]; of the strengths, flip rates estimated too.
        share_left: Shape [K]; of the information on each rate, the share left once strengths and
            other rates are estimated.
    """

    covariance: FloatArray
    share_left: FloatArray


def crowd_information(
    votes: CrowdVotes, s: FloatArray, flip: FloatArray, ridge: Ridge
) -> CrowdInformation:
    """The information at strengths and rates, none of the crowd's distribution in it.

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
    return CrowdInformation((covariance + covariance.T) / 2, 1 / (1 + lost))


def strength_covariance(information: CrowdInformation, group: IntArray) -> ItemCovariance:
    """Covariance of the strengths, each about its group's mean."""
    m = len(group)
    everything = np.ones(m, dtype=bool)
    return ItemCovariance(
        matrix=centred(information.covariance, group, everything),
        dof=np.full(m, np.inf),
        n_clusters=0,
        kind="hessian",
        method="inverse information: votes independent, the model true, flip rates estimated too",
        cannot_say=~everything,
    )


def flip_rate_intervals(
    votes: CrowdVotes, s: FloatArray, information: CrowdInformation, *, level: float
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends, shape [K] each.

    An interval holds the rates whose profile likelihood is within half the chi-squared quantile of
    its maximum: exact at the fitted strengths, and flattened by what estimating these costs to
    second order. The crowd's distribution is not used: an annotator is judged by their own votes.

    Args:
        votes: Decided votes.
        s: Shape [m]; fitted strengths.
        information: At the fit.
        level: Confidence level.
    """
    profile = log_likelihoods(votes, agreeing(votes, s), np.clip(FLIPS, EDGE, 1 - EDGE))
    drop = float(special.chdtri(1, 1 - level)) / 2
    return profile_intervals(information.share_left[:, None] * profile, drop)
