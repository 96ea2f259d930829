"""The web lab as one ASGI application."""

from __future__ import annotations

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.exc import (
    DataError,
    InterfaceError,
    InternalError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as NoConnectionError
from starlette.exceptions import HTTPException

from rewardlab import __version__
from rewardlab.app.annotate.admin.routes import router as annotate_admin_router
from rewardlab.app.annotate.judging.routes import router as annotate_router
from rewardlab.app.annotate.making.routes import router as annotate_making_router
from rewardlab.app.assets import all_assets, version
from rewardlab.app.config import AppConfig
from rewardlab.app.database import open_database, reason_of
from rewardlab.app.lab.routes import router as lab_router
from rewardlab.app.lab.sessions import Sessions
from rewardlab.app.learn.routes import router as learn_router
from rewardlab.app.pages import render, served
from rewardlab.app.reports.routes import router as reports_router
from rewardlab.app.security import API, SAFE_METHODS, Guard, security_headers
from rewardlab.app.systems.routes import router as systems_router
from rewardlab.app.uploads.routes import router as uploads_router
from rewardlab.app.wire import HTML, packed, refusal, takes_gzip
from rewardlab.errors import RewardLabError

_FOR_EVER = "public, max-age=31536000, immutable"

_TITLES = {404: "Not found", 422: "Not possible", 500: "Something broke"}

_UNUSABLE = (OperationalError, InterfaceError, InternalError, NoConnectionError)
"""What a database says that is full, locked, read-only, gone, or has no connection free."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


def create_app(config: AppConfig | None = None) -> FastAPI:
    """The application.

    Args:
        config: How it is served; None for a browser on this machine.
    """
    app = FastAPI(
        title="rewardlab", version=__version__, docs_url=None, redoc_url=None, lifespan=_lifespan
    )
    app.state.config = config or AppConfig()
    app.state.engine = open_database(app.state.config.url)
    app.state.sessions = Sessions(app.state.engine)
    app.include_router(lab_router)
    app.include_router(systems_router)
    app.include_router(learn_router)
    app.include_router(uploads_router)
    app.include_router(reports_router)
    app.include_router(annotate_router)
    app.include_router(annotate_making_router)
    app.include_router(annotate_admin_router)
    app.add_api_route("/static/{digest}/{path:path}", _static, methods=["GET"])
    app.add_exception_handler(RewardLabError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    for unusable in _UNUSABLE:
        app.add_exception_handler(unusable, _not_stored)
    app.add_exception_handler(DataError, _not_storable)
    app.add_exception_handler(OSError, _not_written)
    app.add_exception_handler(HTTPException, _not_served)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(Guard, config=app.state.config)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Close the database's connections when the server stops."""
    yield
    app.state.engine.dispose()


def _static(request: Request, digest: str, path: str) -> Response:
    asset = all_assets().get(path)
    if asset is None:
        raise HTTPException(404, "there is no such file")
    if digest != version():
        return RedirectResponse(f"/static/{version()}/{path}")
    headers = {"Cache-Control": _FOR_EVER, "Vary": "Accept-Encoding"}
    if takes_gzip(request) and asset.gzipped is not asset.body:
        headers["Content-Encoding"] = "gzip"
        return Response(asset.gzipped, media_type=asset.media_type, headers=headers)
    return Response(asset.body, media_type=asset.media_type, headers=headers)


def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, RewardLabError):
        raise error
    return _said(request, error.told, status=422)


def _malformed(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return _said(request, f"{where}: {first['msg'].lower()}", status=422)


def _not_served(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    headers = dict(error.headers or {})
    return _said(request, str(error.detail), status=error.status_code, headers=headers)


def _not_stored(request: Request, error: Exception) -> Response:
    """The database is full, locked, read-only or gone: the page keeps what it sent, and waits."""
    if not isinstance(error, SQLAlchemyError):
        raise error
    return _said(request, f"the lab's database cannot be used: {reason_of(error)}", status=503)


def _not_storable(request: Request, error: Exception) -> Response:
    """A text or number that this database has no place for, as PostgreSQL none for NUL."""
    if not isinstance(error, DataError):
        raise error
    return _said(request, f"the lab's database cannot keep this: {reason_of(error)}", status=422)


def _not_written(request: Request, error: Exception) -> Response:
    if not isinstance(error, OSError) or error.errno not in _NO_ROOM:
        raise error
    return _said(request, f"the lab's folder cannot be written to: {error.strerror}", status=507)


def _broken(request: Request, error: Exception) -> Response:
    """What a fault of the lab's own looks like: this answer passes no middleware on its way."""
    said = "this is a fault of the lab; its terminal says what went wrong"
    return _said(request, said, status=500, headers=security_headers(request.scope))


def _said(
    request: Request, message: str, *, status: int, headers: dict[str, str] | None = None
) -> Response:
    """Why there is no answer: as JSON where data was asked for, as a page elsewhere."""
    if request.url.path.startswith(API) or request.method not in SAFE_METHODS:
        return refusal(request, message, status=status, headers=headers)
    title = _TITLES.get(status, "Not served")
    page = render("missing.jinja", place=served(), page="", title=title, message=message)
    return packed(request, page.encode(), media_type=HTML, status=status, headers=headers)
