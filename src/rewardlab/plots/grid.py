"""Grid lines across a plot, each with its value beside it."""

from __future__ import annotations

from collections.abc import Sequence

from rewardlab.plots import svg
from rewardlab.plots.scales import Scale, tick_labels


def grid_rows(x: Scale, y: Scale, values: Sequence[float], *, percent: bool = False) -> list[str]:
    """A line from left to right at each value of ``y``, which stands at its left."""
    body = []
    for value, said in zip(values, tick_labels(values, percent=percent), strict=True):
        body.append(svg.line(x.start, y(value), x.end, y(value), class_="rl-grid"))
        body.append(svg.text(x.start - 8, y(value) + 4, said, class_="rl-quiet", anchor="end"))
    return body


def grid_columns(
    x: Scale, values: Sequence[float], *, top: float, bottom: float, percent: bool = False
) -> list[str]:
    """A line from top to bottom at each value of ``x``, which stands below it."""
    body = []
    for value, said in zip(values, tick_labels(values, percent=percent), strict=True):
        body.append(svg.line(x(value), top, x(value), bottom, class_="rl-grid"))
        body.append(svg.text(x(value), bottom + 17, said, class_="rl-quiet", anchor="middle"))
    return body
