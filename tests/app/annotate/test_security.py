"""Who gets into a project: nobody without its link, and nobody into another's with it."""

from __future__ import annotations

import hmac
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, TypeVar

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from sqlalchemy import Connection, Engine, select, update
from starlette.testclient import TestClient

from rewardlab.app.annotate.entering import CLOSED
from rewardlab.app.annotate.store.access import links_of, new_link, revoke, who_has
from rewardlab.app.annotate.store.contents import Content, Pair, Role
from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.annotate.store.queue import take
from rewardlab.app.annotate.store.record import labels_of
from rewardlab.app.annotate.store.tables import ASSIGNMENTS, LINKS
from rewardlab.app.annotate.store.writing import Writer
from rewardlab.app.config import LOOPBACK, AppConfig
from rewardlab.app.server import create_app
from rewardlab.errors import InputError

T = TypeVar("T")

HOME = "http://127.0.0.1"

OUTSIDE = {("GET", "/annotate"), ("POST", "/api/annotate"), ("POST", "/api/annotate/P/enter")}
"""What needs no project's link; entering asks for the token itself."""

MOMENT = "2026-11-30T00:00:00Z"

BODIES: dict[str, Any] = {
    "/api/annotate/P/next": {"annotator": "ann"},
    "/api/annotate/P/labels": {
        "annotator": "ann",
        "events": [{"id": "u", "kind": "label", "pair": 0, "outcome": "tie", "judged_at": MOMENT}],
    },
    "/api/annotate/P/admin/guidelines": {"text": "Be fair."},
    "/api/annotate/P/admin/preview": {"text": "Be fair."},
    "/api/annotate/P/admin/order": {"order": "random"},
    "/api/annotate/P/admin/links": {"annotator": "bob"},
}
"""A body that each route takes; a new route that needs one must be added."""

ODD = ("%2e%2e", "p%00q", "P", "p/../q", "%2fetc%2fpasswd", "p" * 200, "ä", "p;q", "p%0aq")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    served = create_app(AppConfig(folder=tmp_path))
    for name in ("p", "q"):
        pairs = [Pair(i, "pair", Content(str(i), str(i), "?", "a", "b")) for i in range(5)]
        create_project(served.state.engine, name, pairs)
    yield served
    served.state.engine.dispose()


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with visitor(app) as opened:
        yield opened


def visitor(app: FastAPI) -> TestClient:
    """A browser that has opened nothing yet."""
    return TestClient(app, base_url=HOME, headers={"Origin": HOME}, raise_server_exceptions=False)


def link(app: FastAPI, project: str = "p", role: Role = "annotator") -> str:
    name = "ann" if role == "annotator" else ""
    return new_link(app.state.engine, project, role, name)


def enter(client: TestClient, project: str, token: str) -> Any:
    return client.post(f"/api/annotate/{project}/enter", json={"token": token})


def guarded_routes(app: FastAPI) -> list[tuple[str, str]]:
    """Method and path of every route of a project, with P for the project and 0 for numbers."""
    found = set()
    for context in iter_route_contexts(app.routes):
        path = context.path or ""
        if path.startswith(("/annotate", "/api/annotate")):
            path = re.sub(r"{(?!project)\w+(:\w+)?}", "0", path).replace("{project}", "P")
            found |= {(method, path) for method in context.methods or ()}
    return sorted(found - OUTSIDE)


def ask(client: TestClient, method: str, path: str, project: str) -> Any:
    return client.request(method, path.replace("P", project), json=BODIES.get(path, {}))


def test_no_route_of_a_project_answers_without_its_link(app: FastAPI, client: TestClient) -> None:
    routes = guarded_routes(app)
    assert len(routes) > 4
    for method, path in routes:
        for project in ("p", "nowhere"):
            assert ask(client, method, path, project).status_code == 401, (method, path)


