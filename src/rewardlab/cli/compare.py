"""``rewardlab compare``: which of two rewards is better on these preferences."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from rewardlab.cli.audit import JsonFileOption, OutOption
from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.cli.sampling import (
    GoldOption,
    GroupOption,
    MissingGoldOption,
    ProbabilityOption,
    ProxyOption,
    SamplesOption,
    SeedOption,
    curves_of,
    sample_columns,
)
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

REWARD_HELP = (
    "a directory written by 'rewardlab fit', features:NAME,NAME (fitted here on grouped folds), "
    "or scores:COLUMN,COLUMN"
)


@reads_preferences()
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=f"Reward A: {REWARD_HELP}.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Reward B, likewise.")],
    files: FilesArgument,
    samples: SamplesOption = None,
    out: OutOption = None,
    json_file: JsonFileOption = None,
    group: GroupOption = "prompt_id",
    proxy: ProxyOption = None,
    gold: GoldOption = None,
    probability: ProbabilityOption = None,
    missing_gold: MissingGoldOption = "error",
    seed: SeedOption = 0,
    *,
    reading: ReadOptions,
) -> None:
    """Tell which of two rewards is better.

    Which agrees better with people, paired vote by vote, and by how much.

    With --samples, give --proxy twice: the columns with A's and with B's reward. Exit code 0, or 2
    if the input is refused.

    Example: rewardlab compare model features:n_words,log_words votes.jsonl

    Example: rewardlab compare scores:old_chosen,old_rejected scores:new_chosen,new_rejected
    scored.jsonl --out comparison.html
    """
    import numpy as np

    from rewardlab.audit.compare import compare as run_comparison
    from rewardlab.audit.reward_choice import parse_reward
    from rewardlab.cli.showing import print_findings, stdout_console
    from rewardlab.cli.writing import write_text
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.report.as_json import json_text, to_json
    from rewardlab.report.comparison import comparison_sentences, render_comparison

    columns = sample_columns(samples, group, proxy, gold, probability, missing_gold)
    if columns is not None and len(columns.proxies) != 2:
        raise InputError("--samples: give --proxy twice, the column of A's reward and of B's")
    reader = open_preferences(files, reading)
    typer.echo(f"Read as {reader.layout.sentence}.")
    curves = curves_of(columns, np.random.default_rng(seed)) if columns else ()
    result = run_comparison(
        reader,
        parse_reward(a),
        parse_reward(b),
        seed=seed,
        curves_a=curves[:1],
        curves_b=curves[1:],
        progress=progress_bar,
        settings={"command": shlex.join(["rewardlab", *sys.argv[1:]])},
    )
    typer.echo(result.name_a)
    typer.echo(result.name_b)
    print_findings(result.findings, stdout_console())
    typer.echo("")
    for sentence in comparison_sentences(result):
        typer.echo(sentence)
    if out is not None:
        write_text(out, render_comparison(result))
    if json_file is not None:
        write_text(json_file, json_text(to_json(result)))
    for written in filter(None, (out, json_file)):
        typer.echo(f"Written: {written}")
