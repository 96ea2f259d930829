from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rewardlab.app.assets import all_assets
from rewardlab.app.config import AppConfig
from rewardlab.app.server import create_app
from rewardlab.lessons.cards import all_cards
from rewardlab.lessons.course import COURSE
from rewardlab.lessons.formulas import FORMULAS
from rewardlab.lessons.glossary import glossary
from rewardlab.systems.catalogue import find_system

CHAPTERS = [f"/learn/{chapter.name}" for chapter in COURSE]
PARTS = ["/learn", "/learn/quiz", "/learn/flashcards", "/learn/formulas", "/learn/glossary"]
PAGES = [*PARTS, *CHAPTERS]

MOST_BYTES = 80_000
"""Over the wire, the first time."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    config = AppConfig(hosts=("127.0.0.1",), folder=Path(tmp_path_factory.mktemp("learn")))
    with TestClient(create_app(config), base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_served_and_marked_as_part_of_the_course(client: TestClient, page: str) -> None:
    said = client.get(page)
    assert said.status_code == 200
    assert '<a href="/learn" aria-current="page">Learn</a>' in said.text


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_resolves(client: TestClient, page: str) -> None:
    text = client.get(page).text
    for link in {unescape(one) for one in re.findall(r'<a [^>]*?href="([^"]+)"', text)}:
        path, _, anchor = link.partition("#")
        target = client.get(path) if path else None
        assert target is None or target.status_code == 200, link
        if anchor and link != "#main":
            assert f'id="{anchor}"' in (target.text if target else text), link


@pytest.mark.parametrize("page", PAGES)
def test_a_page_comes_cold_in_less_than_80_kb(client: TestClient, page: str) -> None:
    text = client.get(page).text
    wanted = {one.partition("/static/")[2].partition("/")[2] for one in _loaded(text)}
    assert wanted
    sizes = [len(all_assets()[name].gzipped) for name in wanted]
    assert len(gzip.compress(text.encode())) + sum(sizes) < MOST_BYTES


@pytest.mark.parametrize("page", PAGES)
def test_all_modules_that_a_page_imports_are_announced(client: TestClient, page: str) -> None:
    announced = {
        one.partition("/js/")[2] for one in _loaded(client.get(page).text) if "/js/" in one
    }
    for name in announced:
        source = all_assets()[f"js/{name}"].body.decode()
        for imported in re.findall(r'^import .* from "([^"]+)"', source, flags=re.MULTILINE):
            folder, _, module = imported.rpartition("/")
            home = name.partition("/")[0] if folder == "." else folder.removeprefix("../")
            assert f"{home}/{module}" in announced, f"{name} imports {imported}"


@pytest.mark.parametrize("page", ["/learn/quiz?length=all", *CHAPTERS])
def test_no_answer_is_in_a_page(client: TestClient, page: str) -> None:
    text = client.get(page).text
    boot = re.search(r'id="boot">(.*?)</script>', text, flags=re.DOTALL)
    assert boot
    assert "because" not in boot[1]
    for name in sorted({*re.findall(r'"(?:name|system)":"([a-z0-9-]+)"', boot[1])}):
        for question in find_system(name).questions:
            assert question.answer().because not in unescape(text)


def test_the_answer_to_a_quiz_question_is_the_systems_own(client: TestClient) -> None:
    found = client.get("/api/systems/leash/answers/0").json()
    answer = find_system("leash").questions[0].answer()
    assert (found["choice"], found["because"]) == (answer.choice, answer.because)


def test_a_quiz_has_the_order_of_its_seed(client: TestClient) -> None:
    first, again, other = (_boot(client.get(f"/learn/quiz?seed={seed}").text) for seed in (5, 5, 6))
    assert first == again != other
    assert len(first) == 10


@pytest.mark.parametrize(
    ("address", "status", "reason"),
    [
        ("/learn/nowhere", 404, "no chapter"),
        ("/learn/quiz?chapter=nowhere", 422, "chapter: expected one of"),
        ("/learn/quiz?seed=-1", 422, "seed"),
        ("/learn/quiz?seed=x", 422, "seed"),
        ("/learn/quiz?length=11", 422, "length"),
        ("/learn/flashcards?deck=nowhere", 404, "no deck"),
        ("/api/learn/cards/nothing/0", 404, "no card"),
        ("/api/learn/cards/kl-bound-card/4", 404, "4 variants"),
        ("/api/learn/cards/kl-bound-card/-1", 404, "4 variants"),
        ("/api/systems/nothing", 404, "no system"),
    ],
)
def test_what_is_not_there_is_refused_in_words(
    client: TestClient, address: str, status: int, reason: str
) -> None:
    said = client.get(address)
    assert said.status_code == status
    assert reason in unescape(said.text).lower()


@pytest.mark.parametrize("name", ["kl-bound-card", "word-gold"])
def test_a_card_comes_with_its_computed_back(client: TestClient, name: str) -> None:
    card = next(one for one in all_cards() if one.name == name)
    for variant in range(len(card.fronts)):
        said = client.get(f"/api/learn/cards/{name}/{variant}").json()
        assert said == {"back": card.answer(variant), "function": card.path}


def test_a_deck_holds_the_cards_of_its_chapter(client: TestClient) -> None:
    for chapter in COURSE:
        if chapter.cards:
            boot = _boot(client.get(f"/learn/flashcards?deck={chapter.name}").text)
            assert [card["name"] for card in boot] == [card.name for card in chapter.cards]
    assert len(_boot(client.get("/learn/flashcards").text)) == len(all_cards())


def test_backs_of_cards_are_not_in_the_page(client: TestClient) -> None:
    text = unescape(client.get("/learn/flashcards").text)
    told = [card.answer(0) for card in all_cards()]
    # A bare figure can be in a question too.
    assert not [said for said in told if len(said) > 12 and said in text]


def test_every_formula_and_every_word_is_on_its_page(client: TestClient) -> None:
    formulas = client.get("/learn/formulas").text
    assert formulas.count('<math display="block"') == len(FORMULAS)
    words = client.get("/learn/glossary").text
    assert all(f'id="{entry.slug}"' in words for entry in glossary())


def _loaded(page: str) -> list[str]:
    """Addresses of the styles and scripts that a page starts with."""
    links = re.findall(r'<link [^>]*?href="([^"]+)"', page)
    return [*links, *re.findall(r'<script [^>]*?src="([^"]+)"', page)]


def _boot(page: str) -> list[dict[str, object]]:
    found = re.search(r'id="boot">(.*?)</script>', page, flags=re.DOTALL)
    assert found
    return list(json.loads(found[1]))
