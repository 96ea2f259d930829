"""``rewardlab fit``: a reward from interpretable text features, with honest intervals."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.counting import counted
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rewardlab.preferences.formats import ReadReport
    from rewardlab.rewards.feature_fit import TextFeatureFit
    from rewardlab.rewards.inference import WeightInference
    from rewardlab.stats.intervals import Estimate


class Ties(StrEnum):
    """What becomes of ties."""

    HALF = "half"
    LEAVE_OUT = "leave-out"


@reads_preferences()
def fit(
    files: FilesArgument,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="Folder for reward.json, made if need be."),
    ],
    features: Annotated[
        str, typer.Option(metavar="A,B,...", help="Features to use; all of them if not given.")
    ] = "",
    ties: Annotated[
        Ties, typer.Option(help="A tie is half a win for each side, or is left out.")
    ] = Ties.HALF,
    margin: Annotated[
        bool, typer.Option("--margin", help="Use the file's margins, in logits, in the loss.")
    ] = False,
    l2: Annotated[
        float | None,
        typer.Option(metavar="X", help="Penalty of the prediction weights, else chosen."),
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of prompts for held-out figures.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Draws the folds.")] = 0,
    learning_curve: Annotated[
        bool,
        typer.Option("--learning-curve", help="Tell how many more comparisons would help."),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the learning curve here (.svg)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
    *,
    reading: ReadOptions,
) -> None:
    """Fit a reward of text features.

    Prediction weights carry an L2 penalty chosen by cross-validation over prompts; the intervals
    come from the fit without penalty, with prompts as clusters.

    Example: rewardlab fit pairs.jsonl --out model

    Example: rewardlab fit pairs.jsonl --out model --features log_words,hedges,apology

    Example: rewardlab fit pairs.jsonl --out model --learning-curve --plot curve.svg
    """
    import numpy as np

    from rewardlab.cli.learning_curve import curve_json, draw_curve, measure_curve, show_curve
    from rewardlab.cli.showing import stdout_console
    from rewardlab.cli.writing import check_outputs
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.report.as_json import json_text
    from rewardlab.rewards.feature_comparisons import compare_features
    from rewardlab.rewards.feature_fit import fit_compared
    from rewardlab.rewards.saving import describe, save
    from rewardlab.rewards.text_features import NAMES

    _check_plot(plot, learning_curve=learning_curve)
    check_outputs([plot], files)
    names = [name.strip() for name in features.split(",")] if features else NAMES
    reader = open_preferences(files, reading)
    typer.echo(f"Read as {reader.layout.sentence}.", err=as_json)
    with progress_bar("Reading features") as on_progress:
        found = compare_features(reader, names=names, on_progress=on_progress)
    fitted = fit_compared(
        found,
        rng=np.random.default_rng(seed),
        ties=ties.value,
        use_margin=margin,
        n_folds=folds,
        l2=l2,
    )
    path = save(fitted, out)
    curve = measure_curve(found, fitted, seed=seed) if learning_curve else None
    if as_json:
        told = {} if curve is None else {"learning_curve": curve_json(curve)}
        typer.echo(json_text({**describe(fitted), **told}))
    else:
        console = stdout_console()
        _show(fitted, reader.report, path, console)
        if curve is not None:
            show_curve(curve, console)
    if curve is not None and plot is not None:
        typer.echo(draw_curve(curve, plot), err=as_json)


def _check_plot(plot: Path | None, *, learning_curve: bool) -> None:
    if plot is not None and not learning_curve:
        raise InputError("--plot: draws the learning curve; expected --learning-curve beside it")
    if plot is not None and plot.suffix != ".svg":
        raise InputError(f"--plot: expected a name that ends in .svg, got {plot}")


def _show(fitted: TextFeatureFit, report: ReadReport, path: Path, console: Console) -> None:
    from rewardlab.cli.showing import print_wrapped

    for sentence in (*report.sentences[1:], *_facts(fitted)):
        print_wrapped(sentence, console)
    console.print()
    console.print(_weights(fitted))
    for line in _small_print(fitted):
        print_wrapped(line, console, rest="  ")
    for heading, sentences in (
        ("Features tested with another (–):", fitted.tested_together),
        ("Features left out:", fitted.left_out),
    ):
        if sentences:
            console.print()
            console.print(heading)
        for sentence in sentences:
            print_wrapped(sentence, console, first="  ", rest="    ")
    for warning in fitted.warnings:
        print_wrapped(f"Warning: {warning}.", console, rest="  ")
    console.print()
    print_wrapped(
        f"Saved {path}; score with: rewardlab score {path.parent} FILE --out OUT", console
    )


def _facts(fitted: TextFeatureFit) -> list[str]:
    ties = f"{counted(fitted.n_ties, 'tie')} "
    ties += "as half wins" if fitted.ties == "half" else "left out"
    how = "chosen on held-out prompts" if len(fitted.penalty.grid) > 1 else "as given"
    return [
        f"Fitted {counted(len(fitted.reward.names), 'feature')} to "
        f"{counted(fitted.n, 'comparison')} on {counted(fitted.n_prompts, 'prompt')} ({ties}).",
        f"Held-out accuracy {_interval(fitted.accuracy, '.1%')} on {fitted.accuracy.n:,} decided "
        f"comparisons; log loss {_interval(fitted.log_loss, '.3f')} nats (a coin: 0.693). "
        f"{fitted.n_folds} folds of prompts; L2 penalty {fitted.prediction.l2:g}, {how}.",
    ]


def _interval(estimate: Estimate, form: str) -> str:
    if estimate.low != estimate.low:
        return f"{estimate.value:{form}}"
    return f"{estimate.value:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"


def _weights(fitted: TextFeatureFit) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table

    found, reward = fitted.inference, fitted.reward
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("feature", no_wrap=True)
    table.add_column("predicts\nper sd", justify="right", no_wrap=True)
    if found is not None:
        table.add_column("without penalty\nper sd (95% interval)", justify="right", no_wrap=True)
        table.add_column("p (Holm)", justify="right", no_wrap=True)
    table.add_column("sd", justify="right", no_wrap=True)
    for j in sorted(range(len(reward.names)), key=lambda j: -abs(reward.weight[j])):
        row = [reward.names[j], f"{reward.weight[j]:+.3f}"]
        if found is not None:
            row += _tested(found, reward.names[j])
        table.add_row(*row, f"{reward.scale[j]:.3g}")
    return table


def _tested(found: WeightInference, name: str) -> list[str]:
    """The weight without penalty with its interval, and its p; dashes if not tested apart."""
    j = found.position(name)
    if j is None:
        return ["–  ", "–  "]
    p = found.adjusted_p[j]
    return [
        f"{found.weight[j]:+.3f} ({found.low[j]:+.3f} to {found.high[j]:+.3f})",
        ("<0.001" if p < 0.001 else f"{p:.3f}") + (" *" if name in found.significant() else "  "),
    ]


def _small_print(fitted: TextFeatureFit) -> list[str]:
    found = fitted.inference
    predicts = "Weights are logits of preference per standard deviation over responses; "
    if found is None:
        return [
            predicts + "those for prediction carry the penalty.",
            f"No intervals: {fitted.no_inference}.",
        ]
    named = ", ".join(found.significant()) or "none"
    return [
        predicts + "those for prediction carry the penalty, so their size is not to be tested. "
        f"Intervals: {found.method}. p values are adjusted for "
        f"{counted(len(found.names), 'test')} (Holm).",
        f"Paid for or against (*, any by mistake in at most 5% of files): {named}.",
    ]