def test_a_closed_project_answers_as_one_that_is_not_there(
    app: FastAPI, client: TestClient
) -> None:
    for method, path in guarded_routes(app):
        closed, missing = (ask(client, method, path, project) for project in ("p", "nowhere"))
        assert closed.content.replace(b"nowhere", b"p") == missing.content.replace(b"nowhere", b"p")
        assert closed.headers.keys() == missing.headers.keys()
    for path in ("/annotate/p", "/annotate/p/admin", "/api/annotate/p/labels"):
        for method in ("HEAD", "OPTIONS"):
            closed = client.request(method, path)
            assert closed.status_code in (401, 405), (method, path)
            assert (
                closed.status_code == client.request(method, path.replace("/p", "/no")).status_code
            )


def test_a_link_opens_nothing_of_another_project(app: FastAPI, client: TestClient) -> None:
    for role in ("annotator", "admin"):
        token = link(app, "q", role)
        assert enter(client, "p", token).status_code == 401
        assert enter(client, "q", token).status_code == 200
        client.cookies.set(f"rewardlab-{role}-p", token)
    for method, path in guarded_routes(app):
        assert ask(client, method, path, "p").status_code == 401, (method, path)


def test_an_annotators_link_opens_nothing_of_the_admins(app: FastAPI, client: TestClient) -> None:
    token = link(app)
    enter(client, "p", token)
    client.cookies.set("rewardlab-admin-p", token)
    admins = [route for route in guarded_routes(app) if "/admin" in route[1]]
    for method, path in admins:
        assert ask(client, method, path, "p").status_code == 401, (method, path)


def test_an_admins_link_judges_nothing(app: FastAPI, client: TestClient) -> None:
    token = link(app, role="admin")
    enter(client, "p", token)
    client.cookies.set("rewardlab-annotator-p", token)
    for path in ("/api/annotate/P/next", "/api/annotate/P/labels"):
        assert ask(client, "POST", path, "p").status_code == 401


def test_a_revoked_link_is_refused_at_once_and_what_was_lent_is_given_back(
    app: FastAPI, client: TestClient
) -> None:
    engine = app.state.engine
    token = link(app)
    enter(client, "p", token)
    assert ask(client, "POST", "/api/annotate/P/next", "p").status_code == 200
    revoke(engine, "p", token.split(".")[0])
    for path in BODIES:
        assert ask(client, "POST", path, "p").json() == {"error": CLOSED}
    assert enter(client, "p", token).status_code == 401
    with engine.connect() as connection:
        states = set(connection.scalars(select(ASSIGNMENTS.c.state)))
    assert states == {"returned"}
    assert labels_of(engine, "p") == []


def test_what_waits_for_its_turn_while_its_link_is_revoked_is_refused(
    app: FastAPI, client: TestClient
) -> None:
    engine, token = app.state.engine, link(app)
    enter(client, "p", token)
    ask(client, "POST", "/api/annotate/P/next", "p")

    class Late(Writer):
        def do(self, project: str, work: Callable[[Connection], T]) -> T:
            revoke(engine, "p", token.split(".")[0])
            return super().do(project, work)

    app.state.annotation_writer.close()
    for path in ("/api/annotate/P/labels", "/api/annotate/P/next", "/api/annotate/P/release"):
        app.state.annotation_writer = Late(engine)
        assert ask(client, "POST", path, "p").json() == {"error": CLOSED}
        app.state.annotation_writer.close()
        again(engine, token)
    assert labels_of(engine, "p") == []
    with engine.connect() as connection:
        assert set(connection.scalars(select(ASSIGNMENTS.c.state))) == {"returned"}


def again(engine: Engine, token: str) -> None:
    """Let a revoked link in again."""
    with engine.begin() as connection:
        this = update(LINKS).where(LINKS.c.link == token.split(".")[0])
        connection.execute(this.values(revoked_at=None))


def test_a_link_that_another_process_revokes_is_refused_at_once(
    app: FastAPI, client: TestClient, tmp_path: Path
) -> None:
    token = link(app)
    assert enter(client, "p", token).status_code == 200
    elsewhere = (
        "import sys; from rewardlab.app.annotate.store.access import revoke;"
        "from rewardlab.app.database import open_database;"
        "revoke(open_database(sys.argv[1]), 'p', sys.argv[2])"
    )
    url = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    subprocess.run([sys.executable, "-c", elsewhere, url, token.split(".")[0]], check=True)
    assert client.get("/annotate/p").status_code == 401


