"""Charts as data, the bars and the plane: legible at any width, whatever the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.plots import svg
from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart, Chart, LineChart, PlaneChart, draw, save
from rewardlab.plots.labels import Box, label_box, spread
from rewardlab.plots.plane_chart import Shape
from rewardlab.plots.series import Line, Mark, Panel
from tests.plots.test_figures import HOSTILE, any_float, floats, parsed, texts

WIDTHS = (680.0, 320.0)
EIGHT = np.arange(1.0, 9.0)
CIRCLE = np.linspace(0.0, 2 * np.pi, 60)
each_width = pytest.mark.parametrize("width", WIDTHS)


def drawn(chart: Chart, width: float = 680.0) -> ElementTree.Element:
    return parsed(draw(chart, title="t", description="d", width=width))


def close_lines(label: str = "a longer name of a line") -> LineChart:
    lines = tuple(Line(f"{label} {k}", EIGHT, EIGHT * (1 + k / 200)) for k in range(4))
    panels = (Panel("score", lines), Panel("share", lines[:1], percent=True))
    return LineChart(panels, "n", log_x=True, mark=Mark(4, 2, 6, "peak"))


def bars(label: str = "no defence") -> BarChart:
    rows = (
        Bar(label, 0.3, 0.2, 0.4, group="noise"),
        Bar("leash", -0.3, tone="gold", group=label),
        Bar("judge", math.nan, group=label),
    )
    return BarChart(rows, "share of the best gain", percent=True)


def plane(label: str = "optimum") -> PlaneChart:
    shapes = (
        Shape("equal KL", np.cos(CIRCLE), np.sin(CIRCLE), tone="other", stroke="dotted"),
        Shape("reward", np.array([0.0, 1.0]), np.array([0.0, 1.0])),
        Shape("true quality", np.array([0.0, 0.99]), np.array([0.0, 0.98]), tone="gold"),
        Shape(label, np.array([1.0]), np.array([1.0]), points=True, tone="gold"),
    )
    return PlaneChart(shapes, "length", "substance", equal=True)


def label_boxes(root: ElementTree.Element, width: float) -> list[Box]:
    """Where each text lies."""
    boxes = []
    for element in root.iter("text"):
        x, y = float(element.attrib["x"]), float(element.attrib["y"])
        across = svg.text_width("".join(element.itertext()))
        back = {"end": 1.0, "middle": 0.5}.get(element.attrib.get("text-anchor", ""), 0.0)
        boxes.append(Box(x - back * across, y - 11, x + (1 - back) * across, y + 2))
    return boxes


@each_width
@pytest.mark.parametrize("chart", [close_lines(), bars(), plane()], ids=["lines", "bars", "plane"])
def test_no_text_covers_another_or_leaves_the_figure(chart: Chart, width: float) -> None:
    boxes = label_boxes(drawn(chart, width), width)
    for i, box in enumerate(boxes):
        assert box.left >= -2 and box.right <= width + 2
        assert all(box.overlap(other) < 8 for other in boxes[:i])


@each_width
def test_few_points_are_dots_and_many_are_a_curve(width: float) -> None:
    many = np.arange(1.0, 40.0)
    for x, n_dots in ((EIGHT, 8), (many, 0)):
        chart = LineChart((Panel("y", (Line("a", x, x),)),), "x")
        assert len(list(drawn(chart, width).iter("circle"))) == n_dots


def test_dashed_lines_have_hollow_dots_so_that_colour_is_not_the_only_difference() -> None:
    line = Line("gold", EIGHT, EIGHT, tone="gold", stroke="dashed")
    dots = drawn(LineChart((Panel("y", (line,)),), "x")).iter("circle")
    assert all("rl-hollow" in dot.attrib["class"] for dot in dots)


def test_bars_start_at_zero_and_are_as_long_as_their_values() -> None:
    root = drawn(BarChart((Bar("a", 1.0), Bar("b", 2.0), Bar("c", -1.0)), "x"))
    a, b, c = (e for e in root.iter("rect") if "rl-bar" in e.attrib["class"])
    assert a.attrib["x"] == b.attrib["x"]
    assert float(b.attrib["width"]) == pytest.approx(2 * float(a.attrib["width"]), abs=0.02)
    assert float(c.attrib["x"]) + float(c.attrib["width"]) == pytest.approx(
        float(a.attrib["x"]), abs=0.02
    )


def test_bars_say_their_values_with_a_true_minus_and_none_where_there_is_none() -> None:
    shown = texts(drawn(bars()))
    assert {"30.0%", "−30.0%", "none", "noise"} <= set(shown)


def test_bars_share_their_decimals_and_say_what_is_too_small_for_them() -> None:
    rows = tuple(Bar("a", v) for v in (1.6, -0.3, 0.009, 0.001, 0.0))
    shown = texts(drawn(BarChart(rows, "x")))
    assert {"1.60", "−0.30", "0.01", "0.00100", "0.00"} <= set(shown)


@each_width
def test_steps_are_marked_at_whole_numbers(width: float) -> None:
    x = np.arange(1.0, 6.0)
    shown = texts(drawn(LineChart((Panel("y", (Line("a", x, x / 7),)),), "step"), width))
    assert {"1", "2", "3", "4", "5"} <= set(shown) and "1.5" not in shown


@each_width
def test_a_unit_is_as_long_on_both_axes_of_an_equal_plane(width: float) -> None:
    for stretch in (0.2, 1.0, 5.0):
        shape = Shape("", np.cos(CIRCLE), stretch * np.sin(CIRCLE))
        root = drawn(PlaneChart((shape,), "x", "y", equal=True), width)
        path = next(e for e in root.iter("path") if "rl-line" in e.attrib["class"])
        xy = np.array([p.split() for p in path.attrib["d"][1:].split("L")], dtype=float)
        across, up = np.ptp(xy, axis=0)
        assert up == pytest.approx(stretch * across, rel=0.01)


def test_a_curve_of_the_plane_breaks_where_a_point_is_missing() -> None:
    x = np.array([0.0, 1.0, math.nan, 2.0, 3.0, math.inf, 4.0])
    root = drawn(PlaneChart((Shape("a", x, x),), "x", "y"))
    assert len([e for e in root.iter("path") if "rl-line" in e.attrib["class"]]) == 3
    assert len(list(root.iter("circle"))) == 1


def test_a_shape_of_unequal_lengths_is_refused() -> None:
    with pytest.raises(InputError, match=r"Shape.y: expected length 2, got 3"):
        Shape("a", np.ones(2), np.ones(3))


def test_empty_charts_say_why() -> None:
    none = np.array([])
    for chart in (
        LineChart((), "x"), BarChart((), "x"), PlaneChart((), "x", "y"),
        BarChart((Bar("a", math.nan),), "x"), PlaneChart((Shape("a", none, none),), "x", "y"),
    ):  # fmt: skip
        assert any("No " in text for text in texts(drawn(chart)))


@each_width
@pytest.mark.parametrize("make", [close_lines, bars, plane])
def test_hostile_and_endless_labels_are_text_within_the_figure(
    make: Callable[[str], Chart], width: float
) -> None:
    for label in (HOSTILE, "a very long name " * 30):
        root = drawn(make(label), width)
        assert all(svg.text_width(text) <= width for text in texts(root))


def test_a_saved_chart_stands_by_itself_light_and_dark() -> None:
    whole = save(plane(), title="A plane", description="Two directions.")
    root = ElementTree.fromstring(whole.encode())
    assert root.findtext("{*}title") == "A plane" and root.findtext("{*}desc")
    assert "prefers-color-scheme:dark" in whole


@given(st.lists(st.floats(-50, 250), max_size=8).map(sorted))
def test_spread_labels_keep_their_order_and_distance(wanted: list[float]) -> None:
    places = spread(wanted, gap=16, low=0, high=200)
    assert len(places) == len(wanted)
    assert all(b - a >= 16 - 1e-9 for a, b in pairwise(places))
    assert all(-1e-9 <= p <= 200 + 1e-9 for p in places)


def test_spread_moves_nothing_that_has_room_and_neighbours_equally() -> None:
    assert spread([10, 50, 90], gap=16, low=0, high=100) == [10, 50, 90]
    assert spread([50, 50], gap=16, low=0, high=100) == pytest.approx([42, 58])
    assert spread([99, 100], gap=16, low=0, high=100) == pytest.approx([84, 100])


def test_a_label_goes_where_neither_labels_nor_lines_are() -> None:
    bounds = Box(0, 0, 200, 200)
    nothing = np.empty((0, 2))
    above = label_box("name", [(100, 100)], [], nothing, bounds=bounds)
    assert above.bottom <= 100
    second = label_box("name", [(100, 100)], [above], nothing, bounds=bounds)
    assert second.overlap(above) == 0
    line = np.column_stack([np.linspace(60, 140, 40), np.full(40, 85.0)])
    assert label_box("name", [(100, 100)], [], line, bounds=bounds).n_inside(line) == 0
    corner = label_box("name", [(199, 1)], [], nothing, bounds=bounds)
    assert min(astuple(corner)) >= 0 and max(astuple(corner)) <= 200


def test_a_plane_without_a_point_known_in_both_coordinates_says_it_is_empty() -> None:
    shape = Shape("a", np.array([0.0]), np.array([np.inf]))
    across = Shape("b", np.array([np.inf]), np.array([0.0]))
    svg = draw(PlaneChart((shape, across), "x", "y"), title="t", description="d")
    assert "No finite values to draw" in svg


@settings(max_examples=40, deadline=None)
@given(floats, floats, any_float, any_float, st.booleans(), st.sampled_from(WIDTHS))
def test_any_numbers_make_bars_and_planes(
    x: list[float], y: list[float], low: float, high: float, flag: bool, width: float
) -> None:
    k = min(len(x), len(y))
    shape = Shape("a", np.array(x[:k]), np.array(y[:k]), points=flag)
    back = Shape("b", np.array(y[:k]), np.array(x[:k]))
    drawn(PlaneChart((shape, back), "x", "y", equal=flag), width)
    drawn(BarChart(tuple(Bar("a", v, low, high) for v in x), "x", percent=flag), width)
