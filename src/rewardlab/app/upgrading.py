"""Changing a database of an earlier schema version into one of this version.

All steps run in one transaction: an upgrade that fails leaves the database as it was, and of two at
the same time the second finds nothing left to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, update

from rewardlab.app.backup import Tell, back_up, said_of
from rewardlab.app.database import (
    SCHEMA_VERSION,
    VERSION,
    all_tables,
    alone,
    connected,
    create,
    place_of,
    refuse_newer,
    version_of,
)
from rewardlab.errors import InputError


def _add_annotation(connection: Connection) -> None:
    """Version 2: the tables of annotation join; nothing that is there changes."""
    for table in all_tables():
        if table.name.startswith("annotate_"):
            create(connection, table)


STEPS: tuple[Callable[[Connection], None], ...] = (_add_annotation,)
"""The first leads from version 1 to 2, and so on.

A step makes what its own version had. One that changes a table which an earlier step makes from its
declaration must leave the earlier form behind, written out in that step.
"""


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What an upgrade did.

    Attributes:
        before: The version that was found.
        after: The version that the database has now; the same where there was nothing to do.
        backup: Where the state before is kept; None where none was asked for or needed.
    """

    before: int
    after: int
    backup: Path | None


def upgrade(url: str, *, backup_in: Path | None, tell: Tell | None = None) -> Upgraded:
    """Bring a database to this version.

    Args:
        url: The database.
        backup_in: The folder for a backup made before; None makes none.
        tell: Called while rows are copied into the backup.

    Raises:
        InputError: It holds no lab, was written by a newer rewardlab, or cannot be changed; it is
            then as it was.
    """
    engine = connected(url, existing=True)
    with said_of(engine):
        before = _version(engine)
        if before == SCHEMA_VERSION:
            return Upgraded(before, before, None)
        backup = None
        if backup_in is not None:
            backup = _folder(backup_in) / _backup_name(engine, before)
            back_up(url, backup, tell=tell)
        with alone(engine) as connection:
            _climb(connection)
    return Upgraded(before, SCHEMA_VERSION, backup)


def _version(engine: Engine) -> int:
    """The version of a database that can be upgraded, or needs no upgrade."""
    version = version_of(engine)
    if version is None:
        raise InputError(f"--db: {place_of(engine)} holds nothing of rewardlab to upgrade")
    refuse_newer(version, place_of(engine))
    return version


def _climb(connection: Connection) -> None:
    """Take the steps from the version that the database has by now."""
    version = version_of(connection) or SCHEMA_VERSION
    for step in STEPS[version - 1 : SCHEMA_VERSION - 1]:
        step(connection)
    connection.execute(update(VERSION).values(version=SCHEMA_VERSION))


def _folder(folder: Path) -> Path:
    """The folder, which is made where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made for the backup: {error.strerror}") from None
    return folder


def _backup_name(engine: Engine, version: int) -> str:
    name = Path(engine.url.database or "lab").stem
    return f"{name}-version-{version}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.sqlite"
