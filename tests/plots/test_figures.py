"""The figures: valid XML whatever the numbers, and true to them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.plots import svg
from rewardlab.plots.calibration_chart import CalibrationPoint, calibration_chart
from rewardlab.plots.ceiling_bar import CeilingBar, ceiling_bar
from rewardlab.plots.interval_chart import Band, IntervalRow, Reference, interval_chart
from rewardlab.plots.line_chart import line_chart
from rewardlab.plots.series import Line, Mark, Panel, TickNote

NAN, INF = math.nan, math.inf
WIDTHS = (680.0, 340.0)
HOSTILE = '<script>alert("1")</script> & \x00\x1b \ud800 ]]> \u202e'

any_float = st.floats(allow_nan=True, allow_infinity=True)
floats = st.lists(any_float, min_size=0, max_size=6)


def parsed(figure: str) -> ElementTree.Element:
    """The figure as XML; fails if it is not, or if a coordinate is not a number."""
    root = ElementTree.fromstring(figure)
    assert root.attrib["role"] == "img"
    assert root.find("title") is not None and root.find("desc") is not None
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"):
                assert math.isfinite(float(value))
            assert "nan" not in value.lower() or name == "aria-label"
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter("text")]


def curve(width: float = 680.0, label: str = "gold") -> str:
    n = np.array([1.0, 2.0, 4.0, 8.0])
    gold = np.array([0.3, 0.4, 0.45, 0.42])
    lines = (Line(label, n, gold, gold - 0.02, gold + 0.02, tone="gold", stroke="dashed"),)
    return line_chart(
        [Panel("gold", lines, percent=True), Panel("proxy", (Line("proxy", n, n * 100),))],
        title="Best of n",
        description="Gold peaks at 4.",
        x_label="n",
        log_x=True,
        x_note=TickNote("KL", lambda n: f"{math.log(n):.1f}"),
        mark=Mark(4.0, 2.5, 6.0, "peak n = 4 (2.5 to 6)"),
        width=width,
    )


def forest(width: float = 680.0, label: str = "length") -> str:
    rows = [
        IntervalRow(label, 0.4, 0.3, 0.5, "+0.40 (0.30 to 0.50)"),
        IntervalRow("hedges", -0.1, -INF, 0.1, "unbounded", strong=False, group="others"),
        IntervalRow("links", NAN, NAN, NAN, "too few", group="others"),
    ]
    return interval_chart(
        rows,
        title="Weights",
        description="Length is paid for.",
        x_label="logits",
        references=[Reference(0.0, "zero")],
        band=Band(0.2, 0.3, "ceiling"),
        width=width,
    )


def reliability(width: float = 560.0) -> str:
    points = [CalibrationPoint(0.6, 0.55, 0.5, 0.6, 100), CalibrationPoint(0.9, 0.8, NAN, NAN, 40)]
    return calibration_chart(points, title="Calibration", description="Over.", width=width)


def bar(width: float = 680.0) -> str:
    values = CeilingBar(0.62, 0.6, 0.64, 0.55, 0.7, 0.8, 0.68, 0.82)
    return ceiling_bar(values, title="Ceiling", description="Room.", width=width)


@pytest.mark.parametrize("draw", [curve, forest, reliability, bar])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_xml_that_scales_and_is_described(
    draw: Callable[[float], str], width: float
) -> None:
    figure = draw(width)
    root = parsed(figure)
    assert root.attrib["viewBox"].startswith(f"0 0 {width:g} ")
    assert root.findtext("title") and root.findtext("desc")
    assert "http" not in figure and "<script" not in figure and "style=" not in figure


@pytest.mark.parametrize("draw", [curve, forest, reliability, bar])
def test_a_saved_figure_is_a_complete_svg_file(draw: Callable[[], str]) -> None:
    whole = svg.standalone(draw())
    root = ElementTree.fromstring(whole.encode("utf-8"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(root.attrib["width"]) > 0
    assert "prefers-color-scheme:dark" in whole
    assert not re.search(r"(href|src|url\()", whole)


def test_proxy_is_solid_and_gold_is_dashed_so_that_colour_is_not_the_only_difference() -> None:
    paths = [p.attrib["class"] for p in parsed(curve()).iter("path")]
    assert any("rl-proxy" in c and "rl-solid" in c for c in paths)
    assert any("rl-gold" in c and "rl-dashed" in c for c in paths)


def test_lines_are_labelled_at_their_ends_and_the_peak_at_the_top() -> None:
    shown = texts(parsed(curve()))
    assert {"gold", "proxy", "peak n = 4 (2.5 to 6)", "KL"} <= set(shown)


def test_the_peak_stands_where_its_n_stands_on_the_axis() -> None:
    root = parsed(curve())
    mark = next(e for e in root.iter("line") if e.attrib["class"] == "rl-reference")
    tick = next(e for e in root.iter("text") if e.text == "4")
    assert float(mark.attrib["x1"]) == pytest.approx(float(tick.attrib["x"]), abs=0.02)


def test_equal_steps_of_a_value_are_equal_steps_on_paper() -> None:
    rows = [IntervalRow(str(v), v, v - 1, v + 1) for v in (1.0, 2.0, 3.0)]
    root = parsed(interval_chart(rows, title="t", description="d", x_label="x"))
    at = [float(e.attrib["cx"]) for e in root.iter("circle")]
    assert at[1] - at[0] == pytest.approx(at[2] - at[1], abs=0.02)
    whisker = next(e for e in root.iter("line") if "whisker" in e.attrib["class"])
    assert float(whisker.attrib["x2"]) == pytest.approx(at[1], abs=0.02)


def test_a_line_breaks_where_a_value_is_missing() -> None:
    x = np.arange(1.0, 22.0)
    y = np.repeat([1.0, 2.0, 3.0], 7)
    y[[6, 19]] = NAN, INF
    root = parsed(
        line_chart([Panel("y", (Line("a", x, y),))], title="t", description="d", x_label="x")
    )
    lines = [p for p in root.iter("path") if "rl-line" in p.attrib["class"]]
    assert len(lines) == 3
    assert len(list(root.iter("circle"))) == 1  # a point alone is drawn as a dot


def test_unbounded_intervals_end_in_arrows_and_missing_values_have_no_mark() -> None:
    root = parsed(forest())
    assert sum("rl-arrow" in p.attrib.get("class", "") for p in root.iter("path")) == 1
    assert len(list(root.iter("circle"))) == 2
    assert "too few" in texts(root)


def test_a_mark_beyond_the_data_is_cut_at_the_edge() -> None:
    n = np.array([1.0, 2.0, 4.0])
    figure = line_chart(
        [Panel("y", (Line("a", n, n),))],
        title="t",
        description="d",
        x_label="n",
        log_x=True,
        mark=Mark(INF, 3.0, INF, "peak beyond the data"),
    )
    root = parsed(figure)
    area = next(e for e in root.iter("rect") if e.attrib["class"] == "rl-area")
    assert 0 < float(area.attrib["x"]) + float(area.attrib["width"]) <= 680
    assert "peak beyond the data" in texts(root)


def test_empty_figures_say_why() -> None:
    empty = np.array([])
    for figure in (
        line_chart([], title="t", description="d", x_label="x"),
        line_chart(
            [Panel("y", (Line("a", empty, empty),))], title="t", description="d", x_label="x"
        ),
        interval_chart([], title="t", description="d", x_label="x"),
        calibration_chart([], title="t", description="d"),
        ceiling_bar(CeilingBar(*[NAN] * 8), title="t", description="d"),
    ):
        assert any("No " in text for text in texts(parsed(figure)))


@pytest.mark.parametrize("draw", [curve, forest])
@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_labels_are_text(draw: Callable[..., str], width: float) -> None:
    figure = draw(width, label=HOSTILE)
    parsed(figure)
    figure.encode("utf-8")
    assert "<script" not in figure and "\x1b" not in figure


def test_long_labels_are_shortened_to_their_column() -> None:
    shown = texts(parsed(forest(340.0, label="a very long name " * 30)))
    assert any(text.endswith("…") and len(text) < 60 for text in shown)


def test_lines_of_unequal_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="expected length 2, got 3"):
        Line("a", np.ones(2), np.ones(3))
    with pytest.raises(InputError, match="both low and high"):
        Line("a", np.ones(2), np.ones(2), low=np.ones(2))


def test_an_axis_wider_than_a_float_is_drawn() -> None:
    x = np.array([-1.7e308, 1e300])
    panels = [Panel("y", (Line("a", x, np.zeros(2)),))]
    parsed(line_chart(panels, title="t", description="d", x_label="x", log_x=False))


@settings(max_examples=60, deadline=None)
@given(floats, floats, st.booleans(), any_float, any_float, any_float, st.sampled_from(WIDTHS))
def test_any_numbers_make_a_line_chart(
    x: list[float],
    y: list[float],
    log_x: bool,
    at: float,
    low: float,
    high: float,
    width: float,
) -> None:
    k = min(len(x), len(y))
    xs, ys = np.sort(np.array(x[:k])), np.array(y[:k])
    lines = (Line("a", xs, ys, ys, ys[::-1]), Line("b", xs, ys[::-1], tone="gold"))
    figure = line_chart(
        [Panel("y", lines)],
        title="t",
        description="d",
        x_label="x",
        log_x=log_x,
        mark=Mark(at, low, high, "here"),
        width=width,
    )
    parsed(figure)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(any_float, any_float, any_float), max_size=4), any_float, any_float)
def test_any_numbers_make_every_other_figure(
    rows: list[tuple[float, float, float]], a: float, b: float
) -> None:
    made = [IntervalRow("r", *row, text="t") for row in rows]
    for width in WIDTHS:
        for percent in (False, True):
            parsed(
                interval_chart(
                    made,
                    title="t",
                    description="d",
                    x_label="x",
                    references=[Reference(a, "a")],
                    band=Band(a, b, "band"),
                    percent=percent,
                    width=width,
                )
            )
    points = [CalibrationPoint(*row, high=a, n=3) for row in rows]
    parsed(calibration_chart(points, title="t", description="d"))
    for row in rows:
        parsed(ceiling_bar(CeilingBar(*row, a, b, a, b, a), title="t", description="d"))


def test_the_arrays_of_a_line_cannot_be_changed_and_those_given_still_can() -> None:
    given_y = np.zeros(3)
    line = Line("reward", np.arange(3.0), given_y, low=given_y - 1, high=given_y + 1)
    for kept in (line.x, line.y, line.low, line.high):
        assert kept is not None
        with pytest.raises(ValueError, match="read-only"):
            kept += 1.0
    given_y += 1.0
