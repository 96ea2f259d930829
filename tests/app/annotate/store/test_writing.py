"""One thread writes for all: what comes of jobs that fail, and of databases that go away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError

from rewardlab.app import database
from rewardlab.app.annotate.store.queue import take
from rewardlab.app.annotate.store.tables import ASSIGNMENTS
from rewardlab.app.annotate.store.writing import Writer, lock_project
from rewardlab.app.database import open_database
from tests.app.annotate.people import START, Bench, pairs
from tests.app.databases import cut_connections


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database of each kind."""
    opened = open_database(database_url)
    yield opened
    opened.dispose()


@pytest.fixture
def bench(engine: Engine) -> Bench:
    """A project of 60 pairs."""
    return Bench(engine, pairs(60))


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    """A writer that is closed at the end."""
    made = Writer(engine)
    yield made
    made.close()


def _taking(bench: Bench, who: str, n: int = 1) -> Callable[[Connection], list[int]]:
    def work(connection: Connection) -> list[int]:
        lent = take(connection, bench.project, who, n, now=START)
        return [pair.pair for pair in lent.pairs]

    return work


def _n_lent(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(ASSIGNMENTS)) or 0


def test_jobs_that_wait_are_written_together_and_a_failure_leaves_the_others(
    bench: Bench, writer: Writer
) -> None:
    holds, go_on = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        holds.set()
        go_on.wait()

    def bad(connection: Connection) -> None:
        _taking(bench, "bad", 30)(connection)
        raise ZeroDivisionError("a fault")

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(writer.do, "demo", slow)
        holds.wait()
        failed = pool.submit(writer.do, "demo", bad)
        rest = [pool.submit(writer.do, "demo", _taking(bench, f"w{i}", 5)) for i in range(5)]
        go_on.set()
        given = [pair for one in rest for pair in one.result()]
        assert first.result() is None
        with pytest.raises(ZeroDivisionError, match="a fault"):
            failed.result()
    assert sorted(given) == list(range(25)), "nothing of the job that failed is stored"


def test_even_what_ends_a_program_reaches_only_who_waits(bench: Bench, writer: Writer) -> None:
    def leave(connection: Connection) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        writer.do("demo", leave)
    assert writer.do("demo", _taking(bench, "ann")) == [0]


def test_a_database_that_fails_stores_nothing_and_the_writer_goes_on(
    bench: Bench, writer: Writer
) -> None:
    def gone(connection: Connection) -> None:
        _taking(bench, "ann")(connection)
        raise OperationalError("select", {}, Exception("the database is gone"))

    with pytest.raises(OperationalError, match="gone"):
        writer.do("demo", gone)
    assert _n_lent(bench.engine) == 0
    assert writer.do("demo", _taking(bench, "ann")) == [0]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_connections_that_are_cut_are_made_again(
    bench: Bench, writer: Writer, database_url: str
) -> None:
    writer.do("demo", _taking(bench, "ann"))

    def cut(connection: Connection) -> None:
        cut_connections(database_url)
        connection.execute(text("select 1"))

    with pytest.raises(OperationalError):
        writer.do("demo", cut)
    assert writer.do("demo", _taking(bench, "ann", 2)) == [0, 1]


def test_a_server_that_stands_still_in_a_transaction_holds_nobody_up_for_ever(
    bench: Bench, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_WAIT_MS", 100)
    engine = open_database(database_url)
    writer = Writer(engine)
    with bench.engine.connect() as frozen:
        lock_project(frozen, "demo")
        with pytest.raises(OperationalError, match="lock"):
            writer.do("demo", _taking(bench, "ann"))
    assert writer.do("demo", _taking(bench, "ann")) == [0]
    writer.close()
    engine.dispose()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_postgres_ends_the_transaction_of_a_server_that_stands_still(
    bench: Bench, writer: Writer, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "STILL_MS", 200)
    engine = open_database(database_url)
    with engine.connect() as frozen:
        lock_project(frozen, "demo")
        assert writer.do("demo", _taking(bench, "ann")) == [0]
        with pytest.raises(DBAPIError):
            frozen.execute(text("select 1"))
    engine.dispose()


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError, InternalError])
def test_with_the_database_gone_no_job_that_was_written_beside_is_acknowledged(
    bench: Bench, writer: Writer, kind: type[DBAPIError]
) -> None:
    busy, free = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        busy.set()
        free.wait()

    def gone(connection: Connection) -> None:
        raise kind("select", {}, Exception("the database is gone"))

    with ThreadPoolExecutor(3) as pool:
        pool.submit(writer.do, "demo", hold)
        busy.wait()
        jobs = [pool.submit(writer.do, "demo", job) for job in (_taking(bench, "ann"), gone)]
        while len(writer._waiting) < len(jobs):
            pass
        free.set()
        assert [type(job.exception()) for job in jobs] == [kind, kind]
    assert _n_lent(bench.engine) == 0


def test_a_closed_writer_has_written_what_waited_and_takes_no_more(bench: Bench) -> None:
    writer = Writer(bench.engine)
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(writer.do, "demo", _taking(bench, f"w{i}")) for i in range(8)]
        assert sorted(job.result()[0] for job in jobs) == list(range(8))
    writer.close()
    with pytest.raises(RuntimeError, match="closed"):
        writer.do("demo", _taking(bench, "late"))


def test_two_servers_on_one_database_lend_no_pair_twice(bench: Bench, database_url: str) -> None:
    engines = [bench.engine, open_database(database_url)]
    writers = [Writer(engine) for engine in engines]
    with ThreadPoolExecutor(12) as pool:
        jobs = [
            pool.submit(writers[i % 2].do, "demo", _taking(bench, f"w{i}", 5)) for i in range(12)
        ]
        given = [pair for job in jobs for pair in job.result()]
    for writer in writers:
        writer.close()
    engines[1].dispose()
    assert sorted(given) == list(range(60))
