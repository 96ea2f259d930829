"""Writes of many requests at once, in one transaction: a disk takes few commits, not few labels.

One thread writes for the whole server. What waits when it is free goes into the database together
and is acknowledged together, once it is on disk. Each job has a savepoint of its own, so that one
that is refused leaves the others as they were.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, update

from rewardlab.app.annotate.tables import PROJECTS

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    """What waits to be written."""

    project: str
    work: Callable[[Connection], Any]
    done: Future[Any]


class Writer:
    """Writes to annotation's tables, for many threads.

    Args:
        engine: The database. Other processes may write to it, too.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="annotation-writer", daemon=True)
        self._thread.start()

    def do(self, project: str, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a transaction that nobody else writes to the project in.

        Returns:
            What ``work`` returned, once it is on disk.

        Raises:
            Exception: What ``work`` or the database raised; nothing of ``work`` is then stored.
        """
        job = _Job(project, work, Future())
        self._waiting.put(job)
        result: T = job.done.result()
        return result

    def close(self) -> None:
        """Write what waits, and end."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            jobs = [self._waiting.get()]
            while not self._waiting.empty():
                jobs.append(self._waiting.get())
            wanted = [job for job in jobs if job is not None]
            for project in dict.fromkeys(job.project for job in wanted):
                self._write(project, [job for job in wanted if job.project == project])
            if None in jobs:
                return

    def _write(self, project: str, jobs: list[_Job]) -> None:
        outcomes: list[tuple[_Job, Any, BaseException | None]] = []
        try:
            with self._engine.begin() as connection:
                lock_project(connection, project)
                for job in jobs:
                    outcomes.append((job, *_outcome(connection, job)))
        except BaseException as error:  # noqa: BLE001
            outcomes = [(job, None, error) for job in jobs]
        for job, result, failed in outcomes:
            if failed is None:
                job.done.set_result(result)
            else:
                job.done.set_exception(failed)


def lock_project(connection: Connection, project: str) -> None:
    """From now to the end of its transaction, only this connection writes to the project.

    An update that changes nothing takes SQLite's one lock for writers, and the project's row in
    other databases; what is read afterwards is as the writer before left it.
    """
    mine = update(PROJECTS).where(PROJECTS.c.project == project)
    connection.execute(mine.values(project=project))


def _outcome(connection: Connection, job: _Job) -> tuple[Any, BaseException | None]:
    try:
        with connection.begin_nested():
            return job.work(connection), None
    except Exception as error:  # noqa: BLE001
        return None, error
