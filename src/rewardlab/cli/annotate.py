"""``rewardlab annotate``: projects in which people judge pairs, and the links that lead there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rewardlab.cli.annotate_export import export
from rewardlab.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from rewardlab.app.annotate.store.contents import Project

annotate = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

LOCAL = "http://127.0.0.1:8421"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The project.")]
Db = Annotated[
    str,
    typer.Option(
        metavar="URL", help="The lab's database, as for 'rewardlab lab'.", show_default=False
    ),
]
Folder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The lab's folder, as for 'rewardlab lab'.")
]
OrderOption = Annotated[
    str,
    typer.Option(
        metavar="ORDER",
        help="Which pairs first: random; undecided, those that rewards disagree on; curve, "
        "the samples of 'rewardlab curve --choose' that bear most on the curve.",
    ),
]
ModelOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR", help="A saved reward for the order undecided. Repeatable: an ensemble."
    ),
]
SeedOption = Annotated[int, typer.Option(help="Seed of all randomness.")]
annotate.command()(export)


@annotate.callback()
def group() -> None:
    """People judge pairs in the browser, blind and side by side: projects, links, exports."""


@annotate.command()
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
    order: OrderOption = "random",
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
        guidelines=_text(guidelines) if guidelines is not None else "",
        lease_s=_seconds(lease),
        known_every=known_every,
        repeat_share=repeat,
        order=order_of(order),
        pairs_per_prompt=pairs_per_prompt,
        columns=named_pairs("--column", column),
        seed=seed,
    )
    with _engine(db, folder) as engine:
        require_new(engine, name)
        planned = plan_project(file, plan, known=known, rewards=saved_rewards(model or []))
        make_project(engine, name, planned, plan)
    for sentence in planned.sentences(overlap):
        typer.echo(sentence)
    if planned.read.chosen:
        typer.echo("Let all of them be judged: the curve is estimated from the whole choice.")
    here = _database_words(db, folder)
    typer.echo(
        f"Next: rewardlab annotate invite {name} --annotator NAME_OF_A_PERSON{here}\n"
        f"      rewardlab annotate invite {name} --admin{here}"
    )


@annotate.command("list")
def list_projects(db: Db = "", folder: Folder = None) -> None:
    """Name the projects, the oldest first.

    Example: rewardlab annotate list
    """
    from rewardlab.app.annotate.store.progress import progress_of
    from rewardlab.app.annotate.store.projects import all_projects

    with _engine(db, folder) as engine:
        projects = all_projects(engine)
        for project in projects:
            done = progress_of(engine, project)
            typer.echo(
                f"{project.project}  {done.made:,} of {done.wanted:,} judgements, "
                f"made {project.made_at:%Y-%m-%d}"
            )
    if not projects:
        here = _database_words(db, folder)
        typer.echo(f"There is no project yet; make one: rewardlab annotate new NAME FILE{here}")


@annotate.command()
def invite(
    name: Name,
    annotator: Annotated[
        str | None, typer.Option(metavar="ID", help="Whom; under this name they judge.")
    ] = None,
    admin: Annotated[
        bool, typer.Option("--admin", help="Somebody who sees progress and takes labels out.")
    ] = False,
    address: Annotated[
        str, typer.Option(metavar="URL", help="Under which address they reach the lab.")
    ] = LOCAL,
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Print a personal link, once: the database keeps no more than a digest of it.

    Whoever has the link judges under that name, so send it to that person only.

    Example: rewardlab annotate invite helpfulness --annotator ada

    Example: rewardlab annotate invite helpfulness --admin --address https://lab.example.org
    """
    from rewardlab.app.annotate.store.access import links_of, new_link

    if (annotator is None) != admin:
        raise InputError("invite: expected either --annotator ID or --admin")
    base = _checked_address(address)
    role, who = ("admin", "") if annotator is None else ("annotator", annotator)
    with _engine(db, folder) as engine:
        _project(engine, name)
        same = [
            link
            for link in links_of(engine, name)
            if (link.role, link.annotator) == (role, who) and link.revoked_at is None
        ]
        token = new_link(engine, name, "admin" if admin else "annotator", who)
    here = _database_words(db, folder)
    typer.echo(f"{base}/annotate/{name}{'/admin' if admin else ''}#{token}")
    if same:
        links = f"{len(same)} other link{'s' * (len(same) != 1)}"
        whom = "admins have" if admin else f"{who} has"
        typer.echo(
            f"{whom} {links} that still open{'s' * (len(same) == 1)} the project; revoke one with: "
            f"rewardlab annotate revoke {name} {same[0].link}{here}",
            err=True,
        )
    if base == LOCAL:
        typer.echo(
            f"The link works on this machine, while 'rewardlab lab{here}' runs. For people "
            f"elsewhere, serve with 'rewardlab lab{here} --host ADDRESS --allow-host NAME', best "
            "behind https, and invite with --address https://NAME.",
            err=True,
        )


