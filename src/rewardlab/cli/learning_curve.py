"""The learning curve of ``rewardlab fit``: measured, as a table, and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardlab.cli.reading import progress_bar
from rewardlab.errors import EstimationError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rewardlab.audit.learning_curve import LearningCurve
    from rewardlab.rewards.feature_comparisons import FeatureComparisons
    from rewardlab.rewards.feature_fit import TextFeatureFit


@dataclass(frozen=True, slots=True)
class NoCurve:
    """A curve that these comparisons do not tell.

    Attributes:
        reason: What is missing, and what would help.
    """

    reason: str


def measure_curve(
    found: FeatureComparisons, fitted: TextFeatureFit, *, seed: int
) -> LearningCurve | NoCurve:
    """Refit on nested parts of the prompts, with the fit's own penalty.

    The fit needs less than its curve: where only the curve cannot be had, that is told beside it.
    """
    import numpy as np

    from rewardlab.audit.learning_curve import learning_curve
    from rewardlab.audit.learning_points import measure_points
    from rewardlab.rewards.feature_fit import rows_of_fit

    rng, rows = np.random.default_rng(seed), rows_of_fit(found, fitted)
    l2 = fitted.prediction.l2
    try:
        with progress_bar("Refitting on fewer prompts") as on_progress:
            points = measure_points(rows, l2=l2, rng=rng, on_progress=on_progress)
        return learning_curve(points, rng=rng)
    except EstimationError as error:
        return NoCurve(error.told)


def curve_json(curve: LearningCurve | NoCurve) -> Any:
    """The curve as JSON takes it, or why there is none."""
    return {"refused": curve.reason} if isinstance(curve, NoCurve) else curve


def show_curve(curve: LearningCurve | NoCurve, console: Console) -> None:
    """Print the points with what is drawn on, and what they say; or why there are none."""
    from rewardlab.audit.learning_words import curve_sentences
    from rewardlab.cli.showing import print_wrapped

    console.print()
    if isinstance(curve, NoCurve):
        said = f"Cannot say how many more comparisons would help, because {curve.reason}"
        print_wrapped(said, console, rest="  ")
        return
    console.print(_table(curve))
    print_wrapped(
        f"Measured on prompts left out, in {curve.n_draws} random orders of the prompts; the last "
        "rows are the fitted curve.",
        console,
    )
    for sentence in curve_sentences(curve):
        print_wrapped(sentence, console)


def _table(curve: LearningCurve) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False)
    for name in ("comparisons", "accuracy (95%)", "log loss (95%)"):
        table.add_column(name, justify="right", no_wrap=True)
    for i, n in enumerate(curve.n):
        shares, losses = curve.accuracy[:, i], curve.log_loss[:, i]
        table.add_row(
            f"{n:,.0f}",
            "{:.1%} ({:.1%} to {:.1%})".format(*shares),
            "{:.4f} ({:.4f} to {:.4f})".format(*losses),
        )
    for forecast in (curve.now, *curve.forecasts):
        right, loss = forecast.accuracy, forecast.log_loss
        table.add_row(
            f"{forecast.n:,} (all{'' if forecast.multiple == 1 else f' x {forecast.multiple:g}'})",
            f"{right.value:.1%} ({right.low:.1%} to {right.high:.1%})",
            f"{loss.value:.4f} ({loss.low:.4f} to {loss.high:.4f})",
        )
    return table


def draw_curve(curve: LearningCurve | NoCurve, path: Path) -> str:
    """Write the curve as an SVG file, where there is one, and say so."""
    if isinstance(curve, NoCurve):
        return f"Not written, as there is no curve: {path}"
    from rewardlab.cli.writing import write_text
    from rewardlab.plots.svg import standalone
    from rewardlab.report.learning_figure import learning_curve_figure

    write_text(path, standalone(learning_curve_figure(curve)))
    return f"Written: {path}"
