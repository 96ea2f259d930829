"""``rewardlab database``: what is in the lab's database, its backup, its upgrade."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rewardlab.cli.lab_database import Db, Folder, lab_url

if TYPE_CHECKING:
    from rewardlab.app.backup import Copying, DatabaseStatus

database = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@database.callback()
def group() -> None:
    """The database in which labels and audits are kept: state, backup, restore, upgrade."""


@database.command()
def status(db: Db = "", folder: Folder = None) -> None:
    """Show the schema version of a database and how many rows each table has.

    Example: rewardlab database status
    """
    from rewardlab.app.backup import status_of
    from rewardlab.app.database import SCHEMA_VERSION

    found = status_of(lab_url(db, folder))
    if found.version is None:
        typer.echo(f"{found.place}: holds nothing of rewardlab")
        return
    note = "as this rewardlab reads"
    if found.version != SCHEMA_VERSION:
        note = f"this rewardlab reads {SCHEMA_VERSION}"
    typer.echo(f"{found.place}: schema version {found.version}, {note}")
    _show_rows(found)


@database.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="New SQLite file.")],
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Copy a database, as it is at one moment, into one new SQLite file.

    Servers may go on writing meanwhile. The file is whole or not there, and a lab can be served
    from it. Uploaded files are not in the database: copy the folder "uploads" beside it, too.

    Example: rewardlab database backup lab-backup.sqlite
    """
    from rewardlab.app.backup import back_up

    made = back_up(lab_url(db, folder), file, tell=_tell)
    typer.echo(f"Written: {file}, schema version {made.version}")
    _show_rows(made)


@database.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Made by backup.")],
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Copy a backup into an empty database of any kind, all of it or nothing.

    Example: rewardlab database restore lab-backup.sqlite --db postgresql+psycopg://lab@host/lab
    """
    from rewardlab.app.backup import restore as restored

    made = restored(file, lab_url(db, folder), tell=_tell)
    typer.echo(f"Restored into {made.place}")
    _show_rows(made)


@database.command()
def upgrade(
    db: Db = "",
    folder: Folder = None,
    keep: Annotated[
        bool, typer.Option("--backup/--no-backup", help="Make a backup before anything changes.")
    ] = True,
) -> None:
    """Bring a database of an earlier rewardlab to this one's schema version.

    A backup is made first, beside the SQLite file or in --folder. Stop the servers that use the
    database before. An upgrade that fails changes nothing.

    Example: rewardlab database upgrade
    """
    from rewardlab.app.upgrading import upgrade as upgraded

    backup_in = _beside(db, folder) if keep else None
    done = upgraded(lab_url(db, folder), backup_in=backup_in, tell=_tell)
    if done.backup is not None:
        typer.echo(f"Backup of before: {done.backup}")
    if done.before == done.after:
        typer.echo(f"Nothing to do: the schema version is {done.after}")
    else:
        typer.echo(f"Upgraded: schema version {done.before} to {done.after}")


def _beside(db: str, folder: Path | None) -> Path:
    """The folder for a backup."""
    from rewardlab.app.backup import folder_of
    from rewardlab.app.config import default_folder

    return folder or folder_of(lab_url(db, folder)) or default_folder()


def _show_rows(found: DatabaseStatus) -> None:
    for name, n in found.rows.items():
        if name != "schema_version":
            typer.echo(f"  {name:<22} {n:>10,} row{'s' * (n != 1)}")


def _tell(progress: Copying) -> None:
    """A line for each table; on a terminal it counts while rows are copied."""
    said = f"{progress.table}: {progress.done:,} of {progress.total:,} rows"
    if progress.done == progress.total:
        typer.echo(f"\r{said}" if sys.stderr.isatty() else said, err=True)
    elif sys.stderr.isatty():
        typer.echo(f"\r{said}", nl=False, err=True)
