"""A leaderboard of rankings of any length, by Plackett-Luce."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.item_rankings import ItemRankings
from rewardlab.rewards.items.leaderboard import (
    ClusterBy,
    Leaderboard,
    LeaderboardOptions,
    board_of,
)
from rewardlab.rewards.items.model import Prior
from rewardlab.rewards.items.plackett_luce import fit_rankings
from rewardlab.rewards.items.plackett_luce_covariance import ranking_covariance


def rankings_leaderboard(
    rankings: ItemRankings,
    prior: Prior | None = None,
    options: LeaderboardOptions | None = None,
) -> Leaderboard:
    """The items of rankings in order of strength; a vote is a ranking, a win a first place.

    Args:
        rankings: Of some or all of the items each; those of one prompt may depend on each other.
        prior: On the strengths; None for maximum likelihood.
        options: What is said beside the strengths; the bootstrap is for battles.

    Raises:
        SeparationError: Without a prior, some items were never ranked below, or above, the others.
        InputError: The options ask for what rankings have not.
        EstimationError: There are too many items for intervals, or the solver did not end.
    """
    options = options or LeaderboardOptions()
    rankings, cluster = _clustered(rankings, options)
    fit = fit_rankings(rankings, prior=prior)
    options.scale.shift(fit)  # what it refuses should not wait for the covariance
    covariance = None
    if options.interval == "sandwich" or options.interval == "hessian":
        covariance = ranking_covariance(rankings, fit, kind=options.interval)
    m = rankings.n_items
    firsts = np.bincount(rankings.order[rankings.first[:-1]], rankings.weights, m)
    counts = np.round(firsts).astype(np.int64), np.zeros(m, dtype=np.int64)
    rng = np.random.default_rng(options.seed)
    board = board_of(fit, covariance, options, cluster, counts, rng)
    return replace(board, model_name="Plackett-Luce", unit="ranking")


def _clustered(
    rankings: ItemRankings, options: LeaderboardOptions
) -> tuple[ItemRankings, ClusterBy]:
    """(the rankings with the clusters that are taken, what these are)."""
    if options.interval == "bootstrap":
        raise InputError("interval: the bootstrap is for battles; rankings have sandwich, hessian")
    if options.cluster == "annotator":
        raise InputError("cluster: rankings are clustered by prompt, or not")
    if options.cluster == "prompt" and rankings.cluster is None:
        raise InputError("cluster: the file has no column of the prompt")
    if options.interval != "sandwich" or options.cluster == "none" or rankings.cluster is None:
        return replace(rankings, cluster=None), "none"
    return rankings, "prompt"
