"""How fast labels come in, and when the rest will be there if it goes on so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.stats.intervals import Estimate, cluster_mean
from rewardlab.types import FloatArray, IntArray

HOUR_S, DAY_S = 3_600.0, 86_400.0

WINDOW_H = 24.0
"""Hours that the pace is taken from: a day holds work and rest in their proportion."""

N_SPANS = 24
"""Equal spans of the window whose counts differ as people come and go."""

MIN_LABELS, MIN_WINDOW_H = 20, 0.5
"""Fewer labels, or a shorter time, say nothing of when the rest will be there."""

MOST_HOURS, MOST_DAYS = 48, 60
"""Longest stretch that is counted by the hour, and by the day."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Labels an hour, and what follows for those that are wanted still.

    Attributes:
        per_hour: Labels an hour over the window, idle time included; None where it cannot be said.
        hours_left: Until the rest is there; NaN where it cannot be said.
        low: The shortest time that the interval of the pace allows.
        high: The longest; infinite where the pace may be nothing.
        reason: Why it cannot be said; "" where it can.
    """

    per_hour: Estimate | None
    hours_left: float
    low: float
    high: float
    reason: str


@dataclass(frozen=True, slots=True)
class Throughput:
    """Labels by the hour or by the day, the oldest first.

    Attributes:
        start: Shape [k]; where each span begins, in hours or days before now, negative, ascending.
        count: Shape [k]; labels in it.
        unit: What a span is.
        n_before: Labels from before the first span.
    """

    start: FloatArray
    count: IntArray
    unit: Literal["hour", "day"]
    n_before: int


def measure_pace(made_at_s: FloatArray, *, now_s: float, n_left: int) -> Pace:
    """The pace of the last day, with an interval from how it varied over the day.

    The interval treats the 24 spans of the window as independent. People work in stretches, so
    that it is rather too narrow; it says what the last day allows, not what people will do.

    Args:
        made_at_s: Shape [n]; when each label was made, in seconds since any moment.
        now_s: The present, on the same clock. Labels after it count as made now.
        n_left: Labels that are wanted still.

    Raises:
        InputError: ``made_at_s`` is not finite, or ``n_left`` is negative.
    """
    _check(made_at_s)
    if n_left < 0:
        raise InputError(f"n_left: expected 0 or more, got {n_left}")
    before_h = np.maximum(0.0, now_s - made_at_s) / HOUR_S
    window_h = min(WINDOW_H, float(before_h.max(initial=0.0)))
    recent = before_h[before_h <= window_h]
    if window_h < MIN_WINDOW_H:
        return _cannot_say("the first label is less than half an hour old")
    if len(recent) < MIN_LABELS:
        return _cannot_say(f"fewer than {MIN_LABELS} labels came in the last {window_h:.0f} hours")
    count, _ = np.histogram(recent, bins=N_SPANS, range=(0.0, window_h))
    per_hour = cluster_mean(count / (window_h / N_SPANS), np.arange(N_SPANS))
    if n_left == 0:
        return Pace(per_hour, 0.0, 0.0, 0.0, "")
    longest = n_left / per_hour.low if per_hour.low > 0 else np.inf
    return Pace(per_hour, n_left / per_hour.value, n_left / per_hour.high, longest, "")


def count_over_time(made_at_s: FloatArray, *, now_s: float) -> Throughput:
    """Labels by the hour, or by the day where they go back more than two days.

    Args:
        made_at_s: Shape [n]; when each label was made, in seconds since any moment.
        now_s: The present, on the same clock. Labels after it count as made now.

    Raises:
        InputError: ``made_at_s`` is not finite.
    """
    _check(made_at_s)
    before_s = np.maximum(0.0, now_s - made_at_s)
    oldest_s = float(before_s.max(initial=0.0))
    by_hour = oldest_s < MOST_HOURS * HOUR_S
    span_s, most = (HOUR_S, MOST_HOURS) if by_hour else (DAY_S, MOST_DAYS)
    span = (before_s / span_s).astype(np.int64)
    n_spans = min(most, int(span.max(initial=0)) + 1)
    count = np.bincount(span[span < n_spans], minlength=n_spans)[::-1]
    return Throughput(
        start=-np.arange(n_spans, 0, -1, dtype=np.float64),
        count=count,
        unit="hour" if by_hour else "day",
        n_before=int(np.count_nonzero(span >= n_spans)),
    )


def _check(made_at_s: FloatArray) -> None:
    if made_at_s.ndim != 1 or not bool(np.all(np.isfinite(made_at_s))):
        raise InputError("made_at_s: expected finite seconds, shape [n]")


def _cannot_say(reason: str) -> Pace:
    return Pace(None, np.nan, np.nan, np.nan, reason)
