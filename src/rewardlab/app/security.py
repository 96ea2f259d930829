"""What every request must pass and every response carries.

A request must be addressed to a host name that the lab is served under (a foreign site can point a
name of its own at this machine: DNS rebinding). One that changes anything must come from a page of
the lab (any site can make a browser post: CSRF). Bodies are bounded while they arrive, whatever
their declared length. Responses carry a strict content policy, so that stored text never runs.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rewardlab.app.config import MAKE_WITHOUT_LIMIT, WITHOUT_LIMIT, AppConfig

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors {ancestors}"
)

_FOR_ALL = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_PARTS = ("text/javascript", "text/css")
"""What pages load beside them: never a page itself, so that what is said to pages is left out."""

_HEADERS = {
    **_FOR_ALL,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

_FILE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}

API = "/api/"
"""Path of all that is data and no page."""

LONGEST_ADDRESS = 16_384
"""Bytes of a path with its query."""

PATIENCE_S = 60.0
"""How long a body may go without a byte of it coming."""

UPLOADS = "/api/uploads"
"""Path under which bodies may be as large as an upload."""

MAKING = "/api/annotate"
"""Path to which a new project is sent with its files: as large, and nothing below it."""


def content_policy(*, embedded: bool) -> str:
    """The content policy of a page of the lab.

    Args:
        embedded: True lets any site show the page in a frame; only for pages that store nothing.
    """
    return _POLICY.format(ancestors="*" if embedded else "'none'")


class Guard:
    """ASGI middleware that refuses what must not pass and adds headers to what does."""

    def __init__(self, app: ASGIApp, config: AppConfig) -> None:
        self.app = app
        self.limits = config.limits
        self.hosts = frozenset(name.lower() for name in config.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it; the lab has no use for web sockets."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        guarded = _with_headers(send, security_headers(scope))
        most = self._most_bytes(scope["path"])
        refused = self._refused(scope, most)
        if refused is not None:
            await _refuse(guarded, *refused)
        elif scope["method"] == "HEAD" and not scope["path"].startswith(API):
            await self.app({**scope, "method": "GET"}, receive, _without_body(guarded))
        else:
            await self.app(scope, _Bounded(receive, most), guarded)

    def _refused(self, scope: Scope, most: int) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if host_name(host) not in self.hosts:
            name = host_name(host) or host
            return 421, f"this lab is not served under the name {name[:80]!r}; see --allow-host"
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414, f"expected an address of at most {LONGEST_ADDRESS:,} bytes"
        if scope["path"].startswith(API) and headers.get("sec-fetch-site") == "cross-site":
            return 403, "expected a request by a page of this lab, not by one of another site"
        if scope["method"] in SAFE_METHODS:
            return None
        if headers.get("origin", "").lower() not in (f"http://{host}", f"https://{host}"):
            return 403, "expected the Origin of a page of this lab on a request that changes it"
        return _wrong_length(headers.get("content-length"), most, beyond=_beyond(scope["path"]))

    def _most_bytes(self, path: str) -> int:
        large = path.startswith(UPLOADS) or path == MAKING
        return self.limits.upload_bytes if large else self.limits.body_bytes


_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/\s]+)(:[0-9]{1,5})?")


def host_name(host: str) -> str:
    """A Host header without its port, in lower case: "[::1]:80" is "[::1]"; "" if it is none."""
    found = _HOST.fullmatch(host.lower())
    return found[1] if found else ""


def _beyond(path: str) -> str:
    """What to do with a body that is too large, after a semicolon."""
    if path == MAKING:
        return f"; {MAKE_WITHOUT_LIMIT}"
    return f"; {WITHOUT_LIMIT}" if path.startswith(UPLOADS) else ""


def _wrong_length(declared: str | None, most: int, *, beyond: str) -> tuple[int, str] | None:
    if declared is None:
        return None
    if not (declared.isascii() and declared.isdigit()):
        return 400, "Content-Length: expected a whole number"
    digits = declared.lstrip("0")
    if len(digits) > len(str(most)) or int(digits or "0") > most:
        return 413, f"expected a body of at most {most:,} bytes{beyond}"
    return None


class _Bounded:
    """A request's body, refused once it is longer than it may be or stands still."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._seen = 0
        self._complete = False

    async def __call__(self) -> Message:
        if self._complete:
            return await self._receive()  # the next that comes is that the sender has gone
        try:
            async with asyncio.timeout(PATIENCE_S):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, f"no more of the body came for {PATIENCE_S:g} s") from None
        self._complete = not message.get("more_body", False)
        self._seen += len(message.get("body", b""))
        if self._seen > self._most:
            raise BodyTooLargeError(self._most)
        return message


class BodyTooLargeError(HTTPException):
    """A body went on beyond what it may hold.

    An HTTP error, because FastAPI takes any other that comes while it reads for malformed JSON.
    """

    def __init__(self, most: int) -> None:
        super().__init__(413, f"expected a body of at most {most:,} bytes")


def security_headers(scope: Scope) -> dict[str, str]:
    """What every response to a request carries; scripts and styles, which are no pages, little."""
    if scope["path"].startswith("/static/"):
        return _FILE_HEADERS
    asked = parse_qsl(scope["query_string"].decode("latin-1"))
    embedded = scope["path"].startswith("/systems/") and ("embed", "1") in asked
    return {"Content-Security-Policy": content_policy(embedded=embedded), **_HEADERS}


def _with_headers(send: Send, named: Mapping[str, str]) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            is_part = headers.get("content-type", "").startswith(_PARTS)
            for name, value in (_FOR_ALL if is_part else named).items():
                headers.setdefault(name, value)  # a report's page has a stricter policy
        await send(message)

    return guarded


def _without_body(send: Send) -> Send:
    async def bare(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return bare


async def _refuse(send: Send, status: int, message: str) -> None:
    body = orjson.dumps({"error": message})
    start = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
