"""``rewardlab doctor``: what is wrong with preference data before anything is trained on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.counting import counted
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

if TYPE_CHECKING:
    from rich.console import Console

    from rewardlab.preferences.doctor import Diagnosis

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Exit 1 on warnings too.")]
MaxShareOption = Annotated[
    list[str] | None,
    typer.Option(
        "--max-share",
        metavar="CHECK=SHARE",
        help="Tolerate a check's count up to this share of rows. Repeatable.",
    ),
]


@reads_preferences(counts_bad_rows=True)
def doctor(
    files: FilesArgument,
    as_json: JsonOption = False,
    strict: StrictOption = False,
    max_share: MaxShareOption = None,
    truncate_chars: Annotated[
        int, typer.Option(help="Length limit to try out, in characters of prompt + response.")
    ] = 4096,
    truncate_tokens: Annotated[
        int, typer.Option(help="The same in whitespace-separated tokens.")
    ] = 1024,
    near_duplicate: Annotated[
        float, typer.Option(help="Similarity from which prompts are near duplicates.")
    ] = 0.8,
    min_prompts: Annotated[int, typer.Option(help="Warn below this many prompts.")] = 40,
    too_few_prompts: Annotated[int, typer.Option(help="Fail below this many prompts.")] = 10,
    level: Annotated[float, typer.Option(help="Confidence level for side and length bias.")] = 0.99,
    side_margin: Annotated[
        float, typer.Option(help="Smallest lean to a side that is worth a warning.")
    ] = 0.02,
    length_margin: Annotated[
        float, typer.Option(help="Smallest lean to longer or shorter answers worth a warning.")
    ] = 0.05,
    few_votes: Annotated[
        int, typer.Option(help="An annotator with fewer votes can hardly be judged.")
    ] = 5,
    few_votes_share: Annotated[
        float, typer.Option(help="Warn if more of the votes than this come from such annotators.")
    ] = 0.2,
    one_sided_share: Annotated[
        float, typer.Option(help="Share of one side from which an annotator is one-sided.")
    ] = 0.9,
    annotator_alpha: Annotated[
        float, typer.Option(help="Chance of any false alarm over all annotators.")
    ] = 0.01,
    widest_interval: Annotated[
        float, typer.Option(help="Half-width above which an interval cannot clear a bias.")
    ] = 0.1,
    examples: Annotated[int, typer.Option(help="Lines to show for each finding.")] = 5,
    *,
    reading: ReadOptions,
) -> None:
    """Find what is wrong with preference data.

    Broken rows, duplicates, leaks, side and length bias, annotators, cycles, and more, counted.
    Several files are splits and are checked for leaks between them. Exit code 0 if no check
    failed, 1 if one did (with --strict, also on warnings), 2 if the files cannot be read.

    Example: rewardlab doctor train.jsonl test.jsonl --truncate-tokens 512
    """
    from rewardlab.cli.showing import stdout_console
    from rewardlab.preferences.doctor import Thresholds, examine
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.report.as_json import json_text
    from rewardlab.types import Status

    thresholds = Thresholds(
        max_share=_shares(max_share),
        examples=examples,
        truncate_chars=truncate_chars,
        truncate_tokens=truncate_tokens,
        near_duplicate=near_duplicate,
        min_prompts=min_prompts,
        too_few_prompts=too_few_prompts,
        level=level,
        side_margin=side_margin,
        length_margin=length_margin,
        few_votes=few_votes,
        few_votes_share=few_votes_share,
        one_sided_share=one_sided_share,
        annotator_alpha=annotator_alpha,
        widest_interval=widest_interval,
    )
    reader = open_preferences(files, reading)
    typer.echo(f"Read as {reader.layout.sentence}.", err=as_json)
    with progress_bar("examining") as on_progress:
        diagnosis = examine(reader, thresholds=thresholds, on_progress=on_progress)
    if as_json:
        typer.echo(json_text(_as_json(diagnosis)))
    else:
        _show(diagnosis, stdout_console())
    if diagnosis.failed or (strict and diagnosis.with_status(Status.WARN)):
        raise typer.Exit(1)


def _shares(given: list[str] | None) -> dict[str, float]:
    shares: dict[str, float] = {}
    for item in given or []:
        name, equals, value = item.partition("=")
        try:
            shares[name] = float(value)
        except ValueError:
            raise InputError(
                f"--max-share {item}: expected CHECK=SHARE, such as duplicates=0.01"
            ) from None
        if not equals or not name:
            raise InputError(f"--max-share {item}: expected CHECK=SHARE")
    return shares


def _show(diagnosis: Diagnosis, console: Console) -> None:
    from rewardlab.cli.showing import print_findings, print_summary, print_wrapped

    for sentence in diagnosis.report.sentences[1:]:  # the first is the layout, said at once
        print_wrapped(sentence, console)
    print_wrapped(_facts(diagnosis), console)
    print_findings(diagnosis.findings, console)
    print_summary(diagnosis.findings, console)


def _facts(diagnosis: Diagnosis) -> str:
    votes, pairs = counted(diagnosis.n_votes, "vote"), counted(diagnosis.n_pairs, "pair")
    said = [f"{votes} on {pairs}", counted(diagnosis.n_prompts, "prompt")]
    if diagnosis.n_annotators:
        said.append(counted(diagnosis.n_annotators, "annotator"))
    if diagnosis.splits:
        said.append("splits " + ", ".join(diagnosis.splits[:8]))
    line = ", ".join(said) + "."
    lengths = diagnosis.lengths
    if lengths is not None and lengths.n_decided:
        line += (
            f" Median characters: prompt {lengths.median_prompt:,.0f}, winner "
            f"{lengths.median_winner:,.0f}, loser {lengths.median_loser:,.0f}."
        )
    return line


def _as_json(diagnosis: Diagnosis) -> dict[str, object]:
    from rewardlab.report.as_json import findings_as_json, to_json

    plain: dict[str, object] = to_json(diagnosis)
    return {"failed": diagnosis.failed, **plain, "findings": findings_as_json(diagnosis.findings)}
