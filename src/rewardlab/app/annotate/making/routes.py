"""Projects in the browser: those that it has a link to, and new ones from a file.

New projects are made where only this machine reaches the lab. On a lab that is served to others,
anybody who can reach it could fill its disk with them, and no project is ever deleted: there they
are made on the command line, by whoever runs it.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from rewardlab.app.annotate.entering import cookie_name, engine_of, let_in, visitor
from rewardlab.app.annotate.making.new_project import KNOWN_EVERY, require_new
from rewardlab.app.annotate.making.planning import MOST_REPEATED
from rewardlab.app.annotate.store.access import new_link
from rewardlab.app.annotate.store.contents import Role, Who
from rewardlab.app.annotate.store.models import Strict
from rewardlab.app.annotate.store.projects import MOST_OVERLAP, all_projects
from rewardlab.app.config import MAKE_WITHOUT_LIMIT, AppConfig
from rewardlab.app.database import url_from_anywhere
from rewardlab.app.pages import render, served
from rewardlab.app.security import MAKING, BodyTooLargeError
from rewardlab.app.uploads.process import UploadWork
from rewardlab.app.uploads.routes import places_of, uploads_of
from rewardlab.app.uploads.store import Incoming, UploadFolder
from rewardlab.app.wire import HTML, answer, packed
from rewardlab.errors import InputError

MAKING_LIMIT_S = 120.0
"""After so long the making of a project is given up."""

LONGEST_SETTINGS = 200_000
"""Bytes of what stands before the files."""

MOST_LISTED = 100

ELSEWHERE = (
    "this lab is served to others, so new projects are made on its own machine: "
    "rewardlab annotate new NAME FILE"
)

OPTIONS = "options that begin with -- are for 'rewardlab annotate new' on the command line"
"""What to do about a refusal that names options."""

router = APIRouter()


class NewProject(Strict):
    """What a new project is to be like; its files follow, one after the other.

    ``file_bytes`` of the body are the file, the rest is the file of pairs with a known answer.
    """

    name: Annotated[str, Field(max_length=200)]
    file: Annotated[str, Field(max_length=1_000)]
    file_bytes: Annotated[int, Field(ge=0)]
    known: Annotated[str, Field(max_length=1_000)] = ""
    known_bytes: Annotated[int, Field(ge=0)] = 0
    overlap: Annotated[int, Field(ge=1, le=MOST_OVERLAP)] = 1
    guidelines: Annotated[str, Field(max_length=20_000, pattern=r"^[^\x00]*$")] = ""
    known_every: Annotated[int, Field(ge=1, le=1_000)] = KNOWN_EVERY
    repeat_share: Annotated[float, Field(ge=0, le=MOST_REPEATED)] = 0.05
    order: Literal["random", "curve"] = "random"

    def plan(self) -> dict[str, Any]:
        """Fields of ``Plan``."""
        return self.model_dump(
            include={"overlap", "guidelines", "known_every", "repeat_share", "order"}
        )


@router.get("/annotate")
def projects_page(request: Request) -> Response:
    """The projects that this browser has a link to, and the form of a new one."""
    config: AppConfig = request.app.state.config
    page = render(
        "annotate_index.jinja",
        place=served(),
        page="annotate",
        title="Annotate",
        projects=_opened(request),
        may_make=not config.shared,
        open=config.open_annotation,
        boot={"upload_bytes": config.limits.upload_bytes},
    )
    return packed(request, page.encode(), media_type=HTML)


@router.post(MAKING)
async def make(request: Request) -> Response:
    """Make a project: the body is one line of JSON, then the files."""
    config: AppConfig = request.app.state.config
    if config.shared:
        raise HTTPException(403, ELSEWHERE)
    with ExitStack() as stack:
        parcel = _Parcel(uploads_of(request.app), stack)
        try:
            async for piece in request.stream():
                parcel.write(piece)
        except BodyTooLargeError as error:
            raise HTTPException(413, f"{error.detail}; {MAKE_WITHOUT_LIMIT}") from None
        except ClientDisconnect:
            raise HTTPException(400, "the upload was broken off") from None
        wanted, work = parcel.work(config, url_from_anywhere(engine_of(request)))
        await run_in_threadpool(require_new, engine_of(request), wanted.name)
        async with places_of(request.app):
            done = await run_in_threadpool(_run, work, parcel)
    return await run_in_threadpool(_made, request, wanted.name, done)


def _made(request: Request, project: str, done: dict[str, Any]) -> Response:
    """The answer, with the admin's link, which is said this once and opens their browser too."""
    config: AppConfig = request.app.state.config
    said: dict[str, Any] = {"project": project, **done, "token": ""}
    if config.open_annotation:
        return answer(request, said, status=201)
    token = new_link(engine_of(request), project, "admin")
    opened = answer(request, {**said, "token": token}, status=201)
    let_in(request, opened, Who(project, "admin", "", token.split(".")[0]), token)
    return opened


