"""What a line chart draws: lines with bands, panels that share an axis, a marked place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rewardlab.errors import InputError
from rewardlab.types import FloatArray

Tone = Literal["proxy", "gold", "other"]
Stroke = Literal["solid", "dashed", "dotted"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line, with or without a band.

    Its arrays are read-only views: what was drawn may be kept, and shared with other results.

    Attributes:
        label: Written at the line's end.
        x: Shape [k], ascending.
        y: Shape [k]; the line breaks where it is not finite.
        low: Shape [k], lower edge of the band; None for no band.
        high: Shape [k], upper edge.
        tone: Which colour: the reward's, the real goal's, or neither.
        stroke: Solid, dashed or dotted, so that colour is never the only difference.
    """

    label: str
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    tone: Tone = "proxy"
    stroke: Stroke = "solid"

    def __post_init__(self) -> None:
        for name in ("y", "low", "high"):
            value = getattr(self, name)
            if value is not None and len(value) != len(self.x):
                raise InputError(f"Line.{name}: expected length {len(self.x)}, got {len(value)}")
        if (self.low is None) != (self.high is None):
            raise InputError("Line: expected both low and high, or neither")
        for name in ("x", "y", "low", "high"):
            if (value := getattr(self, name)) is not None:
                view = value.view()
                view.setflags(write=False)
                object.__setattr__(self, name, view)


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines that share a vertical axis.

    Attributes:
        y_label: What the axis measures, written above it.
        lines: The lines.
        percent: True if the values are shares.
        height: Height of the plot, in px at natural size.
    """

    y_label: str
    lines: tuple[Line, ...]
    percent: bool = False
    height: float = 190.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the horizontal axis, such as a peak, with its interval.

    Attributes:
        x: The place; NaN draws only the interval.
        low: Lower end; NaN for no interval.
        high: Upper end; infinite where it lies beyond the data.
        label: Written at the top.
    """

    x: float
    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class TickNote:
    """A second line under the ticks, such as the KL at each n.

    Attributes:
        label: Written before the line.
        of: Text for a tick's value.
    """

    label: str
    of: Callable[[float], str]
