"""``rewardlab compare``: which of two rewards is better on these preferences."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from rewardlab.cli.audit import JsonFileOption, OutOption
from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.cli.sampling import SampleOptions, SeedOption, curves_of, reads_samples
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

REWARD_HELP = (
    "a directory written by 'rewardlab fit', features:NAME,NAME (fitted here on grouped folds), "
    "or scores:COLUMN,COLUMN"
)


@reads_preferences()
@reads_samples(beside_preferences=True)
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=f"Reward A: {REWARD_HELP}.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Reward B, likewise.")],
    files: FilesArgument,
    out: OutOption = None,
    json_file: JsonFileOption = None,
    seed: SeedOption = 0,
    *,
    samples: SampleOptions | None,
    reading: ReadOptions,
) -> None:
    """Tell which of two rewards is better.

    Which agrees better with people, paired vote by vote, and by how much.

    With --samples, give --proxy twice: the columns with A's and with B's reward (or --minimise; a
    --proxy then is A's). Two saved models can score the samples themselves. Exit code 0, or 2 if
    the input is refused.

    Example: rewardlab compare model features:n_words,log_words votes.jsonl

    Example: rewardlab compare scores:old_chosen,old_rejected scores:new_chosen,new_rejected
    scored.jsonl --out comparison.html
    """
    from rewardlab.audit.compare import compare as run_comparison
    from rewardlab.audit.reward_choice import folders_of, parse_reward
    from rewardlab.cli.showing import print_findings, stdout_console
    from rewardlab.cli.writing import check_outputs, write_results
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.report.comparison import comparison_sentences, render_comparison

    if samples is not None and samples.n_proxies not in (0, 2):
        raise InputError("--samples: give --proxy twice, the column of A's reward and of B's")
    rewards = (parse_reward(a), parse_reward(b))
    inputs = [*files, *reading.files_besides, *([samples.path] if samples else [])]
    check_outputs([out, json_file], [*inputs, *folders_of(rewards)])
    reader = open_preferences(files, reading)
    typer.echo(f"Read as {reader.layout.sentence}.")
    report = curves_of(samples, seed=seed, rewards=rewards) if samples else None
    result = run_comparison(
        reader,
        *rewards,
        seed=seed,
        curves_a=report.curves[:1] if report else (),
        curves_b=report.curves[1:] if report else (),
        curve_differences=report.differences if report else (),
        progress=progress_bar,
        settings={"command": shlex.join(["rewardlab", *sys.argv[1:]])},
    )
    typer.echo(result.name_a)
    typer.echo(result.name_b)
    print_findings(result.findings, stdout_console())
    typer.echo("")
    for sentence in comparison_sentences(result):
        typer.echo(sentence)
    write_results(out, render_comparison(result), json_file, result)
