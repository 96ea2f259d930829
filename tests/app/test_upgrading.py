"""Upgrades: from a database as version 1 wrote it, in one transaction, with a backup before."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, inspect, text

from rewardlab.app import upgrading
from rewardlab.app.backup import back_up, restore, status_of, url_of
from rewardlab.app.database import SCHEMA_VERSION, all_tables, open_database
from rewardlab.app.reports.store import all_reports
from rewardlab.app.upgrading import STEPS, upgrade
from rewardlab.errors import InputError
from tests.app.version_one import EVENTS, REPORT, everything, write_version_one


def test_there_is_a_step_to_every_version() -> None:
    assert len(STEPS) == SCHEMA_VERSION - 1


def test_version_one_is_refused_unchanged_with_the_command_that_upgrades_it(
    database_url: str,
) -> None:
    write_version_one(database_url)
    engine = create_engine(database_url)
    before = everything(engine)
    with pytest.raises(
        InputError, match=r"schema version 1, .*: rewardlab database upgrade --db '"
    ):
        open_database(database_url)
    assert everything(engine) == before
    assert set(inspect(engine).get_table_names()) == set(before)
    engine.dispose()


def test_an_upgrade_keeps_every_row_and_leaves_a_backup_of_before(
    database_url: str, tmp_path: Path
) -> None:
    write_version_one(database_url)
    engine = create_engine(database_url)
    before = everything(engine)
    done = upgrade(database_url, backup_in=tmp_path)
    assert (done.before, done.after) == (1, SCHEMA_VERSION)
    after = everything(engine)
    assert after.pop("schema_version") == [(SCHEMA_VERSION,)]
    engine.dispose()
    assert after == {name: rows for name, rows in before.items() if name != "schema_version"}
    assert done.backup is not None
    assert status_of(url_of(done.backup)).version == 1
    assert status_of(url_of(done.backup)).rows["lab_events"] == EVENTS
    opened = open_database(database_url)
    assert [report.report for report in all_reports(opened)] == [REPORT]
    assert set(inspect(opened).get_table_names()) == {table.name for table in all_tables()}
    opened.dispose()


def test_an_upgraded_database_has_the_shape_of_a_new_one(tmp_path: Path) -> None:
    old, new = (f"sqlite:///{tmp_path / name}" for name in ("old.sqlite", "new.sqlite"))
    write_version_one(old)
    upgrade(old, backup_in=None)
    said = []
    for url in (old, new):
        engine = open_database(url)
        with engine.connect() as connection:
            declared = connection.scalars(text("select sql from sqlite_master where sql <> ''"))
            said.append(sorted("".join(each.lower().split()) for each in declared))
        engine.dispose()
    assert said[0] == said[1]


def test_a_second_upgrade_finds_nothing_to_do(database_url: str, tmp_path: Path) -> None:
    write_version_one(database_url)
    together = threading.Barrier(4)

    def start(i: int) -> int:
        together.wait()
        return upgrade(database_url, backup_in=tmp_path if i else None).after

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(start, range(4))) == {SCHEMA_VERSION}
    again = upgrade(database_url, backup_in=tmp_path)
    assert (again.before, again.backup) == (SCHEMA_VERSION, None)
    assert status_of(database_url).rows["schema_version"] == 1


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    write_version_one(database_url)

    def half(connection: Connection) -> None:
        STEPS[0](connection)
        connection.execute(text("delete from reports"))
        connection.execute(text("select gone from nowhere"))

    engine = create_engine(database_url)
    before = everything(engine)
    monkeypatch.setattr(upgrading, "STEPS", (half,))
    with pytest.raises(InputError, match=r"cannot be used: .*nowhere"):
        upgrade(database_url, backup_in=None)
    assert everything(engine) == before
    assert set(inspect(engine).get_table_names()) == set(before)
    engine.dispose()


def test_a_backup_of_an_earlier_version_is_upgraded_before_it_is_restored(
    database_url: str, tmp_path: Path
) -> None:
    old = f"sqlite:///{tmp_path / 'old.sqlite'}"
    write_version_one(old)
    back_up(old, tmp_path / "backup.sqlite")
    with pytest.raises(InputError, match="is a backup of schema version 1, expected"):
        restore(tmp_path / "backup.sqlite", database_url)
    upgrade(url_of(tmp_path / "backup.sqlite"), backup_in=None)
    assert restore(tmp_path / "backup.sqlite", database_url).rows["lab_events"] == EVENTS


def test_a_newer_database_is_not_upgraded(database_url: str) -> None:
    engine = open_database(database_url)
    with engine.begin() as connection:
        connection.execute(text("update schema_version set version = 99"))
    engine.dispose()
    with pytest.raises(InputError, match="version 99, written by a newer rewardlab"):
        upgrade(database_url, backup_in=None)