def test_leases_stay_while_another_link_lets_the_same_person_in(app: FastAPI) -> None:
    engine = app.state.engine
    first, _second = link(app), link(app)
    writer = Writer(engine)
    project = create_project(engine, "r", [Pair(0, "pair", Content("0", "0", "?", "a", "b"))])
    tokens = [new_link(engine, "r", "annotator", "ann") for _ in range(2)]
    now = datetime.now(UTC)
    writer.do("r", lambda connection: take(connection, project, "ann", 1, now=now))
    writer.close()
    states = []
    for token in tokens:
        revoke(engine, "r", token.split(".")[0])
        with engine.connect() as connection:
            mine = select(ASSIGNMENTS.c.state).where(ASSIGNMENTS.c.project == "r")
            states.append(connection.scalar(mine))
    assert states == ["leased", "returned"]
    assert who_has(engine, "p", first) is not None


def test_a_link_is_for_a_named_annotator_or_an_admin_of_a_project_that_is_there(
    app: FastAPI,
) -> None:
    engine = app.state.engine
    wrong: list[tuple[str, Role, str]] = [
        ("p", "annotator", ""),
        ("p", "admin", "a\0b"),
        ("nowhere", "admin", ""),
    ]
    for project, role, name in wrong:
        with pytest.raises(InputError, match=r"annotator: expected|there is no project"):
            new_link(engine, project, role, name)
    assert links_of(engine, "p") == []


def test_revoking_again_keeps_the_first_moment(app: FastAPI) -> None:
    engine, name = app.state.engine, link(app).split(".")[0]
    revoke(engine, "p", name)
    (before,) = links_of(engine, "p")
    revoke(engine, "p", name)
    assert links_of(engine, "p") == [before]
    with pytest.raises(InputError, match="has no link"):
        revoke(engine, "q", name)


def test_every_refusal_of_a_token_says_the_same(app: FastAPI, client: TestClient) -> None:
    token, revoked = link(app), link(app)
    revoke(app.state.engine, "p", revoked.split(".")[0])
    wrong = f"{token[:-1]}{'A' if token[-1] != 'A' else 'B'}"
    tries = [
        *(("p", one) for one in (wrong, revoked, "", ".", "x", token.split(".")[0], token + "x")),
        *(("p", one) for one in ("\0.x", "' or 1=1 --", "ä.ö", token.upper(), f" {token}")),
        *((name, token) for name in ("q", "nowhere", "p%00", "P", "ä")),
    ]
    for project, one in tries:
        answer = enter(client, project, one)
        assert (answer.status_code, answer.json()) == (401, {"error": CLOSED}), (project, one)
        assert "set-cookie" not in answer.headers
    assert enter(client, "p", token).json() == {"role": "annotator", "annotator": "ann"}


