"""Covariance of fitted strengths and effects: inverse Hessian, clustered sandwich or bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.battles import Battles, Codes
from rewardlab.rewards.items.bootstrap import ItemBootstrap, bootstrap_strengths
from rewardlab.rewards.items.bounded_part import about_usual, usually_bounded
from rewardlab.rewards.items.cells import Cells, count_cells
from rewardlab.rewards.items.cluster_squares import cluster_order
from rewardlab.rewards.items.connection import named
from rewardlab.rewards.items.effective_clusters import effective_dof
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.inverse_information import inverse_hessian
from rewardlab.rewards.items.leave_out import leave_out
from rewardlab.rewards.items.prior_terms import prior_curvature
from rewardlab.rewards.items.vote_scores import VoteScores, scores_by_cluster, scores_by_vote
from rewardlab.rewards.items.within_groups import centred
from rewardlab.types import BoolArray, FloatArray

CovarianceKind = Literal["sandwich", "hessian", "bootstrap"]
MORE_CLUSTERS = "Collect votes on more prompts, or by more annotators."
BLOCK_ROWS = 256
ROUNDING = 1e-5
UNMOVED = 1e-10
"""Share of the model's variance below which votes do not scatter at all, but for rounding."""


@dataclass(frozen=True, slots=True)
class ItemCovariance:
    """Covariance of the m strengths, each about its group's mean, and the e effects.

    Where an entry cannot be told, its row and column are NaN, and the other strengths of its group
    are about the mean of those that can; of a bootstrap, about those that all but few resamples
    bound.

    Attributes:
        matrix: Shape [m + e, m + e]; strengths as ``ItemFit.strength``, then ``ItemFit.effect``.
        dof: Shape [m + e]; degrees of freedom for Student quantiles; infinity for normal ones, NaN
            where the entry cannot be told.
        n_clusters: Clusters taken as independent; 0 where none are used.
        kind: "sandwich", "hessian" or "bootstrap".
        method: Which estimator and what it means, in a few words.
        cannot_say: Shape [m + e]; True where the data do not tell the uncertainty.
        warnings: What limits it.
        draws: Shape [B, m + e]; of the bootstrap, strengths and effects of each resample: infinite
            or NaN where they are not finite in it. None for the other kinds.
    """

    matrix: FloatArray
    dof: FloatArray
    n_clusters: int
    kind: CovarianceKind
    method: str
    cannot_say: BoolArray
    warnings: tuple[str, ...] = ()
    draws: FloatArray | None = None

    @property
    def std_error(self) -> FloatArray:
        """Shape [m + e]; infinity where it cannot be told."""
        variance = np.maximum(np.diagonal(self.matrix), 0.0)
        return np.where(self.cannot_say, np.inf, np.sqrt(variance))

    def difference_std_error(self, i: Codes, j: Codes) -> FloatArray:
        """Shape [k]; standard errors of strength i less strength j, infinity where unknown.

        Args:
            i: Shape [k], codes of items, in the same group as j.
            j: Shape [k], codes.
        """
        c = self.matrix
        variance = c[i, i] + c[j, j] - 2 * c[i, j]
        return np.where(np.isnan(variance), np.inf, np.sqrt(np.maximum(variance, 0.0)))


def item_covariance(
    battles: Battles,
    fitted: ItemFit,
    *,
    kind: CovarianceKind = "sandwich",
    cluster: Codes | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
    cells: Cells | None = None,
) -> ItemCovariance:
    """Covariance of a fit to these battles.

    "sandwich" takes the votes as they are: right also where the model is not, and where votes of a
    cluster depend on each other. What one cluster alone tells, it cannot judge. With a prior it is
    that of errors on average over strengths that scatter as the prior says. "hessian" is the
    inverse Hessian: what the model says if it is true and votes are independent; with a prior it is
    the posterior's covariance. "bootstrap" refits to resampled votes or clusters.

    Args:
        battles: The votes that were fitted.
        fitted: By ``fit_items`` on the same battles.
        kind: Which estimator.
        cluster: Shape [n], codes >= 0; votes of one cluster may depend on each other. None: each
            vote is a cluster. The inverse Hessian does not read it.
        n_resamples: Refits of the bootstrap.
        rng: Source of the bootstrap's draws; it must be given for it.
        cells: ``count_cells`` of the battles with the model's position, where they are counted
            already.

    Raises:
        InputError: The fit is not of these battles, codes are no clusters', or there is no ``rng``.
        EstimationError: There are too many items for a dense covariance.
    """
    if len(fitted.names) != battles.n_items:
        raise InputError(
            f"fitted: expected a fit of these {battles.n_items} items, got {len(fitted.names)}"
        )
    if cluster is not None:
        cluster = _renumbered(cluster, len(battles))
    if kind == "bootstrap":
        if rng is None:
            raise InputError("rng: the bootstrap needs a source of its draws, got None")
        drawn = bootstrap_strengths(
            battles, fitted, n_resamples=n_resamples, cluster=cluster, rng=rng
        )
        return _bootstrap_covariance(drawn, fitted)
    if cells is None:
        cells = count_cells(battles, position=fitted.model.position)
    c = inverse_hessian(cells, fitted)
    if kind == "hessian":
        return hessian_covariance(c, fitted)
    if cluster is None:
        return sandwich_of(scores_by_vote(cells, fitted), fitted, c, "votes")
    return sandwich_of(scores_by_cluster(battles, fitted, cluster), fitted, c, "clusters")


