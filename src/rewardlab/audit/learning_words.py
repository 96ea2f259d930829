"""What a learning curve says of collecting more, in sentences."""

from __future__ import annotations

from rewardlab.audit.learning_curve import Interval, LearningCurve

FARTHEST = 16.0
"""Beyond this multiple of the comparisons a curve is not drawn on."""

WIDEST_BEST = 0.10
"""With a wider interval, what the features reach at best is not known well enough to aim at."""


def curve_sentences(curve: LearningCurve) -> tuple[str, ...]:
    """How many more comparisons would help: at twice and four times, and to come near the best."""
    twice, four_times = curve.forecasts
    now = curve.now.accuracy
    said = (
        f"A fit to all {curve.n_all:,} comparisons is right on {_share(now)} of decided ones. "
        f"Twice as many would gain {_points(twice.gain)}, four times as many "
        f"{_points(four_times.gain)}."
    )
    if curve.flat:
        return (
            said,
            "These points do not tell the curve from a flat one: more comparisons like these would "
            "hardly help these features. Features that know more, or better labels, might.",
        )
    return said, _nearing(curve)


def _nearing(curve: LearningCurve) -> str:
    best, multiple = curve.best_accuracy, curve.gap_closed_at
    reach = f"what these features can reach with any number of comparisons, {_share(best)}"
    if multiple.high <= FARTHEST and multiple.value == 1.0:
        open_end = f", or would be with {multiple.high:.1f} times as many" * (multiple.high > 1.05)
        return f"It is within one point of {reach}{open_end}; features that know more would help."
    if multiple.high > FARTHEST or best.high - best.low > WIDEST_BEST:
        ends = f"{multiple.low:.1f} to more than {FARTHEST:.0f}"
        if multiple.high <= FARTHEST:
            ends = f"{multiple.low:.1f} to {multiple.high:.1f}"
        return (
            "How many would come within one point of what these features can reach cannot be said: "
            f"{ends} times as many. More comparisons would tell."
        )
    return (
        f"{multiple.value:.1f} times as many ({multiple.low:.1f} to {multiple.high:.1f}) would "
        f"come within one point of {reach}."
    )


def _share(value: Interval) -> str:
    return f"{value.value:.1%} ({max(0.0, value.low):.1%} to {min(1.0, value.high):.1%})"


def _points(gain: Interval) -> str:
    """In points; below 0 no more is claimed than nothing."""
    low, value, high = (max(0.0, 100 * x) for x in (gain.low, gain.value, gain.high))
    return f"{value:.1f} points ({low:.1f} to {high:.1f})"