def test_the_comparison_that_takes_equal_time_is_what_decides(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = link(app)
    compared: list[tuple[str, str]] = []

    def never(a: str, b: str) -> bool:
        compared.append((a, b))
        return False

    monkeypatch.setattr(hmac, "compare_digest", never)
    tokens = (token, "0" * 12 + "." + "A" * 43, "malformed")
    assert [who_has(app.state.engine, "p", one) for one in tokens] == [None] * 3
    assert {(len(a), len(b)) for a, b in compared} == {(64, 64)}
    assert len(compared) == 3


def test_only_a_digest_of_a_token_is_in_the_database(app: FastAPI, tmp_path: Path) -> None:
    secret = link(app).split(".")[1].encode()
    app.state.engine.dispose()
    assert not any(secret in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_token_stands_in_no_answer_but_the_cookie(app: FastAPI, client: TestClient) -> None:
    for role in ("annotator", "admin"):
        token = link(app, role=role)
        answers = [enter(client, "p", token)]
        answers += [ask(client, *route, "p") for route in guarded_routes(app) if "P" in route[1]]
        answers += [enter(client, "p", token + "x" * 200), client.get("/annotate")]
        for answer in answers:
            assert token.split(".")[1] not in answer.text


def test_the_cookie_is_for_this_site_alone_and_no_script_reads_it(
    app: FastAPI, client: TestClient
) -> None:
    for origin, secure in ((HOME, False), ("https://127.0.0.1", True)):
        token = link(app)
        answer = client.post(
            "/api/annotate/p/enter", json={"token": token}, headers={"Origin": origin}
        )
        (cookie,) = SimpleCookie(answer.headers["set-cookie"]).values()
        assert cookie.key == "rewardlab-annotator-p"
        assert cookie["httponly"] is True
        assert cookie["samesite"].lower() == "strict"
        assert bool(cookie["secure"]) is secure
        assert not cookie["domain"]


def test_host_origin_and_size_are_checked_on_every_route(app: FastAPI, client: TestClient) -> None:
    enter(client, "p", link(app))
    large = b'{"token": "' + b"x" * 300_000 + b'"}'
    routes = [*guarded_routes(app), *sorted(OUTSIDE)]
    for method, path in routes:
        here = path.replace("P", "p")
        assert client.request(method, here, headers={"Host": "evil.example"}).status_code == 421
        if method != "GET":
            for origin in ("http://evil.example", "null", ""):
                answer = client.request(method, here, headers={"Origin": origin}, json={})
                assert answer.status_code == 403, (method, path, origin)
            if path != "/api/annotate":
                assert client.request(method, here, content=large).status_code == 413, path
        if path.startswith("/api/"):
            crossed = {"Sec-Fetch-Site": "cross-site"}
            assert client.request(method, here, headers=crossed).status_code == 403


@pytest.mark.parametrize("name", ODD)
def test_odd_names_of_projects_open_nothing(app: FastAPI, client: TestClient, name: str) -> None:
    client.cookies.set("rewardlab-annotator-p", link(app))
    for path in (f"/annotate/{name}", f"/api/annotate/{name}/next"):
        method = "POST" if path.startswith("/api") else "GET"
        answer = client.request(method, path, json={"annotator": "ann"})
        assert answer.status_code in (401, 404, 405), path


@pytest.mark.parametrize("name", ["../etc", "a b", "A", "-a", "a" * 41, "", "a\n", "ä", "a\0"])
def test_a_project_cannot_be_made_under_an_odd_name(app: FastAPI, name: str) -> None:
    pair = Pair(0, "pair", Content("0", "0", "?", "a", "b"))
    with pytest.raises(InputError, match="project: expected a name"):
        create_project(app.state.engine, name, [pair])


def test_an_open_lab_lets_everybody_in_and_says_what_is_not_there(tmp_path: Path) -> None:
    app = create_app(AppConfig(folder=tmp_path, open_annotation=True))
    create_project(app.state.engine, "p", [Pair(0, "pair", Content("0", "0", "?", "a", "b"))])
    with visitor(app) as client:
        assert client.get("/annotate/p").status_code == 200
        asked = client.post("/api/annotate/p/next", json={"annotator": "local"})
        assert len(asked.json()["pairs"]) == 1
        assert client.get("/annotate/nowhere").status_code == 404
        assert client.get("/annotate/p%00").status_code == 404


@pytest.mark.parametrize("name", ["lab.example.org", "0.0.0.0", "192.168.0.7", "[::]"])
def test_a_lab_that_is_served_to_others_cannot_be_open(name: str) -> None:
    with pytest.raises(InputError, match="for this machine alone"):
        AppConfig(hosts=(*LOOPBACK, name), open_annotation=True)


def test_what_is_stored_is_only_ever_text(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    app = create_app(AppConfig(folder=tmp_path))
    pair = Pair(0, "pair", Content("0", "0", evil, evil, "b"))
    create_project(app.state.engine, "p", [pair], guidelines=f"{evil} [x](javascript:alert(1))")
    with visitor(app) as client:
        for role in ("annotator", "admin"):
            enter(client, "p", link(app, role=role))
        for path in ("/annotate/p", "/annotate/p/admin", "/annotate"):
            page = client.get(path)
            assert evil not in page.text
            assert "onerror=alert" not in page.text.replace("\\u003c", "<").split("boot")[0]
            assert "script-src 'self'" in page.headers["content-security-policy"]
            assert page.headers["referrer-policy"] == "no-referrer"
        said = client.post("/api/annotate/p/next", json={"annotator": "ann"})
        assert said.headers["content-type"] == "application/json"
        assert evil in json.dumps(said.json())