@annotate.command()
def links(name: Name, db: Db = "", folder: Folder = None) -> None:
    """Show who was invited, and which links are revoked; never the secret part.

    Example: rewardlab annotate links helpfulness
    """
    from rewardlab.app.annotate.store.access import links_of

    with _engine(db, folder) as engine:
        _project(engine, name)
        found = links_of(engine, name)
    for link in found:
        state = f"revoked {link.revoked_at:%Y-%m-%d %H:%M} UTC" if link.revoked_at else "open"
        whom = "admin" if link.role == "admin" else f"annotator {link.annotator}"
        typer.echo(f"{link.link}  {whom}, made {link.made_at:%Y-%m-%d %H:%M} UTC, {state}")
    if not found:
        here = _database_words(db, folder)
        typer.echo(f"Nobody is invited; rewardlab annotate invite {name} --annotator ID{here}")


@annotate.command()
def revoke(
    name: Name,
    link: Annotated[
        str, typer.Argument(metavar="LINK", help="As 'rewardlab annotate links' names it.")
    ],
    db: Db = "",
    folder: Folder = None,
) -> None:
    """From now on the link opens nothing; what was judged with it stays.

    Example: rewardlab annotate revoke helpfulness 0a1b2c3d4e5f
    """
    from rewardlab.app.annotate.store.access import revoke as revoke_link

    with _engine(db, folder) as engine:
        _project(engine, name)
        revoke_link(engine, name, link)
    typer.echo(f"Revoked {link}: it opens nothing from now on. What was judged with it stays.")


@annotate.command("order")
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
    with _engine(db, folder) as engine:
        _project(engine, name)
        writer = Writer(engine)
        try:
            n = reorder(engine, writer, name, wanted, rewards=rewards, seed=seed)
        finally:
            writer.close()
    typer.echo(f"Ordered {n:,} pairs of {name}: {wanted}.")


@annotate.command()
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

    text = _text(file)
    with _engine(db, folder) as engine:
        _project(engine, name)
        change_guidelines(engine, name, text)
    typer.echo(f"{name} has new guidelines, {len(text):,} characters.")


@annotate.command()
def status(name: Name, db: Db = "", folder: Folder = None) -> None:
    """Show how far a project is, by annotator, and how well people agree.

    Example: rewardlab annotate status helpfulness
    """
    from datetime import UTC, datetime

    from rewardlab.app.annotate.admin.summary import asked_pairs, summarised
    from rewardlab.cli.annotate_status import print_status

    with _engine(db, folder) as engine:
        project, asked = _project(engine, name), asked_pairs(engine, name)
        print_status(summarised(engine, project, datetime.now(UTC), asked=asked))


@contextmanager
def _engine(db: str, folder: Path | None) -> Iterator[Engine]:
    """The database that ``rewardlab lab`` with the same options would use."""
    from rewardlab.app.config import AppConfig, default_folder
    from rewardlab.app.database import open_database

    engine = open_database(AppConfig(database_url=db, folder=folder or default_folder()).url)
    try:
        yield engine
    finally:
        engine.dispose()


def _project(engine: Engine, name: str) -> Project:
    from rewardlab.app.annotate.store.projects import find_project

    found = find_project(engine, name)
    if found is None:
        raise InputError(
            f"NAME: there is no project {name[:60]!r}; 'rewardlab annotate list' names them"
        )
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error


def _seconds(lease: float) -> int:
    from rewardlab.app.annotate.store.projects import LARGEST

    if not 6 <= lease * 60 <= LARGEST:
        raise InputError(f"--lease: expected 0.1 minutes or more, up to 35 million, got {lease}")
    return round(lease * 60)


def _checked_address(address: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise InputError(
            f"--address: expected an address such as https://lab.example.org, got {address!r}"
        )
    return address.rstrip("/")


def _database_words(db: str, folder: Path | None) -> str:
    """The options by which another command finds the same database."""
    import shlex

    if db:
        return " --db URL_OF_THE_DATABASE"  # it may hold a password
    return f" --folder {shlex.quote(str(folder))}" if folder is not None else ""
