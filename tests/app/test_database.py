"""The lab's database: opened beside others, refused unchanged, and what is said when it fails."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event, inspect, text

from rewardlab.app.database import SCHEMA_VERSION, all_tables, connected, open_database
from rewardlab.errors import InputError
from tests.app.lab.client import client_in, label
from tests.app.uploads.sending import app_of


def write_none(engine: Engine) -> None:
    """From now on the database takes no writes, as where its disk is full or read-only."""

    def prepare(connection: Any, record: object) -> None:
        connection.execute("PRAGMA query_only=ON")

    engine.dispose()
    event.listen(engine, "connect", prepare)


def test_servers_that_start_together_share_one_new_database(database_url: str) -> None:
    together = threading.Barrier(8)

    def start(_: int) -> Engine:
        together.wait()
        return open_database(database_url)

    with ThreadPoolExecutor(8) as threads:
        engines = list(threads.map(start, range(8)))
    with engines[0].connect() as connection:
        assert connection.scalars(text("select version from schema_version")).all() == [
            SCHEMA_VERSION
        ]
    assert set(inspect(engines[0]).get_table_names()) == {table.name for table in all_tables()}
    for engine in engines:
        engine.dispose()


def test_connections_that_begin_a_write_ahead_log_together_all_get_one(tmp_path: Path) -> None:
    together = threading.Barrier(8)

    def begin(number: int) -> str:
        engine = connected(f"sqlite:///{tmp_path / f'{number}.sqlite'}")
        together.wait()
        with engine.connect() as connection:
            mode = str(connection.scalar(text("pragma journal_mode")))
        engine.dispose()
        return mode

    with ThreadPoolExecutor(8) as threads:
        for number in range(50):  # SQLite itself turns away about one connection in fifty
            assert set(threads.map(begin, [number] * 8)) == {"wal"}


def test_another_schema_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'later.sqlite'}"
    later = create_engine(url)
    with later.begin() as connection:
        connection.execute(text("create table schema_version (version integer primary key)"))
        connection.execute(text(f"insert into schema_version values ({SCHEMA_VERSION + 1})"))
    with pytest.raises(InputError, match="written by a newer rewardlab"):
        open_database(url)
    assert inspect(later).get_table_names() == ["schema_version"]
    later.dispose()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite://", "expected a SQLite file"),
        ("sqlite:///:memory:", "expected a SQLite file"),
        ("nonsense", "expected a database URL such as sqlite:///lab.sqlite"),
        ("nonsense://host/lab", "expected a database URL"),
        ("sqlite:////proc/none/lab.sqlite", "cannot be opened: .*No such file"),
    ],
)
def test_what_is_no_database_is_refused_in_words(url: str, said: str) -> None:
    with pytest.raises(InputError, match=f"--db: .*{said}"):
        open_database(url)


def test_a_database_that_takes_no_writes_is_no_fault_and_loses_nothing(tmp_path: Path) -> None:
    visitor = {"Origin": "http://127.0.0.1", "X-Visitor": "0" * 32}
    sent = {"events": [{"id": "e1", **label()}]}
    with client_in(tmp_path) as lab:
        write_none(app_of(lab).state.engine)
        refused = lab.post("/api/lab/events", json=sent, headers=visitor)
        assert refused.status_code == 503
        said = refused.json()["error"]
        assert said.startswith("the lab's database cannot be used: ")
        assert "readonly" in said
        assert lab.get("/api/lab/state", headers=visitor).json()["n_labels"] == 0
    with client_in(tmp_path) as lab:
        stored = lab.post("/api/lab/events", json=sent, headers=visitor).json()
        assert stored["state"]["n_labels"] == 1


def test_a_folder_without_room_is_said_to_have_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with client_in(tmp_path) as lab:
        monkeypatch.setattr(Path, "mkdir", full)
        refused = lab.post("/api/uploads", content=b"x", headers={"Origin": "http://127.0.0.1"})
        assert refused.status_code == 507
        assert "No space left on device" in refused.json()["error"]
