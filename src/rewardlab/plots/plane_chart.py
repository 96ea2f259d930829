"""Curves and points in a plane of two quantities: ellipses of equal KL, a policy on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.plots import svg
from rewardlab.plots.scales import Scale, finite, linear_scale, tick_labels, ticks
from rewardlab.plots.series import Stroke, Tone
from rewardlab.types import FloatArray


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
    across = finite(np.concatenate([shape.x for shape in shapes])) if shapes else []
    up = finite(np.concatenate([shape.y for shape in shapes])) if shapes else []
    if not across or not up:
        return svg.nothing_to_draw(width=width, title=title, reason="No finite values to draw.")
    x = linear_scale(across, start=52.0, end=width - 12)
    height = 300.0
    if equal:
        height = min(max((max(up) - min(up)) * (x.end - x.start) / (x.high - x.low), 140.0), 460.0)
    top = 28.0
    y = linear_scale(up, start=top + height, end=top)
    body = [*_axes(x, y), svg.text(0, 14, y_label, class_="rl-quiet")]
    for shape in shapes:
        body += _shape(shape, x, y)
    body += [label for shape in shapes for label in _label(shape, x, y, width)]
    middle = (x.start + x.end) / 2
    foot = svg.caption(middle, y.start + 38, x_label, room=2 * min(middle, width - middle))
    return svg.figure(
        [*body, *foot],
        width=width,
        height=y.start + 30 + 16 * len(foot),
        title=title,
        description=description,
    )


def _axes(x: Scale, y: Scale) -> list[str]:
    body = []
    values = ticks(x, max(2, round((x.end - x.start) / 80)))
    for value, said in zip(values, tick_labels(values), strict=True):
        body.append(svg.line(x(value), y.end, x(value), y.start, class_="rl-grid"))
        body.append(svg.text(x(value), y.start + 17, said, class_="rl-quiet", anchor="middle"))
    values = ticks(y, max(2, round((y.start - y.end) / 45)))
    for value, said in zip(values, tick_labels(values), strict=True):
        body.append(svg.line(x.start, y(value), x.end, y(value), class_="rl-grid"))
        body.append(svg.text(x.start - 8, y(value) + 4, said, class_="rl-quiet", anchor="end"))
    return body


def _shape(shape: Shape, x: Scale, y: Scale) -> list[str]:
    places = [(x(float(a)), y(float(b))) for a, b in zip(shape.x, shape.y, strict=True)]
    if shape.points:
        css = f"rl-dot rl-{shape.tone}"
        return [svg.element("circle", cx=a, cy=b, r=3.5, class_=css) for a, b in places]
    stroke = "" if shape.stroke == "solid" else f" rl-{shape.stroke}"
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
    return [svg.element("path", d=path, class_=f"rl-line rl-{shape.tone}{stroke}")]


def _label(shape: Shape, x: Scale, y: Scale, width: float) -> list[str]:
    if not shape.label or not len(shape.x):
        return []
    half = svg.text_width(shape.label) * 0.55
    at = min(max(x(float(shape.x[-1])), half), width - half)
    css = f"rl-{shape.tone} rl-halo"
    return [svg.text(at, y(float(shape.y[-1])) - 9, shape.label, class_=css, anchor="middle")]
