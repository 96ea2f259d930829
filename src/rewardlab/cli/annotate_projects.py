"""``rewardlab annotate list``, ``order`` and ``guidelines``: projects that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rewardlab.cli.annotate_options import ModelOption, Name, SeedOption, named_project, read_text
from rewardlab.cli.lab_database import Db, Folder, lab_engine, same_database
from rewardlab.counting import counted


def list_projects(db: Db = "", folder: Folder = None) -> None:
    """Name the projects, the oldest first.

    Example: rewardlab annotate list
    """
    from rewardlab.app.annotate.store.progress import progress_of
    from rewardlab.app.annotate.store.projects import all_projects

    with lab_engine(db, folder) as engine:
        projects = all_projects(engine)
        for project in projects:
            done = progress_of(engine, project)
            typer.echo(
                f"{project.project}  {done.made:,} of {done.wanted:,} judgements, "
                f"made {project.made_at:%Y-%m-%d}"
            )
    if not projects:
        here = same_database(db, folder)
        typer.echo(f"There is no project yet; make one: rewardlab annotate new NAME FILE{here}")


def change_order(
    name: Name,
    order: Annotated[
        str, typer.Argument(metavar="ORDER", help="random, undecided or curve; see 'new'.")
    ],
    model: ModelOption = None,
    seed: SeedOption = 0,
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Change which pairs are asked first; pairs that somebody has already stay with them.

    The order undecided without --model fits an ensemble of text-feature rewards to the labels so
    far. An order that is not random makes the first labels an unusual sample: where they decide
    whether to go on, remember how they were chosen.

    Example: rewardlab annotate order helpfulness undecided

    Example: rewardlab annotate order helpfulness undecided --model reward-1 --model reward-2
    """
    from rewardlab.app.annotate.making.ordering import order_of, reorder, saved_rewards
    from rewardlab.app.annotate.store.writing import Writer

    wanted, rewards = order_of(order), saved_rewards(model or [])
    with lab_engine(db, folder) as engine:
        named_project(engine, name)
        writer = Writer(engine)
        try:
            n = reorder(engine, writer, name, wanted, rewards=rewards, seed=seed)
        finally:
            writer.close()
    typer.echo(f"Ordered {counted(n, 'pair')} of {name}: {wanted}.")


def guidelines(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Markdown.")],
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Change what annotators are asked to do.

    Example: rewardlab annotate guidelines helpfulness guidelines.md
    """
    from rewardlab.app.annotate.store.projects import change_guidelines

    text = read_text(file)
    with lab_engine(db, folder) as engine:
        named_project(engine, name)
        change_guidelines(engine, name, text)
    typer.echo(f"{name} has new guidelines, {len(text):,} characters.")
