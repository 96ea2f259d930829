"""The lab beside a database in trouble: cut off, without a free connection, without a driver."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from starlette.testclient import TestClient

from rewardlab.app.config import AppConfig
from rewardlab.app.database import connected, place_of
from rewardlab.app.reports.store import new_report
from rewardlab.app.server import create_app
from rewardlab.errors import InputError
from tests.app.databases import cut_connections, new_database
from tests.app.lab.client import label
from tests.app.uploads.sending import BASE, app_of

VISITOR = {"X-Visitor": "0" * 32}


def lab_on(url: str, folder: Path) -> TestClient:
    """A client of a lab on a database."""
    app = create_app(AppConfig(database_url=url, folder=folder))
    return TestClient(app, base_url=BASE, headers={"Origin": BASE})


def test_postgres_that_was_restarted_is_used_again_at_once(tmp_path: Path) -> None:
    with new_database("postgresql", tmp_path) as url, lab_on(url, tmp_path) as lab:
        for i in range(3):
            cut_connections(url)
            sent = {"events": [{"id": f"e{i}", **label()}]}
            stored = lab.post("/api/lab/events", json=sent, headers=VISITOR)
            assert stored.json()["state"]["n_labels"] == i + 1


def test_postgres_that_takes_no_writes_is_no_fault(tmp_path: Path) -> None:
    with new_database("postgresql", tmp_path) as url, lab_on(url, tmp_path) as lab:
        engine = app_of(lab).state.engine
        with engine.connect() as connection:
            name = engine.url.database
            connection.execute(
                text(f'alter database "{name}" set default_transaction_read_only = on')
            )
            connection.commit()
        cut_connections(url)
        sent = {"events": [{"id": "e1", **label()}]}
        refused = lab.post("/api/lab/events", json=sent, headers=VISITOR)
        assert refused.status_code == 503
        assert "read-only transaction" in refused.json()["error"]


def test_what_postgres_cannot_keep_is_refused_in_words(tmp_path: Path) -> None:
    with new_database("postgresql", tmp_path) as url, lab_on(url, tmp_path) as lab:

        def ask() -> None:
            new_report(app_of(lab).state.engine, title="a\0b")

        app_of(lab).add_api_route("/api/nul", ask)
        refused = lab.get("/api/nul")
        assert refused.status_code == 422
        assert "cannot keep this: PostgreSQL text fields cannot contain NUL" in refused.text


def test_a_request_that_gets_no_connection_is_told_to_wait(
    database_url: str, tmp_path: Path
) -> None:
    with lab_on(database_url, tmp_path) as lab:
        pool = app_of(lab).state.engine.pool
        pool._timeout = 0.05
        with ExitStack() as taken:
            for _ in range(pool.size() + pool._max_overflow):
                taken.enter_context(app_of(lab).state.engine.connect())
            refused = lab.get("/api/lab/state", headers=VISITOR)
        assert refused.status_code == 503
        assert "the lab's database cannot be used" in refused.json()["error"]
        assert lab.get("/api/lab/state", headers=VISITOR).status_code == 200


def test_forty_requests_at_once_all_get_their_turn(database_url: str, tmp_path: Path) -> None:
    with lab_on(database_url, tmp_path) as lab, ThreadPoolExecutor(40) as threads:

        def send(i: int) -> int:
            sent = {"events": [{"id": "e", **label()}]}
            return lab.post(
                "/api/lab/events", json=sent, headers={"X-Visitor": f"{i:032x}"}
            ).status_code

        assert set(threads.map(send, range(80))) == {200}


@pytest.mark.parametrize("written", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgres_is_asked_by_the_one_driver_that_is_supported(written: str) -> None:
    pytest.importorskip("psycopg")
    engine = connected(f"{written}://me:secret@host/lab")
    assert engine.url.drivername == "postgresql+psycopg"
    assert place_of(engine) == "postgresql+psycopg://me:***@host/lab"


def test_a_driver_that_is_missing_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> None:
        raise ModuleNotFoundError("No module named 'psycopg'")

    monkeypatch.setattr(PGDialect_psycopg, "import_dbapi", missing)
    with pytest.raises(
        InputError, match=r"me:\*\*\*@host/lab .*: pip install 'rewardlab\[postgres\]'"
    ):
        connected("postgresql://me:secret@host/lab")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:se@secret@127.0.0.1:port/lab",
        "postgresql://me:secret@127.0.0.1:1/lab",
        "postgresql://me@127.0.0.1:1/lab?password=secret",
        "nonsense://me:secret@host/lab",
        "oracle://me:secret@host/lab",
    ],
)
def test_no_refusal_shows_the_password(url: str) -> None:
    with pytest.raises(InputError) as refused:
        create_app(AppConfig(database_url=url))
    assert "secret" not in str(refused.value)
