"""Annotation over HTTP: entering with a link, fetching pairs, judging them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Any, TypeVar

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response
from sqlalchemy import Connection
from starlette.exceptions import HTTPException

from rewardlab.app.annotate.entering import (
    CLOSED,
    ask_for_link,
    engine_of,
    let_in,
    required,
    visitor,
)
from rewardlab.app.annotate.judging.own_routes import router as own_router
from rewardlab.app.annotate.judging.reading import progress_of
from rewardlab.app.annotate.judging.views import pair_view, start_view
from rewardlab.app.annotate.store.access import still_open, who_has
from rewardlab.app.annotate.store.contents import Project, Who
from rewardlab.app.annotate.store.models import Entry, Events, PairsWanted
from rewardlab.app.annotate.store.queue import end_leases, take
from rewardlab.app.annotate.store.record import add_events
from rewardlab.app.annotate.store.writing import Writer
from rewardlab.app.pages import render, served
from rewardlab.app.wire import HTML, answer, packed


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Write what waits before the server stops."""
    yield
    if hasattr(app.state, "annotation_writer"):
        app.state.annotation_writer.close()


_ONE = Lock()
"""Of two first requests at the same moment, one makes the writer."""

T = TypeVar("T")

router = APIRouter(lifespan=_lifespan)
router.include_router(own_router)


def writer_of(app: Any) -> Writer:
    """The one thread of this server that writes labels."""
    with _ONE:
        if not hasattr(app.state, "annotation_writer"):
            app.state.annotation_writer = Writer(app.state.engine)
    writer: Writer = app.state.annotation_writer
    return writer


@router.get("/annotate/{project}")
def annotate_page(request: Request, project: str) -> Response:
    """The pairs of a project, for who may see them; for others a page that asks for the link."""
    who = visitor(request, project, "annotator")
    if who is None:
        return ask_for_link(request)
    found, who = required(request, project, "annotator")
    page = render(
        "annotate.jinja",
        place=served(),
        page="annotate",
        title=found.project,
        boot=start_view(found, who),
    )
    return packed(request, page.encode(), media_type=HTML)


@router.post("/api/annotate/{project}/enter")
def enter(request: Request, project: str, entry: Entry) -> Response:
    """Open the project to whoever has a link's token."""
    who = who_has(engine_of(request), project, entry.token)
    if who is None:
        raise HTTPException(401, CLOSED)
    said = answer(request, {"role": who.role, "annotator": who.annotator})
    let_in(request, said, who, entry.token)
    return said


@router.post("/api/annotate/{project}/next")
def next_pairs(request: Request, project: str, wanted: PairsWanted) -> Response:
    """Pairs to judge; they are lent for a while."""
    found, who = _annotator(request, project, wanted.annotator)
    lent = _written(
        request,
        who,
        lambda connection: take(
            connection, found, who.annotator, wanted.n, have=wanted.have, now=datetime.now(UTC)
        ),
    )
    pairs = [pair_view(pair) for pair in lent.pairs]
    progress = progress_of(engine_of(request), found, who.annotator)
    return answer(request, {"pairs": pairs, "dropped": lent.dropped, "progress": progress})


@router.post("/api/annotate/{project}/labels")
def add_labels(request: Request, project: str, sent: Events) -> Response:
    """Store judgements; what is acknowledged is on disk."""
    found, who = _annotator(request, project, sent.annotator)
    stored = _written(
        request,
        who,
        lambda connection: add_events(
            connection, found, who.annotator, sent.events, now=datetime.now(UTC)
        ),
    )
    return answer(request, {"acknowledged": stored.acknowledged, "refused": stored.refused})


@router.post("/api/annotate/{project}/release")
def release(request: Request, project: str) -> Response:
    """Give back the pairs that are lent: somebody else may have them."""
    _, who = required(request, project, "annotator")
    n = _written(request, who, lambda connection: end_leases(connection, project, who.annotator))
    return answer(request, {"released": n})


def _written(request: Request, who: Who, work: Callable[[Connection], T]) -> T:
    """Write for somebody, unless their link was revoked while this waited for its turn."""

    def job(connection: Connection) -> T:
        if not still_open(connection, who):
            raise HTTPException(401, CLOSED)
        return work(connection)

    return writer_of(request.app).do(who.project, job)


def _annotator(request: Request, project: str, annotator: str) -> tuple[Project, Who]:
    """Who asks, if it is whom the page belongs to.

    Raises:
        HTTPException: 401 where nobody may; 409 where this browser was opened to somebody else
            meanwhile, whose judgements these are not.
    """
    found, who = required(request, project, "annotator")
    if who.annotator != annotator:
        raise HTTPException(
            409, f"this browser now labels as {who.annotator}; open your own link again"
        )
    return found, who
