"""Lines with bands over one axis, such as proxy and gold against n of best-of-n."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rewardlab.plots import svg
from rewardlab.plots.grid import grid_rows
from rewardlab.plots.labels import spread
from rewardlab.plots.scales import (
    Scale,
    drawable,
    finite,
    linear_scale,
    log_scale,
    tick_labels,
    ticks,
)
from rewardlab.plots.series import Line, Mark, Panel, TickNote
from rewardlab.plots.style import NARROW
from rewardlab.types import FloatArray

_GAP = 34.0
_SPARSE = 12
"""Lines of no more points than this show each as a dot: what lies between was not computed."""


def line_chart(
    panels: Sequence[Panel],
    *,
    title: str,
    description: str,
    x_label: str,
    log_x: bool = False,
    x_note: TickNote | None = None,
    mark: Mark | None = None,
    width: float = 680.0,
) -> str:
    """Panels of lines stacked over one horizontal axis, as inline SVG.

    Two quantities in different units get two panels: a second axis in one panel would make lines
    cross where nothing crosses.

    Args:
        panels: From top to bottom; at least one.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        x_label: What the horizontal axis measures.
        log_x: True for a logarithmic axis; points at 0 or below are then out of view.
        x_note: A second line under the ticks, such as the KL at each n.
        mark: A place to mark through all panels.
        width: Width of the drawing; below 480 labels move above the plot.
    """
    x_values = [v for p in panels for ln in p.lines for v in _drawable_x(ln, log_x)]
    if not x_values:
        return svg.nothing_to_draw(width=width, title=title, reason="No finite values to draw.")
    left = _left_room(panels, x_note)
    make = log_scale if log_x else _tight_scale
    x = make(x_values, start=left, end=width - _label_room(panels, width))
    first = 8.0 if mark is None else 26.0
    body: list[str] = []
    top = first
    for panel in panels:
        top += 20 + _legend_height(panel, width)
        body += _panel(panel, x, _y_scale(panel, top), width)
        top += panel.height + _GAP
    bottom = top - _GAP
    whole = all(value == round(value) for value in x_values)
    body += _x_axis(x, bottom, x_note, width, whole=whole)
    start = first + 20 + _legend_height(panels[0], width)
    behind = [] if mark is None else _mark(mark, x, start, bottom)
    below = bottom + 38 + (15 if x_note else 0)
    middle = (x.start + x.end) / 2
    foot = svg.caption(middle, below, x_label, room=2 * min(middle, width - middle))
    return svg.figure(
        behind + body + foot,
        width=width,
        height=below - 8 + 16 * len(foot),
        title=title,
        description=description,
    )


def _drawable_x(line: Line, log_x: bool) -> list[float]:
    drawn = line.x[np.isfinite(line.x) & np.isfinite(line.y)]
    return [float(v) for v in drawn if v > 0 or not log_x]


def _tight_scale(values: Sequence[float], *, start: float, end: float) -> Scale:
    low, high = drawable(min(values)), drawable(max(values))
    if high > low:
        return Scale(low, high, start, end)
    return linear_scale(values, start=start, end=end)


def _y_scale(panel: Panel, top: float = 0.0) -> Scale:
    values = [v for ln in panel.lines for v in finite(ln.y)]
    for ln in panel.lines:
        if ln.low is not None and ln.high is not None:
            values += finite(ln.low) + finite(ln.high)
    return linear_scale(values, start=top + panel.height, end=top)


def _left_room(panels: Sequence[Panel], note: TickNote | None) -> float:
    labels = [
        svg.text_width(label, size=12)
        for panel in panels
        for label in tick_labels(_y_ticks(_y_scale(panel), panel), percent=panel.percent)
    ]
    beside = 28 + svg.text_width(note.label, size=12) if note else 0.0
    return max(12 + max(labels, default=0.0), beside)


def _y_ticks(scale: Scale, panel: Panel) -> list[float]:
    return ticks(scale, max(3, round(panel.height / 45)))


def _label_room(panels: Sequence[Panel], width: float) -> float:
    if width < NARROW:
        return 12.0
    widest = max(svg.text_width(ln.label) for p in panels for ln in p.lines) * 1.1
    return min(widest + 20, width * 0.34)


def _panel(panel: Panel, x: Scale, y: Scale, width: float) -> list[str]:
    head = svg.shortened(panel.y_label, width)
    above = y.end - 10 - _legend_height(panel, width)
    at = 0 if width < NARROW else x.start - 8
    body = [svg.text(at, above, head, class_="rl-head rl-halo")]
    body += _legend(panel, above + 18, width) if width < NARROW else []
    body += grid_rows(x, y, _y_ticks(y, panel), percent=panel.percent)
    body.append(svg.line(x.start, y.start, x.end, y.start, class_="rl-axis"))
    for ln in panel.lines:
        body += _ribbon(ln, x, y)
    for ln in panel.lines:
        body.append(_path(ln, x, y))
    return body + (_end_labels(panel, x, y, width) if width >= NARROW else [])


def _legend_rows(panel: Panel, width: float) -> list[list[tuple[Line, float]]]:
    """Lines with the left edge of each name, in rows no wider than the figure."""
    rows: list[list[tuple[Line, float]]] = [[]]
    left = 0.0
    for ln in panel.lines:
        taken = 28 + svg.text_width(ln.label) * 1.1
        if rows[-1] and left + taken > width:
            rows.append([])
            left = 0.0
        rows[-1].append((ln, left))
        left += taken + 16
    return rows


def _legend_height(panel: Panel, width: float) -> float:
    if width >= NARROW or len(panel.lines) < 2:
        return 0.0
    return 18.0 * len(_legend_rows(panel, width))


def _legend(panel: Panel, top: float, width: float) -> list[str]:
    if len(panel.lines) < 2:
        return []
    body = []
    for k, row in enumerate(_legend_rows(panel, width)):
        y = top + 18 * k
        for ln, left in row:
            path = f"M{left:.1f} {y - 4:.1f}h22"
            body.append(svg.element("path", d=path, class_=_line_class(ln)))
            said = svg.shortened(ln.label, (width - left - 28) / 1.05)
            body.append(svg.text(left + 28, y, said, class_=f"rl-{ln.tone}"))
    return body


def _line_class(line: Line) -> str:
    return f"rl-line rl-{line.tone} rl-{line.stroke}"


def _points(line: Line, values: FloatArray, x: Scale, y: Scale) -> list[list[tuple[float, float]]]:
    """Runs of drawable points, in pixels."""
    runs: list[list[tuple[float, float]]] = [[]]
    for at, value in zip(line.x, values, strict=True):
        if math.isfinite(at) and math.isfinite(value) and (at > 0 or not x.log):
            runs[-1].append((x(float(at)), y(float(value))))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _path(line: Line, x: Scale, y: Scale) -> str:
    runs = _points(line, line.y, x, y)
    parts = [svg.element("path", d=_trace(run), class_=_line_class(line)) for run in runs]
    n_points = sum(len(run) for run in runs)
    dotted = [run for run in runs if len(run) == 1 or n_points <= _SPARSE]
    hollow = " rl-hollow" if line.stroke != "solid" else ""
    css = f"rl-dot rl-{line.tone}{hollow}"
    dots = [svg.element("circle", cx=a, cy=b, r=2.6, class_=css) for run in dotted for a, b in run]
    return "".join(parts + dots)


def _trace(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points)


def _ribbon(line: Line, x: Scale, y: Scale) -> list[str]:
    if line.low is None or line.high is None:
        return []
    known = np.isfinite(line.low) & np.isfinite(line.high)
    low, high = np.where(known, line.low, np.nan), np.where(known, line.high, np.nan)
    runs = zip(_points(line, low, x, y), _points(line, high, x, y), strict=True)
    css = f"rl-ribbon rl-{line.tone}"
    return [
        svg.element("path", d=_trace(upper + lower[::-1]) + "Z", class_=css)
        for lower, upper in runs
    ]


def _end_labels(panel: Panel, x: Scale, y: Scale, width: float) -> list[str]:
    ends = []
    for ln in panel.lines:
        runs = _points(ln, ln.y, x, y)
        if runs:
            ends.append((runs[-1][-1], ln))
    ends.sort(key=lambda end: end[0][1])
    places = spread([py for (_, py), _ in ends], gap=16, low=y.end, high=y.start - 6)
    pushed = [abs(at - py) > 6 for ((_, py), _), at in zip(ends, places, strict=True)]
    body = []
    for ((px, py), ln), at in zip(ends, places, strict=True):
        beside = px + (16 if any(pushed) else 8)
        if any(pushed):  # A thread shows whose name it is.
            body.append(svg.line(px + 3, py, px + 13, at, class_=f"rl-thread rl-{ln.tone}"))
        label = svg.shortened(ln.label, max(width - beside, 40.0))
        body.append(svg.text(beside, at + 4, label, class_=f"rl-{ln.tone}"))
    return body


def _mark(mark: Mark, x: Scale, top: float, bottom: float) -> list[str]:
    body = []
    low, high = max(mark.low, x.low), min(mark.high, x.high)
    if not (math.isnan(mark.low) or math.isnan(mark.high)) and high >= low:
        left, right = x(low), x(high)
        body.append(svg.box(left, top, max(right - left, 2), bottom - top, class_="rl-area"))
    if math.isfinite(mark.x) and x.inside(mark.x):
        body.append(svg.line(x(mark.x), top - 4, x(mark.x), bottom, class_="rl-reference"))
    centre = x(min(max(mark.x, x.low), x.high)) if math.isfinite(mark.x) else x.end
    label = svg.shortened(mark.label, x.end)
    half = svg.text_width(label) / 2 * 1.1
    at = max(min(centre, x.end - half), half)
    return [*body, svg.text(at, 14, label, class_="rl-halo", anchor="middle")]


def _x_axis(
    x: Scale, bottom: float, note: TickNote | None, width: float, *, whole: bool
) -> list[str]:
    """Ticks with their labels; of whole numbers, such as steps, no halves are marked."""
    n_wanted = max(2, round((x.end - x.start) / 60))
    if whole and not x.log:
        n_wanted = max(1, min(n_wanted, int(min(x.high - x.low, 1e6))))
    values = ticks(x, n_wanted)
    body, under = [], bottom + 17
    for value, shown in zip(values, tick_labels(values), strict=True):
        body.append(svg.line(x(value), bottom, x(value), bottom + 4, class_="rl-axis"))
        at = min(x(value), width - svg.text_width(shown, size=12) / 2)
        body.append(svg.text(at, under, shown, class_="rl-quiet", anchor="middle"))
        if note:
            said = note.of(value)
            body.append(svg.text(x(value), under + 15, said, class_="rl-quiet", anchor="middle"))
    if note:
        body.append(svg.text(0, under + 15, note.label, class_="rl-quiet"))
    return body
