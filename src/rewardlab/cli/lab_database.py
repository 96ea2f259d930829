"""The database of a command: that which ``rewardlab lab`` with the same options uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sqlalchemy import Engine

Db = Annotated[
    str,
    typer.Option(
        metavar="URL",
        help="Database for labels and audits: sqlite:///FILE, or postgresql+psycopg://... with "
        "psycopg installed.",
        show_default=False,
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where the lab's own database file and uploads are kept."),
]


def lab_url(db: str, folder: Path | None) -> str:
    """The URL of the database."""
    from rewardlab.app.config import AppConfig, default_folder

    return AppConfig(database_url=db, folder=folder or default_folder()).url


@contextmanager
def lab_engine(db: str, folder: Path | None) -> Iterator[Engine]:
    """The database, open until the end.

    Raises:
        InputError: It cannot be opened, read or written to, or is of another schema version.
    """
    from rewardlab.app.backup import said_of
    from rewardlab.app.database import open_database

    engine = open_database(lab_url(db, folder))
    with said_of(engine):
        yield engine


def same_database(db: str, folder: Path | None) -> str:
    """The options by which another command finds the same database."""
    import shlex

    if db:
        return " --db URL_OF_THE_DATABASE"  # it may hold a password
    return f" --folder {shlex.quote(str(folder))}" if folder is not None else ""
