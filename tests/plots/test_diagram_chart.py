"""Diagrams: legible at any width, the state of a box told by more than its colour."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewardlab.errors import InputError
from rewardlab.plots.chart import DiagramChart, draw, save
from rewardlab.plots.diagram_chart import Arrow, Station
from rewardlab.systems.the_loop import SYSTEM
from tests.plots.test_charts import label_boxes
from tests.plots.test_figures import HOSTILE, parsed, texts

WIDTHS = (680.0, 320.0)
each_width = pytest.mark.parametrize("width", WIDTHS)
BOXES = (
    Station("Answers", "by the reference", 0, 0),
    Station("People", "100 pairs", 1, 0, state="now"),
    Station("Reward model", "none", 1, 1, state="absent", tone="proxy"),
    Station("Policy", "", 0, 1, state="to come", tone="proxy"),
)
WAYS = (Arrow(0, 1, "judge", "now"), Arrow(1, 3, "labels"), Arrow(3, 0, "fresh", "to come"))


def drawn(chart: DiagramChart, width: float = 680.0) -> str:
    return draw(chart, title="t", description="d", width=width)


@each_width
@pytest.mark.parametrize("method", ["rlhf", "dpo", "rlaif", "rlvr"])
@pytest.mark.parametrize("stage", [1, 4, 6, 8, 18])
def test_no_text_of_the_loop_covers_another_or_leaves_the_figure(
    method: str, stage: int, width: float
) -> None:
    chart = SYSTEM.evaluate({"method": method, "stage": stage}).chart
    assert isinstance(chart, DiagramChart)
    boxes = label_boxes(parsed(drawn(chart, width)), width)
    for i, box in enumerate(boxes):
        assert box.left >= 0 and box.right <= width
        assert all(box.overlap(other) < 8 for other in boxes[:i])


@each_width
def test_boxes_keep_their_places_while_the_process_goes_on(width: float) -> None:
    places = set()
    for stage in range(1, 7):
        chart = SYSTEM.evaluate({"stage": stage}).chart
        assert isinstance(chart, DiagramChart)
        rects = parsed(drawn(chart, width)).iter("rect")
        places.add(tuple((r.attrib["x"], r.attrib["y"], r.attrib["height"]) for r in rects))
    assert len(places) == 1


@each_width
def test_each_state_has_a_look_that_needs_no_colour(width: float) -> None:
    root = parsed(drawn(DiagramChart(BOXES, WAYS), width))
    outlines = [rect.attrib["class"] for rect in root.iter("rect")]
    assert outlines == ["rl-area-edge", "rl-area", "rl-empty", "rl-track"]
    assert sum(1 for _ in root.iter("circle")) == 1


@each_width
def test_hostile_names_are_shown_and_never_markup(width: float) -> None:
    boxes = (replace(BOXES[0], name=HOSTILE, says=HOSTILE), *BOXES[1:])
    root = parsed(drawn(DiagramChart(boxes, (Arrow(0, 1, HOSTILE),)), width))
    assert not list(root.iter("script"))
    assert texts(root)


def test_a_long_line_wraps_inside_its_box() -> None:
    long = replace(BOXES[0], says="a figure in so many words that no box is as wide as they are")
    said = texts(parsed(drawn(DiagramChart((long, *BOXES[1:]), WAYS), 320.0)))
    assert sum("words" in line or "figure" in line for line in said) >= 1
    assert " ".join(said).count("a figure in so many words") == 1


def test_the_file_stands_by_itself() -> None:
    saved = save(DiagramChart(BOXES, WAYS), title="The loop", description="It goes round.")
    assert saved.startswith("<?xml")
    assert "<title>The loop</title>" in saved


@pytest.mark.parametrize(
    ("stations", "arrows", "message"),
    [
        ((), (), "stations: expected at least one"),
        ((BOXES[0], BOXES[0]), (), "each at a place of its own"),
        (BOXES, (Arrow(0, 4),), "arrows: expected two of the 4 stations, got 0 and 4"),
        (BOXES, (Arrow(1, 1),), "arrows: expected two of the 4 stations, got 1 and 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    stations: tuple[Station, ...], arrows: tuple[Arrow, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        drawn(DiagramChart(stations, arrows))