def hessian_covariance(c: FloatArray, fitted: ItemFit) -> ItemCovariance:
    """What the model says if it is true, from the inverse Hessian."""
    method = (
        "inverse Hessian: votes independent and the model true"
        if fitted.model.prior is None
        else "posterior standard deviations (Laplace): what prior and votes leave open together"
    )
    none = np.zeros(len(c), dtype=bool)
    return ItemCovariance(c, np.full(len(c), np.inf), 0, "hessian", method, none)


def _bootstrap_covariance(drawn: ItemBootstrap, fitted: ItemFit) -> ItemCovariance:
    if np.count_nonzero(drawn.exists) < 2:
        raise EstimationError(
            "items: resamples without a finite fit leave no bootstrap covariance",
            remedy="Collect more votes, or give a prior.",
        )
    p, m = drawn.theta.shape[1], len(fitted.strength)
    usual = usually_bounded(np.isfinite(drawn.part[:, :m]), fitted.group)
    theta = about_usual(drawn.theta, drawn.part, fitted.group, usual)
    unit = f"{drawn.n_units:,} {drawn.unit}s"
    method = f"bootstrap of {unit}, {len(drawn.theta):,} refits, quantiles"
    warnings = _without_fit(drawn, usual, fitted)
    if fitted.model.prior is not None:
        warnings += (
            "resamples do not show how far the prior draws strengths in: intervals of rare items "
            "are too narrow; take the sandwich or the inverse Hessian",
        )
    return ItemCovariance(
        np.atleast_2d(np.cov(theta[drawn.exists].T)),
        np.full(p, max(drawn.n_units - 1.0, 1.0)),
        drawn.n_units,
        "bootstrap",
        method,
        np.zeros(p, dtype=bool),
        warnings,
        theta + _offset(fitted, usual),
    )


def _without_fit(drawn: ItemBootstrap, usual: BoolArray, fitted: ItemFit) -> tuple[str, ...]:
    if not drawn.n_without_fit:
        return ()
    often = named(np.flatnonzero(~usual), fitted.names)
    return (
        f"{drawn.n_without_fit:,} of {len(drawn.theta):,} resamples have no finite fit: standard "
        "errors are of the others, and intervals count as beyond either end what is not finite "
        "there" + (f"; strengths are about the mean of all items but {often}" if often else ""),
    )


def _offset(fitted: ItemFit, usual: BoolArray) -> FloatArray:
    """Shape [m + e]; of the fit, the mean strength of the usual items of each group; 0 of effects.

    Resamples are about these items' mean, and intervals stand about the fit, as of the sandwich.
    """
    total = np.bincount(fitted.group, fitted.strength * usual)
    level = total / np.bincount(fitted.group, usual)
    return np.concatenate([level[fitted.group], np.zeros(len(fitted.effect))])


