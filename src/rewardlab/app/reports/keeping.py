"""Keeping an audit of the command line where the lab shows it."""

from __future__ import annotations

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from rewardlab.app.config import AppConfig
from rewardlab.app.database import open_database, reason_of
from rewardlab.app.reports.contents import contents_of
from rewardlab.app.reports.store import keep_report
from rewardlab.app.uploads.store import label
from rewardlab.audit.result import AuditResult
from rewardlab.errors import InputError


def require_database(url: str) -> None:
    """Refuse, before any work, a database in which nothing can be kept.

    Raises:
        InputError: It cannot be opened.
    """
    open_database(url or AppConfig().url).dispose()


def keep_audit(result: AuditResult, *, title: str, url: str = "") -> tuple[str, str]:
    """Keep an audit's page and JSON in the lab's database.

    Args:
        result: From the audit.
        title: What the list of reports calls it.
        url: The database; "" for the lab's own.

    Returns:
        The report's id, and where it is.

    Raises:
        InputError: The database cannot be opened or written to.
    """
    engine = open_database(url or AppConfig().url)
    try:
        settings = dict(result.settings)
        report = keep_report(
            engine, contents_of(result), title=label(title), settings={"seed": settings["seed"]}
        )
        return report.report, _place(engine)
    except SQLAlchemyError as error:
        raise InputError(
            f"--db: {_place(engine)} cannot be written to: {reason_of(error)}"
        ) from None
    finally:
        engine.dispose()


def _place(engine: Engine) -> str:
    """The file, or the URL without its password."""
    if engine.url.get_backend_name() == "sqlite" and engine.url.database:
        return engine.url.database
    return engine.url.render_as_string(hide_password=True)
