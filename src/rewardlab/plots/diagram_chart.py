"""Boxes and arrows: a process with a figure at each station, and where it stands now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rewardlab.errors import InputError
from rewardlab.plots import svg
from rewardlab.plots.series import Tone
from rewardlab.plots.style import NARROW

State = Literal["past", "now", "to come", "absent"]

_LINE = 17.0
_PAD = 12.0
_GAP_X, _GAP_Y = 74.0, 62.0
_STACKED_GAP = 36.0
_SIDE = 44.0
_INSET = 36.0
_HEAD = 7.0
_LINES = 2
"""Room for these many lines below each heading, so that boxes keep their size while figures change.
"""
_OUTLINES = {"past": "rl-area-edge", "to come": "rl-track", "absent": "rl-empty"}
_WAYS = {
    "past": "rl-arrow rl-other",
    "now": "rl-arrow rl-proxy",
    "to come": "rl-area-edge",
    "absent": "rl-empty",
}


@dataclass(frozen=True, slots=True)
class Station:
    """One box.

    Attributes:
        name: Its heading.
        says: Lines below it, such as a figure; each may wrap.
        column: Place from the left, from 0.
        row: Place from the top, from 0.
        state: Done, under way, still to come, or no part of this process.
        tone: Which colour marks it: the reward's, the real goal's, or neither.
    """

    name: str
    says: str
    column: int
    row: int
    state: State = "past"
    tone: Tone = "other"


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way from one box to another.

    Attributes:
        start: Index of the station it leaves.
        end: Index of the station it leads to.
        label: A word or two beside it; "" for none.
        state: As a station's.
    """

    start: int
    end: int
    label: str = ""
    state: State = "past"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A box in pixels, with its wrapped lines."""

    left: float
    top: float
    width: float
    height: float
    lines: tuple[str, ...]

    @property
    def middle(self) -> tuple[float, float]:
        return self.left + self.width / 2, self.top + self.height / 2


def diagram_chart(
    stations: Sequence[Station],
    arrows: Sequence[Arrow],
    *,
    title: str,
    description: str,
    width: float = 680.0,
) -> str:
    """Stations in their rows and columns with arrows between them, as inline SVG.

    Args:
        stations: The boxes, in the order of the process.
        arrows: Between them.
        title: Short name of the figure.
        description: What it shows, for those who do not see it.
        width: Width of the drawing; below 480 the stations stand below each other, and arrows that
            skip a station run beside them.

    Raises:
        InputError: There is no station, two share a place, or an arrow leads from or to none.
    """
    check_diagram(stations, arrows)
    stacked = width < NARROW
    placed = _stack(stations, width) if stacked else _grid(stations, width)
    ways = _stacked_arrows if stacked else _straight_arrows
    body = [mark for box, of in zip(stations, placed, strict=True) for mark in _box(box, of)]
    height = max(box.top + box.height for box in placed) + 2
    return svg.figure(
        [*body, *ways(arrows, placed)],
        width=width,
        height=height,
        title=title,
        description=description,
    )


def check_diagram(stations: Sequence[Station], arrows: Sequence[Arrow]) -> None:
    """Refuse what cannot be drawn; see ``diagram_chart``."""
    if not stations:
        raise InputError("stations: expected at least one, got none")
    if len({(one.column, one.row) for one in stations}) < len(stations):
        raise InputError("stations: expected each at a place of its own")
    for arrow in arrows:
        ends = (arrow.start, arrow.end)
        if arrow.start == arrow.end or not all(0 <= k < len(stations) for k in ends):
            raise InputError(
                f"arrows: expected two of the {len(stations)} stations, got {arrow.start} and "
                f"{arrow.end}"
            )


def _grid(stations: Sequence[Station], width: float) -> list[_Placed]:
    columns = 1 + max(one.column for one in stations)
    wide = (width - 3 - _GAP_X * (columns - 1)) / columns
    lines = [_wrapped(one.says, wide - 2 * _PAD) for one in stations]
    high = _high(max(_LINES, *(len(said) for said in lines)))
    return [
        _Placed(
            1.5 + one.column * (wide + _GAP_X), 1.5 + one.row * (high + _GAP_Y), wide, high, said
        )
        for one, said in zip(stations, lines, strict=True)
    ]


def _stack(stations: Sequence[Station], width: float) -> list[_Placed]:
    wide = width - _SIDE - 3
    placed, top = [], 1.5
    for one in stations:
        said = _wrapped(one.says, wide - 2 * _PAD)
        high = _high(max(1, len(said)))
        placed.append(_Placed(1.5, top, wide, high, said))
        top += high + _STACKED_GAP
    return placed


def _high(n_lines: int) -> float:
    return 2 * _PAD + 14 + _LINE * n_lines


def _wrapped(content: str, room: float) -> tuple[str, ...]:
    """Lines no wider than ``room``; a word that is wider by itself is shortened."""
    lines: list[str] = []
    for word in content.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and svg.text_width(joined) * 1.05 <= room:
            lines[-1] = joined
        else:
            lines.append(word)
    return tuple(svg.shortened(line, room / 1.02) for line in lines)


def _box(one: Station, at: _Placed) -> list[str]:
    css = _OUTLINES.get(one.state, "rl-area")
    body = [svg.box(at.left, at.top, at.width, at.height, class_=css, radius=8)]
    if one.state == "now":
        outline = f"rl-line rl-{one.tone}"
        body.append(svg.element("path", d=_rounded(at, 8), class_=outline))
    room = at.width - 2 * _PAD - 16
    head = svg.shortened(one.name, room)
    quiet = "rl-quiet" if one.state in ("to come", "absent") else ""
    first = at.top + _PAD + 11
    body.append(svg.text(at.left + _PAD, first, head, class_=f"rl-head {quiet}".strip()))
    body += [
        svg.text(at.left + _PAD, first + 3 + _LINE * (k + 1), line, class_=quiet)
        for k, line in enumerate(at.lines)
    ]
    return [*body, *_marker(one, at.left + at.width - _PAD - 10, first - 4.5)]


def _rounded(at: _Placed, r: float) -> str:
    """The outline of a box with round corners, as a path."""
    across, down = at.width - 2 * r, at.height - 2 * r
    return (
        f"M{at.left + r:.1f} {at.top:.1f}h{across:.1f}a{r} {r} 0 0 1 {r} {r}v{down:.1f}"
        f"a{r} {r} 0 0 1 {-r} {r}h{-across:.1f}a{r} {r} 0 0 1 {-r} {-r}v{-down:.1f}"
        f"a{r} {r} 0 0 1 {r} {-r}z"
    )


def _marker(one: Station, x: float, y: float) -> list[str]:
    """A tick for what is done and a dot for what is under way: not told by colour alone."""
    if one.state == "past":
        path = f"M{x:.1f} {y:.1f}l3.5 4l7 -8.5"
        return [svg.element("path", d=path, class_="rl-arrow rl-other")]
    if one.state == "now":
        return [svg.element("circle", cx=x + 5, cy=y, r=5, class_=f"rl-dot rl-{one.tone}")]
    return []


def _straight_arrows(arrows: Sequence[Arrow], placed: Sequence[_Placed]) -> list[str]:
    body: list[str] = []
    for arrow in arrows:
        (x1, y1), (x2, y2) = _edges(placed[arrow.start], placed[arrow.end])
        body += _shaft(arrow, [(x1, y1), (x2, y2)])
        upright = abs(x2 - x1) < 1
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        if upright:
            body += _label(arrow, middle[0] + 10, middle[1] + 4, "start")
        elif abs(y2 - y1) < 1:
            body += _label(arrow, middle[0], middle[1] - 9, "middle", room=_GAP_X - 4)
        else:
            below = (x2 - x1) * (y2 - y1) < 0  # The side that the line leaves free at its right.
            body += _label(arrow, middle[0] + 12, middle[1] + (13 if below else -6), "start")
    return body


def _edges(a: _Placed, b: _Placed) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where an arrow leaves one box and reaches the other: sides that face, or nearest corners."""
    (ax, ay), (bx, by) = a.middle, b.middle
    right, down = (bx > ax) - (bx < ax), (by > ay) - (by < ay)
    if right and down:
        inset = 22.0
        return (
            (ax + right * (a.width / 2 - inset), ay + down * (a.height / 2 + 3)),
            (bx - right * (b.width / 2 - inset), by - down * (b.height / 2 + 3)),
        )
    return (
        (ax + right * (a.width / 2 + 3), ay + down * (a.height / 2 + 3)),
        (bx - right * (b.width / 2 + 3), by - down * (b.height / 2 + 3)),
    )


