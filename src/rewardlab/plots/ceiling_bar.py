"""One bar from a coin to certainty: where the accuracy stands, and how far any reward could go."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rewardlab.plots import svg
from rewardlab.plots.scales import Scale, finite
from rewardlab.plots.text import share


@dataclass(frozen=True, slots=True)
class CeilingBar:
    """What the bar shows; every value is a share in [0, 1], or NaN where it is not known.

    Attributes:
        accuracy: The reward's accuracy.
        accuracy_low: Lower end of its interval.
        accuracy_high: Upper end.
        longest: Accuracy of picking the longer response.
        ceiling_low: Lower end of the ceiling.
        ceiling_high: Upper end.
        outer_low: Lower end of the ceiling with sampling error.
        outer_high: Upper end with sampling error.
    """

    accuracy: float
    accuracy_low: float
    accuracy_high: float
    longest: float
    ceiling_low: float
    ceiling_high: float
    outer_low: float
    outer_high: float


def ceiling_bar(bar: CeilingBar, *, title: str, description: str, width: float = 680.0) -> str:
    """The bar with its labels, as inline SVG.

    Args:
        bar: What to show.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        width: Width of the drawing.
    """
    if not math.isfinite(bar.accuracy):
        return svg.nothing_to_draw(width=width, title=title, reason="No accuracy to draw.")
    lowest = max(0.0, min(finite([0.5, bar.accuracy, bar.accuracy_low, bar.longest])))
    x = Scale(math.floor(lowest * 20) / 20, 1.0, 10, width - 14)
    middle, half = 66.0, 15.0
    body = [svg.box(x.start, middle - half, x.end - x.start, 2 * half, class_="rl-track", radius=4)]
    body += _ceiling(bar, x, middle, half, width)
    body += _marks(bar, x, middle, half, width)
    body += _axis(x, middle + half)
    return svg.figure(body, width=width, height=136, title=title, description=description)


def _ceiling(bar: CeilingBar, x: Scale, middle: float, half: float, width: float) -> list[str]:
    body = []
    if math.isfinite(bar.outer_low) and math.isfinite(bar.outer_high):
        left, right = x(bar.outer_low), x(bar.outer_high)
        body.append(svg.box(left, middle - half, right - left, 2 * half, class_="rl-area"))
    if math.isfinite(bar.ceiling_low) and math.isfinite(bar.ceiling_high):
        left, right = x(bar.ceiling_low), x(bar.ceiling_high)
        across = max(right - left, 2.0)
        body.append(svg.box(left, middle - half, across, 2 * half, class_="rl-area"))
        body.append(svg.box(left, middle - half, across, 2 * half, class_="rl-area-edge"))
        said = f"best possible {share(bar.ceiling_low, decimals=0)}"
        said += f" to {share(bar.ceiling_high, decimals=0)}"
        body.append(_label(said, (left + right) / 2, 16, width, css="rl-head"))
    return body


def _marks(bar: CeilingBar, x: Scale, middle: float, half: float, width: float) -> list[str]:
    body = []
    if math.isfinite(bar.longest):
        at = x(bar.longest)
        body.append(svg.line(at, middle - half - 3, at, middle + half + 26, class_="rl-reference"))
        said = f"picking the longer {share(bar.longest)}"
        body.append(_label(said, at, middle + half + 40, width, css="rl-quiet"))
    if math.isfinite(bar.accuracy_low) and math.isfinite(bar.accuracy_high):
        left, right = x(bar.accuracy_low), x(bar.accuracy_high)
        body.append(svg.line(left, middle, right, middle, class_="rl-whisker rl-proxy"))
    at = x(bar.accuracy)
    body.append(svg.element("circle", cx=at, cy=middle, r=6, class_="rl-dot rl-proxy"))
    said = f"this reward {share(bar.accuracy)}"
    return [*body, _label(said, at, middle - half - 10, width, css="rl-proxy")]


def _label(said: str, at: float, y: float, width: float, *, css: str) -> str:
    half = svg.text_width(said) / 2 * 1.12
    return svg.text(min(max(at, half), width - half), y, said, class_=css, anchor="middle")


def _axis(x: Scale, y: float) -> list[str]:
    body = []
    apart = 1 if (x.end - x.start) * 0.1 / (x.high - x.low) > 50 else 2
    steps = range(10, math.ceil(x.low * 10 - 1e-9) - 1, -apart)
    for value in (v / 10 for v in steps):
        anchor = "start" if x(value) < 20 else "end" if value == 1 else "middle"
        body.append(svg.line(x(value), y, x(value), y + 4, class_="rl-axis"))
        label = share(value, decimals=0)
        body.append(svg.text(x(value), y + 18, label, class_="rl-quiet", anchor=anchor))
    return body
