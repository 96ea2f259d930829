"""A project for its admin: how far it is, who may label, what they are asked, and the labels."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response
from pydantic import Field
from sqlalchemy import Engine
from starlette.background import BackgroundTask

from rewardlab.app.annotate.admin.state import states_of
from rewardlab.app.annotate.admin.views import fitted_view, link_view, order_view, summary_view
from rewardlab.app.annotate.entering import ask_for_link, engine_of, required, visitor
from rewardlab.app.annotate.exports.judgements import Written, write_labels, write_record
from rewardlab.app.annotate.judging.markdown import markdown_tree
from rewardlab.app.annotate.judging.routes import writer_of
from rewardlab.app.annotate.making.ordering import Order, reorder
from rewardlab.app.annotate.store.access import links_of, new_link, revoke
from rewardlab.app.annotate.store.contents import Project, Role
from rewardlab.app.annotate.store.models import Annotator, Strict
from rewardlab.app.annotate.store.projects import MOST_GUIDELINES, change_guidelines
from rewardlab.app.pages import render, served
from rewardlab.app.wire import HTML, answer, packed

router = APIRouter()


class Guidelines(Strict):
    """What annotators are asked to do, in Markdown."""

    text: Annotated[str, Field(max_length=MOST_GUIDELINES)]


class Invitation(Strict):
    """Somebody to let in; an admin where there is no name."""

    annotator: Annotator = ""
    admin: bool = False


class OrderWanted(Strict):
    """In which order pairs are to be asked."""

    order: Order


@router.get("/annotate/{project}/admin")
def admin_page(request: Request, project: str) -> Response:
    """The project's admin page; for everybody else the page that asks for the link."""
    if visitor(request, project, "admin") is None:
        return ask_for_link(request)
    found, _ = required(request, project, "admin")
    page = render(
        "annotate_admin.jinja",
        place=served(),
        page="annotate",
        title=found.project,
        project=found,
        boot={
            "project": found.project,
            "guidelines": found.guidelines,
            "shown": markdown_tree(found.guidelines)[0],
            "order": order_view(found),
            "state": _state(request, found),
        },
    )
    return packed(request, page.encode(), media_type=HTML)


@router.get("/api/annotate/{project}/admin/state")
def state(request: Request, project: str, seen: str = "") -> Response:
    """How far the project is; only that nothing is new where the page shows the newest."""
    found, _ = required(request, project, "admin")
    if seen == states_of(request.app).key(found, datetime.now(UTC)):
        return answer(request, {"key": seen})
    return answer(request, _state(request, found))


@router.get("/api/annotate/{project}/admin/reward")
def reward(request: Request, project: str) -> Response:
    """The reward fitted to the judgements so far; may take seconds, and holds nobody up."""
    found, _ = required(request, project, "admin")
    states = states_of(request.app)
    _, summary = states.summary(found, datetime.now(UTC))
    return answer(request, fitted_view(states.fitted(found, summary), summary))


@router.post("/api/annotate/{project}/admin/links")
def invite(request: Request, project: str, wanted: Invitation) -> Response:
    """Make a personal link; this answer is the only place where it can be read."""
    found, _ = required(request, project, "admin")
    role: Role = "admin" if wanted.admin else "annotator"
    token = new_link(engine_of(request), found.project, role, wanted.annotator)
    end = "/admin" if wanted.admin else ""
    return answer(
        request,
        {"path": f"/annotate/{found.project}{end}#{token}", "state": _state(request, found)},
    )


@router.post("/api/annotate/{project}/admin/links/{link}/revoke")
def revoke_link(request: Request, project: str, link: str) -> Response:
    """From now on the link opens nothing."""
    found, _ = required(request, project, "admin")
    revoke(engine_of(request), found.project, link)
    return answer(request, _state(request, found))


@router.post("/api/annotate/{project}/admin/preview")
def preview(request: Request, project: str, sent: Guidelines) -> Response:
    """Guidelines as annotators would see them."""
    required(request, project, "admin")
    nodes, why = markdown_tree(sent.text)
    return answer(request, {"nodes": nodes, "why": why})


@router.post("/api/annotate/{project}/admin/guidelines")
def guidelines(request: Request, project: str, sent: Guidelines) -> Response:
    """Change what annotators are asked to do."""
    found, _ = required(request, project, "admin")
    change_guidelines(engine_of(request), found.project, sent.text)
    return answer(request, {"shown": markdown_tree(sent.text)[0]})


@router.post("/api/annotate/{project}/admin/order")
def order(request: Request, project: str, wanted: OrderWanted) -> Response:
    """Change which pairs are asked first; what people have already stays with them."""
    found, _ = required(request, project, "admin")
    n = reorder(engine_of(request), writer_of(request.app), found.project, wanted.order)
    return answer(request, {"sentence": f"Done: {n:,} pairs are in the new order."})


@router.get("/api/annotate/{project}/admin/labels.jsonl")
def labels(request: Request, project: str, checks: bool = False) -> Response:
    """The judgements that stand, as preferences that an audit reads."""
    found, _ = required(request, project, "admin")
    return _file(
        request,
        f"{found.project}-labels{'-with-checks' if checks else ''}.jsonl",
        lambda engine, path: write_labels(engine, found.project, path, checks=checks),
    )


@router.get("/api/annotate/{project}/admin/record.jsonl")
def record(request: Request, project: str) -> Response:
    """The whole record: every judgement and every undo."""
    found, _ = required(request, project, "admin")
    return _file(
        request,
        f"{found.project}-record.jsonl",
        lambda engine, path: write_record(engine, found.project, path),
    )


def _file(request: Request, name: str, write: Callable[[Engine, Path], Written]) -> Response:
    """A file that is written beside the database's work and sent from the disk."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / name
    try:
        write(engine_of(request), path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path,
        media_type="application/jsonl",
        filename=name,
        headers={"Cache-Control": "no-store"},
        background=BackgroundTask(folder.cleanup),
    )


def _state(request: Request, project: Project) -> dict[str, Any]:
    now = datetime.now(UTC)
    key, summary = states_of(request.app).summary(project, now)
    links = links_of(engine_of(request), project.project)
    return {
        "key": key,
        **summary_view(summary, now),
        "links": [link_view(link, summary, now) for link in links],
    }
