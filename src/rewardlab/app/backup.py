"""Copies of a database: of any kind into one SQLite file, and back into an empty one of any kind.

A backup is a database that the lab can be served from. It holds one moment of the original, which
may be in use meanwhile, and appears whole or not at all.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import (
    Connection,
    DateTime,
    Engine,
    MetaData,
    Table,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from rewardlab.app.database import (
    SCHEMA_VERSION,
    VERSION,
    Moment,
    all_tables,
    alone,
    connected,
    create,
    open_database,
    place_of,
    reason_of,
    refuse_newer,
    version_of,
)
from rewardlab.errors import InputError

_CHUNK = 1_000
"""Rows that are copied at once: an audit's page is a megabyte."""


@dataclass(frozen=True, slots=True)
class Copying:
    """How far a copy is: ``done`` of ``total`` rows of a table."""

    table: str
    done: int
    total: int


Tell = Callable[[Copying], None]


@dataclass(frozen=True, slots=True)
class DatabaseStatus:
    """What is in a database.

    Attributes:
        place: Its URL without the password.
        version: Of its schema; None where it holds no lab.
        rows: How many rows each table has, by its name.
    """

    place: str
    version: int | None
    rows: dict[str, int]


def status_of(url: str) -> DatabaseStatus:
    """What is in a database of any version; nothing in it is changed.

    Raises:
        InputError: It cannot be opened.
    """
    engine = connected(url, existing=True)
    with said_of(engine), engine.connect() as connection:
        rows = {
            table.name: _n_rows(connection, table) for table in _shape(connection).sorted_tables
        }
        return DatabaseStatus(place_of(engine), version_of(connection), rows)


def back_up(url: str, file: Path, *, tell: Tell | None = None) -> DatabaseStatus:
    """Copy a database of any version, as it is at one moment, into a new SQLite file.

    Args:
        url: The database; servers may write to it meanwhile.
        file: Must not exist.
        tell: Called while rows are copied.

    Returns:
        What is in the backup.

    Raises:
        InputError: There is no lab in the database, the file exists, or either cannot be used.
    """
    engine = connected(url, existing=True)
    with said_of(engine):
        _require_lab(engine)
        with _new_file(file) as partial:
            if engine.dialect.name == "sqlite":
                with engine.connect() as connection:
                    plain = connection.execution_options(isolation_level="AUTOCOMMIT")
                    plain.execute(text("vacuum into :file"), {"file": str(partial)})
            else:
                _copy_into_file(engine, partial, tell)
    return status_of(url_of(file))


def restore(file: Path, url: str, *, tell: Tell | None = None) -> DatabaseStatus:
    """Copy a backup into a database that is empty, in one transaction.

    Args:
        file: From ``back_up``, of this schema version.
        url: Where to; a SQLite file need not exist.
        tell: Called while rows are copied.

    Returns:
        What is in the database then.

    Raises:
        InputError: The file is no backup or one of another version, or the database is not empty
            or cannot be used. No row of it is then kept.
    """
    source = connected(url_of(file), existing=True)
    with said_of(source):
        _require_lab(source)
        _require_this_version(source, file)
        target = open_database(url)
        with said_of(target):
            _fill(source, target, tell)
    return status_of(url)


def url_of(file: Path) -> str:
    """The URL of a SQLite file."""
    return URL.create("sqlite", database=str(file)).render_as_string()


def folder_of(url: str) -> Path | None:
    """The folder that a SQLite file lies in; None for other databases.

    Raises:
        InputError: The URL names no database, or a file that is not there.
    """
    engine = connected(url, existing=True)
    file = engine.url.database
    return Path(file).parent if engine.dialect.name == "sqlite" and file else None


@contextmanager
def said_of(engine: Engine) -> Iterator[None]:
    """Say in words what the database refuses, and close its connections at the end.

    Raises:
        InputError: It could not be read or written to.
    """
    try:
        yield
    except SQLAlchemyError as error:
        raise InputError(f"--db: {place_of(engine)} cannot be used: {reason_of(error)}") from None
    finally:
        engine.dispose()


def _require_lab(engine: Engine) -> None:
    if version_of(engine) is None:
        raise InputError(f"--db: {place_of(engine)} holds nothing of rewardlab")


def _require_this_version(source: Engine, file: Path) -> None:
    version = version_of(source) or 0
    refuse_newer(version, place_of(source))
    if version < SCHEMA_VERSION:
        raise InputError(
            f"{file}: is a backup of schema version {version}, expected {SCHEMA_VERSION}; copy the "
            f"file and upgrade the copy: rewardlab database upgrade --db '{place_of(source)}'"
        )


def _fill(source: Engine, target: Engine, tell: Tell | None) -> None:
    """Copy all rows into tables without any."""
    with source.connect() as read, alone(target) as write:
        for table in all_tables():
            if table is not VERSION and _n_rows(write, table):
                raise InputError(
                    f"--db: {place_of(target)} is not empty: {table.name} has "
                    f"{_n_rows(write, table):,} rows; restore into a new database"
                )
        for table in all_tables():
            if table is not VERSION:
                _copy_rows(read, write, table, tell)


def _copy_into_file(engine: Engine, file: Path, tell: Tell | None) -> None:
    """Make the tables of one database in a file, and copy all rows of one moment."""
    target = connected(url_of(file), existing=True)
    snapshot = engine.execution_options(isolation_level="REPEATABLE READ")
    with said_of(target), snapshot.connect() as read, alone(target) as write:
        for table in _shape(read).sorted_tables:
            create(write, table)
            _copy_rows(read, write, table, tell)


def _copy_rows(read: Connection, write: Connection, table: Table, tell: Tell | None) -> None:
    total, done = _n_rows(read, table), 0
    rows = read.execution_options(yield_per=_CHUNK).execute(
        select(table).order_by(*table.primary_key)
    )
    for chunk in rows.mappings().partitions():
        write.execute(insert(table), [dict(row) for row in chunk])
        done += len(chunk)
        if tell is not None:
            tell(Copying(table.name, done, total))


def _n_rows(connection: Connection, table: Table) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


def _shape(connection: Connection) -> MetaData:
    """The lab's tables as they are in a database of any version, in types that all kinds know."""
    ours = {table.name for table in all_tables()}
    there = [name for name in inspect(connection).get_table_names() if name in ours]
    shape = MetaData()
    shape.reflect(connection, only=there)
    for table in shape.tables.values():
        for column in table.columns:
            generic = column.type.as_generic()
            column.type = Moment() if isinstance(generic, DateTime) else generic
            column.server_default, column.autoincrement = None, False
    return shape


@contextmanager
def _new_file(file: Path) -> Iterator[Path]:
    """A path to write to, which becomes the file once the block is through and all is on disk.

    Raises:
        InputError: There is a file already, or the folder cannot be written to.
    """
    if file.exists():
        raise InputError(f"{file}: is there already; expected the name of a new file")
    partial = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        partial.touch(mode=0o600, exist_ok=False)  # what people wrote is for its owner alone
        yield partial
        _onto_disk(partial)
        partial.rename(file)
        _onto_disk(file.parent)
    except OSError as error:
        raise InputError(f"{file}: cannot be written: {error.strerror or error}") from None
    finally:
        for name in (partial.name, f"{partial.name}-journal"):
            partial.with_name(name).unlink(missing_ok=True)


def _onto_disk(path: Path) -> None:
    if os.name == "nt":  # opens no folders
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
