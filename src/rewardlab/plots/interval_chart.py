"""Estimates with horizontal intervals, one a row: weights around zero, accuracies by bucket."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.plots import svg
from rewardlab.plots.grid import grid_columns
from rewardlab.plots.scales import Scale, finite, linear_scale, ticks
from rewardlab.plots.series import Tone
from rewardlab.plots.style import NARROW


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One estimate.

    Attributes:
        label: Name of the row.
        value: The estimate; NaN leaves the row without a mark, with its text.
        low: Lower end; NaN for no interval; infinite ends are drawn as arrows.
        high: Upper end.
        text: The figures, written at the right.
        strong: Filled marker (told apart from chance), or hollow.
        tone: Colour.
        group: Rows of one group stand under its heading; "" for none.
    """

    label: str
    value: float
    low: float
    high: float
    text: str = ""
    strong: bool = True
    tone: Tone = "proxy"
    group: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A vertical line across all rows.

    Attributes:
        value: Where.
        label: Written above it.
    """

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Band:
    """A vertical band behind all rows.

    Attributes:
        low: Left edge.
        high: Right edge.
        label: Written above it.
    """

    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the columns stand: names up to ``x.start``, marks, figures from ``text_left``."""

    width: float
    x: Scale
    text_left: float
    narrow: bool

    @property
    def row_height(self) -> float:
        return 42.0 if self.narrow else 27.0


@dataclass(frozen=True, slots=True)
class _TopLabel:
    """A label above the rows: its text, what it points at, its middle, half width and level."""

    text: str
    points_at: float
    at: float
    half: float
    level: int


def interval_chart(
    rows: Sequence[IntervalRow],
    *,
    title: str,
    description: str,
    x_label: str,
    references: Sequence[Reference] = (),
    band: Band | None = None,
    percent: bool = False,
    width: float = 680.0,
) -> str:
    """Rows of markers with whiskers on a shared axis, as inline SVG.

    Args:
        rows: From top to bottom.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        x_label: What the axis measures.
        references: Lines across all rows, such as zero or a coin; always in view.
        band: A band behind all rows; always in view.
        percent: True if the values are shares.
        width: Width of the drawing; below 480 names stand above their marks.
    """
    if not any(math.isfinite(row.value) for row in rows):
        return svg.nothing_to_draw(width=width, title=title, reason="No finite values to draw.")
    layout = _layout(rows, references, band, width)
    labels = _top_labels(references, band, layout)
    top = 8.0 + 17 * (1 + max((label.level for label in labels), default=-1))
    body: list[str] = []
    y, group = top, ""
    for row in rows:
        if row.group != group:
            y += 24 if y == top else 32
            group = row.group
            body.append(svg.text(0, y - 6, svg.shortened(row.group, width), class_="rl-head"))
        body += _row(row, layout, y)
        y += layout.row_height
    behind = _background(references, band, layout, top, y, percent)
    above = [part for label in labels for part in _top_label(label, top)]
    foot = _foot(layout, y + 38, x_label)
    return svg.figure(
        [*behind, *body, *above, *foot],
        width=width,
        height=y + 30 + 16 * len(foot),
        title=title,
        description=description,
    )


def _layout(
    rows: Sequence[IntervalRow],
    references: Sequence[Reference],
    band: Band | None,
    width: float,
) -> _Layout:
    narrow = width < NARROW
    include = [r.value for r in references] + ([band.low, band.high] if band else [])
    values = [v for row in rows for v in finite([row.value, row.low, row.high])]
    # Digits are wider than letters, all alike, and by more where the font is a wide one.
    widest = max(svg.text_width(row.text, size=12) for row in rows) * 1.2
    names = max(svg.text_width(row.label) for row in rows) * 1.08
    start = 4.0 if narrow else min(names + 14, width * 0.34)
    end = width - 4 if narrow else width - min(widest + 14, width * 0.34)
    x = linear_scale(values, start=start, end=end, include=include)
    return _Layout(width, x, width if narrow else end + 12, narrow)


def _foot(layout: _Layout, y: float, label: str) -> list[str]:
    middle = (layout.x.start + layout.x.end) / 2
    return svg.caption(middle, y, label, room=2 * min(middle, layout.width - middle))


