"""``rewardlab agreement``: how far voters agree, and how good that lets any reward look."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

if TYPE_CHECKING:
    from rewardlab.audit.vote_agreement import VoteAgreement
    from rewardlab.stats.intervals import Estimate
    from rewardlab.types import Finding


@reads_preferences()
def agreement(
    files: FilesArgument,
    ties: Annotated[
        Literal["aside", "answer", "half"],
        typer.Option(
            help="How ties count in the ceiling and between annotators: set aside, an answer of "
            "their own, or half a vote for either side."
        ),
    ] = "aside",
    accuracy: Annotated[
        float | None,
        typer.Option(help="Accuracy of a reward on these votes, in [0, 1], to judge."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("--n", help="Independent votes behind --accuracy, for its own error."),
    ] = None,
    min_shared: Annotated[
        int, typer.Option(help="Least pairs that two annotators must share to be compared.")
    ] = 20,
    pairs: Annotated[int, typer.Option(help="Most pairs of annotators to show.")] = 5,
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
    *,
    reading: ReadOptions,
) -> None:
    """Tell how far voters agree, and how good that lets any reward look.

    Agreement under each way to count ties, Krippendorff's alpha, Fleiss' and Cohen's kappa, each
    annotator with the others, and the ceiling: how often even a perfect reward would match a vote,
    or the majority of three or five.

    Exit code 1 if --accuracy is above the ceiling (a leak), 2 if the input is refused, else 0.

    Example: rewardlab agreement votes.jsonl

    Example: rewardlab agreement votes.jsonl --accuracy 0.69 --n 500
    """
    from rewardlab.audit.vote_agreement import Ties, measure_agreement
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.types import Status

    given = _accuracy(accuracy, n, level)
    reader = open_preferences(files, replace(reading, needs="votes"))
    with progress_bar("Reading votes") as on_progress:
        preferences = reader.read(on_progress=on_progress)
    found = measure_agreement(
        preferences, ties=Ties(ties), min_shared=min_shared, most_pairs=pairs, level=level
    )
    judged = None if given is None else _finding(given, found)
    if as_json:
        from rewardlab.report.as_json import findings_as_json, json_text, to_json

        shown = {"read": reader.report.sentences, **to_json(found)}
        shown["verdict"] = findings_as_json((judged,))[0] if judged else None
        typer.echo(json_text(shown), nl=False)
    else:
        from rewardlab.cli.agreement_tables import print_agreement
        from rewardlab.cli.showing import print_findings, stdout_console

        console = stdout_console()
        print_agreement(found, reader.report.sentences, console)
        if judged is not None:
            print_findings((judged,), console)
    if judged is not None and judged.status is Status.FAIL:
        raise typer.Exit(1)


def _accuracy(value: float | None, n: int | None, level: float) -> Estimate | None:
    """The accuracy that was given, with Wilson's interval; without ``n`` it is taken as exact.

    Raises:
        InputError: A number is outside its range, or ``n`` stands alone.
    """
    import math

    from rewardlab.stats.intervals import Estimate, wilson

    if not 0 < level < 1:
        raise InputError(f"--level: expected a number between 0 and 1, got {level:g}")
    if value is None:
        if n is not None:
            raise InputError("--n goes with --accuracy, which is missing")
        return None
    if not 0 <= value <= 1:
        raise InputError(f"--accuracy: expected a share from 0 to 1, got {value:g}")
    if n is None:
        return Estimate(value, 0.0, value, value, 0, 0, level, "taken as exact")
    if n < 2:
        raise InputError(f"--n: expected at least 2 votes, got {n}")
    std_error = math.sqrt(value * (1 - value) / n)
    low, high = wilson(value, std_error, n=n, n_clusters=n, level=level)
    return Estimate(value, std_error, low, high, n, n, level, f"Wilson on {n:,} votes")


def _finding(accuracy: Estimate, found: VoteAgreement) -> Finding:
    from rewardlab.audit.agreement_verdict import accuracy_finding

    return accuracy_finding(accuracy, found)
