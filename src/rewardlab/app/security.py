"""What every request must pass and every response carries.

A request must be addressed to a host name that the lab is served under (a foreign site can point a
name of its own at this machine: DNS rebinding). One that changes anything must come from a page of
the lab (any site can make a browser post: CSRF). Bodies are bounded while they arrive, whatever
their declared length. Responses carry a strict content policy, so that stored text never runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rewardlab.app.config import AppConfig

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors {ancestors}"
)

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

UPLOADS = "/api/uploads"
"""Path under which bodies may be as large as an upload."""


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
        self.config = config

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refused(scope["method"], headers)
        if refused is None:
            most = self._most_bytes(scope["path"])
            bounded = _Bounded(receive, most, headers.get("content-length"))
            if bounded.too_large:
                refused = (413, f"expected a body of at most {most:,} bytes")
        embedded = scope["path"].startswith("/systems") and b"embed=1" in scope["query_string"]
        guarded = _with_headers(send, content_policy(embedded=embedded))
        if refused is not None:
            await _refuse(guarded, *refused)
            return
        await self.app(scope, bounded, guarded)

    def _refused(self, method: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if host_name(host) not in self.config.hosts:
            return 421, f"this lab is not served under the name {host_name(host)[:80]!r}"
        if method in SAFE_METHODS:
            return None
        origin = headers.get("origin", "")
        if urlsplit(origin).netloc != host or not origin:
            return 403, "expected the Origin of a page of this lab on a request that changes it"
        return None

    def _most_bytes(self, path: str) -> int:
        limits = self.config.limits
        return limits.upload_bytes if path.startswith(UPLOADS) else limits.body_bytes


def host_name(host: str) -> str:
    """A Host header without its port, in lower case: "[::1]:80" is "[::1]"."""
    name = host.lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]


class _Bounded:
    """A request's body, cut off with a refusal once it is longer than it may be."""

    def __init__(self, receive: Receive, most: int, declared: str | None) -> None:
        self._receive = receive
        self._most = most
        self._seen = 0
        self.too_large = declared is not None and (not declared.isdigit() or int(declared) > most)

    async def __call__(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > self._most:
            raise BodyTooLargeError(self._most)
        return message


class BodyTooLargeError(Exception):
    """A body went on beyond what it may hold."""

    def __init__(self, most: int) -> None:
        super().__init__(f"expected a body of at most {most:,} bytes")


def _with_headers(send: Send, policy: str) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", policy)
        await send(message)

    return guarded


async def _refuse(send: Send, status: int, message: str) -> None:
    body = orjson.dumps({"error": message})
    start = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
