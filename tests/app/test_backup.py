"""Backups: any database into one file and back, of one moment, whole or not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert, inspect, select, text

from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.backup import back_up, restore, status_of, url_of
from rewardlab.app.config import AppConfig
from rewardlab.app.database import SCHEMA_VERSION, all_tables, open_database
from rewardlab.app.lab.store import EVENTS, StoredEvent, append_events, stored_events
from rewardlab.app.server import create_app
from rewardlab.errors import InputError
from tests.app.databases import KINDS, new_database
from tests.app.lab.client import label
from tests.app.uploads.sending import client

VISITOR = "a" * 32


def fill(url: str, *, n: int = 2_500) -> None:
    """Some events (more than are copied at once) and a project."""
    engine = open_database(url)
    for first in range(0, n, 500):
        events = [StoredEvent(f"e{first + i}", "{}", '"naïve ☃"') for i in range(500)]
        assert append_events(engine, VISITOR, events, first=first)
    texts = Content("p", "q", "prompt", "one\n", "two ☃")
    create_project(engine, "demo", [Pair(i, "pair", texts) for i in range(30)], seed=7)
    engine.dispose()


def rows_of(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    with engine.connect() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in all_tables()
        }


@pytest.mark.parametrize("other", KINDS)
def test_a_backup_holds_every_row_and_comes_back_into_any_kind(
    database_url: str, tmp_path: Path, other: str
) -> None:
    fill(database_url)
    file = tmp_path / "backup.sqlite"
    told: list[tuple[str, int, int]] = []
    made = back_up(database_url, file)
    assert made.version == SCHEMA_VERSION
    assert (made.rows["lab_events"], made.rows["annotate_pairs"]) == (2_500, 30)
    with new_database(other, tmp_path) as url:
        restore(file, url, tell=lambda at: told.append((at.table, at.done, at.total)))
        engines = [open_database(each) for each in (database_url, url, url_of(file))]
        wanted, restored, kept = (rows_of(engine) for engine in engines)
        assert restored == wanted
        assert kept == wanted
        for engine in engines:
            engine.dispose()
    assert ("lab_events", 1_000, 2_500) in told
    assert ("lab_events", 2_500, 2_500) in told


def test_a_backup_has_the_keys_and_indexes_of_a_new_database(
    database_url: str, tmp_path: Path
) -> None:
    fill(database_url, n=0)
    back_up(database_url, tmp_path / "backup.sqlite")
    shapes = []
    for url in (url_of(tmp_path / "backup.sqlite"), f"sqlite:///{tmp_path / 'new.sqlite'}"):
        engine = open_database(url)
        there = inspect(engine)
        shapes.append(
            {
                table: (
                    there.get_pk_constraint(table)["constrained_columns"],
                    [(c["name"], c["nullable"]) for c in there.get_columns(table)],
                    sorted(tuple(u["column_names"]) for u in there.get_unique_constraints(table)),
                    sorted(
                        (str(i["name"]), *map(str, i["column_names"]))
                        for i in there.get_indexes(table)
                    ),
                    sorted(f["referred_table"] for f in there.get_foreign_keys(table)),
                )
                for table in there.get_table_names()
            }
        )
        engine.dispose()
    assert shapes[0] == shapes[1]


def test_a_lab_is_served_from_a_backup_made_while_another_wrote(
    database_url: str, tmp_path: Path
) -> None:
    """The writer's transaction is open meanwhile: the backup waits for nobody, has none of it."""
    fill(database_url, n=500)
    engine = open_database(database_url)
    row = {"visitor": VISITOR, "position": 500, "id": "late", "asked": "{}", "happened": "{}"}
    with engine.begin() as connection:
        connection.execute(insert(EVENTS), [{**row, "made_at": datetime.now(UTC)}])
        back_up(database_url, tmp_path / "lab.sqlite")
    assert len(stored_events(engine, VISITOR)) == 501
    engine.dispose()
    assert status_of(url_of(tmp_path / "lab.sqlite")).rows["lab_events"] == 500
    with client(tmp_path) as lab:
        headers = {"X-Visitor": "0" * 32}
        stored = lab.post(
            "/api/lab/events", json={"events": [{"id": "e1", **label()}]}, headers=headers
        )
        assert stored.json()["state"]["n_labels"] == 1


