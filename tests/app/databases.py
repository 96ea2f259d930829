"""Databases for tests: a new SQLite file, or a new database of a real PostgreSQL."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import make_url

KINDS = ("sqlite", "postgresql")

SERVER = "REWARDLAB_POSTGRES"
"""Names the URL of a PostgreSQL whose user may create databases."""


def postgres() -> str:
    """The URL of the PostgreSQL to test on.

    Without one the test is skipped, or fails where CI is set.
    """
    url = os.environ.get(SERVER, "")
    if not url:
        said = f"this needs PostgreSQL: export {SERVER}=$(tests/postgres.sh start)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(said)
    return url


@contextmanager
def new_database(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database of a kind, removed at the end whoever is still connected.

    Args:
        kind: One of ``KINDS``.
        folder: For a SQLite file.
    """
    if kind == "sqlite":
        yield f"sqlite:///{folder / f'{secrets.token_hex(4)}.sqlite'}"
        return
    url, name = make_url(postgres()), f"test_{secrets.token_hex(8)}"
    server = create_engine(url, isolation_level="AUTOCOMMIT")
    _do(server, f'create database "{name}"')
    try:
        yield url.set(database=name).render_as_string(hide_password=False)
    finally:
        _do(server, f'drop database "{name}" with (force)')
        server.dispose()


def cut_connections(url: str) -> None:
    """End all connections to a PostgreSQL database, as a restart of it does."""
    name = make_url(url).database
    server = create_engine(postgres(), isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(
            text("select pg_terminate_backend(pid) from pg_stat_activity where datname = :name"),
            {"name": name},
        )
    server.dispose()


def _do(server: Engine, statement: str) -> None:
    with server.connect() as connection:
        connection.execute(text(statement))
