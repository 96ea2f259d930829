"""A fitted text-feature reward in words and bars, for the browser."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.plots.text import listed, share, signed, signed_interval
from rewardlab.report.as_json import to_json
from rewardlab.rewards.feature_fit import TextFeatureFit
from rewardlab.rewards.text_features import title_of
from rewardlab.stats.intervals import Estimate

N_BARS = 12
"""Bars drawn; the table below them holds every feature."""

N_NAMED = 3
"""Features named in the sentence, in each direction."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What a feature is worth.

    Attributes:
        name: The feature.
        label: Its title.
        value: Logits of preference per standard deviation.
        low: Lower end of the interval; NaN for none.
        high: Upper end.
        named: True if it is told apart from zero.
    """

    name: str
    label: str
    value: float
    low: float
    high: float
    named: bool

    @property
    def text(self) -> str:
        """The weight with its interval."""
        return f"{signed(self.value)} ({signed_interval(self.low, self.high)})"


def fitted_words(fitted: TextFeatureFit) -> dict[str, Any]:
    """The fit as plain JSON values: a sentence, bars of the heaviest weights, a table of all."""
    weights = sorted(_weights(fitted), key=lambda weight: -abs(weight.value))
    chart = BarChart(
        tuple(Bar(w.label, w.value, w.low, w.high, signed(w.value)) for w in weights[:N_BARS]),
        "logits of preference for one standard deviation more",
    )
    shown: dict[str, Any] = to_json(
        {
            "sentence": f"{_accuracy(fitted)} {_paid_for(fitted, weights)}",
            "chart": {"kind": "BarChart", **asdict(chart)},
            "weights": [{**asdict(w), "text": w.text} for w in weights],
            "accuracy": {**asdict(fitted.accuracy), "text": _with_interval(fitted.accuracy)},
            "notes": [*_notes(fitted, len(weights))],
        }
    )
    return shown


def _weights(fitted: TextFeatureFit) -> list[Weight]:
    """Those of the fit without penalty, with intervals; else those that predict."""
    found = fitted.inference
    if found is None:
        predicts = zip(fitted.reward.names, fitted.reward.weight.tolist(), strict=True)
        return [Weight(n, title_of(n), w, math.nan, math.nan, False) for n, w in predicts]
    named = found.significant()
    columns = (found.names, found.weight.tolist(), found.low.tolist(), found.high.tolist())
    return [
        Weight(name, title_of(name), value, low, high, name in named)
        for name, value, low, high in zip(*columns, strict=True)
    ]


def _accuracy(fitted: TextFeatureFit) -> str:
    accuracy = fitted.accuracy
    said = (
        f"On prompts that it was not fitted on, this reward agrees with people on "
        f"{_with_interval(accuracy)} of {accuracy.n:,} decided votes"
    )
    if not accuracy.low > 0.5:
        return f"{said}, which does not tell it apart from a coin."
    return f"{said}; a coin would reach 50%."


def _with_interval(accuracy: Estimate) -> str:
    said = share(accuracy.value)
    if math.isnan(accuracy.low):
        return said
    return f"{said} (95% interval {share(accuracy.low)} to {share(accuracy.high)})"


def _paid_for(fitted: TextFeatureFit, weights: list[Weight]) -> str:
    if fitted.inference is None:
        return "The weights have no intervals, so what the votes pay for cannot be said."
    clear = [weight for weight in weights if weight.named]
    if not clear:
        return f"No text feature is clearly paid for ({len(weights)} tested)."
    up, down = ([w for w in clear if w.value * sign > 0] for sign in (1, -1))
    said = [
        f"{verb} {_names(some)}" for verb, some in (("pay for", up), ("mark down", down)) if some
    ]
    return f"With the others held fixed, the votes {' and '.join(said)}."


def _names(weights: list[Weight]) -> str:
    named = [f"{w.label.lower()} ({signed(w.value)})" for w in weights[:N_NAMED]]
    if len(weights) > N_NAMED:
        named.append(f"{len(weights) - N_NAMED} more")
    return listed(named)


def _notes(fitted: TextFeatureFit, n_weights: int) -> list[str]:
    ties = f"{fitted.n_ties:,} ties count as half a win for each side"
    notes = [f"{fitted.n:,} votes on {fitted.n_prompts:,} prompts; {ties}."]
    if n_weights > N_BARS:
        notes.append(f"The {N_BARS} heaviest of {n_weights} features are drawn.")
    if fitted.no_inference:
        notes.append(f"No intervals: {fitted.no_inference}.")
    if fitted.tested_together:
        notes.append(f"Tested with another feature: {len(fitted.tested_together)} features.")
    return [*notes, *(f"{warning[:1].upper()}{warning[1:]}." for warning in fitted.warnings)]
