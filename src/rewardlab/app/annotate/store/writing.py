"""Writes of many requests at once, in one transaction: a disk takes few commits, not few labels.

One thread writes for the whole server. What waits when it is free goes into the database together
and is acknowledged together, once it is on disk. Each job has a savepoint of its own, so that one
that is refused leaves the others as they were.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, bindparam, update
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError

from rewardlab.app.annotate.store.tables import PROJECTS

T = TypeVar("T")

_GONE = (OperationalError, InterfaceError, InternalError)
"""What a database raises that ended the transaction, or itself."""

_LOCK = (
    update(PROJECTS)
    .where(PROJECTS.c.project == bindparam("in_project"))
    .values(overlap=PROJECTS.c.overlap)
)


@dataclass(slots=True)
class _Job:
    """What waits to be written: ``done`` comes true when ``result`` is on disk, or has failed."""

    project: str
    work: Callable[[Connection], Any]
    result: Any = None
    done: Future[Any] = field(default_factory=Future)


class Writer:
    """Writes to annotation's tables, for many threads.

    Args:
        engine: The database. Other processes may write to it, too.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: list[_Job] = []
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="annotation-writer", daemon=True)
        self._thread.start()

    def do(self, project: str, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a transaction that nobody else writes to the project in.

        Returns:
            What ``work`` returned, once it is on disk.

        Raises:
            RuntimeError: The writer is closed.
            Exception: What ``work`` or the database raised; nothing of ``work`` is then stored,
                unless the database went away after it had stored it and before it said so.
        """
        job = _Job(project, work)
        with self._changed:
            if self._closed:
                raise RuntimeError("the writer of labels is closed: the server is stopping")
            self._waiting.append(job)
            self._changed.notify()
        result: T = job.done.result()
        return result

    def close(self) -> None:
        """Write what waits, and end."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while jobs := self._next():
            for project in dict.fromkeys(job.project for job in jobs):
                self._write(project, [job for job in jobs if job.project == project])

    def _next(self) -> list[_Job]:
        """All that waits, as soon as anything does; nothing once the writer is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            jobs, self._waiting = self._waiting, []
        return jobs

    def _write(self, project: str, jobs: Sequence[_Job]) -> None:
        with _Handed(jobs):
            with self._engine.begin() as connection:
                lock_project(connection, project)
                for job in jobs:
                    with _Handed([job], but=_GONE), connection.begin_nested():
                        job.result = job.work(connection)
            for job in jobs:
                if not job.done.done():
                    job.done.set_result(job.result)


class _Handed:
    """Whatever is raised within goes to those who wait for these jobs, and no further.

    Args:
        jobs: Those that are done already have their answer.
        but: Goes on to who is around: with the database gone, no job of a transaction is stored.
    """

    def __init__(self, jobs: Sequence[_Job], *, but: tuple[type[BaseException], ...] = ()) -> None:
        self._jobs = jobs
        self._but = but

    def __enter__(self) -> None:
        """Nothing is to be done before."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Hand the error on; True keeps it from going further."""
        if error is None or isinstance(error, self._but):
            return False
        for job in self._jobs:
            if not job.done.done():
                job.done.set_exception(error)
        return True


def lock_project(connection: Connection, project: str) -> None:
    """From now to the end of its transaction, only this connection writes to the project.

    An update that changes nothing takes SQLite's one lock for writers, and the project's row in
    other databases; what is read afterwards is as the writer before left it.
    """
    connection.execute(_LOCK, {"in_project": project})
