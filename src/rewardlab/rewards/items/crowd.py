"""Strengths of items and flip rates of those who compared them, together: Crowd-BT.

Annotator k's vote between items i and j follows sigma(s_i - s_j) with chance 1 - e_k, and the
opposite with chance e_k: .5 is a coin, 1 always says the opposite. Turn all strengths round and
each e_k into 1 - e_k, and the votes are as likely: that most are honest is assumed, not found.
Flip rates follow a Beta distribution that is estimated from the crowd, so that few votes of one
annotator are read by what the others are like; it is integrated out, as with a rate for each of
many annotators with few votes there would be as many ways to explain votes away.

``annotator_reliability`` asks the same of pairs of texts, each pair with a margin of its own; here
margins are differences of strengths, known the better the more votes an item has. Ties are left out
of both: a flipped tie is a tie, and tells nothing of who flips.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.annotator_reliability import WIDEST
from rewardlab.rewards.items.cells import Cells, votes_of_items
from rewardlab.rewards.items.connection import item_groups
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.rewards.items.crowd_covariance import strength_covariance
from rewardlab.rewards.items.crowd_fitting import FittedCrowd, fit_votes
from rewardlab.rewards.items.crowd_intervals import flip_rate_intervals, shares_left
from rewardlab.rewards.items.crowd_model import CrowdVotes, FlipPrior, decided_votes
from rewardlab.rewards.items.existence import unlinked
from rewardlab.rewards.items.fit import ItemFit, fit_cells
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.rewards.items.within_groups import about_group_means
from rewardlab.types import FloatArray, IntArray

WEAK = Ridge(0.1)
"""Standard deviation of 3.2 logits: without a prior, votes that a flip rate and an order explain
would send strengths to infinity."""


@dataclass(frozen=True, slots=True)
class CrowdFit:
    """Strengths of m items and flip rates of K annotators.

    Attributes:
        items: Strengths, with ties left out.
        covariance: Of the strengths.
        annotator_names: Length K.
        flip_rate: Shape [K], in [0, 1]; posterior means. Where somebody gave no decided vote, the
            crowd's mean.
        low: Shape [K]; lower end of the interval, from the annotator's own votes.
        high: Shape [K]; upper end.
        n_votes: Shape [K]; decided votes.
        n_ties: Shape [K]; ties, left out.
        why_not: Length K; why nothing useful can be said of an annotator, "" where it can. The
            figures are given all the same.
        flip_prior: The crowd's Beta distribution.
        level: Confidence level.
    """

    items: ItemFit
    covariance: ItemCovariance
    annotator_names: tuple[str, ...]
    flip_rate: FloatArray
    low: FloatArray
    high: FloatArray
    n_votes: IntArray
    n_ties: IntArray
    why_not: tuple[str, ...]
    flip_prior: FlipPrior
    level: float


def fit_crowd(
    battles: Battles, *, prior: Ridge = WEAK, level: float = 0.95, tol: float = 1e-6
) -> CrowdFit:
    """Strengths and the crowd's distribution of flip rates by the largest posterior density.

    Args:
        battles: With annotators, without margins and covariates.
        prior: Of the strengths.
        level: Confidence level of the flip rates' intervals.
        tol: Largest derivative by a strength, over the votes that its item took part in.

    Raises:
        InputError: No annotators are known, or the battles have margins or covariates.
        EstimationError: No vote is decided, or there are too many items, or no intervals.
        ConvergenceError: ``tol`` was not reached.

    Source: Chen, Bennett, Collins-Thompson and Horvitz (2013), *Pairwise Ranking Aggregation in a
    Crowdsourced Setting* (Crowd-BT), section 3. Deviations: their eta is 1 - e; rates are
    integrated out over a Beta distribution whose parameters are estimated, with a normal prior on
    log(a + b) (``crowd_fitting``); strengths have a normal prior in place of a virtual item.
    """
    annotator = _checked(battles, level)
    votes, present = decided_votes(battles, annotator)
    if not len(votes.times):
        raise EstimationError(
            "crowd: every vote is a tie, so nothing tells what is preferred",
            remedy="Give votes with a winner.",
        )
    cells = _cells(votes)
    plain = fit_cells(cells, ItemModel(ties="leave-out", prior=prior), battles.names)
    fitted = fit_votes(votes, plain.strength, prior, tol=tol)
    flip = np.sum(fitted.at.posterior * fitted.nodes.rate, axis=1)
    left = shares_left(votes, fitted.s, flip, prior)
    low, high = flip_rate_intervals(votes, fitted.s, left, level=level)
    items = _items(battles, cells, fitted, prior)
    k = len(battles.annotator_names)
    n_votes = _of_all(k, present, np.add.reduceat(votes.times, votes.first[:-1]), 0.0)
    all_votes = np.bincount(annotator, minlength=k)
    result = {
        "flip_rate": _of_all(k, present, flip, fitted.prior.mean),
        "low": _of_all(k, present, np.minimum(low, flip), 0.0),
        "high": _of_all(k, present, np.maximum(high, flip), 1.0),
    }
    why_not = tuple(
        _why_not(n, lowest, highest)
        for n, lowest, highest in zip(n_votes, result["low"], result["high"], strict=True)
    )
    return CrowdFit(
        items=items,
        covariance=strength_covariance(votes, fitted, prior, items.group),
        annotator_names=battles.annotator_names,
        n_votes=n_votes.astype(np.int64),
        n_ties=(all_votes - n_votes).astype(np.int64),
        why_not=why_not,
        flip_prior=fitted.prior,
        level=level,
        **result,
    )


def _checked(battles: Battles, level: float) -> IntArray:
    """The annotators' codes."""
    if battles.annotator is None:
        raise InputError("crowd: expected battles with annotators, got none")
    if battles.margin is not None or battles.covariates is not None:
        raise InputError("crowd: margins and covariates are no part of the model; leave them out")
    if not 0 < level < 1:
        raise InputError(f"level: expected a number in (0, 1), got {level:g}")
    return battles.annotator.astype(np.int64)