def _stacked_arrows(arrows: Sequence[Arrow], placed: Sequence[_Placed]) -> list[str]:
    body: list[str] = []
    for arrow in arrows:
        a, b = placed[arrow.start], placed[arrow.end]
        if arrow.end == arrow.start + 1:
            x, y1, y2 = a.left + _INSET, a.top + a.height + 3, b.top - 3
            body += _shaft(arrow, [(x, y1), (x, y2)])
            body += _label(arrow, x + 10, (y1 + y2) / 2 + 4, "start")
            continue
        edge, on = a.left + a.width, arrow.end > arrow.start
        # Ways back run outside ways on, and leave below where those arrive: none cross.
        out = edge + (20.0 if on else 34.0)
        y1, y2 = a.middle[1] + 8, b.middle[1] + (-8 if on else 8)
        body += _shaft(arrow, [(edge + 3, y1), (out, y1), (out, y2), (edge + 3, y2)])
        body += _label(arrow, edge - 2, a.top + (a.height + 17 if on else -8), "end")
    return body


def _shaft(arrow: Arrow, points: list[tuple[float, float]]) -> list[str]:
    (x1, y1), (x2, y2) = points[-2], points[-1]
    long = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-9)
    ux, uy = (x2 - x1) / long, (y2 - y1) / long
    wings = [(x2 - _HEAD * (ux + s * 0.6 * uy), y2 - _HEAD * (uy - s * 0.6 * ux)) for s in (1, -1)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    tip = "L".join(f"{x:.1f} {y:.1f}" for x, y in (wings[0], (x2, y2), wings[1]))
    return [svg.element("path", d=f"{path}M{tip}", class_=_WAYS[arrow.state])]


def _label(
    arrow: Arrow, x: float, y: float, anchor: str, *, room: float | None = None
) -> list[str]:
    if not arrow.label:
        return []
    said = arrow.label if room is None else svg.shortened(arrow.label, room, size=12)
    return [svg.text(x, y, said, class_="rl-quiet rl-halo", anchor=anchor)]
