"""Projects in the browser: only one's own are listed, and new ones come from a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine
from starlette.testclient import TestClient

from rewardlab.app.annotate.store.access import new_link
from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.annotate.store.projects import all_projects, create_project, pairs_of
from rewardlab.app.config import LOOPBACK, AppConfig, Limits
from rewardlab.app.server import create_app
from tests.app.browser import Watch, visit, wait_ready
from tests.app.running import Lab
from tests.app.test_accessibility import axe_violations

HOME = "http://127.0.0.1"

Served = Callable[..., TestClient]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Starts labs in one folder."""
    started: list[FastAPI] = []

    def start(**options: Any) -> TestClient:
        app = create_app(AppConfig(**{"folder": tmp_path, **options}))
        started.append(app)
        return TestClient(app, base_url=HOME, headers={"Origin": HOME})

    yield start
    for app in started:
        app.state.engine.dispose()


def engine_behind(client: TestClient) -> Engine:
    assert isinstance(client.app, FastAPI)
    engine: Engine = client.app.state.engine
    return engine


def lines(n: int = 6, **more: Any) -> bytes:
    rows = [
        {"prompt": f"What is {i}?", "response_a": f"{i}", "response_b": f"not {i}", **more}
        for i in range(n)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def make(client: TestClient, file: bytes, answers: bytes = b"", **settings: Any) -> Any:
    wanted = {"name": "p", "file": "my pairs.jsonl", "file_bytes": len(file), **settings}
    if answers:
        wanted = {"known": "gold.jsonl", "known_bytes": len(answers), **wanted}
    return client.post(
        "/api/annotate", content=json.dumps(wanted).encode() + b"\n" + file + answers
    )


def test_a_file_becomes_a_project_that_its_maker_manages(served: Served) -> None:
    client = served()
    known = lines(3, outcome="a").replace(b"What is", b"Once more:")
    made = make(client, lines(), known, overlap=2, guidelines="Be *fair*.", repeat_share=0.5)
    assert made.status_code == 201, made.text
    said = made.json()
    assert "12 judgements wanted" in said["sentences"][-1]
    engine = engine_behind(client)
    (project,) = all_projects(engine)
    assert (project.project, project.overlap, project.guidelines) == ("p", 2, "Be *fair*.")
    assert project.known_every == 15
    kinds = [pair.kind for pair in pairs_of(engine, "p")]
    assert [kinds.count(kind) for kind in ("pair", "repeat", "known")] == [6, 3, 1]
    assert client.get("/annotate/p/admin").status_code == 200
    assert client.get("/annotate/p").status_code == 401
    listed = client.get("/annotate")
    assert "/annotate/p/admin" in listed.text
    assert said["token"].split(".")[1] not in listed.text


@pytest.mark.parametrize("options", [{}, {"database_url": "sqlite:///team.sqlite"}])
def test_a_folder_or_database_may_be_named_from_where_the_lab_was_started(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    client = served(folder=Path("team"), **options)
    assert make(client, lines()).status_code == 201
    assert [found.project for found in all_projects(engine_behind(client))] == ["p"]


def test_the_file_of_a_project_is_not_kept_among_the_uploads(
    served: Served, tmp_path: Path
) -> None:
    client = served()
    make(client, lines())
    make(client, b"{}\n", name="bad")
    assert list((tmp_path / "uploads").iterdir()) == []
    assert client.get("/api/uploads").json()["uploads"] == []


def test_what_cannot_be_made_is_refused_in_words_and_leaves_nothing(served: Served) -> None:
    client = served()
    assert make(client, lines()).status_code == 201
    refusals: list[tuple[dict[str, Any], bytes, str]] = [
        ({}, lines(), "there is a project 'p' already"),
        ({"name": "../x"}, lines(), "project: expected a name"),
        ({"name": "q", "overlap": 0}, lines(), "overlap: input should be greater"),
        ({"name": "q", "colour": 1}, lines(), "colour: extra inputs"),
        ({"name": "q", "guidelines": "a\0"}, lines(), "guidelines: "),
        ({"name": "q"}, b"", "my pairs.jsonl: the file is empty"),
        ({"name": "q", "file_bytes": 3}, lines(), "my pairs.jsonl: expected 3 bytes"),
        ({"name": "q"}, b'{"x": 1}\n', "my pairs.jsonl: nothing to judge is recognised"),
        ({"name": "q", "order": "curve"}, lines(), "order curve"),
        ({"name": "q", "known": "k.jsonl", "known_bytes": 9}, lines(), "k.jsonl: the file is"),
    ]
    for settings, file, said in refusals:
        answer = make(client, file, **settings)
        assert answer.status_code == 422, settings
        assert said in answer.json()["error"]
    for body in (b"", b"no json\n", b"x" * 250_000, b"[]\n"):
        assert client.post("/api/annotate", content=body).status_code == 422
    engine = engine_behind(client)
    assert [project.project for project in all_projects(engine)] == ["p"]


def test_files_are_bounded_and_only_here(served: Served) -> None:
    client = served(limits=Limits(body_bytes=1_000, upload_bytes=20_000, upload_rows=50))
    large = make(client, b"x" * 30_000)
    assert large.status_code == 413
    assert "rewardlab annotate new" in large.json()["error"]
    assert "more than 50 rows" in make(client, lines(60)).json()["error"]
    for path in ("/api/annotate/", "/api/annotate/p/labels", "/api/annotate/p/enter"):
        assert client.post(path, content=b"x" * 2_000).status_code == 413


def test_only_projects_that_a_browser_may_enter_are_listed(served: Served) -> None:
    client = served()
    engine = engine_behind(client)
    for name in ("mine", "hidden", "gone"):
        create_project(engine, name, [Pair(0, "pair", Content("0", "0", "?", "a", "b"))])
    token = new_link(engine, "mine", "annotator", "ann")
    client.post("/api/annotate/mine/enter", json={"token": token})
    client.cookies.set("rewardlab-annotator-hidden", token)
    client.cookies.set("rewardlab-admin-mine", token)
    client.cookies.set("rewardlab-annotator-gone", f"{'0' * 12}.{'A' * 43}")
    page = client.get("/annotate").text
    assert "/annotate/mine" in page
    assert "/annotate/mine/admin" not in page
    assert "hidden" not in page.split("<main")[1].split("</ul>")[0]
    assert "/annotate/gone" not in page


def test_a_lab_that_is_served_to_others_makes_projects_on_its_own_machine_alone(
    served: Served,
) -> None:
    client = served(hosts=(*LOOPBACK, "lab.example.org"))
    refused = make(client, lines())
    assert refused.status_code == 403
    assert "rewardlab annotate new" in refused.json()["error"]
    page = client.get("/annotate").text
    assert "rewardlab annotate new NAME FILE" in page
    assert "<form" not in page


def test_an_open_lab_lists_all_projects_and_needs_no_links(served: Served) -> None:
    client = served(open_annotation=True)
    made = make(client, lines())
    assert made.json()["token"] == ""
    assert "set-cookie" not in made.headers
    page = client.get("/annotate").text
    assert 'href="/annotate/p"' in page
    assert 'href="/annotate/p/admin"' in page


def test_a_project_is_made_by_hand_and_its_token_goes_nowhere_else(
    own_lab: Callable[..., Lab], watch: Watch
) -> None:
    lab, page = own_lab(), watch.open()
    watch.allow("401")
    sent: list[tuple[str, str]] = []
    page.on("request", lambda one: sent.append((one.url, one.headers.get("referer", ""))))
    visit(page, f"{lab.url}/annotate")
    page.set_input_files(
        "#file", {"name": "My pairs.jsonl", "mimeType": "text/plain", "buffer": lines()}
    )
    assert page.input_value("#name") == "my-pairs"
    page.click("summary")
    assert axe_violations(page) == []
    page.fill("#guidelines", "See https://example.org/")
    page.press("#overlap", "Enter")
    link = page.get_by_label("Your link as admin").input_value()
    assert axe_violations(page) == []
    secret = link.split("#")[1].split(".")[1]
    page.context.clear_cookies()
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_function("!location.hash && document.querySelector('main h1')")
    page.wait_for_selector("body.admin")
    wait_ready(page)
    assert secret not in page.content()
    assert secret not in page.url
    assert page.evaluate("document.cookie") == ""
    assert all(secret not in url and not referer for url, referer in sent)
    assert secret not in lab.said()
