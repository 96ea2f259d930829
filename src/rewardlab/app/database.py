"""The lab's database: SQLite with a write-ahead log by default, any that SQLAlchemy knows by URL.

Tables are declared beside the functions that use them, on ``METADATA``. What is stored is only ever
added to. A database of another schema version is refused rather than read wrongly.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
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
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
)
from sqlalchemy.schema import CreateIndex, CreateTable

from rewardlab.errors import InputError

SCHEMA_VERSION = 1

METADATA = MetaData()


class Moment(TypeDecorator[datetime]):
    """A moment that is read as it was written: in UTC, also where the database keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The stored moment, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


_VERSION = Table("schema_version", METADATA, Column("version", Integer, primary_key=True))


def open_database(url: str) -> Engine:
    """A database with all tables of the modules imported so far.

    Args:
        url: As SQLAlchemy writes it; the folder of a SQLite file is made.

    Raises:
        InputError: The URL names no database that can be opened, or one of another schema version.
    """
    try:
        engine = _engine(url)
        _require_this_version(engine, url)
        _create_tables(engine)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise InputError(
            "--db: expected a database URL such as sqlite:///lab.sqlite, or one of another "
            f"database whose driver is installed: {error}"
        ) from None
    except (SQLAlchemyError, OSError) as error:
        raise InputError(
            f"--db: {_without_password(url)} cannot be opened: {reason_of(error)}"
        ) from None
    return engine


def reason_of(error: SQLAlchemyError | OSError) -> str:
    """What the database itself says of an error, on one line."""
    said = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(said).split())


def _require_this_version(engine: Engine, url: str) -> None:
    """Refuse another schema before anything is changed in it."""
    if not inspect(engine).has_table(_VERSION.name):
        return
    with engine.connect() as connection:
        versions = connection.scalars(select(_VERSION.c.version)).all()
    if versions and versions[0] != SCHEMA_VERSION:
        raise InputError(
            f"--db: {_without_password(url)} has schema version {versions[0]}, expected "
            f"{SCHEMA_VERSION}; use another file, or the rewardlab that wrote it"
        )


def _create_tables(engine: Engine) -> None:
    """Create what is missing, beside others who may do the same at this moment."""
    there = inspect(engine)
    missing = [t for t in METADATA.sorted_tables if not there.has_table(t.name)]
    with engine.begin() as connection:
        for table in missing:
            connection.execute(CreateTable(table, if_not_exists=True))
            for index in table.indexes:
                connection.execute(CreateIndex(index, if_not_exists=True))
        versioned = connection.scalars(select(_VERSION.c.version)).all()
    if not versioned:
        with suppress(IntegrityError), engine.begin() as connection:  # another was quicker
            connection.execute(_VERSION.insert().values(version=SCHEMA_VERSION))


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True)
    if not parsed.database or parsed.database == ":memory:":
        raise InputError("--db: expected a SQLite file, as in sqlite:///lab.sqlite, got none")
    Path(parsed.database).absolute().parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:
    """Readers beside a writer; a commit is on disk before it returns; locks are waited for."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _without_password(url: str) -> str:
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return "the database"
