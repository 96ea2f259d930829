"""Covariance of strengths from rankings: inverse Hessian, or sandwich with rankings as clusters."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.item_rankings import ItemRankings
from rewardlab.rewards.items.covariance import (
    ItemCovariance,
    hessian_covariance,
    sandwich_of,
)
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.inverse_information import check_size, inverse_of
from rewardlab.rewards.items.plackett_luce import evaluate_rankings, rankings_hessian
from rewardlab.rewards.items.plackett_luce_terms import Block, BlockTerms, blocks
from rewardlab.rewards.items.vote_scores import VoteScores
from rewardlab.types import FloatArray, IntArray


def ranking_covariance(
    rankings: ItemRankings, fitted: ItemFit, *, kind: Literal["sandwich", "hessian"] = "sandwich"
) -> ItemCovariance:
    """Covariance of a fit to these rankings.

    "sandwich" takes rankings as they are, each a cluster, or those of one ``cluster`` together:
    right also where the model is not. What one of them alone tells, it cannot judge. "hessian" is
    the inverse Hessian: what the model says if it is true.

    Args:
        rankings: The rankings that were fitted.
        fitted: By ``fit_rankings`` on the same rankings.
        kind: Which estimator.

    Raises:
        InputError: The fit is not of these rankings.
        EstimationError: There are too many items for a dense covariance, or one cluster only.
    """
    if fitted.names != rankings.names:
        raise InputError("fitted: expected a fit of these rankings' items")
    check_size(fitted)
    parts = blocks(rankings)
    at = evaluate_rankings(parts, fitted.theta, fitted.model.prior)
    c = inverse_of(rankings_hessian(parts, at), fitted)
    if kind == "hessian":
        return hessian_covariance(c, fitted)
    what = "rankings" if rankings.cluster is None else "clusters"
    return sandwich_of(_scores(rankings, at.s, parts, at.terms), fitted, c, what)


def _scores(
    rankings: ItemRankings, s: FloatArray, parts: list[Block], at: list[BlockTerms]
) -> VoteScores:
    """Derivatives by pairs of items within rankings.

    A choice's derivatives are sums over pairs: of item i at its place with each j behind it the
    slope is -P(j chosen) if i was chosen, and the curvature, over all choices from both, is P(i
    chosen) P(j chosen).
    """
    found = [_pairs(block, terms) for block, terms in zip(parts, at, strict=True)]
    i, j, ranking = (np.concatenate([each[q] for each in found]) for q in range(3))
    slope, curvature = (np.concatenate([each[q] for each in found]) for q in (3, 4))
    times = rankings.weights[ranking]
    cluster, n_clusters = ranking, round(float(rankings.weights.sum()))
    if rankings.cluster is not None:
        present, codes = np.unique(rankings.cluster, return_inverse=True)
        cluster, n_clusters = codes.astype(np.int64)[ranking], len(present)
        slope, curvature, times = slope * times, curvature * times, np.ones(len(times))
    return VoteScores(
        n_items=rankings.n_items,
        i=i,
        j=j,
        effects=np.zeros((len(i), 0)),
        slope=slope,
        curvature=curvature,
        tie=None,
        cluster=cluster,
        times=times,
        n_clusters=n_clusters,
        delta=s[i] - s[j],
        tie_share=0.0,
    )


def _pairs(
    block: Block, at: BlockTerms
) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray]:
    """(items, items behind them, rankings, slopes, curvatures), a ranking counted once."""
    (k, n), t = block.order.shape, block.n_choices
    before, after = np.triu_indices(k, 1)
    last = np.minimum(before, t - 1)
    chosen = (before < t)[:, None]
    slope = np.where(chosen, -at.share[after] * at.inverse[last], 0.0)
    curvature = at.share[before] * at.share[after] * at.twice[last]
    ranking = np.broadcast_to(block.ranking, (len(before), n))
    columns = (block.order[before], block.order[after], ranking)
    i, j, of = (np.asarray(each, dtype=np.int64).ravel() for each in columns)
    return i, j, of, slope.ravel(), curvature.ravel()
