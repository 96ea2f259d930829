"""A leaderboard as a chart: strengths with their intervals, the strongest first."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.interval_chart import IntervalRow, Reference, interval_chart
from rewardlab.rewards.items.leaderboard import Leaderboard
from rewardlab.rewards.items.leaderboard_words import rounded

WIDTH = 820.0


def leaderboard_chart(board: Leaderboard, *, top: int | None = None) -> str:
    """Strengths with intervals and ranges of ranks, as inline SVG.

    Items that may be the first of their table have a filled mark, the others a hollow one.

    Args:
        board: What to draw.
        top: Items of each table; None for all.
    """
    several = len(board.groups) > 1
    rows = [
        _row(board, k, f"Group {number} of {len(board.groups)}" if several else "")
        for number, items in enumerate(board.groups, 1)
        for k in items[:top].tolist()
    ]
    elo = board.options.scale.name == "elo"
    centre = 1000.0 if elo else 0.0
    unit = "Elo points" if elo else "logits"
    if board.fit.model.link == "probit":
        unit = "noise deviations of one response"
    level = f"{100 * board.options.level:g}%"
    with_ranges = f" with {level} intervals; filled: may be best"
    return interval_chart(
        rows,
        title="Leaderboard",
        description=f"Strengths of {len(board.fit.names):,} items, the strongest first.",
        x_label=f"Strength, {unit}{with_ranges if board.intervals is not None else ''}",
        references=() if board.options.scale.anchor else (Reference(centre, "mean"),),
        width=WIDTH,
    )


def _row(board: Leaderboard, k: int, group: str) -> IntervalRow:
    digits = 0 if board.options.scale.name == "elo" else 2
    text = _figure(board.value[k], digits)
    strong = True
    if board.ranges is not None:
        if np.isfinite(board.low[k]) and np.isfinite(board.high[k]):
            text += f" ({_figure(board.low[k], digits)} to {_figure(board.high[k], digits)})"
        low, high = int(board.ranges.low[k]), int(board.ranges.high[k])
        text += f", rank {low}" if low == high else f", ranks {low}-{high}"
        strong = low == 1
    return IntervalRow(
        label=f"{board.rank[k]}. {board.fit.names[k]}",
        value=float(board.value[k]),
        low=float(board.low[k]),
        high=float(board.high[k]),
        text=text,
        strong=strong,
        group=group,
    )


def _figure(value: float, digits: int) -> str:
    return rounded(value, digits).replace("-", "−")
