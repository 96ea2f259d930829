"""A leaderboard of rankings of any length, by Plackett-Luce."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import linalg

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.item_rankings import ItemRankings
from rewardlab.rewards.items.covariance import MOST_PARAMETERS, ItemCovariance, centred
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.leaderboard import Leaderboard, LeaderboardOptions, board_of
from rewardlab.rewards.items.model import Prior
from rewardlab.rewards.items.plackett_luce import (
    evaluate_rankings,
    fit_rankings,
    pinned,
    rankings_hessian,
)
from rewardlab.rewards.items.plackett_luce_terms import blocks


def rankings_leaderboard(
    rankings: ItemRankings,
    prior: Prior | None = None,
    options: LeaderboardOptions | None = None,
) -> Leaderboard:
    """The items of rankings in order of strength; a vote is a ranking, a win a first place.

    Args:
        rankings: Of some or all of the items each.
        prior: On the strengths; None for maximum likelihood.
        options: What is said beside the strengths; intervals are "hessian" or "none".

    Raises:
        SeparationError: Without a prior, some items were never ranked below, or above, the others.
        InputError: The options ask for other intervals, or for clusters.
        EstimationError: There are too many items for intervals, or the solver did not end.
    """
    options = options or LeaderboardOptions(interval="hessian")
    if options.interval not in ("hessian", "none"):
        raise InputError(
            f"interval: {options.interval} is for battles; rankings have hessian, or none"
        )
    if options.cluster not in (None, "none"):
        raise InputError(f"cluster: {options.cluster} is for battles; rankings are independent")
    fit = fit_rankings(rankings, prior=prior)
    options.scale.shift(fit)  # what it refuses should not wait for the covariance
    covariance = None if options.interval == "none" else hessian_of_rankings(rankings, fit)
    m = rankings.n_items
    firsts = np.bincount(rankings.order[rankings.first[:-1]], rankings.weights, m)
    counts = np.round(firsts).astype(np.int64), np.zeros(m, dtype=np.int64)
    rng = np.random.default_rng(options.seed)
    board = board_of(fit, covariance, options, "none", counts, rng)
    return replace(board, model_name="Plackett-Luce", unit="ranking")


def hessian_of_rankings(rankings: ItemRankings, fit: ItemFit) -> ItemCovariance:
    """The inverse Hessian at the fit, each group centred: rankings independent, the model true.

    Raises:
        EstimationError: There are too many items for a dense covariance.
    """
    m = len(fit.names)
    if m > MOST_PARAMETERS:
        raise EstimationError(
            f"a covariance of {m:,} strengths is too large (at most {MOST_PARAMETERS:,})",
            remedy="Take no intervals, or fewer items.",
        )
    prior = fit.model.prior
    parts = blocks(rankings)
    hessian = rankings_hessian(parts, evaluate_rankings(parts, fit.strength, prior))
    regular = hessian if prior else pinned(hessian, fit.group)
    inverse = np.asarray(linalg.inv(regular))
    known = np.ones(m, dtype=bool)
    matrix = centred((inverse + inverse.T) / 2, fit.group, known)
    method = (
        "inverse Hessian: rankings independent and the model true"
        if prior is None
        else "posterior standard deviations (Laplace): what prior and rankings leave open together"
    )
    return ItemCovariance(matrix, np.full(m, np.inf), 0, "hessian", method, ~known)
