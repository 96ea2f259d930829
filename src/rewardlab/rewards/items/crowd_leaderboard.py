"""A leaderboard in which annotators count as far as they can be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.crowd import WEAK, CrowdFit, fit_crowd
from rewardlab.rewards.items.leaderboard import Leaderboard, LeaderboardOptions, board_of, outcomes
from rewardlab.rewards.items.model import ItemModel, Ridge


def crowd_leaderboard(
    battles: Battles, model: ItemModel, options: LeaderboardOptions
) -> tuple[Leaderboard, CrowdFit]:
    """The items by Crowd-BT, and the annotators' flip rates.

    Intervals take in that flip rates are estimated too, whichever kind is asked for.

    Args:
        battles: With annotators.
        model: Ties are left out whatever it says; its prior must be a ridge, or none for a weak
            one.
        options: The level and the scale.

    Raises:
        InputError: The model has a link, an effect or a prior that Crowd-BT has not, or clusters
            are asked for, or no annotators are known.
    """
    if battles.annotator is None:
        raise InputError(
            "annotators: the file names no annotators; name their column by --column "
            "annotator=COLUMN"
        )
    if battles.covariates is not None:
        raise InputError("annotators: Crowd-BT holds nothing alike; leave style and covariates out")
    if options.cluster not in (None, "none") or options.interval == "bootstrap":
        raise InputError(
            "annotators: intervals of Crowd-BT are the model's own and take votes as independent; "
            "leave clusters and the bootstrap out"
        )
    if model.link != "logistic" or model.position or model.tie_parameter:
        raise InputError(
            "annotators: flip rates are estimated with the logistic link, ties left out and no "
            "effect of the position; leave the other options out"
        )
    if not isinstance(model.prior, Ridge | None):
        raise InputError("annotators: the prior of the strengths is a ridge; take ridge:X")
    crowd = fit_crowd(battles, prior=model.prior or WEAK, level=options.level)
    covariance = None if options.interval == "none" else crowd.covariance
    made = "none" if covariance is None else covariance.kind
    shown = replace(options, interval=made, cluster=None)
    rng = np.random.default_rng(options.seed)
    board = board_of(crowd.items, covariance, shown, "none", outcomes(battles), rng)
    return replace(board, model_name="Crowd-BT"), crowd
