"""Uploads over HTTP: a file as the raw body, its text-feature reward, and its removal."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from rewardlab.app.config import WITHOUT_LIMIT
from rewardlab.app.reports.store import all_reports
from rewardlab.app.security import UPLOADS, BodyTooLargeError
from rewardlab.app.uploads.process import UploadWork
from rewardlab.app.uploads.store import Upload, UploadFolder
from rewardlab.app.wire import answer
from rewardlab.data import demo_path
from rewardlab.errors import InputError

FIT_LIMIT_S = 300.0
"""After so long a fit is given up."""

AT_ONCE = 2
"""Files that are read or fitted side by side; the others wait, and nothing else waits for them."""

_SAMPLE = "demo_preferences"

router = APIRouter(prefix=UPLOADS)


def uploads_of(app: Any) -> UploadFolder:
    """The uploads of this server."""
    config = app.state.config
    return UploadFolder(config.folder / "uploads", config.limits)


def places_of(app: Any) -> asyncio.Semaphore:
    """The places for processes that read an upload while its sender waits."""
    if not hasattr(app.state, "upload_places"):
        app.state.upload_places = asyncio.Semaphore(AT_ONCE)
    places: asyncio.Semaphore = app.state.upload_places
    return places


@router.get("")
def list_uploads(request: Request) -> Response:
    """Every upload, and what one may hold."""
    uploads = uploads_of(request.app)
    return answer(
        request,
        {"uploads": [_shown(u) for u in uploads.all()], "limits": asdict(uploads.limits)},
    )


@router.post("")
async def take_upload(request: Request, name: str = "") -> Response:
    """Take a file: the body is its bytes."""
    with uploads_of(request.app).incoming(name) as incoming:
        try:
            async for piece in request.stream():
                incoming.write(piece)
        except BodyTooLargeError as error:
            raise HTTPException(413, f"{error.detail}; {WITHOUT_LIMIT}") from None
        except ClientDisconnect:
            raise HTTPException(400, "the upload was broken off") from None
        async with places_of(request.app):
            kept = await run_in_threadpool(incoming.keep)
    return answer(request, _shown(kept), status=201)


@router.post("/sample")
async def take_sample(request: Request) -> Response:
    """Take the packaged sample file, for those who have none at hand."""
    file = demo_path(_SAMPLE)
    with uploads_of(request.app).incoming(file.name) as incoming:
        incoming.write(file.read_bytes())
        async with places_of(request.app):
            kept = await run_in_threadpool(incoming.keep)
    return answer(request, _shown(kept), status=201)


@router.post("/{upload}/fit")
async def fit_upload(request: Request, upload: str) -> Response:
    """The upload's text-feature reward."""
    file = uploads_of(request.app).path(_found(request, upload))
    work = UploadWork("fit", file, {"seed": 0}, limit_s=FIT_LIMIT_S)
    async with places_of(request.app):
        return answer(request, await run_in_threadpool(work.run))


@router.delete("/{upload}")
def delete_upload(request: Request, upload: str) -> Response:
    """Remove an upload that no report is of."""
    found = _found(request, upload)
    if any(report.upload == upload for report in all_reports(request.app.state.engine)):
        raise InputError("there is a report on this upload; delete that, and both are gone")
    uploads_of(request.app).delete(upload)
    return answer(request, {"deleted": found.upload})


def _found(request: Request, upload: str) -> Upload:
    found = uploads_of(request.app).get(upload)
    if found is None:
        raise HTTPException(404, "there is no such upload; it may have been deleted")
    return found


def _shown(upload: Upload) -> dict[str, Any]:
    return asdict(upload)
