"""Curves and points in a plane of two quantities: ellipses of equal KL, a policy on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.plots import svg
from rewardlab.plots.grid import grid_columns, grid_rows
from rewardlab.plots.labels import Box, label_box
from rewardlab.plots.scales import Scale, finite, linear_scale, tick_labels, ticks
from rewardlab.plots.series import Stroke, Tone
from rewardlab.types import FloatArray

_TOP = 28.0
_HEIGHT = 300.0
_TALLEST = 460.0


@dataclass(frozen=True, slots=True)
class Shape:
    """A curve through points in their order, or the points alone.

    Attributes:
        label: Written beside its last point; "" for none.
        x: Shape [k].
        y: Shape [k].
        tone: Which colour: the reward's, the real goal's, or neither.
        stroke: Solid, dashed or dotted.
        points: True draws dots, one a point, and no curve.
    """

    label: str
    x: FloatArray
    y: FloatArray
    tone: Tone = "proxy"
    stroke: Stroke = "solid"
    points: bool = False

    def __post_init__(self) -> None:
        if len(self.y) != len(self.x):
            raise InputError(f"Shape.y: expected length {len(self.x)}, got {len(self.y)}")


def plane_chart(
    shapes: Sequence[Shape],
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str,
    equal: bool = False,
    width: float = 680.0,
) -> str:
    """Curves and points on two linear axes, as inline SVG.

    Args:
        shapes: In drawing order.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        x_label: What the horizontal axis measures.
        y_label: What the vertical axis measures, written above it.
        equal: True if a unit is as long on both axes.
        width: Width of the drawing.
    """
    known = [np.isfinite(shape.x) & np.isfinite(shape.y) for shape in shapes]
    across = [v for shape, at in zip(shapes, known, strict=True) for v in finite(shape.x[at])]
    up = [v for shape, at in zip(shapes, known, strict=True) for v in finite(shape.y[at])]
    if not across:
        return svg.nothing_to_draw(width=width, title=title, reason="No finite values to draw.")
    x, y = _scales(across, up, width, equal=equal)
    runs = [_runs(shape, x, y) for shape in shapes]
    body = [*_axes(x, y), svg.text(0, 14, y_label, class_="rl-head")]
    body += [mark for shape, run in zip(shapes, runs, strict=True) for mark in _marks(shape, run)]
    body += _labels(shapes, runs, Box(x.start, y.end - 8, width, y.start))
    middle = (x.start + x.end) / 2
    foot = svg.caption(middle, y.start + 38, x_label, room=2 * min(middle, width - middle))
    return svg.figure(
        [*body, *foot],
        width=width,
        height=y.start + 30 + 16 * len(foot),
        title=title,
        description=description,
    )


def _scales(
    across: list[float], up: list[float], width: float, *, equal: bool
) -> tuple[Scale, Scale]:
    y = linear_scale(up, start=_TOP + _HEIGHT, end=_TOP)
    said = tick_labels(ticks(y, round(_HEIGHT / 45)))
    left = 14 + max((svg.text_width(label, size=12) * 1.05 for label in said), default=0.0)
    x = linear_scale(across, start=left, end=width - 12)
    if not equal:
        return x, y
    # A unit's length that fits both axes; the axis with room to spare shows more of the plane.
    unit = min((x.end - x.start) / (x.high - x.low), _TALLEST / (y.high - y.low))
    height = max((y.high - y.low) * unit, 140.0)
    return _around(x, unit, x.start, x.end), _around(y, unit, _TOP + height, _TOP)


def _around(scale: Scale, unit: float, start: float, end: float) -> Scale:
    """The scale with ``unit`` pixels to a unit, about the same middle."""
    middle, half = (scale.low + scale.high) / 2, abs(end - start) / unit / 2
    return Scale(middle - half, middle + half, start, end)


def _axes(x: Scale, y: Scale) -> list[str]:
    across = ticks(x, max(2, round((x.end - x.start) / 80)))
    up = ticks(y, max(2, round((y.start - y.end) / 45)))
    return grid_columns(x, across, top=y.end, bottom=y.start) + grid_rows(x, y, up)


def _runs(shape: Shape, x: Scale, y: Scale) -> list[FloatArray]:
    """Stretches of finite points, in pixels, each of shape [k, 2]."""
    known = np.isfinite(shape.x) & np.isfinite(shape.y)
    places = np.array(
        [(x(float(a)), y(float(b))) for a, b in zip(shape.x[known], shape.y[known], strict=True)]
    ).reshape(-1, 2)
    breaks = np.flatnonzero(np.diff(np.flatnonzero(known)) > 1) + 1
    return [run for run in np.split(places, breaks) if len(run)]


def _marks(shape: Shape, runs: list[FloatArray]) -> list[str]:
    dots = runs if shape.points else [run for run in runs if len(run) == 1]
    css = f"rl-dot rl-{shape.tone}"
    marks = [svg.element("circle", cx=a, cy=b, r=3.5, class_=css) for run in dots for a, b in run]
    if not shape.points:
        css = f"rl-line rl-{shape.tone} rl-{shape.stroke}"
        paths = ("M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in run) for run in runs)
        marks += [svg.element("path", d=path, class_=css) for path in paths]
    return marks


def _labels(shapes: Sequence[Shape], runs: list[list[FloatArray]], bounds: Box) -> list[str]:
    """Each label beside its shape's end, or elsewhere along a curve where the end is taken."""
    ink = np.concatenate([_ink(s, run) for s, of in zip(shapes, runs, strict=True) for run in of])
    taken: list[Box] = []
    body = []
    # Points have one place; a curve has many, so that it is labelled after them.
    for shape, of in sorted(zip(shapes, runs, strict=True), key=lambda pair: not pair[0].points):
        if not shape.label or not of:
            continue
        along = of[-1] if shape.points else _ink(shape, of[-1])
        steps = np.linspace(len(along) - 1, 0, 1 if shape.points else 9).astype(int)
        ends = [(float(a), float(b)) for a, b in along[steps]]
        box = label_box(shape.label, ends, taken, ink, bounds=bounds)
        taken.append(box)
        said = svg.shortened(shape.label, (box.right - box.left) / 1.05)
        middle = (box.left + box.right) / 2
        css = f"rl-{shape.tone} rl-halo"
        body.append(svg.text(middle, box.bottom - 4, said, class_=css, anchor="middle"))
    return body


def _ink(shape: Shape, run: FloatArray) -> FloatArray:
    """Points about 4 px apart along the curve; a dot weighs as several of them."""
    if shape.points or len(run) == 1:
        return np.repeat(run, 6, axis=0)
    steps = np.hypot(*np.diff(run, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, along[-1], max(2, int(along[-1] / 4)))
    return np.column_stack([np.interp(at, along, run[:, j]) for j in (0, 1)])
