"""Confidence against accuracy: is a reward as often right as its gaps claim?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.plots import svg
from rewardlab.plots.grid import grid_rows
from rewardlab.plots.scales import Scale, finite, tick_labels, ticks


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """Votes of similar confidence.

    Attributes:
        confidence: Mean probability given to the preferred side, in [.5, 1].
        accuracy: How often people preferred that side, in [0, 1].
        low: Lower end of the accuracy's interval; NaN for none.
        high: Upper end.
        n: Votes; the marker's area grows with it.
    """

    confidence: float
    accuracy: float
    low: float
    high: float
    n: int


def calibration_chart(
    points: Sequence[CalibrationPoint], *, title: str, description: str, width: float = 560.0
) -> str:
    """Markers with intervals around the diagonal of perfect calibration, as inline SVG.

    Args:
        points: From least to most confident.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        width: Width of the drawing.
    """
    drawn = [p for p in points if math.isfinite(p.confidence) and math.isfinite(p.accuracy)]
    if not drawn:
        return svg.nothing_to_draw(width=width, title=title, reason="No finite values to draw.")
    ends = finite([v for p in drawn for v in (p.low, p.high, p.accuracy)])
    bottom_value = math.floor(max(0.0, min(0.5, *ends)) * 10) / 10
    top, side = 30.0, 46.0
    height = min(width * 0.62, 360.0)
    x = Scale(0.5, 1.0, side, width - 14)
    y = Scale(bottom_value, 1.0, top + height, top)
    body = _axes(x, y) + _diagonal(x, y)
    most = max(p.n for p in drawn)
    for point in drawn:
        body += _point(point, x, y, most)
    return svg.figure(
        body, width=width, height=top + height + 46, title=title, description=description
    )


def _axes(x: Scale, y: Scale) -> list[str]:
    body = [svg.text(0, y.end - 14, "how often people agree", class_="rl-head")]
    body += grid_rows(x, y, ticks(y, 6), percent=True)
    across = ticks(x, 6 if x.end - x.start > 350 else 3)
    for value, label in zip(across, tick_labels(across, percent=True), strict=True):
        anchor = "end" if value > 0.99 else "middle"
        body.append(svg.line(x(value), y.start, x(value), y.start + 4, class_="rl-axis"))
        body.append(svg.text(x(value), y.start + 17, label, class_="rl-quiet", anchor=anchor))
    body.append(svg.line(x.start, y.start, x.end, y.start, class_="rl-axis"))
    middle = (x.start + x.end) / 2
    name = "probability that the reward's gap claims"
    return [*body, svg.text(middle, y.start + 37, name, anchor="middle")]


def _diagonal(x: Scale, y: Scale) -> list[str]:
    diagonal = svg.line(x(0.5), y(0.5), x(1.0), y(1.0), class_="rl-reference")
    above = svg.text(
        x.start + 10, y.end + 16, "above the line: underconfident", class_="rl-quiet rl-halo"
    )
    below = svg.text(
        x.end - 2, y.start - 10, "below the line: overconfident",
        class_="rl-quiet rl-halo", anchor="end",
    )  # fmt: skip
    return [diagonal, above, below]


def _point(point: CalibrationPoint, x: Scale, y: Scale, most: int) -> list[str]:
    at = x(point.confidence)
    body = []
    if not (math.isnan(point.low) or math.isnan(point.high)):
        low, high = max(point.low, y.low), min(point.high, 1.0)
        body.append(svg.line(at, y(low), at, y(high), class_="rl-whisker rl-proxy"))
    radius = 2.5 + 4 * math.sqrt(point.n / most) if most > 0 else 3.0
    dot = svg.element("circle", cx=at, cy=y(point.accuracy), r=radius, class_="rl-dot rl-proxy")
    return [*body, dot]
