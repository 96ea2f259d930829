"""Shapes that systems share: lines of the other kinds, a path's scores, a marked place, a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np

from rewardlab.plots.series import Line, Mark, Panel, Stroke
from rewardlab.systems.declaration import Cell, Table
from rewardlab.types import FloatArray, OptimizationPath

LEASH = "1 / beta (the leash loosens to the right)"
"""Horizontal axis of a sweep over beta."""


def gold_line(label: str, x: FloatArray, y: FloatArray, stroke: Stroke = "dashed") -> Line:
    """A line of what is really wanted."""
    return Line(label, x, y, tone="gold", stroke=stroke)


def other_line(label: str, x: FloatArray, y: FloatArray, stroke: Stroke = "dashed") -> Line:
    """A line that is neither the reward's nor the real goal's, such as a bound."""
    return Line(label, x, y, tone="other", stroke=stroke)


def score_panel(
    path: OptimizationPath, y_label: str = "score", *, proxy: str = "learned reward"
) -> Panel:
    """The reward that is optimised, and true quality, along a path."""
    x = path.strength
    gold = gold_line("true quality", x, path.gold_reward)
    return Panel(y_label, (Line(proxy, x, path.proxy_reward), gold))


def place(x: float, label: str) -> Mark:
    """A marked place without an interval."""
    return Mark(x, math.nan, math.nan, label)


def column_table(columns: Mapping[str, Iterable[Cell] | np.ndarray]) -> Table:
    """A table from its columns by heading, all as long; NaN becomes a dash."""
    return row_table(tuple(columns), zip(*columns.values(), strict=True))


def row_table(headings: tuple[str, ...], rows: Iterable[Iterable[object]]) -> Table:
    """A table from rows of Python or NumPy values; NaN becomes a dash."""
    return Table(headings, tuple(tuple(_cell(value) for value in row) for row in rows))


def _cell(value: object) -> Cell:
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and math.isnan(plain) else cast(Cell, plain)
