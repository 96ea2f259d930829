"""Tests of what annotators may look at: blind pairs, differences, and their own judgements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from starlette.testclient import TestClient

from rewardlab.app.annotate.store.access import new_link
from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.config import AppConfig
from rewardlab.app.server import create_app

NOW = "2026-11-30T12:00:00Z"
API = "/api/annotate/demo"


class Site(TestClient):
    """The site as one browser sees it, and its database."""

    engine: Engine


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Site]:
    made = create_app(AppConfig(folder=tmp_path))
    pairs = [
        Pair(k, "pair", Content(f"id-{k}", f"q{k}", f"ask {k}", f"one {k}", f"two {k}", "m1", "m2"))
        for k in range(12)
    ]
    create_project(made.state.engine, "demo", pairs, guidelines="# Be *fair*")
    headers = {"Origin": "http://127.0.0.1"}
    with Site(made, base_url="http://127.0.0.1", headers=headers) as client:
        client.engine = made.state.engine
        yield client


def enter(app: Site, annotator: str) -> None:
    token = new_link(app.engine, "demo", "annotator", annotator)
    app.cookies.clear()
    assert app.post(f"{API}/enter", json={"token": token}).status_code == 200


def fetched(app: Site, annotator: str, **wanted: Any) -> Any:
    return app.post(f"{API}/next", json={"annotator": annotator, **wanted}).json()


def label(pair: int, outcome: str, **more: Any) -> dict[str, Any]:
    event = {"id": f"l{pair}", "kind": "label", "pair": pair, "outcome": outcome}
    return {**event, "judged_at": NOW, **more}


def send(app: Site, annotator: str, *events: dict[str, Any]) -> None:
    said = app.post(f"{API}/labels", json={"annotator": annotator, "events": events}).json()
    assert said == {"acknowledged": [event["id"] for event in events], "refused": {}}


def test_a_pair_says_nothing_of_where_it_came_from(app: Site) -> None:
    enter(app, "ann")
    for pair in fetched(app, "ann")["pairs"]:
        assert set(pair) == {"pair", "prompt", "left", "right"}
        assert app.get(f"{API}/pairs/{pair['pair']}").json() == pair
        assert "m1" not in str(pair) and "id-" not in str(pair)


def test_only_pairs_that_were_given_can_be_looked_at(app: Site) -> None:
    enter(app, "ann")
    given = fetched(app, "ann", n=2)["pairs"]
    other = 1 + max(pair["pair"] for pair in given)
    for path in (f"pairs/{other}", f"pairs/{other}/diff", "pairs/999999"):
        assert app.get(f"{API}/{path}").status_code == 404
    for number in ("-1", "x", 10**30):
        assert app.get(f"{API}/pairs/{number}").status_code == 422
    app.cookies.clear()
    for path in ("pairs/0", "pairs/0/diff", "history"):
        assert app.get(f"{API}/{path}").status_code == 401


def test_differences_are_of_the_sides_as_shown(app: Site) -> None:
    enter(app, "ann")
    pair = fetched(app, "ann")["pairs"][0]
    said = app.get(f"{API}/pairs/{pair['pair']}/diff").json()
    for side in ("left", "right"):
        parts = [part if isinstance(part, str) else part[0] for part in said[side]]
        assert "".join(parts) == pair[side][0]["text"]


def test_the_history_says_what_was_said_of_the_sides_as_shown(app: Site) -> None:
    enter(app, "ann")
    pairs = fetched(app, "ann")["pairs"]
    first, second, third = (pair["pair"] for pair in pairs[:3])
    send(app, "ann", label(first, "left", strength=2, reason="clear"), label(second, "skip"))
    send(app, "ann", label(third, "right"))
    undo = {"id": "u", "kind": "undo", "pair": third, "undone": f"l{third}", "judged_at": NOW}
    send(app, "ann", undo)
    judged = app.get(f"{API}/history").json()["judged"]
    assert [(one["pair"], one["outcome"]) for one in judged] == [(second, "skip"), (first, "left")]
    assert (judged[1]["strength"], judged[1]["reason"]) == (2, "clear")
    assert judged[1]["left"] == pairs[0]["left"][0]["text"]
    skipped = app.get(f"{API}/history?skipped=true").json()["judged"]
    assert [one["pair"] for one in skipped] == [second]


def test_a_pair_that_is_judged_again_stands_once_in_the_history(app: Site) -> None:
    enter(app, "ann")
    pair = fetched(app, "ann")["pairs"][0]["pair"]
    undo = {"id": "u", "kind": "undo", "pair": pair, "undone": f"l{pair}", "judged_at": NOW}
    send(app, "ann", label(pair, "left"), undo, label(pair, "tie", id="again"))
    judged = app.get(f"{API}/history").json()["judged"]
    assert [(one["id"], one["outcome"]) for one in judged] == [("again", "tie")]


def test_progress_counts_what_is_left_for_this_person(app: Site) -> None:
    enter(app, "ann")
    pairs = fetched(app, "ann", n=4)["pairs"]
    send(app, "ann", label(pairs[0]["pair"], "tie"), label(pairs[1]["pair"], "skip"))
    mine = fetched(app, "ann", n=2)["progress"]
    assert mine == {"judged": 1, "skipped": 1, "left": 10, "elsewhere": 0}
    enter(app, "bo")
    assert fetched(app, "bo", n=20)["progress"]["left"] == 9
    enter(app, "cy")
    assert fetched(app, "cy")["progress"] == {"judged": 0, "skipped": 0, "left": 0, "elsewhere": 11}


def test_the_page_starts_with_its_guidelines(app: Site) -> None:
    enter(app, "ann")
    page = app.get("/annotate/demo").text
    assert '["h",["Be ",["em",["fair"]]],{"level":"1"}]' in page
