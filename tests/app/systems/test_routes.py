"""The systems' pages and data, asked for without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rewardlab.app.config import AppConfig
from rewardlab.app.server import create_app
from rewardlab.app.systems.views import search_words, system_state, theme_of
from rewardlab.systems.catalogue import all_systems, by_theme, find_system, speaking_of
from rewardlab.systems.controls import Choice, Slider, Value
from rewardlab.systems.declaration import System
from rewardlab.systems.words import figure_text, table_texts
from tests.app.systems.running_code import printed


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """A visitor of a lab."""
    app = create_app(AppConfig(folder=tmp_path))
    return TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)


def test_every_system_stands_under_one_theme_in_teaching_order() -> None:
    listed = [system.name for systems in by_theme().values() for system in systems]
    assert listed == [system.name for system in all_systems()]
    assert theme_of(find_system("leash")) == "Optimising against it"


def test_the_list_names_every_system_and_theme(client: TestClient) -> None:
    page = client.get("/systems").text
    for theme, systems in by_theme().items():
        assert f">{theme}</h2>" in page
        for system in systems:
            assert f'href="/systems/{system.name}"' in page


def test_the_filter_knows_the_words_that_the_command_line_finds() -> None:
    for word in ("elo", "kl", "hurried"):
        found = {name for name, words in search_words().items() if f" {word}" in f" {words}"}
        assert found == {system.name for system in speaking_of(word)}


def test_a_result_carries_texts_as_the_terminal_prints_them(client: TestClient) -> None:
    system = find_system("best-of-n")
    said = client.get("/api/systems/best-of-n/result?n=64").json()
    result = system.evaluate({"n": 64})
    assert said["settings"]["n"] == 64
    assert said["sentence"] == result.sentence
    assert [one["text"] for one in said["quantities"]] == [
        figure_text(one) for one in result.quantities
    ]
    expected = table_texts(result.table)
    assert said["table"]["rows"] == [list(row) for row in expected["rows"]]
    assert said["table"]["numeric"] == expected["numeric"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("gamma=1", "expected a control among beta"),
        ("beta=99", "expected a number from 0.05 to 4"),
        ("beta=x", "expected a number"),
        ("seed=-1", "expected a whole number"),
    ],
)
def test_a_setting_that_is_not_allowed_is_refused_in_words(
    client: TestClient, query: str, said: str
) -> None:
    answer = client.get(f"/api/systems/leash/result?{query}")
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_a_system_or_question_that_there_is_not_is_not_found(client: TestClient) -> None:
    assert client.get("/systems/nonsense").status_code == 404
    assert client.get("/api/systems/nonsense/result").status_code == 404
    assert client.get("/api/systems/leash/answers/9").status_code == 404


def test_an_answer_is_computed(client: TestClient) -> None:
    expected = find_system("leash").questions[0].answer()
    said = client.get("/api/systems/leash/answers/0").json()
    assert said == {"choice": expected.choice, "because": expected.because}


def test_only_an_embedded_page_may_stand_in_a_frame(client: TestClient) -> None:
    whole, embedded = client.get("/systems/leash"), client.get("/systems/leash?embed=1")
    assert "frame-ancestors 'none'" in whole.headers["content-security-policy"]
    assert "frame-ancestors *" in embedded.headers["content-security-policy"]
    assert "Sources</h2>" in whole.text
    assert "Sources</h2>" not in embedded.text


@pytest.mark.parametrize("system", all_systems(), ids=lambda system: system.name)
def test_the_code_that_is_shown_prints_the_sentence(system: System) -> None:
    first = system.controls[0]
    match first:
        case Slider():
            other: Value = first.low if first.default != first.low else first.high
        case Choice():
            other = next(one for one in first.options if one != first.default)
        case _:
            other = not first.default
    for chosen, seed in (({}, 0), ({first.name: other}, 1)):
        state = system_state(system, system.settings(chosen), seed)
        assert printed(state["code"]) == state["sentence"]
