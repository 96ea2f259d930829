"""Covariance of a crowd's strengths: the curvature of the likelihood, flip rates integrated out.

Flip rates are drawn from the crowd's distribution, so that an annotator's few votes leave strengths
surer than if nothing were known of whom they are from.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import linalg, sparse, special

from rewardlab.errors import EstimationError
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.rewards.items.crowd_fitting import FittedCrowd, concentration_curvature, free_prior
from rewardlab.rewards.items.crowd_model import CrowdVotes, FlipPrior, agreeing
from rewardlab.rewards.items.inverse_information import MOST_PARAMETERS
from rewardlab.rewards.items.model import Ridge
from rewardlab.rewards.items.within_groups import centred
from rewardlab.types import FloatArray, IntArray


def strength_covariance(
    votes: CrowdVotes, fitted: FittedCrowd, ridge: Ridge, group: IntArray
) -> ItemCovariance:
    """Covariance of the strengths, each about its group's mean, with the crowd's a and b estimated.

    Args:
        votes: Decided votes.
        fitted: Where the search ended.
        ridge: Prior of the strengths.
        group: Shape [m].

    Raises:
        EstimationError: There are too many items for a dense covariance, or the fit is not where
            the density is greatest.
    """
    m = votes.n_items
    if m > MOST_PARAMETERS:
        raise EstimationError(
            f"a covariance of {m:,} strengths is too large (at most {MOST_PARAMETERS:,})",
            remedy="Take fewer items.",
        )
    information = marginal_information(votes, fitted)
    information[:m, :m] += ridge.l2 * np.eye(m)
    information[m:, m:] += concentration_curvature(fitted.prior)
    kept = np.append(np.ones(m, dtype=bool), free_prior(fitted.prior))
    factor, failed = linalg.lapack.dpotrf(information[np.ix_(kept, kept)], lower=True)
    if failed:
        raise EstimationError(
            "crowd: strengths and flip rates that fit equally well lead away from the fit, so that "
            "there are no intervals",
            remedy="Collect more votes, or give a stronger prior.",
        )
    inverse = linalg.cho_solve((factor, True), np.eye(len(factor)))
    everything = np.ones(m, dtype=bool)
    return ItemCovariance(
        matrix=centred((inverse + inverse.T)[:m, :m] / 2, group, everything),
        dof=np.full(m, np.inf),
        n_clusters=0,
        kind="hessian",
        method="inverse Hessian: votes independent, the model true, flip rates integrated out",
        cannot_say=~everything,
    )


def marginal_information(votes: CrowdVotes, fitted: FittedCrowd) -> FloatArray:
    """Shape [m + 2, m + 2]; minus second derivatives by strengths, log a and log b, without priors.

    With rates known it would be the mean of their information over each annotator's posterior; what
    not knowing them costs is the covariance of the scores over that posterior.

    Source: Louis (1982), *Journal of the Royal Statistical Society* B 44, 226-233.
    """
    m, posterior = votes.n_items, fitted.at.posterior
    own, missing = np.zeros(len(votes.times)), np.zeros((m + 2, m + 2))
    by_prior = _prior_scores(fitted.prior, fitted.nodes.rate)
    for rows, people in votes.blocks(posterior.shape[1]):
        slope, bend = _margin_terms(votes, fitted, rows)
        of, times = votes.annotator[rows], votes.times[rows]
        own[rows] = -times * np.sum(posterior[of] * bend, axis=1)
        slope *= times[:, None]
        slope -= np.sum(posterior[of] * slope, axis=1, keepdims=True)
        slope *= np.sqrt(posterior[of])
        for score in _scores(votes, slope, by_prior, posterior, rows, people):
            missing += (score.T @ score).toarray()
    entries = (
        np.tile(own, 2),
        (np.r_[votes.winner, votes.loser], np.r_[votes.loser, votes.winner]),
    )
    between = sparse.csr_matrix(entries, shape=(m, m)).toarray()
    information = -missing
    information[:m, :m] += np.diag(between.sum(axis=1)) - between
    information[m:, m:] += _prior_information(fitted.prior, by_prior, posterior)
    return information


def _margin_terms(
    votes: CrowdVotes, fitted: FittedCrowd, rows: slice
) -> tuple[FloatArray, FloatArray]:
    """Shape [r, Q] each: first and second derivatives of log chance by the winner's margin."""
    agrees = agreeing(votes, fitted.s)[rows, None]
    e = fitted.nodes.rate[votes.annotator[rows]]
    slope = (1 - 2 * e) * agrees * (1 - agrees) / (e + (1 - 2 * e) * agrees)
    return slope, slope * (1 - 2 * agrees) - slope**2


def _scores(
    votes: CrowdVotes,
    slope: FloatArray,
    by_prior: FloatArray,
    posterior: FloatArray,
    rows: slice,
    people: slice,
) -> Iterator[sparse.csr_matrix]:
    """Shape [K', m + 2], of each node: annotators' scores about their mean, times root chance."""
    m, of = votes.n_items, votes.annotator[rows] - people.start
    k, ones = people.stop - people.start, np.ones(people.stop - people.start, dtype=np.int64)
    chance = posterior[people]
    away = by_prior[:, people] - np.sum(by_prior[:, people] * chance, axis=2, keepdims=True)
    away *= np.sqrt(chance)
    row = np.concatenate([of, of, np.arange(k), np.arange(k)])
    column = np.concatenate([votes.winner[rows], votes.loser[rows], m * ones, (m + 1) * ones])
    for q in range(chance.shape[1]):
        values = np.concatenate([slope[:, q], -slope[:, q], away[0, :, q], away[1, :, q]])
        yield sparse.csr_matrix((values, (row, column)), shape=(k, m + 2))


def _prior_scores(prior: FlipPrior, rate: FloatArray) -> FloatArray:
    """Shape [2, K, Q]; derivatives of the log density by log a and log b."""
    both = special.digamma(prior.a + prior.b)
    return np.stack(
        [
            prior.a * (np.log(rate) - special.digamma(prior.a) + both),
            prior.b * (np.log1p(-rate) - special.digamma(prior.b) + both),
        ]
    )


def _prior_information(prior: FlipPrior, scores: FloatArray, posterior: FloatArray) -> FloatArray:
    """Shape [2, 2]; minus second derivatives by log a and log b, were the rates known."""
    both = special.polygamma(1, prior.a + prior.b)
    weight = np.array([prior.a, prior.b])
    own = weight**2 * special.polygamma(1, weight)
    slope, k = np.sum(scores * posterior, axis=(1, 2)), len(posterior)
    return np.asarray(np.diag(k * own - slope) - k * both * np.outer(weight, weight))