def _run(work: UploadWork, parcel: _Parcel) -> dict[str, Any]:
    """What the work found; a refusal calls files what their sender does."""
    try:
        return work.run()
    except InputError as error:
        said = str(error)
        for file in parcel.files:
            said = said.replace(str(file.file), file.name).replace(file.file.name, file.name)
        raise InputError(f"{said}; {OPTIONS}" if "--" in said else said) from None


class _Parcel:
    """A body that arrives: settings on the first line, then the files."""

    def __init__(self, uploads: UploadFolder, stack: ExitStack) -> None:
        self._uploads, self._stack = uploads, stack
        self._head = b""
        self._wanted: NewProject | None = None
        self.files: list[Incoming] = []

    def write(self, piece: bytes) -> None:
        """The next bytes."""
        if self._wanted is None:
            self._head += piece
            head, newline, piece = self._head.partition(b"\n")
            if len(head) > LONGEST_SETTINGS:
                raise InputError(f"settings: expected at most {LONGEST_SETTINGS:,} bytes")
            if not newline:
                return
            self._wanted = _settings(head)
            names = [self._wanted.file, *filter(None, [self._wanted.known])]
            self.files = [self._stack.enter_context(self._uploads.incoming(x)) for x in names]
        n = max(0, self._wanted.file_bytes - self.files[0].n_bytes)
        self.files[0].write(piece[:n])
        if piece[n:]:
            self.files[-1].write(piece[n:])

    def work(self, config: AppConfig, url: str) -> tuple[NewProject, UploadWork]:
        """What is to be done with all of it, in the database at ``url``.

        Raises:
            InputError: It is not whole, or a file is empty.
        """
        if self._wanted is None:
            raise InputError("settings: expected one line of JSON before the file, got none")
        for incoming, n in zip(
            self.files, (self._wanted.file_bytes, self._wanted.known_bytes), strict=False
        ):
            incoming.stream.close()
            if not incoming.n_bytes:
                raise InputError(f"{incoming.name}: the file is empty")
            if incoming.n_bytes != n:
                raise InputError(f"{incoming.name}: expected {n:,} bytes, got {incoming.n_bytes:,}")
        job = {
            "url": url,
            "name": self._wanted.name,
            "plan": self._wanted.plan(),
            "known": str(self.files[1].file.absolute()) if self._wanted.known else "",
            "unpacked_bytes": config.limits.unpacked_bytes,
            "rows": config.limits.upload_rows,
        }
        return self._wanted, UploadWork("project", self.files[0].file, job, limit_s=MAKING_LIMIT_S)


def _settings(line: bytes) -> NewProject:
    try:
        return NewProject.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "settings"
        raise InputError(f"{where}: {first['msg'].lower()}") from None


def _opened(request: Request) -> list[tuple[str, list[Role]]]:
    """Projects that this browser may enter, and as what; nothing of any other is told."""
    config: AppConfig = request.app.state.config
    if config.open_annotation:
        everywhere: list[Role] = ["annotator", "admin"]
        return [(found.project, everywhere) for found in all_projects(engine_of(request))]
    roles: tuple[Role, ...] = ("annotator", "admin")
    opened: dict[str, list[Role]] = {}
    for cookie in sorted(request.cookies)[:MOST_LISTED]:
        for role in roles:
            project = cookie.removeprefix(cookie_name("", role))
            if project != cookie and visitor(request, project, role):
                opened.setdefault(project, []).append(role)
    return sorted(opened.items())
