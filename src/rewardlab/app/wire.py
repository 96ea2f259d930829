"""JSON as the browser gets it, and errors as it gets them."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import orjson
from fastapi import Request
from fastapi.responses import Response

from rewardlab.report.as_json import to_json

HTML = "text/html; charset=utf-8"

_WORTH_COMPRESSING = 1_400
"""Bytes that fit one network packet anyway."""

_EFFORT = {"application/json": 1}
"""Levels of compression: results come many a second, and level 5 takes thrice as long for 7%."""
_PAGE_EFFORT = 6


def json_bytes(value: Any) -> bytes:
    """``value`` as JSON; NaN and infinity become null, arrays travel in single precision.

    Single precision has more digits than a chart has pixels, and halves what is sent. Figures that
    are read as numbers are not arrays and keep all digits.
    """
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def _plain(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return to_json(value)
    if value.dtype == np.float64:
        with np.errstate(over="ignore"):
            value = value.astype(np.float32)
    array = np.ascontiguousarray(value)
    return orjson.Fragment(orjson.dumps(array, default=to_json, option=orjson.OPT_SERIALIZE_NUMPY))


def answer(
    request: Request, value: Any, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """A JSON response, compressed where the browser takes it and it is worth it."""
    body = json_bytes(value)
    return packed(request, body, media_type="application/json", status=status, headers=headers)


def packed(
    request: Request,
    body: bytes,
    *,
    media_type: str,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    """A response, compressed where the browser takes it and it is worth it."""
    said = {"Vary": "Accept-Encoding", "Cache-Control": "no-store", **(headers or {})}
    if len(body) > _WORTH_COMPRESSING and takes_gzip(request):
        effort = _EFFORT.get(media_type, _PAGE_EFFORT)
        body = gzip.compress(body, compresslevel=effort, mtime=0)
        said["Content-Encoding"] = "gzip"
    return Response(body, status_code=status, media_type=media_type, headers=said)


def takes_gzip(request: Request) -> bool:
    """True if the browser says that it takes gzip."""
    return "gzip" in request.headers.get("accept-encoding", "")


def refusal(
    request: Request, message: str, *, status: int, headers: dict[str, str] | None = None
) -> Response:
    """What was wrong with a request, in words."""
    return answer(request, {"error": message}, status=status, headers=headers)
