"""The lab's database: SQLite with a write-ahead log by default, any that SQLAlchemy knows by URL.

Tables are declared beside the functions that use them, on ``METADATA``. What is stored is only ever
added to. A database of another schema version is refused rather than read wrongly; ``upgrading``
changes an earlier one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import (
    URL,
    Column,
    Connection,
    DateTime,
    Dialect,
    Engine,
    Integer,
    MetaData,
    Table,
    TypeDecorator,
    create_engine,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from rewardlab.errors import InputError

SCHEMA_VERSION = 2

METADATA = MetaData()

_DECLARED_IN = ("annotate.store.tables", "lab.store", "reports.store")
"""The modules of ``rewardlab.app`` that declare tables."""

_POSTGRES = "postgresql+psycopg"

_POOL = {"pool_size": 10, "max_overflow": 20, "pool_timeout": 10, "pool_pre_ping": True}
"""A server has 40 threads, of which few ask the database at the same moment; others wait, 10 s at
the longest. A connection that broke meanwhile is replaced before it is used."""

_EXPECTED = (
    "expected a database URL such as sqlite:///lab.sqlite or postgresql+psycopg://user@host/name; "
    "in a password, write %40 for @ and %2F for /"
)

LOCK_WAIT_MS = 5_000
"""How long a statement waits for a lock that another server holds, before it is given up."""

_ASK_AGAIN_S = 0.01
"""After how long a lock is asked for again, where SQLite does not wait for it by itself."""

STILL_MS = 60_000
"""After how long without a word PostgreSQL ends a transaction, and with it the locks of a server
that is frozen or cut off. A SQLite file is free again once that process goes on or ends."""

_CREATING = 0x7265776172646C61
"""Of the lock under which tables are made and changed in PostgreSQL."""


class Moment(TypeDecorator[datetime]):
    """A moment that is read as it was written: in UTC, also where the database keeps no zone.

    One without a zone is taken to be in UTC.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """What to store: SQLite keeps the digits of the clock and forgets the zone."""
        return _in_utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The stored moment, in UTC."""
        return _in_utc(value)


def _in_utc(value: datetime | None) -> datetime | None:
    if value is None:
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


VERSION = Table("schema_version", METADATA, Column("version", Integer, primary_key=True))


def open_database(url: str) -> Engine:
    """A database of this version with all tables; one that is empty gets them.

    Args:
        url: As SQLAlchemy writes it; the folder of a SQLite file is made.

    Raises:
        InputError: The URL names no database that can be opened, or one of another schema version.
    """
    engine = connected(url)
    try:
        _require_this_version(engine)
        _create_tables(engine)
    except (SQLAlchemyError, OSError) as error:
        engine.dispose()
        raise InputError(f"--db: {place_of(engine)} cannot be opened: {reason_of(error)}") from None
    except InputError:
        engine.dispose()
        raise
    return engine


def connected(url: str, *, existing: bool = False) -> Engine:
    """A database of any version as it is.

    Args:
        url: As SQLAlchemy writes it. PostgreSQL is asked by psycopg unless a driver is named.
        existing: True refuses a SQLite file that is not there, and leaves one as it is; False
            makes its folder, and lets it be read while it is written to.

    Raises:
        InputError: The URL names no database, its driver is not installed, or there is no file.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # what they say may hold the password
        raise InputError(f"--db: {_EXPECTED}") from None
    if parsed.drivername in ("postgres", "postgresql"):
        parsed = parsed.set(drivername=_POSTGRES)
    try:
        if parsed.get_backend_name() == "sqlite":
            return _sqlite(parsed, existing=existing)
        return _server(parsed)
    except OSError as error:
        raise InputError(f"--db: {_shown(parsed)} cannot be opened: {reason_of(error)}") from None
    except (ArgumentError, NoSuchModuleError):
        raise InputError(f"--db: {_EXPECTED}") from None
    except ImportError as error:
        wanted = "pip install 'rewardlab[postgres]'" if parsed.drivername == _POSTGRES else error
        raise InputError(f"--db: {_shown(parsed)} has no driver here: {wanted}") from None


def version_of(engine: Engine | Connection) -> int | None:
    """The schema version of a database; None where it has none, as one that is empty."""
    if not inspect(engine).has_table(VERSION.name):
        return None
    if isinstance(engine, Connection):
        return engine.scalar(select(VERSION.c.version))
    with engine.connect() as connection:
        return connection.scalar(select(VERSION.c.version))


def all_tables() -> list[Table]:
    """Every table of the lab, those first to which others refer."""
    for module in _DECLARED_IN:
        import_module(f"rewardlab.app.{module}")
    return METADATA.sorted_tables


