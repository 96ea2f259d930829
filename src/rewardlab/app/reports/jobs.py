"""Audits of uploads in the background: few at a time, followed, stopped, taken up after a restart.

What is waiting or running stands in the database, and the uploads are kept: a server that starts
anew begins unfinished audits again.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from rewardlab.app.database import reason_of
from rewardlab.app.reports.contents import ReportContents
from rewardlab.app.reports.store import (
    FAILED,
    RUNNING,
    STOPPED,
    UNFINISHED,
    WAITING,
    Report,
    all_reports,
    delete_report,
    finish,
    get_report,
    new_report,
    set_state,
)
from rewardlab.app.uploads.process import OnProgress, UploadWork, WorkStoppedError
from rewardlab.app.uploads.store import Upload, UploadFolder
from rewardlab.errors import InputError

AUDIT_LIMIT_S = 3_600.0
"""After so long an audit is given up."""

AT_ONCE = 2 if (os.cpu_count() or 1) > 2 else 1
"""Audits that run side by side; the others wait."""


@dataclass(slots=True)
class _Running:
    """An audit that runs: its work, and how far it is."""

    work: UploadWork
    thread: threading.Thread | None = None
    step: str = "Starting"
    share: float | None = None


class AuditJobs:
    """All audits of one server.

    Args:
        engine: Where reports are kept.
        uploads: What they are of.
        at_once: How many run side by side.
    """

    def __init__(self, engine: Engine, uploads: UploadFolder, *, at_once: int = AT_ONCE) -> None:
        self._engine = engine
        self._uploads = uploads
        self._at_once = at_once
        self._waiting: deque[str] = deque()
        self._running: dict[str, _Running] = {}
        self._closed = False
        self._lock = threading.RLock()

    def resume(self) -> None:
        """Take up what an earlier server left unfinished, the oldest first."""
        for report in reversed(all_reports(self._engine)):
            if report.state in UNFINISHED:
                self._enqueue(report.report)

    def start(self, upload: Upload, *, seed: int = 0) -> Report:
        """Audit an upload as soon as it is its turn."""
        report = new_report(
            self._engine, title=upload.name, upload=upload.upload, settings={"seed": seed}
        )
        self._enqueue(report.report)
        return report

    def start_again(self, report: Report) -> None:
        """Make a stopped or failed audit anew.

        Raises:
            InputError: It is neither.
        """
        if report.state not in (STOPPED, FAILED):
            raise InputError(f"this audit is {report.state}; only one that stopped starts again")
        self._enqueue(report.report)

    def stop(self, report: str) -> None:
        """End an audit that waits or runs; one that is done, failed or stopped stays so."""
        with self._lock:
            running = self._running.get(report)
            if running is not None:
                running.work.stop()
                return
            if report in self._waiting:
                self._waiting.remove(report)
            found = get_report(self._engine, report)
            if found is not None and found.state in UNFINISHED:
                set_state(self._engine, report, STOPPED)

    def delete(self, report: Report) -> None:
        """Remove a report, and its upload if no other report is of it."""
        self.stop(report.report)
        delete_report(self._engine, report.report)
        if report.upload and all(r.upload != report.upload for r in all_reports(self._engine)):
            self._uploads.delete(report.upload)

    def progress(self, report: Report) -> tuple[str, float | None]:
        """What an audit is doing and the share of that step, in words where there is none."""
        with self._lock:
            running = self._running.get(report.report)
            if running is not None:
                return running.step, running.share
            if report.report in self._waiting:
                before = self._waiting.index(report.report) + len(self._running)
                return f"Waiting for {before} other {'audits' if before > 1 else 'audit'}", None
        return "", None

    def close(self) -> None:
        """End the processes, but leave the reports unfinished, for the next server."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            running = list(self._running.values())
        for job in running:
            job.work.stop()
        for job in running:
            if job.thread is not None:
                job.thread.join()

    def wait(self, report: str, timeout_s: float) -> None:
        """Return when the audit no longer runs, or after so many seconds."""
        with self._lock:
            job = self._running.get(report)
        if job is not None and job.thread is not None:
            job.thread.join(timeout_s)

    def _enqueue(self, report: str) -> None:
        with self._lock:
            if report not in self._waiting and report not in self._running:
                set_state(self._engine, report, WAITING)
                self._waiting.append(report)
            self._start_some()

    def _start_some(self) -> None:
        while self._waiting and len(self._running) < self._at_once and not self._closed:
            report = get_report(self._engine, self._waiting.popleft())
            upload = None if report is None else self._uploads.get(report.upload)
            if report is None:
                continue
            if upload is None:
                error = "the uploaded file is gone; upload it again"
                set_state(self._engine, report.report, FAILED, error=error)
                continue
            self._launch(report, upload)

    def _launch(self, report: Report, upload: Upload) -> None:
        file = self._uploads.path(upload)
        settings = {"seed": report.settings.get("seed", 0)}
        job = _Running(UploadWork("audit", file, settings, limit_s=AUDIT_LIMIT_S))
        job.thread = threading.Thread(target=self._run, args=(report.report, job), daemon=True)
        self._running[report.report] = job
        set_state(self._engine, report.report, RUNNING)
        job.thread.start()

    def _run(self, report: str, job: _Running) -> None:
        def follow(step: str, share: float | None) -> None:
            job.step, job.share = step, share

        try:
            self._note(report, job.work, follow)
        except SQLAlchemyError as error:
            with suppress(SQLAlchemyError):  # the next start takes it up
                why = f"the lab's database cannot be used: {reason_of(error)}"
                set_state(self._engine, report, FAILED, error=why)
        finally:
            with self._lock:
                del self._running[report]
                self._start_some()

    def _note(self, report: str, work: UploadWork, follow: OnProgress) -> None:
        """Do the work, and keep what came of it."""
        try:
            found = work.run(follow)
        except InputError as error:
            set_state(self._engine, report, FAILED, error=str(error))
        except WorkStoppedError:
            if not self._closed:
                set_state(self._engine, report, STOPPED)
        else:
            finish(
                self._engine, report, ReportContents(found["html"], found["json"], found["counts"])
            )
