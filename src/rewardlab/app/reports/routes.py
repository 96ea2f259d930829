"""The audits in a browser: the list, each one's page and downloads, and the jobs that make them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from rewardlab.app.config import LOOPBACK
from rewardlab.app.pages import render, served
from rewardlab.app.reports.bar import with_bar
from rewardlab.app.reports.contents import ReportContents
from rewardlab.app.reports.jobs import AuditJobs
from rewardlab.app.reports.store import DONE, Report, all_reports, get_contents, get_report
from rewardlab.app.uploads.routes import uploads_of
from rewardlab.app.uploads.store import file_name
from rewardlab.app.wire import HTML, answer, packed
from rewardlab.types import Status

_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Take up what is unfinished when the server starts; end the processes when it stops."""
    uploads_of(app).sweep()
    jobs_of(app).resume()
    yield
    jobs_of(app).close()


router = APIRouter(lifespan=_lifespan)


class AuditRequest(BaseModel):
    """What to audit."""

    upload: str


def jobs_of(app: Any) -> AuditJobs:
    """The audits of this server."""
    if not hasattr(app.state, "audit_jobs"):
        app.state.audit_jobs = AuditJobs(app.state.engine, uploads_of(app))
    jobs: AuditJobs = app.state.audit_jobs
    return jobs


@router.get("/reports")
def list_page(request: Request) -> Response:
    """Every audit, and a place to upload a file."""
    reports = all_reports(request.app.state.engine)
    audited = {report.upload for report in reports}
    files = [u for u in uploads_of(request.app).all() if u.upload not in audited]
    page = render(
        "reports.jinja",
        place=served(),
        page="reports",
        title="Reports",
        reports=[(report, _counts(report), _when(report.made_at)) for report in reports],
        files=[(upload, _when(upload.made_at)) for upload in files],
        shared=any(name not in LOOPBACK for name in request.app.state.config.hosts),
    )
    return packed(request, page.encode(), media_type=HTML)


@router.get("/reports/{report}")
def report_page(request: Request, report: str) -> Response:
    """An audit's page, or how far it is."""
    found = _found(request, report)
    contents = get_contents(request.app.state.engine, report)
    if contents is None:
        page = render(
            "report_job.jinja",
            place=served(),
            page="reports",
            title=f"Audit of {found.title}",
            report=found,
            when=_when(found.made_at),
            boot=_job(request, found),
        )
        return packed(request, page.encode(), media_type=HTML)
    page = with_bar(contents.html, found.report, made=_when(found.made_at))
    return packed(request, page.encode(), media_type=HTML, headers=_policy(page))


@router.get("/reports/{report}/report.html")
def download_page(request: Request, report: str) -> Response:
    """The page as one file that stands by itself."""
    found = _found(request, report)
    contents = _finished(request, found)
    headers = {**_policy(contents.html), **_saved_as(found, "html")}
    return packed(request, contents.html.encode(), media_type=HTML, headers=headers)


@router.get("/reports/{report}/report.json")
def download_json(request: Request, report: str) -> Response:
    """Everything found, as JSON."""
    found = _found(request, report)
    body = _finished(request, found).json.encode()
    return packed(request, body, media_type="application/json", headers=_saved_as(found, "json"))


@router.get("/api/audits")
def list_audits(request: Request) -> Response:
    """Every audit and how far it is."""
    reports = all_reports(request.app.state.engine)
    return answer(request, {"audits": [_job(request, report) for report in reports]})


@router.post("/api/audits")
def start_audit(request: Request, wanted: AuditRequest) -> Response:
    """Audit an upload in the background."""
    upload = uploads_of(request.app).get(wanted.upload)
    if upload is None:
        raise HTTPException(404, "there is no such upload; it may have been deleted")
    report = jobs_of(request.app).start(upload)
    return answer(request, _job(request, _found(request, report.report)), status=202)


@router.get("/api/audits/{report}")
def audit_state(request: Request, report: str) -> Response:
    """How far an audit is."""
    return answer(request, _job(request, _found(request, report)))


@router.post("/api/audits/{report}/stop")
def stop_audit(request: Request, report: str) -> Response:
    """End an audit that waits or runs."""
    found = _found(request, report)
    jobs = jobs_of(request.app)
    jobs.stop(report)
    jobs.wait(report, timeout_s=5.0)
    return answer(request, _job(request, _found(request, found.report)))


@router.post("/api/audits/{report}/start")
def start_audit_again(request: Request, report: str) -> Response:
    """Make a stopped or failed audit anew."""
    jobs_of(request.app).start_again(_found(request, report))
    return answer(request, _job(request, _found(request, report)), status=202)


@router.delete("/api/audits/{report}")
def delete_audit(request: Request, report: str) -> Response:
    """Remove an audit with its page and its upload."""
    found = _found(request, report)
    jobs_of(request.app).delete(found)
    return answer(request, {"deleted": found.report})


def _found(request: Request, report: str) -> Report:
    found = get_report(request.app.state.engine, report)
    if found is None:
        raise HTTPException(404, f"there is no report {report[:40]!r}; it may have been deleted")
    return found


def _finished(request: Request, report: Report) -> ReportContents:
    contents = get_contents(request.app.state.engine, report.report)
    if contents is None:
        raise HTTPException(404, f"this audit is {report.state}; there is nothing to download yet")
    return contents


def _job(request: Request, report: Report) -> dict[str, Any]:
    step, share = jobs_of(request.app).progress(report)
    return {
        **asdict(report),
        "step": step,
        "share": share,
        "page": f"/reports/{report.report}",
        "done": report.state == DONE,
    }


def _counts(report: Report) -> list[tuple[str, int]]:
    """How many checks ended in each status, as the report counts them; empty ones are left out."""
    counted = ((str(status), report.counts.get(str(status), 0)) for status in _ORDER)
    return [(status, n) for status, n in counted if n]


_ORDER = (Status.FAIL, Status.WARN, Status.CANNOT_SAY, Status.PASS)


def _when(made_at: str) -> str:
    """A moment in words: "29 Nov 2026, 20:34 UTC"."""
    moment = datetime.fromisoformat(made_at)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def _policy(page: str) -> dict[str, str]:
    """The content policy of a report: its own styles, and nothing else at all."""
    digests = [hashlib.sha256(style.encode()).digest() for style in _STYLE.findall(page)]
    styles = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    policy = (
        f"default-src 'none'; style-src {styles}; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    return {"Content-Security-Policy": policy}


def _saved_as(report: Report, ending: str) -> dict[str, str]:
    name = file_name(report.title).rsplit(".", 1)[0].encode("ascii", "ignore").decode()
    return {"Content-Disposition": f'attachment; filename="audit-{name or "report"}.{ending}"'}