@contextmanager
def alone(engine: Engine) -> Iterator[Connection]:
    """A transaction beside which nobody else makes, changes or fills tables as a whole.

    SQLite takes no other writer meanwhile. In PostgreSQL others who come through here wait, however
    long it takes.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql(
                "BEGIN IMMEDIATE"
            )  # else each change of a table stands alone
        elif engine.dialect.name == "postgresql":
            connection.execute(text("set local lock_timeout = 0"))
            connection.execute(text("select pg_advisory_xact_lock(:of)"), {"of": _CREATING})
        yield connection


def create(connection: Connection, table: Table) -> None:
    """Make a table with its indexes, where it is missing."""
    connection.execute(CreateTable(table, if_not_exists=True))
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        connection.execute(CreateIndex(index, if_not_exists=True))


def reason_of(error: SQLAlchemyError | OSError) -> str:
    """What the database itself says of an error, on one line."""
    said = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(said).split())


def place_of(engine: Engine) -> str:
    """Where a database is: its URL without a password."""
    return _shown(engine.url)


def url_from_anywhere(engine: Engine) -> str:
    """The URL of a database with its password, for a process that works in another folder."""
    url = engine.url
    if url.get_backend_name() == "sqlite" and url.database:
        url = url.set(database=str(Path(url.database).absolute()))
    return url.render_as_string(hide_password=False)


def refuse_newer(version: int, place: str) -> None:
    """Refuse a database of a later version.

    Raises:
        InputError: It is.
    """
    if version > SCHEMA_VERSION:
        raise InputError(
            f"--db: {place} has schema version {version}, written by a newer rewardlab; this one "
            f"reads version {SCHEMA_VERSION}: install the newer one, or use another database"
        )


def _require_this_version(engine: Engine) -> None:
    """Refuse another schema before anything is changed in it."""
    version, place = version_of(engine), place_of(engine)
    if version is None or version == SCHEMA_VERSION:
        return
    refuse_newer(version, place)
    raise InputError(
        f"--db: {place} has schema version {version}, this rewardlab reads {SCHEMA_VERSION}; "
        f"nothing in it was changed. Upgrade it (a backup is made first): "
        f"rewardlab database upgrade --db '{place}'"
    )


def _create_tables(engine: Engine) -> None:
    """Create what is missing, beside others who may do the same at this moment."""
    there = inspect(engine)
    if all(there.has_table(table.name) for table in all_tables()) and version_of(engine):
        return
    with alone(engine) as connection:
        for table in all_tables():
            create(connection, table)
        if connection.scalar(select(VERSION.c.version)) is None:
            connection.execute(VERSION.insert().values(version=SCHEMA_VERSION))


def _sqlite(url: URL, *, existing: bool) -> Engine:
    if not url.database or url.database == ":memory:":
        raise InputError("--db: expected a SQLite file, as in sqlite:///lab.sqlite, got none")
    file = Path(url.database).absolute()
    if existing and not file.is_file():
        raise InputError(f"--db: there is no database file {url.database}")
    file.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, **_POOL)
    event.listen(engine, "connect", _prepare_sqlite)
    if not existing:
        event.listen(engine, "connect", _let_read_beside_a_writer)
    return engine


def _server(url: URL) -> Engine:
    engine = create_engine(url, **_POOL)
    if engine.dialect.name == "postgresql":
        event.listen(engine, "connect", _prepare_postgres)
    return engine


def _prepare_postgres(connection: Any, record: object) -> None:
    """Nobody waits for ever for a server that holds a lock and stands still."""
    cursor = connection.cursor()
    cursor.execute(f"set lock_timeout = {LOCK_WAIT_MS}")
    cursor.execute(f"set idle_in_transaction_session_timeout = {STILL_MS}")
    cursor.close()
    connection.commit()


def _prepare_sqlite(connection: Any, record: object) -> None:
    """A commit is on disk before it returns; locks are waited for."""
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={LOCK_WAIT_MS}", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _let_read_beside_a_writer(connection: Any, record: object) -> None:
    """Keep a write-ahead log.

    Two connections that change a new file at once would wait for each other, so SQLite turns one
    away without waiting for the lock; it asks again here.
    """
    given_up = monotonic() + LOCK_WAIT_MS / 1_000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > given_up:
                raise
        sleep(_ASK_AGAIN_S)


def _shown(url: URL) -> str:
    """A URL without its password, which may stand among its settings, too."""
    hidden = {key: "***" for key in url.query if "password" in key.lower()}
    return url.update_query_dict(hidden).render_as_string(hide_password=True)
