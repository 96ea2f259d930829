"""Leaderboards: items in order of strength, with what can and cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles, Codes
from rewardlab.rewards.items.cells import Cells, count_cells, sums_by_item
from rewardlab.rewards.items.covariance import (
    CovarianceKind,
    ItemCovariance,
    item_covariance,
)
from rewardlab.rewards.items.fit import MAXIMUM_LIKELIHOOD, ItemFit, fit_items
from rewardlab.rewards.items.item_intervals import ItemIntervals, item_intervals
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.rank_ranges import RankRanges, rank_ranges
from rewardlab.rewards.items.strength_scale import StrengthScale
from rewardlab.rewards.items.within_groups import ranks_within
from rewardlab.types import FloatArray, IntArray, Outcome

Interval = Literal["sandwich", "hessian", "bootstrap", "none"]
ClusterBy = Literal["prompt", "annotator", "none"]
LOGITS = StrengthScale()


@dataclass(frozen=True, slots=True)
class LeaderboardOptions:
    """What a leaderboard says beside the strengths.

    Attributes:
        interval: How intervals are made; "none" for no intervals and no ranges of ranks.
        cluster: What votes may depend on each other; None for the prompt where it is known, else
            each vote by itself.
        level: Confidence level, of each interval and of all ranges of ranks at once.
        scale: On which strengths are shown.
        seed: Of the draws behind ranges of ranks and the bootstrap.
    """

    interval: Interval = "sandwich"
    cluster: ClusterBy | None = None
    level: float = 0.95
    scale: StrengthScale = LOGITS
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Plain:
    """Strengths of the same votes without covariates.

    Attributes:
        value: Shape [m], on the leaderboard's scale.
        rank: Shape [m]; place within the item's group.
    """

    value: FloatArray
    rank: IntArray


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Items in order of strength; ranks hold within a group only.

    Attributes:
        fit: Strengths in logits, and what they rest on.
        groups: For each group that comparisons link, positions of its items in ``fit.names``, the
            strongest first; the largest group first.
        rank: Shape [m]; 1 + how many items of the group are stronger.
        value: Shape [m]; strengths on the scale.
        low: Shape [m]; lower ends of their intervals, -infinity where the data cannot say; NaN
            without intervals.
        high: Shape [m]; upper ends.
        n_wins: Shape [m]; votes won.
        n_ties: Shape [m]; votes tied.
        intervals: Of strengths and effects, in logits; None for none.
        ranges: Ranks that each item may truly have, all items at once; None without intervals.
        plain: Strengths without the covariates; None where there are none.
        cluster: What votes were taken to depend on: "prompt", "annotator" or "none".
        n_clusters: How many clusters (single votes where there are none) the intervals rest on; 0
            where they do not rest on clusters.
        options: What was asked for.
        warnings: What limits the result.
        model_name: Whose model it is; "" for what ``fit.model`` says.
        unit: What is counted: a "vote"; or a "ranking", of which wins are first places.
    """

    fit: ItemFit
    groups: tuple[IntArray, ...]
    rank: IntArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    n_wins: IntArray
    n_ties: IntArray
    intervals: ItemIntervals | None
    ranges: RankRanges | None
    plain: Plain | None
    cluster: ClusterBy
    n_clusters: int
    options: LeaderboardOptions
    warnings: tuple[str, ...]
    model_name: str = ""
    unit: Literal["vote", "ranking"] = "vote"


def leaderboard(
    battles: Battles,
    model: ItemModel = MAXIMUM_LIKELIHOOD,
    options: LeaderboardOptions | None = None,
) -> Leaderboard:
    """The items of the battles in order of strength.

    Args:
        battles: Votes; with covariates, strengths are what is left beside them.
        model: What votes follow, and the prior.
        options: What is said beside the strengths.

    Raises:
        InputError: The options need what the battles lack.
        SeparationError: Without a prior, some items never lost, or never won, against the others.
        EstimationError: Intervals do not exist, or the solver did not end.
    """
    options = options or LeaderboardOptions()
    cluster, codes = _clusters(battles, options)
    cells = None
    if options.interval in ("sandwich", "hessian"):
        cells = count_cells(battles, position=model.position)
    fit = fit_items(battles, model, cells=cells)
    options.scale.shift(fit)  # what it refuses should not wait for the covariance
    rng = np.random.default_rng(options.seed)
    covariance = _covariance(battles, cells, fit, options.interval, codes, rng)
    plain = None
    if battles.covariates is not None:
        without = replace(battles, covariates=None, covariate_names=())
        plain = _plain(fit_items(without, model), options.scale)
    won_and_tied = outcomes(battles) if cells is None else _outcomes_of(cells)
    board = board_of(fit, covariance, options, cluster, won_and_tied, rng)
    return replace(board, plain=plain)


