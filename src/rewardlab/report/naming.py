"""Names of features, units and statuses as a reader sees them."""

from __future__ import annotations

from rewardlab.plots.text import (
    interval,
    number,
    points,
    points_interval,
    share,
    signed,
    signed_interval,
)
from rewardlab.stats.intervals import Estimate
from rewardlab.types import Figure


def figure_text(figure: Figure) -> str:
    """A figure with its unit and interval, such as "62.1% (95% interval 60.9% to 63.2%)"."""
    if figure.unit == "points":
        known = points_interval(figure.low, figure.high)
        if known == "no interval":
            return points(figure.value)
        return f"{points(figure.value)} ({figure.level:.0%} interval {known})"
    percent = figure.unit.startswith("share")
    value = share(figure.value) if percent else number(figure.value)
    unit = "" if percent or not figure.unit else f" {figure.unit}"
    known = interval(figure.low, figure.high, percent=percent)
    if known == "no interval":
        return f"{value}{unit}"
    return f"{value}{unit} ({figure.level:.0%} interval {known})"


def weight_text(weight: float, low: float, high: float) -> str:
    """A weight with its interval, "+0.31 (+0.20 to +0.42)"."""
    ends = signed_interval(low, high)
    return f"{signed(weight)}, {ends}" if ends == "no interval" else f"{signed(weight)} ({ends})"


def difference_text(difference: Estimate) -> str:
    """A difference of accuracies with its interval, "+5.3 (+3.3 to +7.3)", in percentage points."""
    value = points(difference.value).removesuffix(" points")
    ends = points_interval(difference.low, difference.high).removesuffix(" points")
    return f"{value}, {ends}" if ends == "no interval" else f"{value} ({ends})"
