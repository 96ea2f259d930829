"""The guard: who may ask, what may change things, how much may come, what every answer carries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from rewardlab.app.config import AppConfig, Limits
from rewardlab.app.security import API, LONGEST_ADDRESS, SAFE_METHODS, Guard, host_name
from rewardlab.app.server import create_app

HOME = "http://127.0.0.1"
ORIGIN = {"Origin": HOME}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    served = create_app(AppConfig(folder=tmp_path))
    yield served
    served.state.engine.dispose()


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, base_url=HOME, raise_server_exceptions=False)


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[TestClient]:
    """The guard before two routes that read a body, with room for 100 and for 1,000 bytes."""
    limits = Limits(body_bytes=100, upload_bytes=1_000)
    app = create_app(AppConfig(folder=tmp_path, limits=limits))

    @app.post("/api/echo")
    def read_json(body: dict[str, Any]) -> int:
        return len(body)

    @app.post("/api/uploads/echo")
    async def read_raw(request: Request) -> int:
        return len(await request.body())

    @app.get("/api/broken")
    def fail() -> None:
        raise ZeroDivisionError("secret of the inside")

    @app.get("/broken")
    def fail_a_page() -> None:
        raise ZeroDivisionError("secret of the inside")

    yield TestClient(app, base_url=HOME, raise_server_exceptions=False)
    app.state.engine.dispose()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8421", "LOCALHOST:1", "[::1]", "[::1]:9"])
def test_the_lab_answers_under_its_own_names(client: TestClient, host: str) -> None:
    assert client.get("/systems", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1.evil.example", "evil.example:8421", "localhost.evil.example"),
        *("", ":80", "127.0.0.1@evil.example", "127.0.0.1:80@evil.example", "127.0.0.1:80:80"),
        *("127.0.0.1:port", "[::1", "[::2]", "::1", "localhost.", "127.0.0.1 evil.example"),
    ],
)
def test_a_foreign_or_malformed_host_is_refused_on_every_path(
    client: TestClient, host: str
) -> None:
    for path in ("/systems", "/api/systems", "/static/x/css/base.css", "/nowhere"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 421
        assert "not served under the name" in answer.json()["error"]


def test_two_hosts_are_refused(client: TestClient) -> None:
    answer = client.get("/systems", headers=[("Host", "127.0.0.1"), ("Host", "evil.example")])
    assert answer.status_code == 421


def test_a_name_that_was_allowed_is_served_in_any_case(tmp_path: Path) -> None:
    app = create_app(AppConfig(hosts=("Lab.Example.org",), folder=tmp_path))
    client = TestClient(app, base_url="http://lab.example.ORG")
    assert client.get("/systems").status_code == 200
    assert client.get("/systems", headers={"Host": "127.0.0.1"}).status_code == 421
    app.state.engine.dispose()


def test_a_host_name_is_what_stands_before_the_port() -> None:
    assert host_name("[::1]:80") == "[::1]"
    assert host_name("A.b:1") == "a.b"
    assert host_name("a:b") == ""


def _routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Method and path of every route; a parameter's name stands for its value."""
    for context in iter_route_contexts(app.routes):
        path = re.sub(r"[{}]|:path", "", context.path or "")
        yield from ((method, path) for method in sorted(context.methods or ()))


def _writes(app: FastAPI) -> list[tuple[str, str]]:
    return [(method, path) for method, path in _routes(app) if method not in SAFE_METHODS]


FOREIGN = [
    *("", "null", "http://evil.example", "http://127.0.0.1.evil.example", "http://127.0.0.1:81"),
    *(
        "https://",
        "127.0.0.1",
        "http://[",
        "http://127.0.0.1/",
        "http://127.0.0.1 ",
        "ftp://127.0.0.1",
    ),
]


def test_every_route_that_changes_something_refuses_a_foreign_origin(
    app: FastAPI, client: TestClient
) -> None:
    writes = _writes(app)
    assert len(writes) > 5
    for method, path in [*writes, ("POST", "/"), ("DELETE", "/systems/leash")]:
        for headers in [{}, *({"Origin": origin} for origin in FOREIGN)]:
            answer = client.request(method, path, headers=headers, json={})
            assert answer.status_code == 403, (method, path, headers)
            assert "Origin" in answer.json()["error"]


@pytest.mark.parametrize("path", ["/api/echo", "/api/uploads/echo"])
def test_a_page_of_the_lab_may_write(echo: TestClient, path: str) -> None:
    assert echo.post(path, json={"a": 1}, headers=ORIGIN).status_code == 200
    assert echo.post(path, json={}, headers={"Origin": "https://127.0.0.1"}).status_code == 200


