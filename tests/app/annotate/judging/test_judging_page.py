"""Judging in a real browser: by keyboard, without a network, in two tabs, with a revoked link."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Engine

from rewardlab.app.annotate.store.access import links_of, new_link, revoke
from rewardlab.app.annotate.store.contents import Content, Label, Pair
from rewardlab.app.annotate.store.projects import create_project, find_project
from rewardlab.app.annotate.store.record import labels_of, standing
from rewardlab.app.config import AppConfig
from rewardlab.app.database import open_database
from rewardlab.types import Text
from tests.app.browser import Watch, visit
from tests.app.running import Lab
from tests.app.test_accessibility import axe_violations, cut_off

if TYPE_CHECKING:
    from playwright.sync_api import Page

_RICH = (
    "## Why\n\n1. It is **short**:\n\n```python\nreturn 1  # one\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n"
)
_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class Work:
    """A project on a running lab."""

    lab: Lab
    engine: Engine
    project: str

    def visit(self, page: Page, annotator: str = "ann") -> None:
        """Open it with a new link of somebody's, and close the guidelines."""
        token = new_link(self.engine, self.project, "annotator", annotator)
        page.goto(f"{self.lab.url}/annotate/{self.project}#{token}")
        page.wait_for_selector("html[data-ready] #work", state="attached")
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")

    def labels(self) -> list[Label]:
        """Those that stand."""
        return standing(labels_of(self.engine, self.project))


@pytest.fixture
def work(lab: Lab) -> Iterator[Work]:
    """Twelve pairs to judge."""
    asked = [(f"Ask {k}", _RICH + f"one {k}", f"two {k}" * 90) for k in range(12)]
    yield from work_on(lab, asked)


@pytest.fixture
def odd_work(lab: Lab) -> Iterator[Work]:
    """Many pairs: first an empty prompt and lists from right to left, then a conversation."""
    turns = [{"role": "user", "content": f"{'Line. ' * 20} Turn {k}"} for k in range(4)]
    asked: list[tuple[Text, str, str]] = [
        ("", "- אחת\n- שתיים", "1. الماء\n2. الرمل"),
        (turns, "Long. " * 900, "Short."),
    ]
    yield from work_on(lab, asked + [(f"Ask {k}", "one", "two") for k in range(1_198)])


def work_on(lab: Lab, asked: Sequence[tuple[Text, str, str]]) -> Iterator[Work]:
    engine = open_database(AppConfig(folder=lab.folder).url)
    name = f"page-{next(_NUMBERS)}"
    pairs = [Pair(k, "pair", Content(f"p{k}", f"q{k}", *texts)) for k, texts in enumerate(asked)]
    create_project(engine, name, pairs, guidelines="# Be fair\n\nTake *your* time.")
    yield Work(lab, engine, name)
    engine.dispose()


@pytest.fixture
def annotating(watch: Watch) -> Page:
    """An empty page of a visitor who is asked for a link at first."""
    watch.allow("401")
    return watch.open()


def prompt(page: Page) -> str:
    return page.locator(".prompt .text").inner_text()


def saved(page: Page, n: int) -> None:
    """Wait until so many judgements are on the server's disk."""
    page.wait_for_function(
        "n => document.querySelector('.counts')?.textContent.startsWith(`${n} judged`)"
        " && document.querySelector('.saved').textContent === 'all saved'",
        arg=n,
    )


def test_a_round_by_keyboard_is_stored_as_it_was_said(work: Work, annotating: Page) -> None:
    page = annotating
    work.visit(page)
    left = page.locator(".column.side .text").first.inner_text()
    page.keyboard.press("2")
    page.keyboard.press("r")
    page.keyboard.type("a better tone")
    page.keyboard.press("Escape")
    for key in "abtxs":
        page.keyboard.press(key)
    assert prompt(page) == "Ask 5"
    saved(page, 4)
    first, *rest = work.labels()
    assert (first.outcome == "b") == ("two 0" in left)
    assert (first.strength, first.reason) == (2, "a better tone")
    assert [label.outcome for label in rest[1:]] == ["tie", "both_bad", "skip"]
    assert all(label.duration_s is not None for label in rest)


def test_undo_shows_the_pair_again_also_after_a_reload(work: Work, annotating: Page) -> None:
    page = annotating
    work.visit(page)
    for key in ("a", "3", "b", "u"):
        page.keyboard.press(key)
    assert prompt(page) == "Ask 1"
    assert page.get_by_role("button", name="much").get_attribute("aria-pressed") == "true"
    saved(page, 1)
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert prompt(page) == "Ask 1"
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('.prompt .text').innerText === 'Ask 0'")
    page.keyboard.press("t")
    saved(page, 1)
    assert [label.outcome for label in work.labels()] == ["tie"]


def test_judging_goes_on_without_a_network_and_all_of_it_arrives(
    work: Work, watch: Watch, annotating: Page
) -> None:
    watch.allow("ERR_INTERNET_DISCONNECTED")
    page = annotating
    work.visit(page)
    page.context.set_offline(True)
    for key in "abtxab":
        page.keyboard.press(key)
    page.wait_for_function(
        "() => document.querySelector('.saved').textContent.startsWith('6 kept here')"
    )
    assert prompt(page) == "Ask 6"
    page.context.set_offline(False)
    saved(page, 6)
    assert [label.pair for label in work.labels()] == list(range(6))


def test_a_pair_that_was_judged_in_one_tab_leaves_the_other(work: Work, annotating: Page) -> None:
    work.visit(annotating)
    second = annotating.context.new_page()
    visit(second, f"{work.lab.url}/annotate/{work.project}")
    assert prompt(second) == "Ask 0"
    annotating.bring_to_front()
    annotating.keyboard.press("a")
    second.wait_for_function("() => document.querySelector('.prompt .text').innerText === 'Ask 1'")


