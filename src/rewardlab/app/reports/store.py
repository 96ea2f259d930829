"""Audits as they are kept in the lab's database."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Engine, RowMapping, String, Table, Text, delete, select, update

from rewardlab.app.database import METADATA
from rewardlab.app.reports.contents import ReportContents

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
"""What an audit can be."""

UNFINISHED = (WAITING, RUNNING)

_ID = re.compile(r"[0-9a-f]{16}")

_REPORTS = Table(
    "reports",
    METADATA,
    Column("report", String(16), primary_key=True),
    Column("title", Text, nullable=False),
    Column("made_at", String(32), nullable=False, index=True),
    Column("state", String(8), nullable=False),
    Column("error", Text, nullable=False),
    Column("upload", String(16), nullable=False),
    Column("settings", Text, nullable=False),
    Column("counts", Text, nullable=False),
    Column("html", Text, nullable=False),
    Column("json", Text, nullable=False),
)

_BRIEF = [column for column in _REPORTS.c if column.name not in ("html", "json")]


@dataclass(frozen=True, slots=True)
class Report:
    """An audit without its page.

    Attributes:
        report: Its id, 16 hex digits.
        title: What was audited.
        made_at: When it was asked for, in UTC as ISO 8601 writes it.
        state: "waiting", "running", "done", "failed" or "stopped".
        error: Why it failed; "" if it did not.
        upload: The upload that it is of; "" for one that the command line made.
        settings: How it was made.
        counts: How many checks ended in each status, by its name; {} until it is done.
    """

    report: str
    title: str
    made_at: str
    state: str
    error: str
    upload: str
    settings: Mapping[str, Any]
    counts: Mapping[str, int]


def new_report(
    engine: Engine, *, title: str, upload: str = "", settings: Mapping[str, Any] | None = None
) -> Report:
    """A report that waits to be made."""
    made_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    report = Report(
        secrets.token_hex(8), title, made_at, WAITING, "", upload, dict(settings or {}), {}
    )
    row = {
        **{name: getattr(report, name) for name in ("report", "title", "made_at", "state")},
        "error": "",
        "upload": upload,
        "settings": json.dumps(report.settings),
        "counts": "{}",
        "html": "",
        "json": "",
    }
    with engine.begin() as connection:
        connection.execute(_REPORTS.insert().values(row))
    return report


def keep_report(
    engine: Engine, contents: ReportContents, *, title: str, settings: Mapping[str, Any]
) -> Report:
    """A finished audit, such as the command line makes."""
    report = new_report(engine, title=title, settings=settings)
    finish(engine, report.report, contents)
    return report


def set_state(engine: Engine, report: str, state: str, *, error: str = "") -> bool:
    """Note what an audit is now; False where there is no such report."""
    values = {"state": state, "error": error}
    statement = update(_REPORTS).where(_REPORTS.c.report == report).values(values)
    with engine.begin() as connection:
        return connection.execute(statement).rowcount > 0


def finish(engine: Engine, report: str, contents: ReportContents) -> None:
    """Keep what an audit found."""
    values = {
        "state": DONE,
        "error": "",
        "html": contents.html,
        "json": contents.json,
        "counts": json.dumps(contents.counts),
    }
    with engine.begin() as connection:
        connection.execute(update(_REPORTS).where(_REPORTS.c.report == report).values(values))


def get_report(engine: Engine, report: str) -> Report | None:
    """A report without its page; None where there is none."""
    if not _ID.fullmatch(report):
        return None
    with engine.connect() as connection:
        statement = select(*_BRIEF).where(_REPORTS.c.report == report)
        row = connection.execute(statement).mappings().first()
    return None if row is None else _report(row)


def get_contents(engine: Engine, report: str) -> ReportContents | None:
    """The page and JSON of a finished report; None where there is none."""
    columns = (_REPORTS.c.html, _REPORTS.c.json, _REPORTS.c.counts)
    statement = select(*columns).where(_REPORTS.c.report == report, _REPORTS.c.state == DONE)
    with engine.connect() as connection:
        row = connection.execute(statement).first()
    return None if row is None else ReportContents(row[0], row[1], json.loads(row[2]))


def all_reports(engine: Engine) -> list[Report]:
    """Every report without its page, the newest first."""
    statement = select(*_BRIEF).order_by(_REPORTS.c.made_at.desc(), _REPORTS.c.report)
    with engine.connect() as connection:
        return [_report(row) for row in connection.execute(statement).mappings()]


def delete_report(engine: Engine, report: str) -> None:
    """Remove a report, if it is there."""
    with engine.begin() as connection:
        connection.execute(delete(_REPORTS).where(_REPORTS.c.report == report))


def _report(row: RowMapping) -> Report:
    read = {name: json.loads(row[name]) for name in ("settings", "counts")}
    return Report(**{**row, **read})