def test_what_is_there_is_never_overwritten(database_url: str, tmp_path: Path) -> None:
    fill(database_url, n=500)
    file = tmp_path / "backup.sqlite"
    back_up(database_url, file)
    bytes_before = file.read_bytes()
    with pytest.raises(InputError, match="is there already"):
        back_up(database_url, file)
    with pytest.raises(InputError, match=r"is not empty: .* rows; restore into a new database"):
        restore(file, database_url)
    assert file.read_bytes() == bytes_before
    assert status_of(database_url).rows["lab_events"] == 500


def test_a_restore_that_fails_leaves_no_row(database_url: str, tmp_path: Path) -> None:
    source = f"sqlite:///{tmp_path / 'source.sqlite'}"
    fill(source, n=500)
    engine = open_database(database_url)
    with engine.begin() as connection:
        connection.execute(text("create unique index only_one on lab_events (visitor)"))
    engine.dispose()
    with pytest.raises(InputError, match=r"cannot be used: .*(?i:unique)"):
        restore(tmp_path / "source.sqlite", database_url)
    assert set(status_of(database_url).rows.values()) == {0, 1}


def test_a_backup_that_fails_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch, database_url: str, tmp_path: Path
) -> None:
    fill(database_url, n=500)
    folder = tmp_path / "backups"
    folder.mkdir()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rewardlab.app.backup._onto_disk", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        back_up(database_url, folder / "backup.sqlite")
    assert list(folder.iterdir()) == []


def test_moments_are_read_in_utc_whatever_zone_they_were_written_in(database_url: str) -> None:
    engine = open_database(database_url)
    moment = datetime(
        2026, 7, 1, 12, 30, 15, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30))
    )
    row = {"visitor": VISITOR, "id": "e", "asked": "", "happened": ""}
    rows = [{**row, "position": 0, "made_at": moment}, {**row, "position": 1, "id": "f"}]
    rows[1]["made_at"] = moment.astimezone(UTC).replace(tzinfo=None)
    with engine.begin() as connection:
        connection.execute(insert(EVENTS), rows)
        assert connection.scalars(select(EVENTS.c.made_at)).all() == [moment, moment]
        if engine.dialect.name == "postgresql":
            connection.execute(text("set time zone 'Asia/Tokyo'"))
        read = connection.scalars(select(EVENTS.c.made_at)).all()
        assert [(each, each.utcoffset()) for each in read] == [(moment, timedelta(0))] * 2
    engine.dispose()


def test_what_holds_no_lab_is_said_to_hold_none_and_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "none.sqlite"
    with pytest.raises(InputError, match="there is no database file"):
        back_up(url_of(missing), tmp_path / "backup.sqlite")
    assert not missing.exists()
    missing.write_bytes(b"no database, but long enough to be taken for one" * 100)
    with pytest.raises(InputError, match="cannot be used: file is not a database"):
        back_up(url_of(missing), tmp_path / "backup.sqlite")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(InputError, match="holds nothing of rewardlab"):
        back_up(url_of(tmp_path / "empty.sqlite"), tmp_path / "backup.sqlite")


def test_the_default_file_is_backed_up_beside_its_server(tmp_path: Path) -> None:
    with client(tmp_path):
        made = back_up(AppConfig(folder=tmp_path).url, tmp_path / "copy.sqlite")
    assert made.rows["schema_version"] == 1
    create_app(AppConfig(database_url=url_of(tmp_path / "copy.sqlite"))).state.engine.dispose()
