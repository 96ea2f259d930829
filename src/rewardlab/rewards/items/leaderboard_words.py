"""What a leaderboard means, in sentences."""

from __future__ import annotations

import math

import numpy as np

from rewardlab.rewards.items.item_intervals import ItemIntervals
from rewardlab.rewards.items.leaderboard import Leaderboard
from rewardlab.rewards.items.model import Gamma, Ridge
from rewardlab.stats.intervals import FEW_CLUSTERS

MOST_NAMES = 20
LONGEST_NAME = 60

PRIOR_WORDS = (
    "With a prior, intervals and ranges of ranks hold on average over items that scatter as it "
    "says, about the mean of their table; an item far out is drawn in, and its interval with it."
)
DRAWN_IN_WORDS = (
    "With a prior, resampled intervals and ranges of ranks are of strengths as the prior draws "
    "them in, not of the items' own."
)

_LINKS = {"logistic": "Bradley-Terry", "probit": "Thurstone (case V)"}
_TIES = {
    "half": "ties as half a win each",
    "davidson": "ties by Davidson's model",
    "rao-kupper": "ties by Rao and Kupper's model",
    "leave-out": "ties left out",
}


def sentences(board: Leaderboard) -> list[str]:
    """Which may be best, model, intervals, ranges of ranks, and warnings."""
    said = [*_best_words(board), _model_words(board)]
    if board.intervals is not None:
        said.append(_interval_words(board))
        if board.fit.model.prior is not None:
            resampled = board.options.interval == "bootstrap"
            said.append(DRAWN_IN_WORDS if resampled else PRIOR_WORDS)
    if board.ranges is not None:
        said.append(
            f"Ranks: with {_level(board)} confidence every item's true rank lies in its range, for "
            "all items at once. Go by these: two items may be told apart though their intervals "
            "overlap."
        )
    return said + [f"Warning: {sentence}." for sentence in board.warnings]


def effect_words(board: Leaderboard) -> list[tuple[str, str]]:
    """(name, "value (low to high) logits") of each effect; the probit link has its own unit."""
    unit = "logits" if board.fit.model.link == "logistic" else "deviations of a response's noise"
    rows = []
    for k, name in enumerate(board.fit.effect_names):
        words = f"{board.fit.effect[k]:+.3f}"
        if board.intervals is not None:
            low, high = board.intervals.effect_low[k], board.intervals.effect_high[k]
            known = math.isfinite(low) and math.isfinite(high)
            words += f" ({low:+.3f} to {high:+.3f})" if known else " (the data cannot say)"
        rows.append((_tie_name(board) if name == "tie" else name, f"{words} {unit}"))
    return rows


def _tie_name(board: Leaderboard) -> str:
    return "ties (log nu)" if board.fit.model.ties == "davidson" else "ties (threshold)"


def _model_words(board: Leaderboard) -> str:
    model, fit = board.fit.model, board.fit
    parts = [board.model_name or _LINKS[model.link]]
    if board.unit == "vote":
        parts.append(_TIES[model.ties])
    if model.position:
        parts.append("with an effect of the position")
    match model.prior:
        case Ridge(l2):
            parts.append(f"ridge prior of {l2:g}")
        case Gamma(shape):
            parts.append(f"gamma prior of shape {shape:g}")
    loss = f"log loss {fit.log_loss:.4f} nats a {board.unit}"
    return f"{', '.join(parts)}: {fit.n:,.0f} {board.unit}s, {len(fit.names):,} items; {loss}."


def _interval_words(board: Leaderboard) -> str:
    if board.intervals is None:
        return ""
    of = "" if board.cluster == "none" else f", clustered by {board.cluster}"
    words = (
        f"Intervals: {board.intervals.method}{of}. Each holds by itself with {_level(board)} "
        f"confidence, for a strength about the mean of {_about(board.intervals)}."
    )
    if 0 < board.n_clusters < FEW_CLUSTERS:
        words += f" {board.n_clusters:,} are few: below about {FEW_CLUSTERS} they are rough."
    return words


def _about(intervals: ItemIntervals) -> str:
    told = np.isfinite(intervals.std_error).all()
    return "its table" if told else "those in its table that have an interval"


def _best_words(board: Leaderboard) -> list[str]:
    """Of each table, which item is best, or which may be."""
    if board.ranges is None:
        return []
    said = []
    may_be_first = set(board.ranges.may_be_first.tolist())
    for number, items in enumerate(board.groups, 1):
        if len(items) < 2:
            continue
        of = f" of group {number}" if len(board.groups) > 1 else ""
        names = [shortened(board.fit.names[k]) for k in items.tolist() if k in may_be_first]
        if len(names) == 1:
            said.append(f"Best{of}: {names[0]}, with {_level(board)} confidence.")
            continue
        more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
        share = f"{len(names):,} of {len(items):,} items"
        if len(names) == len(items):
            share = "either item" if len(items) == 2 else f"all {len(items):,} items"
        said.append(
            f"Which is best{of}, these {board.unit}s cannot tell: {share} may be: "
            f"{', '.join(names[:MOST_NAMES])}{more}."
        )
    return said


def rounded(value: float, digits: int) -> str:
    """The figure to so many decimals; what rounds to zero has no sign."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def shortened(name: str) -> str:
    """The name for a sentence: in one line, its end cut where it is very long."""
    plain = " ".join(name.split())
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1].rstrip() + "…"


def _level(board: Leaderboard) -> str:
    return f"{100 * board.options.level:g}%"
