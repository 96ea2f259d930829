"""What an admin can see and do, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from fastapi import FastAPI
from sqlalchemy import insert
from starlette.testclient import TestClient

from rewardlab.app.annotate.admin import state as admin_state
from rewardlab.app.annotate.admin.views import order_view
from rewardlab.app.annotate.store.access import new_link
from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.annotate.store.projects import create_project, find_project, pairs_of
from rewardlab.app.annotate.store.tables import LABELS
from rewardlab.app.config import AppConfig
from rewardlab.app.server import create_app

HOME = "http://127.0.0.1"
ADMIN = "/api/annotate/demo/admin"
N = 80


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    served = create_app(AppConfig(folder=tmp_path))
    pairs = [
        Pair(i, "pair", Content(f"p{i}", f"q{i}", "Why?", "so " * (3 + 2 * i % 37), "so " * 9))
        for i in range(N)
    ]
    create_project(served.state.engine, "demo", pairs, overlap=2, guidelines="Be *fair*.")
    yield served
    served.state.engine.dispose()


@pytest.fixture
def admin(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url=HOME, headers={"Origin": HOME}) as client:
        token = new_link(app.state.engine, "demo", "admin")
        assert client.post("/api/annotate/demo/enter", json={"token": token}).status_code == 200
        yield client


def store(app: FastAPI, said: Sequence[tuple[str, int, str]], *, first: int = 0) -> None:
    """Put judgements (who, pair, outcome) straight into the record."""
    now = datetime.now(UTC)
    rows: list[dict[str, Any]] = [
        {
            "project": "demo",
            "number": first + k,
            "annotator": who,
            "id": f"e{first + k}",
            "pair": pair,
            "did": "label",
            "outcome": outcome,
            "flipped": k % 2 == 0,
            "strength": None,
            "reason": "",
            "duration_s": 5.0 + k % 3,
            "undone": None,
            "judged_at": now - timedelta(minutes=k),
            "stored_at": now,
        }
        for k, (who, pair, outcome) in enumerate(said)
    ]
    with app.state.engine.begin() as connection:
        connection.execute(insert(LABELS), rows)


def both(n: int = N) -> list[tuple[str, int, str]]:
    """Two people judge every pair; they differ on every fourth, and longer wins as a rule."""
    said = []
    for pair in range(n):
        longer = "a" if 3 + 2 * pair % 37 > 9 else "b"
        other = "b" if longer == "a" else "a"
        said.append(("ann", pair, longer if pair % 5 else other))
        said.append(("ben", pair, longer if pair % 4 else other))
    return said


def test_progress_counts_what_is_wanted_and_says_what_is_beyond(
    app: FastAPI, admin: TestClient
) -> None:
    three = [("ann", 0, "a"), ("ben", 0, "a"), ("cleo", 0, "b"), ("ann", 1, "tie")]
    store(app, [*three, ("ann", 2, "skip")])
    progress = admin.get(f"{ADMIN}/state").json()["progress"]
    assert progress["sentence"] == (
        "3 of 160 judgements are made (2%); 1 of 80 pairs have all they need."
    )
    assert progress["share"] == pytest.approx(3 / 160)
    assert progress["aside"] == "1 judgement beyond what is wanted."
    assert "cannot be said" in progress["when"]


def test_agreement_of_a_known_record_is_the_share_of_pairs_that_agree(
    app: FastAPI, admin: TestClient
) -> None:
    store(app, both())
    state = admin.get(f"{ADMIN}/state").json()
    agreeing = sum((pair % 5 == 0) == (pair % 4 == 0) for pair in range(N)) / N
    assert state["facts"][1]["text"] == f"{agreeing:.0%}"
    assert state["ceiling"].startswith("A reward can agree with single labels at best 65% to ")
    assert [row["name"] for row in state["people"]["rows"]] == ["ann", "ben"]
    assert state["left_out"] == "160 judgements; left out: none."


def test_of_people_who_never_agree_the_ceiling_is_a_coin(app: FastAPI, admin: TestClient) -> None:
    store(
        app, [(who, pair, said) for who, said in (("ann", "a"), ("ben", "b")) for pair in range(40)]
    )
    assert admin.get(f"{ADMIN}/state").json()["ceiling"] == (
        "A reward can agree with single labels at best 50% of the time, because people agree with "
        "each other only so often; with sampling error, 50%. Ties are set aside."
    )


def test_alpha_of_ties_alone_is_said_to_be_open(app: FastAPI, admin: TestClient) -> None:
    store(app, [(who, pair, "tie") for who in ("ann", "ben") for pair in range(5)])
    facts = admin.get(f"{ADMIN}/state").json()["facts"]
    alpha = next(fact for fact in facts if "alpha" in fact["label"])
    assert alpha["interval"] == "everybody says the same"


def test_nothing_is_computed_again_while_nothing_is_new(
    app: FastAPI, admin: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(app, both(5))
    state = admin.get(f"{ADMIN}/state").json()
    monkeypatch.delattr(admin_state, "summarised")
    again = admin.get(f"{ADMIN}/state", params={"seen": state["key"]})
    assert again.json() == {"key": state["key"]}
    assert admin.get(f"{ADMIN}/state").json() == state


def test_too_few_judgements_teach_no_reward_and_the_page_says_why(
    app: FastAPI, admin: TestClient
) -> None:
    store(app, [("ann", 0, "a")])
    found = admin.get(f"{ADMIN}/reward").json()
    assert found["words"] is None
    assert found["because"] == "1 judgement prefers a side, and it takes 50"


def test_the_reward_is_fitted_once_for_about_the_same_judgements(
    app: FastAPI, admin: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(app, both(76))
    first = admin.get(f"{ADMIN}/reward").json()
    assert first["n"] == 152
    assert first["words"]["accuracy"]["value"] > 0.5
    assert set(first["flips"]) == {"ann", "ben"}
    store(app, [("ann", 77, "a"), ("ben", 77, "a")], first=152)
    monkeypatch.delattr(admin_state, "fitted_so_far")
    assert admin.get(f"{ADMIN}/reward").json()["n"] == 152


def test_an_invitation_opens_the_project_until_it_is_revoked(
    app: FastAPI, admin: TestClient
) -> None:
    made = admin.post(f"{ADMIN}/links", json={"annotator": "ann"}).json()
    path, token = made["path"].split("#")
    assert path == "/annotate/demo"
    link = next(one["link"] for one in made["state"]["links"] if one["annotator"] == "ann")
    with TestClient(app, base_url=HOME, headers={"Origin": HOME}) as ann:
        entered = ann.post("/api/annotate/demo/enter", json={"token": token})
        assert entered.json() == {"role": "annotator", "annotator": "ann"}
        assert ann.get("/annotate/demo").status_code == 200
        state = admin.post(f"{ADMIN}/links/{link}/revoke").json()
        assert ann.get("/annotate/demo").status_code == 401
    assert next(one for one in state["links"] if one["link"] == link)["revoked"] == "just now"


def test_the_secret_of_a_link_is_in_no_later_answer(admin: TestClient) -> None:
    made = admin.post(f"{ADMIN}/links", json={"annotator": "ann"}).json()
    secret = made["path"].split(".")[1]
    assert secret not in admin.get(f"{ADMIN}/state").text
    assert secret not in admin.get("/annotate/demo/admin").text


@pytest.mark.parametrize("name", ["", "a\nb", "<b>", " ann"])
def test_a_name_that_is_none_makes_no_link(admin: TestClient, name: str) -> None:
    refused = admin.post(f"{ADMIN}/links", json={"annotator": name})
    assert refused.status_code == 422
    assert "annotator: expected a name" in refused.json()["error"]
    assert len(admin.get(f"{ADMIN}/state").json()["links"]) == 1


def test_guidelines_are_kept_and_shown(app: FastAPI, admin: TestClient) -> None:
    looked_at = admin.post(f"{ADMIN}/preview", json={"text": "# New"}).json()
    changed = admin.post(f"{ADMIN}/guidelines", json={"text": "# New"}).json()
    assert changed["shown"] == looked_at["nodes"]
    project = find_project(app.state.engine, "demo")
    assert project is not None
    assert project.guidelines == "# New"


def test_guidelines_that_are_too_long_change_nothing(app: FastAPI, admin: TestClient) -> None:
    assert admin.post(f"{ADMIN}/guidelines", json={"text": "x" * 50_001}).status_code == 422
    project = find_project(app.state.engine, "demo")
    assert project is not None
    assert project.guidelines == "Be *fair*."


def test_the_order_of_the_queue_can_be_changed(app: FastAPI, admin: TestClient) -> None:
    said = admin.post(f"{ADMIN}/order", json={"order": "random"}).json()["sentence"]
    assert said == "Done: 80 pairs are in the new order."
    assert len({pair.place for pair in pairs_of(app.state.engine, "demo")}) == N
    assert admin.post(f"{ADMIN}/order", json={"order": "best"}).status_code == 422


@pytest.mark.parametrize("chosen", [False, True])
def test_the_order_for_the_curve_is_offered_for_samples_that_were_chosen(
    app: FastAPI, chosen: bool
) -> None:
    project = find_project(app.state.engine, "demo")
    assert project is not None
    made = replace(project, about={"kind": "samples", "chosen": chosen})
    offered = [choice["key"] for choice in order_view(made)["choices"]]
    assert offered == ["random", "undecided", *["curve"] * chosen]


def test_files_hold_the_labels_and_the_whole_record(app: FastAPI, admin: TestClient) -> None:
    store(app, [("ann", 0, "a"), ("ann", 1, "skip")])
    labels = admin.get(f"{ADMIN}/labels.jsonl")
    assert labels.headers["content-disposition"] == 'attachment; filename="demo-labels.jsonl"'
    checked = admin.get(f"{ADMIN}/labels.jsonl?checks=true").headers["content-disposition"]
    assert checked == 'attachment; filename="demo-labels-with-checks.jsonl"'
    assert [orjson.loads(line)["annotator"] for line in labels.text.splitlines()] == ["ann"]
    assert len(admin.get(f"{ADMIN}/record.jsonl").text.splitlines()) == 2


def test_a_file_of_no_labels_is_refused(admin: TestClient) -> None:
    assert admin.get(f"{ADMIN}/labels.jsonl").status_code == 422
