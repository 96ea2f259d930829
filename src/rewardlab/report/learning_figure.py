"""A learning curve as a figure: what was measured, and the curve drawn on to more comparisons."""

from __future__ import annotations

import numpy as np

from rewardlab.audit.learning_curve import LearningCurve
from rewardlab.audit.learning_words import curve_sentences
from rewardlab.plots.line_chart import line_chart
from rewardlab.plots.series import Line, Mark, Panel


def learning_curve_figure(curve: LearningCurve, *, width: float = 680.0) -> str:
    """Accuracy on prompts left out against comparisons fitted, as inline SVG.

    Args:
        curve: Measured.
        width: Of the drawing.
    """
    value, low, high = curve.accuracy
    measured = Line("measured", curve.n, value, low, high)
    fitted = Line(
        "fitted curve", curve.drawn_n, curve.drawn_accuracy, tone="other", stroke="dotted"
    )
    told = [curve.now, *curve.forecasts]
    ahead = Line(
        "forecast",
        np.array([float(f.n) for f in told]),
        np.array([f.accuracy.value for f in told]),
        np.array([f.accuracy.low for f in told]),
        np.array([f.accuracy.high for f in told]),
        tone="gold",
        stroke="dashed",
    )
    nan = float("nan")
    return line_chart(
        (Panel("accuracy on prompts left out", (measured, fitted, ahead), percent=True),),
        title="Learning curve",
        description=" ".join(curve_sentences(curve)),
        x_label="comparisons fitted; bands are 95% intervals",
        log_x=True,
        mark=Mark(float(curve.n_all), nan, nan, f"all {curve.n_all:,}"),
        width=width,
    )
