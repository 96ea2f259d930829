"""Where labels go, so that none covers another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.plots import svg
from rewardlab.types import FloatArray


def spread(wanted: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Places as near as they can be to those wanted, at least ``gap`` apart.

    The sum of squared moves is least: with i gaps taken from the i-th place this is isotonic
    regression, solved by pooling neighbours that are out of order.

    Args:
        wanted: Length k, ascending.
        gap: Least distance of neighbours.
        low: Least place allowed.
        high: Greatest place allowed; exceeded if k places do not fit.
    """
    pools: list[tuple[float, int]] = []
    for i, place in enumerate(wanted):
        mean, size = place - i * gap, 1
        while pools and pools[-1][0] > mean:
            before, n = pools.pop()
            mean, size = (mean * size + before * n) / (size + n), size + n
        pools.append((mean, size))
    room = max(low, high - (len(wanted) - 1) * gap)
    firsts = [min(max(mean, low), room) for mean, size in pools for _ in range(size)]
    return [first + i * gap for i, first in enumerate(firsts)]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that a label covers, in pixels from the top left."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """Area that both cover."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(across, 0.0) * max(down, 0.0)

    def n_inside(self, points: FloatArray) -> int:
        """How many of the points, of shape [k, 2], lie inside."""
        if not len(points):
            return 0
        x, y = points[:, 0], points[:, 1]
        inside = (x > self.left) & (x < self.right) & (y > self.top) & (y < self.bottom)
        return int(inside.sum())


def label_box(
    content: str, anchors: Iterable[tuple[float, float]], taken: Sequence[Box], ink: FloatArray,
    *, bounds: Box,
) -> Box:  # fmt: skip
    """The place beside one of the anchors that covers least of other labels and of what is drawn.

    Args:
        content: The label.
        anchors: Points that it may stand beside, the best first.
        taken: Boxes of labels already placed.
        ink: Shape [k, 2]; points of everything drawn.
        bounds: Where labels may be; places outside are moved in.
    """
    width = min(svg.text_width(content) * 1.1, bounds.right - bounds.left)
    places = [box for x, y in anchors for box in _beside(x, y, width, bounds)]
    cost = [
        10.0 * sum(box.overlap(other) for other in taken) + 4.0 * box.n_inside(ink)
        for box in places
    ]
    return places[int(np.argmin(cost))]


_HIGH = 17.0
_OFF = 7.0


def _beside(x: float, y: float, width: float, bounds: Box) -> list[Box]:
    """Above, right, below and left of a point, each moved into the bounds."""
    middle, level = x - width / 2, y - _HIGH / 2
    corners = (
        (middle, y - _OFF - _HIGH), (x + _OFF, level), (middle, y + _OFF),
        (x - _OFF - width, level), (x + _OFF, y - _OFF - _HIGH), (x - _OFF - width, y + _OFF),
    )  # fmt: skip
    boxes = []
    for left, top in corners:
        left = min(max(left, bounds.left), bounds.right - width)
        top = min(max(top, bounds.top), bounds.bottom - _HIGH)
        boxes.append(Box(left, top, left + width, top + _HIGH))
    return boxes
