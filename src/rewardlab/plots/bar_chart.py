"""Labelled horizontal bars from zero, with whiskers where a value has an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.plots import svg
from rewardlab.plots.grid import grid_columns
from rewardlab.plots.scales import Scale, finite, linear_scale, ticks
from rewardlab.plots.series import Tone
from rewardlab.plots.style import NARROW
from rewardlab.plots.text import number, share

_ROW = 24.0
_THICK = 13.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        label: Name, written at the left.
        value: Length from zero; NaN leaves the row without a bar, with its text.
        low: Lower end of the interval; NaN for none.
        high: Upper end.
        text: The figure as written at the right; "" writes the value.
        tone: Which colour: the reward's, the real goal's, or neither.
        group: Bars of one group stand under its heading; "" for none.
    """

    label: str
    value: float
    low: float = math.nan
    high: float = math.nan
    text: str = ""
    tone: Tone = "proxy"
    group: str = ""


def bar_chart(
    bars: Sequence[Bar],
    *,
    title: str,
    description: str,
    x_label: str,
    percent: bool = False,
    width: float = 680.0,
) -> str:
    """Bars on a shared axis that holds zero, as inline SVG.

    Args:
        bars: From top to bottom.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        x_label: What the bars measure.
        percent: True if the values are shares.
        width: Width of the drawing; below 480 names stand above their bars.
    """
    values = finite([v for bar in bars for v in (bar.value, bar.low, bar.high)])
    if not values:
        return svg.nothing_to_draw(width=width, title=title, reason="No finite values to draw.")
    narrow = width < NARROW
    decimals = _decimals([bar.value for bar in bars if not bar.text])
    said = [bar.text or _said(bar.value, percent, decimals) for bar in bars]
    names = max(svg.text_width(bar.label) for bar in bars) * 1.08
    figures = max(svg.text_width(text, size=12) for text in said) * 1.08
    start = 4.0 if narrow else min(names + 14, width * 0.4)
    end = width - 4 if narrow else width - min(figures + 14, width * 0.3)
    x = linear_scale(values, start=start, end=end, include=[0.0])
    body: list[str] = []
    top = y = 8.0
    group = ""
    for bar, text in zip(bars, said, strict=True):
        if bar.group != group:
            y += 24 if y == top else 32
            group = bar.group
            body.append(svg.text(0, y - 6, svg.shortened(group, width), class_="rl-head"))
        body += _row(bar, text, x, y, width, narrow=narrow)
        y += _ROW + (17 if narrow else 0)
    middle = (x.start + x.end) / 2
    foot = svg.caption(middle, y + 38, x_label, room=2 * min(middle, width - middle))
    return svg.figure(
        [*_grid(x, top, y, percent), *body, *foot],
        width=width,
        height=y + 30 + 16 * len(foot),
        title=title,
        description=description,
    )


def _decimals(values: Sequence[float]) -> int:
    """Decimals that give the largest value three digits."""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    return max(0, 2 - math.floor(math.log10(largest))) if 1e-4 <= largest < 1e6 else 2


def _said(value: float, percent: bool, decimals: int) -> str:
    if not math.isfinite(value):
        return "none"
    if percent:
        return share(value)
    size = f"{abs(value):,.{decimals}f}"
    if abs(value) >= 1e6 or (value and not size.strip("0.")):
        return number(value)  # Too large, or too small to be told from zero.
    return f"−{size}" if value < 0 else size


def _row(bar: Bar, said: str, x: Scale, top: float, width: float, *, narrow: bool) -> list[str]:
    if narrow:
        room = width - svg.text_width(said, size=12) * 1.08 - 12
        label = svg.text(0, top + 13, svg.shortened(bar.label, room), class_="rl-halo")
        figure = svg.text(width, top + 13, said, class_="rl-quiet rl-halo", anchor="end")
        y = top + 28
    else:
        y = top + _ROW / 2
        label = svg.text(0, y + 4.5, svg.shortened(bar.label, x.start - 10))
        figure = svg.text(width, y + 4.5, said, class_="rl-quiet", anchor="end")
    return [label, figure, *_mark(bar, x, y)]


def _mark(bar: Bar, x: Scale, y: float) -> list[str]:
    if not math.isfinite(bar.value):
        return []
    left, right = sorted((x(0.0), x(bar.value)))
    css = f"rl-bar rl-{bar.tone}"
    body = [svg.box(left, y - _THICK / 2, max(right - left, 1.0), _THICK, class_=css, radius=2)]
    if math.isfinite(bar.low) and math.isfinite(bar.high):
        body.append(svg.line(x(bar.low), y, x(bar.high), y, class_="rl-whisker rl-over"))
    return body


def _grid(x: Scale, top: float, bottom: float, percent: bool) -> list[str]:
    values = ticks(x, max(2, round((x.end - x.start) / 75)))
    axis = svg.line(x(0.0), top, x(0.0), bottom, class_="rl-axis")
    return [*grid_columns(x, values, top=top, bottom=bottom, percent=percent), axis]
