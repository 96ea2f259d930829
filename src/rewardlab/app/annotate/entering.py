"""Who asks: from the cookie that a personal link left, or anybody in a lab that is open."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy import Engine
from starlette.exceptions import HTTPException

from rewardlab.app.annotate.store.access import who_has
from rewardlab.app.annotate.store.contents import Project, Role, Who, is_name
from rewardlab.app.annotate.store.projects import find_project
from rewardlab.app.config import AppConfig
from rewardlab.app.pages import render, served
from rewardlab.app.wire import HTML, packed

COOKIE_DAYS = 365

LOCAL_ANNOTATOR = "local"
"""Under which name the one person of an open lab judges."""

CLOSED = "this needs the personal link to the project; ask whoever sent you here for it"


def cookie_name(project: str, role: Role) -> str:
    """The cookie that holds a link's token."""
    return f"rewardlab-{role}-{project}"


def engine_of(request: Request) -> Engine:
    """The server's database."""
    engine: Engine = request.app.state.engine
    return engine


def visitor(request: Request, project: str, role: Role) -> Who | None:
    """Who asks, if they may be in that role; None for everybody else.

    The database is asked each time, so that a link that is revoked is so at once.
    """
    config: AppConfig = request.app.state.config
    if config.open_annotation:
        return Who(project, role, LOCAL_ANNOTATOR if role == "annotator" else "", "")
    token = request.cookies.get(cookie_name(project, role), "") if is_name(project) else ""
    who = who_has(engine_of(request), project, token) if token else None
    return who if who is not None and who.role == role else None


def required(request: Request, project: str, role: Role) -> tuple[Project, Who]:
    """The project and who asks.

    Raises:
        HTTPException: 401, the same for a project that is not there as for one that is closed; 404
            in a lab that is open, where nothing is hidden.
    """
    who = visitor(request, project, role)
    if who is None:
        raise HTTPException(401, CLOSED)
    found = find_project(engine_of(request), project) if is_name(project) else None
    if found is None:
        raise HTTPException(404, "there is no such project; it may have another name")
    return found, who


def ask_for_link(request: Request) -> Response:
    """The page that asks for the link: the same for each project, whether it is there or not."""
    page = render("annotate_enter.jinja", place=served(), page="annotate", title="Annotate")
    return packed(request, page.encode(), media_type=HTML, status=401)


def let_in(request: Request, response: Response, who: Who, token: str) -> None:
    """Leave the token in a cookie that only this site gets and no script reads.

    Whether the browser came by https is told from its Origin, which the guard has held against the
    lab's own names: also where something before the lab takes https off.
    """
    response.set_cookie(
        cookie_name(who.project, who.role),
        token,
        max_age=COOKIE_DAYS * 86_400,
        httponly=True,
        samesite="strict",
        secure=request.headers.get("origin", "").lower().startswith("https:"),
    )
