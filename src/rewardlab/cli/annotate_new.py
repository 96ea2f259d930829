"""``rewardlab annotate new``: a project from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rewardlab.cli.annotate_options import ModelOption, SeedOption, read_text
from rewardlab.cli.lab_database import Db, Folder, lab_engine, same_database
from rewardlab.errors import InputError


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits and hyphens.")],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Pairs, prompts with several responses, samples, or what 'rewardlab curve "
            "--choose' wrote: JSONL, JSON, CSV or Parquet, each also .gz.",
        ),
    ],
    overlap: Annotated[int, typer.Option(metavar="N", help="How many people judge each pair.")] = 1,
    guidelines: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What annotators are to do, in Markdown.")
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Labelled pairs, mixed in to check annotators."),
    ] = None,
    known_every: Annotated[
        int, typer.Option(min=1, metavar="N", help="About one known pair in so many.")
    ] = 15,
    repeat: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of pairs asked once more, as a check.")
    ] = 0.05,
    order: Annotated[
        str,
        typer.Option(
            metavar="ORDER",
            help="Which pairs first: random; undecided, those that rewards disagree on; curve, "
            "the samples of 'rewardlab curve --choose' that bear most on the curve.",
        ),
    ] = "random",
    model: ModelOption = None,
    pairs_per_prompt: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Pairs of each prompt's responses; by default all of up to three responses, "
            "beyond that a ring in which each meets two others.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=COLUMN", help="Which column holds a field. Repeatable."),
    ] = None,
    lease: Annotated[
        float,
        typer.Option(metavar="MINUTES", help="How long a pair that was fetched is kept for them."),
    ] = 30.0,
    seed: SeedOption = 0,
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Make a project of a file: who judges what is settled as they come.

    Votes that the file holds are kept from annotators; they see the texts alone.

    Example: rewardlab annotate new helpfulness pairs.jsonl --overlap 3

    Example: rewardlab annotate new curve-1 samples-to-label.jsonl --order curve --repeat 0
    """
    from rewardlab.app.annotate.making.new_project import (
        Plan,
        make_project,
        plan_project,
        require_new,
    )
    from rewardlab.app.annotate.making.ordering import order_of, saved_rewards
    from rewardlab.cli.reading import named_pairs

    plan = Plan(
        overlap=overlap,
        guidelines=read_text(guidelines) if guidelines is not None else "",
        lease_s=_seconds(lease),
        known_every=known_every,
        repeat_share=repeat,
        order=order_of(order),
        pairs_per_prompt=pairs_per_prompt,
        columns=named_pairs("--column", column),
        seed=seed,
    )
    with lab_engine(db, folder) as engine:
        require_new(engine, name)
        planned = plan_project(file, plan, known=known, rewards=saved_rewards(model or []))
        make_project(engine, name, planned, plan)
    for sentence in planned.sentences(overlap):
        typer.echo(sentence)
    if planned.read.chosen:
        typer.echo("Let all of them be judged: the curve is estimated from the whole choice.")
    here = same_database(db, folder)
    typer.echo(
        f"Next: rewardlab annotate invite {name} --annotator NAME_OF_A_PERSON{here}\n"
        f"      rewardlab annotate invite {name} --admin{here}"
    )


def _seconds(lease: float) -> int:
    from rewardlab.app.annotate.store.projects import LARGEST

    if not 6 <= lease * 60 <= LARGEST:
        raise InputError(f"--lease: expected 0.1 minutes or more, up to 35 million, got {lease}")
    return round(lease * 60)