def _cells(votes: CrowdVotes) -> Cells:
    none = np.zeros(len(votes.times))
    effects = np.zeros((len(none), 0))
    return Cells(votes.n_items, votes.winner, votes.loser, votes.times, none, none, None, effects)


def _of_all(k: int, present: IntArray, values: FloatArray, otherwise: float) -> FloatArray:
    """Shape [k]; values of the annotators with votes, and what holds of the others."""
    result = np.full(k, otherwise)
    result[present] = values
    return result


def _items(battles: Battles, cells: Cells, fitted: FittedCrowd, prior: Ridge) -> ItemFit:
    group, n = item_groups(cells), float(cells.n_i.sum())
    honest = "strengths rest on most votes being honest: votes cannot tell a crowd's mirror"
    return ItemFit(
        names=battles.names,
        strength=about_group_means(fitted.s, group),
        group=group,
        n_votes=votes_of_items(cells),
        effect_names=(),
        effect=np.zeros(0),
        model=ItemModel(ties="leave-out", prior=prior),
        log_loss=-fitted.at.log_likelihood / n,
        gradient_norm=fitted.gradient_norm,
        iterations=fitted.iterations,
        solver="Crowd-BT, flip rates integrated out, limited-memory BFGS",
        n=n,
        n_ties=float(len(battles) - n),
        warnings=(honest, *unlinked(cells, battles.names)),
    )


def _why_not(n_votes: float, low: float, high: float) -> str:
    if not n_votes:
        return "gave no vote with a winner"
    if high - low <= WIDEST:
        return ""
    return (
        f"anything from {low:.0%} to {high:.0%} fits; more votes between items that differ would "
        "tell"
    )
