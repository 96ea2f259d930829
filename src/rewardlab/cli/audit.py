"""``rewardlab audit``: the whole verdict on preferences and a reward, as one page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.cli.sampling import SampleOptions, SeedOption, curves_of, reads_samples
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

if TYPE_CHECKING:
    from rewardlab.audit.result import AuditResult

ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="REWARD",
        help="The reward to audit: a directory written by 'rewardlab fit'; "
        "scores:COLUMN,COLUMN for rewards of any model recorded in the file; or "
        "features:NAME,NAME for text features fitted here on grouped folds.",
    ),
]
FeaturesOption = Annotated[
    str,
    typer.Option(
        "--features",
        metavar="NAME,NAME",
        help="Text features whose payments are tested; else those of the reward, or all.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the page here (.html)."),
]
JsonFileOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON here.")
]
KeepOption = Annotated[
    bool, typer.Option("--keep", help="Keep the page among the lab's reports, at /reports.")
]
DbOption = Annotated[
    str,
    typer.Option(
        "--db", metavar="URL", help="The lab's database, with --keep.", show_default=False
    ),
]


@reads_preferences(counts_bad_rows=True)
@reads_samples(beside_preferences=True)
def audit(
    files: FilesArgument,
    model: ModelOption = "features:all",
    out: OutOption = None,
    json_file: JsonFileOption = None,
    features: FeaturesOption = "",
    seed: SeedOption = 0,
    keep: KeepOption = False,
    db: DbOption = "",
    *,
    samples: SampleOptions | None,
    reading: ReadOptions,
) -> None:
    """Judge preferences and a reward, as one page.

    Is the data sound, how good is the reward, and how good could any be; what does it pay for, and
    how far may it be optimised? The last needs --samples, with --proxy, or with a saved --model and
    the texts, which it then scores itself.

    Without --model, a reward from interpretable text features is fitted on grouped folds. Exit
    code 0, or 1 if a check failed, or 2 if the input is refused.

    Example: rewardlab audit votes.jsonl --out report.html

    Example: rewardlab audit votes.jsonl --keep

    Example: rewardlab audit votes.jsonl --model scores:reward_chosen,reward_rejected
    --samples samples.csv --group prompt_id --proxy reward --gold judged --out report.html
    """
    from rewardlab.audit.reward_choice import folders_of, parse_features, parse_reward
    from rewardlab.audit.running import audit as run_audit
    from rewardlab.cli.showing import print_findings, print_summary, stdout_console
    from rewardlab.cli.writing import check_outputs, write_results
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.report.page import render
    from rewardlab.report.summary import summary_sentences
    from rewardlab.types import Status

    _require_place(keep=keep, db=db)
    choice = parse_reward(model)
    inputs = [*files, *reading.files_besides, *([samples.path] if samples else [])]
    check_outputs([out, json_file], [*inputs, *folders_of([choice])])
    console = stdout_console()
    reader = open_preferences(files, reading)
    typer.echo(f"Read as {reader.layout.sentence}.")
    curves = curves_of(samples, seed=seed, rewards=[choice]).curves if samples else ()
    result = run_audit(
        reader,
        seed=seed,
        reward=choice,
        features=parse_features(features) if features else (),
        curves=curves,
        settings={"command": shlex.join(["rewardlab", *sys.argv[1:]])},
        tell=typer.echo,
        progress=progress_bar,
    )
    findings = (*result.findings, *result.doctor)
    print_findings(findings, console)
    print_summary(findings, console)
    typer.echo("")
    for sentence in summary_sentences(result):
        typer.echo(sentence)
    write_results(out, render(result), json_file, result)
    if keep:
        typer.echo(_kept(result, files, db))
    if any(f.status is Status.FAIL for f in findings):
        raise typer.Exit(1)


def _require_place(*, keep: bool, db: str) -> None:
    """Refuse, before any work, a place where nothing can be kept."""
    if db and not keep:
        raise InputError("--db: names where --keep keeps the page; expected --keep beside it")
    if keep:
        from rewardlab.app.reports.keeping import require_database

        require_database(db)


def _kept(result: AuditResult, files: list[Path], db: str) -> str:
    """Keep the page in the lab's database, and say where."""
    from rewardlab.app.reports.keeping import keep_audit

    report, place = keep_audit(result, title=", ".join(path.name for path in files), url=db)
    return f"Kept: /reports/{report} in {place}; 'rewardlab lab' shows it."