def test_another_site_cannot_make_the_lab_work(client: TestClient) -> None:
    from_elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert client.get("/api/systems/leash/result", headers=from_elsewhere).status_code == 403
    assert client.get("/systems/leash", headers=from_elsewhere).status_code == 200


@pytest.mark.parametrize(("path", "most"), [("/api/echo", 100), ("/api/uploads/echo", 1_000)])
def test_a_body_is_bounded_whether_or_not_its_length_is_declared(
    echo: TestClient, path: str, most: int
) -> None:
    def chunks(size: int) -> Iterator[bytes]:
        yield b'{"a":"'
        yield from (b"x" * 10 for _ in range((size - 8) // 10))
        yield b"y" * ((size - 8) % 10) + b'"}'

    exact = b"".join(chunks(most))
    assert len(exact) == most
    sent = {**ORIGIN, "Content-Type": "application/json"}
    assert echo.post(path, content=exact, headers=sent).status_code == 200
    assert echo.post(path, content=chunks(most), headers=sent).status_code == 200
    for body in (b" " + exact, chunks(most + 1)):
        answer = echo.post(path, content=body, headers=sent)
        assert answer.status_code == 413
        assert answer.json()["error"].startswith(f"expected a body of at most {most:,} bytes")


@pytest.mark.parametrize(
    ("declared", "status"),
    [("1" * 5_000, 413), ("101", 413), ("-1", 400), ("1e1", 400), ("²", 400), ("", 400)],
)
def test_a_declared_length_that_is_too_large_or_no_number_is_refused(
    echo: TestClient, declared: str, status: int
) -> None:
    headers = [(b"Origin", HOME.encode()), (b"Content-Length", declared.encode("latin-1"))]
    assert echo.post("/api/echo", content=b"{}", headers=headers).status_code == status


def test_a_body_longer_than_it_declares_is_still_bounded(echo: TestClient) -> None:
    headers = {**ORIGIN, "Content-Length": "5", "Content-Type": "application/json"}
    answer = echo.post("/api/echo", content=b'{"a":"' + b"x" * 500 + b'"}', headers=headers)
    assert answer.status_code == 413


@pytest.mark.parametrize("path", ["/api/echo", "/api/uploads/echo"])
def test_a_body_that_stands_still_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr("rewardlab.app.security.PATIENCE_S", 0.01)
    sent: list[Message] = []

    async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()

    async def receive() -> Message:
        if not begun:
            begun.append(True)
            return {"type": "http.request", "body": b"{", "more_body": True}
        await asyncio.sleep(30)
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    begun: list[bool] = []
    headers = [(b"host", b"127.0.0.1"), (b"origin", HOME.encode())]
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": headers,
    }
    with pytest.raises(HTTPException, match="no more of the body") as refused:
        guarded = Guard(read_all, AppConfig(folder=tmp_path))(scope, receive, send)
        with ThreadPoolExecutor(1) as apart:  # A browser's loop may run in this thread.
            apart.submit(asyncio.run, guarded).result()
    assert refused.value.status_code == 408


def test_an_endless_address_is_refused(client: TestClient) -> None:
    assert client.get("/systems/" + "x" * LONGEST_ADDRESS).status_code == 414
    assert client.get("/systems/leash?beta=" + "1" * LONGEST_ADDRESS).status_code == 414


@pytest.mark.parametrize(
    "path", ["/systems", "/systems/leash", "/api/systems", "/nowhere", "/api/x"]
)
def test_every_answer_carries_the_headers_that_keep_it_safe(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_scripts_and_styles_carry_what_browsers_heed_on_them(client: TestClient) -> None:
    for path in ("/static/x/css/base.css", "/static/x/js/core/dom.js"):
        headers = client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Content-Security-Policy" not in headers
    assert "Content-Security-Policy" in client.get("/static/x/icon.svg").headers


@pytest.mark.parametrize(
    ("address", "framed"),
    [
        *(("/systems/leash?embed=1", True), ("/systems/leash?beta=1&embed=1", True)),
        *(("/systems/leash?embed=0", False), ("/systems/leash?xembed=1", False)),
        *(
            ("/systems?embed=1", False),
            ("/?embed=1", False),
            ("/systems/leash?seed=embed=1", False),
        ),
    ],
)
def test_only_a_systems_page_made_for_it_may_be_framed(
    client: TestClient, address: str, framed: bool
) -> None:
    policy = client.get(address).headers["Content-Security-Policy"]
    assert ("frame-ancestors *" in policy) is framed


class _Inline(HTMLParser):
    """Collects what a strict content policy would block."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.found += [f"{tag} {name}" for name in named if name == "style" or name[:2] == "on"]
        is_data = named.get("type") == "application/json"
        if tag == "style" or (tag == "script" and "src" not in named and not is_data):
            self.found.append(tag)
        for name in ("src", "href", "action"):
            address = named.get(name) or ""
            if tag != "a" and (address.startswith("//") or ":" in address):
                self.found.append(f"{tag} {name}={address}")
            if address.lower().startswith("javascript:"):
                self.found.append(f"{tag} {name}={address}")


def _pages(app: FastAPI) -> list[str]:
    """Addresses of pages, also of some that are not there."""
    paths = {path for method, path in _routes(app) if method == "GET"}
    pages = {path for path in paths if not path.startswith((API, "/static/"))}
    return sorted({*pages, "/systems/leash", "/systems/leash?embed=1", "/learn/methods"})


def test_no_page_holds_inline_scripts_styles_or_foreign_addresses(
    app: FastAPI, client: TestClient
) -> None:
    seen = 0
    for path in _pages(app):
        answer = client.get(path)
        if answer.headers["Content-Type"].startswith("text/html"):
            parser = _Inline()
            parser.feed(answer.text)
            assert not parser.found, (path, parser.found)
            seen += 1
    assert seen > 10


EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    "path",
    ["/systems/leash?beta={}", "/systems/leash?{}=1", "/systems/{}", "/{}", "/static/x/{}"],
)
def test_text_from_the_address_shows_as_text(client: TestClient, path: str) -> None:
    answer = client.get(path.format(EVIL.replace("/", "%2F")))
    assert answer.status_code in (404, 422)
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text
    assert 'class="message"' in answer.text


@pytest.mark.parametrize(
    ("query", "said"),
    [
        *(("gamma=1", "expected a control among beta"), ("beta=abc", "beta: expected a number")),
        *(("beta=nan", "beta: expected a number"), ("beta=1e99", "beta: expected a number from")),
        *(("seed=-1", "seed: expected a whole number"), ("seed=²", "seed: expected a whole")),
        ("seed=" + "9" * 10, "seed: expected a whole number"),
    ],
)
def test_a_wrong_setting_in_the_address_is_refused_in_words(
    client: TestClient, query: str, said: str
) -> None:
    data = client.get(f"/api/systems/leash/result?{query}")
    assert data.status_code == 422
    assert said in data.json()["error"]
    page = client.get(f"/systems/leash?{query}")
    assert page.status_code == 422
    assert said[1:] in page.text


@pytest.mark.parametrize(
    "path",
    [
        *("/static/x/../server.py", "/static/x/..%2Fserver.py", "/static/x/%2e%2e/security.py"),
        *("/static/x//etc/passwd", "/static/x/css/base.css%00", "/static/x/", "/static/x/css"),
    ],
)
def test_no_path_leaves_the_folder_of_static_files(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_an_old_address_of_a_static_file_leads_to_the_new_one(client: TestClient) -> None:
    answer = client.get("/static/old/css/base.css", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["Location"].startswith("/static/")
    followed = client.get("/static/old/css/base.css")
    assert followed.status_code == 200
    assert "immutable" in followed.headers["Cache-Control"]


def test_no_header_can_be_smuggled_through_an_address(client: TestClient) -> None:
    for path in ("/static/x%0d%0aSet-Cookie:a=b/css/base.css", "/systems/a%0d%0aSet-Cookie:a=b"):
        answer = client.get(path, follow_redirects=False)
        assert "set-cookie" not in answer.headers
        assert "\n" not in answer.headers.get("Location", "")


def test_a_page_can_be_asked_for_its_headers_alone(client: TestClient) -> None:
    for path in ("/systems", "/systems/leash", "/static/x/icon.svg"):
        answer = client.head(path)
        assert answer.status_code == 200
        assert answer.content == b""
        assert "Content-Security-Policy" in answer.headers


@pytest.mark.parametrize("path", ["/api/broken", "/broken"])
def test_a_fault_of_the_lab_shows_nothing_of_its_inside(echo: TestClient, path: str) -> None:
    answer = echo.get(path)
    assert answer.status_code == 500
    assert "fault of the lab" in answer.text
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_method_that_a_page_does_not_take_is_refused(client: TestClient) -> None:
    answer = client.put("/systems/leash", headers=ORIGIN)
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET"


def test_web_sockets_are_refused(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/systems"):
        pass


def test_the_guard_stands_before_every_route(app: FastAPI) -> None:
    assert getattr(app.user_middleware[0].cls, "__name__", "") == Guard.__name__
