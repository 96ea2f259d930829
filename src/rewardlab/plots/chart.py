"""Charts as data: what to draw, apart from how; drawn here as SVG, by a browser from its fields."""

from __future__ import annotations

from dataclasses import dataclass

from rewardlab.plots import svg
from rewardlab.plots.bar_chart import Bar, bar_chart
from rewardlab.plots.diagram_chart import Arrow, Station, diagram_chart
from rewardlab.plots.line_chart import line_chart
from rewardlab.plots.plane_chart import Shape, plane_chart
from rewardlab.plots.series import Mark, Panel


@dataclass(frozen=True, slots=True)
class LineChart:
    """Panels of lines over one horizontal axis.

    Attributes:
        panels: From top to bottom.
        x_label: What the horizontal axis measures.
        log_x: True for a logarithmic axis.
        mark: A place to mark, such as a peak.
    """

    panels: tuple[Panel, ...]
    x_label: str
    log_x: bool = False
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class BarChart:
    """Labelled horizontal bars from zero, under headings where they have groups.

    Attributes:
        bars: From top to bottom.
        x_label: What the bars measure.
        percent: True if the values are shares.
    """

    bars: tuple[Bar, ...]
    x_label: str
    percent: bool = False


@dataclass(frozen=True, slots=True)
class PlaneChart:
    """Curves and points in a plane of two quantities, on equal terms.

    Attributes:
        shapes: In drawing order.
        x_label: What the horizontal axis measures.
        y_label: What the vertical axis measures.
        equal: True if a unit is as long on both axes.
    """

    shapes: tuple[Shape, ...]
    x_label: str
    y_label: str
    equal: bool = False


@dataclass(frozen=True, slots=True)
class DiagramChart:
    """Boxes and arrows: a process, and where it stands.

    Attributes:
        stations: The boxes, in the order of the process.
        arrows: Between them.
    """

    stations: tuple[Station, ...]
    arrows: tuple[Arrow, ...]


Chart = LineChart | BarChart | PlaneChart | DiagramChart


def draw(chart: Chart, *, title: str, description: str, width: float = 680.0) -> str:
    """The chart as inline SVG.

    Args:
        chart: What to draw.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        width: Width of the drawing, in px at natural size.
    """
    match chart:
        case LineChart():
            return line_chart(
                chart.panels,
                title=title,
                description=description,
                x_label=chart.x_label,
                log_x=chart.log_x,
                mark=chart.mark,
                width=width,
            )
        case BarChart():
            return bar_chart(
                chart.bars,
                title=title,
                description=description,
                x_label=chart.x_label,
                percent=chart.percent,
                width=width,
            )
        case PlaneChart():
            return plane_chart(
                chart.shapes,
                title=title,
                description=description,
                x_label=chart.x_label,
                y_label=chart.y_label,
                equal=chart.equal,
                width=width,
            )
        case DiagramChart():
            return diagram_chart(
                chart.stations,
                chart.arrows,
                title=title,
                description=description,
                width=width,
            )


def save(chart: Chart, *, title: str, description: str) -> str:
    """The chart as the text of an SVG file that stands by itself."""
    return svg.standalone(draw(chart, title=title, description=description))
