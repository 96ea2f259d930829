"""From values to pixels: linear and logarithmic scales with ticks at 1, 2 and 5."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rewardlab.types import FloatArray

_LARGEST = 1e300
"""Larger values lie at the edge: room for arithmetic without overflow."""


def finite(values: Iterable[float] | FloatArray) -> list[float]:
    """The finite values, in order."""
    return [
        float(v) for v in np.ravel(np.asarray(list(values), dtype=np.float64)) if np.isfinite(v)
    ]


def drawable(value: float) -> float:
    """The value, or the largest of its sign that a scale can reach."""
    return min(max(value, -_LARGEST), _LARGEST)


@dataclass(frozen=True, slots=True)
class Scale:
    """A map from [low, high] to pixels [start, end].

    Attributes:
        low: Value at ``start``; > 0 if ``log``.
        high: Value at ``end``; above ``low``.
        start: Pixel of ``low``.
        end: Pixel of ``high``; may be below ``start`` (a vertical axis grows upwards).
        log: True for a logarithmic scale.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Pixel of a finite value; values outside lie outside, by at most one length."""
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            part = (math.log(value) - low) / (high - low) if value > 0 else -1.0
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + min(2.0, max(-1.0, part)) * (self.end - self.start)

    def inside(self, value: float) -> bool:
        """True if the value lies within the scale."""
        return self.low <= value <= self.high


def linear_scale(
    values: Sequence[float], *, start: float, end: float, include: Sequence[float] = ()
) -> Scale:
    """A linear scale over all finite values with a little room at both ends.

    Args:
        values: What is drawn; not finite ones are ignored here.
        start: Pixel of the low end.
        end: Pixel of the high end.
        include: Values that must be in view whatever the others are, such as 0.
    """
    known = finite([*values, *include]) or [0.0, 1.0]
    low, high = drawable(min(known)), drawable(max(known))
    if high - low <= 1e-12 * max(abs(low), abs(high)) or high - low < 1e-300:
        room = abs(high) * 0.1 or 1.0
    else:
        room = (high - low) * 0.12
    return Scale(low - room, high + room, start, end)


def log_scale(values: Sequence[float], *, start: float, end: float) -> Scale:
    """A logarithmic scale from the least to the greatest positive value."""
    known = [v for v in finite(values) if v > 0] or [1.0, 10.0]
    low, high = (min(max(v, 1 / _LARGEST), _LARGEST) for v in (min(known), max(known)))
    if high / low < 1.01:
        low, high = low / 1.5, high * 1.5
    return Scale(low, high, start, end, log=True)


def ticks(scale: Scale, n_wanted: int) -> list[float]:
    """About ``n_wanted`` round values inside the scale: steps of 1, 2 or 5.

    On a logarithmic scale powers of 2, since the n of best-of-n double; where it reaches below a
    tenth, whose powers of 2 nobody reads, 1, 2 and 5 of each power of 10.
    """
    return _log_ticks(scale, n_wanted) if scale.log else _linear_ticks(scale, n_wanted)


def _linear_ticks(scale: Scale, n_wanted: int) -> list[float]:
    rough = (scale.high - scale.low) / max(n_wanted, 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = min((m * size for m in (1, 2, 5, 10)), key=lambda s: abs(math.log(s / rough)))
    first, last = math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9)
    values = [k * step for k in range(first, last + 1)]
    return [0.0 if abs(v) < step * 1e-6 else v for v in values if math.isfinite(v)]


def _log_ticks(scale: Scale, n_wanted: int) -> list[float]:
    chosen = _decades(scale, n_wanted) if scale.low < 0.1 else _powers(2, scale, n_wanted)
    return chosen or [math.sqrt(scale.low) * math.sqrt(scale.high)]


def _powers(base: int, scale: Scale, n_wanted: int) -> list[float]:
    """Powers of the base, thinned evenly."""
    first = math.ceil(math.log(scale.low, base) - 1e-9)
    last = math.floor(math.log(scale.high, base) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / max(n_wanted, 1)))
    return [float(base) ** k for k in range(first, last + 1, every)]


def _decades(scale: Scale, n_wanted: int) -> list[float]:
    first, last = math.floor(math.log10(scale.low)), math.floor(math.log10(scale.high))
    if 3 * (last - first + 1) > 4 * n_wanted:
        return _powers(10, scale, n_wanted)
    fine = [m * 10.0**k for k in range(first, last + 1) for m in (1, 2, 5)]
    inside = [value for value in fine if scale.inside(value)]
    return inside if len(inside) <= n_wanted + 1 else _powers(10, scale, n_wanted)


def tick_labels(values: Sequence[float], *, percent: bool = False) -> list[str]:
    """The ticks as text: evenly spaced ones with the same number of decimals, others each its own.

    Args:
        values: The ticks, ascending.
        percent: True if the values are shares.
    """
    shown = [v * 100 for v in values] if percent else list(values)
    known = finite(shown)
    largest = max((abs(v) for v in known), default=0.0)
    step = min((b - a for a, b in pairwise(known)), default=largest)
    uneven = len(known) > 2 and known[-1] - known[-2] > 1.5 * step
    if largest >= 1e6 or 0 < largest < 1e-4:
        labels = [_scientific(v) for v in shown]
    elif uneven:
        labels = [_three_digits(v) for v in shown]
    else:
        decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
        labels = [f"{v:,.{min(decimals, 8)}f}".replace("-", "−") for v in shown]
    return [label + "%" for label in labels] if percent else labels


def _three_digits(value: float) -> str:
    if abs(value) < 1e-4:
        return _scientific(value)
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    written = f"{value:,.{decimals}f}"
    return (written.rstrip("0").rstrip(".") if decimals else written).replace("-", "−")


def _scientific(value: float) -> str:
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.2e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")