def _row(row: IntervalRow, layout: _Layout, top: float) -> list[str]:
    if layout.narrow:
        said = svg.shortened(row.text, layout.width * 0.6, size=12)
        room = layout.width - svg.text_width(said, size=12) * 1.08 - 12
        label = svg.text(0, top + 15, svg.shortened(row.label, room), class_="rl-halo")
        css = "rl-quiet rl-halo"
        figures = svg.text(layout.width, top + 15, said, class_=css, anchor="end")
        return [label, figures, *_mark(row, layout.x, top + 28)]
    label = svg.text(0, top + 18, svg.shortened(row.label, layout.x.start - 10))
    said = svg.shortened(row.text, (layout.width - layout.text_left) * 1.08, size=12)
    figures = svg.text(layout.text_left, top + 18, said, class_="rl-quiet")
    return [label, figures, *_mark(row, layout.x, top + 13.5)]


def _mark(row: IntervalRow, x: Scale, y: float) -> list[str]:
    if not math.isfinite(row.value):
        return []
    body = []
    if not (math.isnan(row.low) or math.isnan(row.high)):
        left, right = x(max(row.low, x.low)), x(min(row.high, x.high))
        body.append(svg.line(left, y, right, y, class_=f"rl-whisker rl-{row.tone}"))
        body += _arrows(row, left, right, y)
    css = f"rl-dot rl-{row.tone}" + ("" if row.strong else " rl-hollow")
    return [*body, svg.element("circle", cx=x(row.value), cy=y, r=4.5, class_=css)]


def _arrows(row: IntervalRow, left: float, right: float, y: float) -> list[str]:
    css = f"rl-arrow rl-{row.tone}"
    body = []
    if math.isinf(row.low):
        path = f"M{left + 6:.1f} {y - 5:.1f}L{left:.1f} {y:.1f}L{left + 6:.1f} {y + 5:.1f}"
        body.append(svg.element("path", d=path, class_=css))
    if math.isinf(row.high):
        path = f"M{right - 6:.1f} {y - 5:.1f}L{right:.1f} {y:.1f}L{right - 6:.1f} {y + 5:.1f}"
        body.append(svg.element("path", d=path, class_=css))
    return body


def _background(
    references: Sequence[Reference],
    band: Band | None,
    layout: _Layout,
    top: float,
    bottom: float,
    percent: bool,
) -> list[str]:
    x = layout.x
    body = []
    if band is not None and math.isfinite(band.low) and math.isfinite(band.high):
        across = max(x(band.high) - x(band.low), 2.0)
        body.append(svg.box(x(band.low), top, across, bottom - top, class_="rl-area"))
    values = ticks(x, max(2, round((x.end - x.start) / 75)))
    body += grid_columns(x, values, top=top, bottom=bottom, percent=percent)
    body.append(svg.line(x.start, bottom, x.end, bottom, class_="rl-axis"))
    for reference in references:
        if math.isfinite(reference.value):
            at = x(reference.value)
            body.append(svg.line(at, top - 4, at, bottom, class_="rl-reference"))
    return body


def _top_labels(
    references: Sequence[Reference], band: Band | None, layout: _Layout
) -> list[_TopLabel]:
    """Labels above the rows, kept within the drawing; those that would touch go a level up."""
    places = [(r.label, r.value) for r in references if r.label and math.isfinite(r.value)]
    if band is not None and band.label and math.isfinite(band.low) and math.isfinite(band.high):
        places.append((band.label, band.low / 2 + band.high / 2))
    labels: list[_TopLabel] = []
    for full, value in places:
        label = svg.shortened(full, layout.width / 2, size=12)
        half = svg.text_width(label, size=12) / 2 * 1.1
        at = min(max(layout.x(value), half), layout.width - half)
        taken = {o.level for o in labels if abs(o.at - at) < o.half + half + 6}
        level = next(k for k in range(len(places)) if k not in taken)
        labels.append(_TopLabel(label, layout.x(value), at, half, level))
    return labels


def _top_label(label: _TopLabel, top: float) -> list[str]:
    y = top - 7 - 17 * label.level
    shown = svg.text(label.at, y, label.text, class_="rl-quiet rl-halo", anchor="middle")
    if not label.level:
        return [shown]
    return [svg.line(label.points_at, y + 4, label.points_at, top, class_="rl-reference"), shown]