def board_of(
    fit: ItemFit,
    covariance: ItemCovariance | None,
    options: LeaderboardOptions,
    cluster: ClusterBy,
    won_and_tied: tuple[IntArray, IntArray],
    rng: np.random.Generator,
) -> Leaderboard:
    """The leaderboard of a fit.

    Args:
        fit: Strengths.
        covariance: Theirs; None for no intervals.
        options: What is said.
        cluster: What votes were taken to depend on.
        won_and_tied: Votes that each item won, and tied.
        rng: Source of the draws behind ranges of ranks.
    """
    shift, points = options.scale.shift(fit), options.scale.points_per_logit
    intervals = ranges = None
    low = high = np.full(len(fit.names), np.nan)
    if covariance is not None:
        intervals = item_intervals(fit, covariance, level=options.level)
        low, high = points * intervals.low + shift, points * intervals.high + shift
        ranges = rank_ranges(fit.strength, covariance, fit.group, level=options.level, rng=rng)
    return Leaderboard(
        fit=fit,
        groups=_in_order(fit),
        rank=ranks_within(fit.strength, fit.group),
        value=points * fit.strength + shift,
        low=low,
        high=high,
        n_wins=won_and_tied[0],
        n_ties=won_and_tied[1],
        intervals=intervals,
        ranges=ranges,
        plain=None,
        cluster=cluster,
        n_clusters=0 if covariance is None else covariance.n_clusters,
        options=options,
        warnings=fit.warnings + (() if intervals is None else intervals.warnings),
    )


def _plain(fit: ItemFit, scale: StrengthScale) -> Plain:
    rank = ranks_within(fit.strength, fit.group)
    return Plain(scale.points_per_logit * fit.strength + scale.shift(fit), rank)


def _covariance(
    battles: Battles,
    cells: Cells | None,
    fit: ItemFit,
    interval: Interval,
    codes: Codes | None,
    rng: np.random.Generator,
) -> ItemCovariance | None:
    if interval == "none":
        return None
    kind: CovarianceKind = interval
    return item_covariance(battles, fit, kind=kind, cluster=codes, rng=rng, cells=cells)


def _clusters(battles: Battles, options: LeaderboardOptions) -> tuple[ClusterBy, Codes | None]:
    """(what votes may depend on, its codes)."""
    cluster = options.cluster
    if options.interval in ("none", "hessian"):
        if cluster not in (None, "none"):
            raise InputError(
                f"cluster: {options.interval} intervals take votes as independent; take sandwich "
                "or bootstrap"
            )
        return "none", None
    if cluster is None:
        cluster = "none" if battles.prompt is None else "prompt"
    match cluster:
        case "none":
            return cluster, None
        case "prompt":
            codes = battles.prompt
        case "annotator":
            codes = battles.annotator
    if codes is None:
        raise InputError(
            f"cluster: the file has no column of the {cluster}; name it by --column "
            f"{'prompt_id' if cluster == 'prompt' else cluster}=COLUMN"
        )
    return cluster, codes


def _in_order(fit: ItemFit) -> tuple[IntArray, ...]:
    """Items of each group in order of strength, the largest group first."""
    order = np.lexsort((-fit.strength, fit.group))
    groups = np.split(order, np.cumsum(np.bincount(fit.group))[:-1])
    return tuple(sorted(groups, key=lambda items: -len(items)))


def outcomes(battles: Battles) -> tuple[IntArray, IntArray]:
    """Votes that each item won and tied, shape [m] each."""
    m = battles.n_items
    tied = battles.outcome == Outcome.TIE
    a_won = battles.outcome == Outcome.A
    b_won = battles.outcome == Outcome.B
    n_wins = np.bincount(battles.a[a_won], minlength=m) + np.bincount(battles.b[b_won], minlength=m)
    n_ties = np.bincount(battles.a[tied], minlength=m) + np.bincount(battles.b[tied], minlength=m)
    return n_wins, n_ties


def _outcomes_of(cells: Cells) -> tuple[IntArray, IntArray]:
    """The same from cells."""
    i, j, m = cells.i, cells.j, cells.n_items
    n_wins = sums_by_item(i, cells.n_i, m) + sums_by_item(j, cells.n_j, m)
    n_ties = sums_by_item(i, cells.n_tie, m) + sums_by_item(j, cells.n_tie, m)
    return n_wins.astype(np.int64), n_ties.astype(np.int64)