def test_a_revoked_link_loses_nothing_and_a_new_one_sends_it(work: Work, annotating: Page) -> None:
    page = annotating
    work.visit(page)
    for link in links_of(work.engine, work.project):
        revoke(work.engine, work.project, link.link)
    page.keyboard.press("a")
    page.get_by_text("Your link does not open this project any more").wait_for()
    assert work.labels() == []
    token = new_link(work.engine, work.project, "annotator", "ann")
    again = page.context.new_page()
    again.goto(f"{work.lab.url}/annotate/{work.project}#{token}")
    saved(again, 1)
    assert [label.pair for label in work.labels()] == [0]


def test_a_link_opens_also_where_the_page_that_asks_for_one_stands(
    work: Work, annotating: Page
) -> None:
    annotating.goto(f"{work.lab.url}/annotate/{work.project}")
    annotating.wait_for_selector("html[data-ready] #said")
    work.visit(annotating)
    assert annotating.url == f"{work.lab.url}/annotate/{work.project}"


def test_somebody_else_in_the_same_browser_never_sends_my_labels(
    work: Work, watch: Watch, annotating: Page
) -> None:
    watch.allow("409")
    work.visit(annotating)
    other = annotating.context.new_page()
    work.visit(other, "bo")
    annotating.keyboard.press("a")
    annotating.get_by_text("this browser now labels as bo").wait_for()
    found = find_project(work.engine, work.project)
    assert found is not None
    mine = f"rewardlab.annotate/{work.project}/{found.made_at.isoformat()}/ann/event."
    kept = annotating.evaluate("Object.keys(localStorage)")
    assert sum(name.startswith(mine) for name in kept) == 1
    other.keyboard.press("b")
    saved(other, 1)
    assert [label.annotator for label in work.labels()] == ["bo"]
    token = new_link(work.engine, work.project, "annotator", "ann")
    third = annotating.context.new_page()
    third.goto(f"{work.lab.url}/annotate/{work.project}#{token}")
    saved(third, 1)
    assert {label.annotator for label in work.labels()} == {"ann", "bo"}


def test_a_link_that_opens_nothing_never_makes_one_judge_as_another(
    work: Work, annotating: Page
) -> None:
    work.visit(annotating)
    other = annotating.context.new_page()
    other.goto(f"{work.lab.url}/annotate/{work.project}#0123456789ab.of-nobody")
    other.get_by_text("This link opens nothing").wait_for()
    other.keyboard.press("a")
    assert not other.locator("#work").is_visible()
    other.get_by_role("button", name="Go on as ann").click()
    other.locator("#work").wait_for()
    assert prompt(other) == "Ask 0"


def test_texts_are_shown_as_they_run_and_what_is_empty_is_said(
    odd_work: Work, annotating: Page
) -> None:
    page = annotating
    odd_work.visit(page)
    assert page.locator(".counts").inner_text() == "0 judged, 1,200 left for you"
    assert prompt(page) == "Nothing is written here."
    for column in page.locator(".column.side").all():
        item, frame = column.locator("li").first.bounding_box(), column.bounding_box()
        assert item and frame
        assert item["x"] + item["width"] > frame["x"] + 0.8 * frame["width"]
        assert column.locator("li").first.evaluate("it => getComputedStyle(it).direction") == "rtl"
    page.keyboard.press("d")
    page.locator("mark").first.wait_for()
    page.keyboard.press("m")
    assert page.locator("mark").count() == 0
    assert page.get_by_role("button", name="Differences").get_attribute("aria-pressed") == "false"


def test_on_a_phone_the_next_pair_begins_at_its_prompt_and_at_what_was_said_last(
    odd_work: Work, annotating: Page
) -> None:
    page = annotating
    page.set_viewport_size({"width": 390, "height": 640})
    odd_work.visit(page)
    page.keyboard.press("s")
    assert page.get_by_text("Turn 3").evaluate(_LOWEST_SEEN) <= 0
    page.evaluate("scrollTo(0, 2000)")
    page.keyboard.press("s")
    box = page.locator(".prompt").bounding_box()
    assert box and 0 <= box["y"] < 100


def test_the_focus_is_never_lost(lab: Lab, annotating: Page) -> None:
    for work in work_on(lab, [("Ask 0", "one", "two")]):
        page = annotating
        work.visit(page)
        for name in ("Stop for now", "Go on"):
            page.get_by_role("button", name=name).focus()
            page.keyboard.press("Enter")
        page.locator("#work").wait_for()
        assert page.evaluate("document.activeElement.id") == "main"
        page.get_by_role("button", name="Tie").focus()
        page.keyboard.press("Enter")
        page.get_by_text("All done. Thank you.").wait_for()
        assert page.evaluate("document.activeElement.textContent") == "Ask again"


_LOWEST_SEEN = """it => it.getBoundingClientRect().bottom
  - it.closest(".text").getBoundingClientRect().bottom"""
"""By how much an element sticks out below the frame that it scrolls in."""


def test_the_page_suits_everybody(work: Work, annotating: Page) -> None:
    page = annotating
    work.visit(page)
    page.keyboard.press("d")
    page.locator("mark").first.wait_for()
    assert axe_violations(page) == []
    page.keyboard.press("d")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert cut_off(page) == []
    page.emulate_media(color_scheme="dark")
    assert axe_violations(page) == []
    for key in ("?", "h", "g"):
        page.keyboard.press(key)
        page.wait_for_selector("dialog[open]")
        assert axe_violations(page) == []
        page.keyboard.press("Escape")
