"""The web lab as one ASGI application."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from rewardlab import __version__
from rewardlab.app.assets import all_assets, version
from rewardlab.app.config import AppConfig
from rewardlab.app.pages import render, served
from rewardlab.app.security import BodyTooLargeError, Guard
from rewardlab.app.systems_routes import router as systems_router
from rewardlab.app.wire import packed, refusal, takes_gzip
from rewardlab.errors import RewardLabError

_FOR_EVER = "public, max-age=31536000, immutable"


def create_app(config: AppConfig | None = None) -> FastAPI:
    """The application.

    Args:
        config: How it is served; None for a browser on this machine.
    """
    app = FastAPI(title="rewardlab", version=__version__, docs_url=None, redoc_url=None)
    app.state.config = config or AppConfig()
    app.include_router(systems_router)
    app.add_api_route("/static/{digest}/{path:path}", _static, methods=["GET"])
    app.add_exception_handler(RewardLabError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(BodyTooLargeError, _too_large)
    app.add_exception_handler(HTTPException, _not_served)
    app.add_middleware(Guard, config=app.state.config)
    return app


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
    return refusal(request, " ".join(str(error).split()), status=422)


def _too_large(request: Request, error: Exception) -> Response:
    return refusal(request, str(error), status=413)


def _malformed(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return refusal(request, f"{where}: {first['msg'].lower()}", status=422)


def _not_served(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if request.url.path.startswith("/api/"):
        return refusal(request, str(error.detail), status=error.status_code)
    page = render(
        "missing.jinja", place=served(), page="", title="Not found", message=str(error.detail)
    )
    return packed(
        request, page.encode(), media_type="text/html; charset=utf-8", status=error.status_code
    )