def sandwich_of(votes: VoteScores, fitted: ItemFit, c: FloatArray, what: str) -> ItemCovariance:
    """Covariance from the scores of votes in clusters, those of a cluster dependent in any way.

    A prior draws strengths in, which no scatter of votes shows: without it intervals of rare items
    would close about the mean. Over strengths that scatter as the prior says, its gradient at the
    truth varies by its curvature L, so that errors have the covariance C (M + L) C, which is that
    of the posterior where the model is true and votes are independent.

    Args:
        votes: Scores at the fit, in clusters.
        fitted: The fit.
        c: Shape [m + e, m + e]; inverse of the Hessian, each group centred.
        what: What the clusters are, in the plural.

    Raises:
        EstimationError: There is one cluster only.
    """
    unit = what.removesuffix("s")
    if votes.n_clusters < 2:
        only = "all votes are of one cluster" if unit == "cluster" else f"there is one {unit} only"
        raise EstimationError(f"items: {only}", remedy=MORE_CLUSTERS)
    order = cluster_order(votes.cluster)
    votes = votes if order is None else votes.take(order)
    left = leave_out(votes, c)
    g = votes.n_clusters
    matrix = _between(c, left.meat * ((g - 1) / g))
    lost = _lost(left.lost, fitted)
    # Votes that fell exactly as expected, as ties of equals, scatter by 0: no estimate of how far.
    unmoved = np.diagonal(matrix) <= UNMOVED * np.diagonal(c)
    cannot_say = lost | unmoved
    known = ~cannot_say
    about_known = c
    if cannot_say.any():
        matrix, about_known = (
            centred(each, fitted.group, known[: len(fitted.strength)]) for each in (matrix, c)
        )
        matrix = (matrix + matrix.T) / 2
        matrix[cannot_say], matrix[:, cannot_say] = np.nan, np.nan
    dof = np.where(known, effective_dof(votes, about_known), np.nan)
    method = f"sandwich in jackknife form (CR3; single votes HC2), {g:,} {what}"
    if fitted.model.prior is not None:
        by_votes = np.diagonal(matrix).copy()
        matrix += _drawn_in(c, fitted)
        # Satterthwaite: what the prior adds is known, and only the votes' part is estimated.
        dof *= (np.diagonal(matrix) / np.maximum(by_votes, 1e-300)) ** 2
        method += ", and how far the prior may draw strengths in"
    warnings = _warnings(lost, unmoved & ~lost, fitted, unit)
    return ItemCovariance(matrix, dof, g, "sandwich", method, cannot_say, warnings)


def _between(c: FloatArray, meat: FloatArray) -> FloatArray:
    """C M C, both symmetric: of the second product the half below the diagonal."""
    first = c @ meat
    product = np.empty_like(c)
    for begin in range(0, len(c), BLOCK_ROWS):
        end = begin + BLOCK_ROWS
        product[begin:end, :end] = first[begin:end] @ c[:, :end]
        product[:begin, begin:end] = product[begin:end, :begin].T
        own = product[begin:end, begin:end]
        own += own.T.copy()
        own /= 2
    return product


def _drawn_in(c: FloatArray, fitted: ItemFit) -> FloatArray:
    """Shape [m + e, m + e]; C L C, what a prior of curvature L leaves of its own scatter."""
    m = len(fitted.strength)
    added = (c[:, :m] * prior_curvature(fitted.model.prior, fitted.theta[:m])) @ c[:m]
    return np.asarray((added + added.T) / 2)


def _warnings(lost: BoolArray, unmoved: BoolArray, fitted: ItemFit, unit: str) -> tuple[str, ...]:
    names = fitted.names + fitted.effect_names
    reasons = (
        (
            lost,
            f"one {unit} alone ties them to the others, and one {unit} does not show how much "
            f"{unit}s differ",
        ),
        (
            unmoved,
            "their votes never leave what is expected, which does not show how far they vary",
        ),
    )
    return tuple(
        f"no interval for {named(np.flatnonzero(which), names)}: {why}"
        for which, why in reasons
        if which.any()
    )


def _renumbered(cluster: Codes, n: int) -> Codes:
    """Codes 0..G-1: those given may be any numbers, such as digests."""
    if cluster.shape != (n,):
        raise InputError(f"cluster: expected shape [{n}], got {list(cluster.shape)}")
    if cluster.min() < 0:
        raise InputError(f"cluster: expected codes >= 0, got {cluster.min()}")
    if cluster.max() >= n:
        return np.unique(cluster, return_inverse=True)[1]
    present = np.bincount(cluster) > 0
    return cluster if present.all() else (np.cumsum(present) - 1)[cluster]


def _lost(directions: FloatArray, fitted: ItemFit) -> BoolArray:
    """Shape [m + e]; entries that one cluster alone tells: without it they would not exist."""
    m = len(fitted.strength)
    lost = np.zeros(m + len(fitted.effect), dtype=bool)
    for direction in directions:
        size = float(np.abs(direction).max())
        lost[m:] |= np.abs(direction[m:]) > ROUNDING * size
        for g in np.unique(fitted.group):
            items = np.flatnonzero(fitted.group == g)
            level = np.round(direction[items] / (ROUNDING * size)).astype(np.int64)
            values, counts = np.unique(level, return_counts=True)
            lost[items] |= np.abs(level - values[np.argmax(counts)]) > 1
    return lost
