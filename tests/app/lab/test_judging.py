"""Judging pairs on the lab's page in a real browser: by key, by rater, taken back, as text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.app.browser import Watch, visit
from tests.app.lab.page_actions import (
    answers,
    auto_label,
    ended,
    experiment,
    labels,
    press_button,
    saved,
)
from tests.app.running import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


def test_a_letter_judges_and_brings_the_next_pair(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    for n, key in enumerate(("a", "b", "t", "x"), start=1):
        before = answers(page)
        page.keyboard.press(key)
        labels(page, n)
        assert answers(page) != before
    saved(page, 4)


def test_a_pair_that_is_skipped_is_no_label(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    before = answers(page)
    page.keyboard.press("s")
    assert answers(page) != before
    page.keyboard.press("a")
    saved(page, 1)


def test_undo_takes_a_label_back_and_shows_its_pair_again(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    page.keyboard.press("a")
    labels(page, 1)
    judged = answers(page)
    page.keyboard.press("b")
    labels(page, 2)
    page.keyboard.press("u")
    saved(page, 1)
    assert answers(page) == judged


@pytest.mark.parametrize("how", ["modifier", "text", "menu", "repeat", "switched off"])
def test_a_letter_that_is_meant_for_something_else_judges_nothing(
    page: Page, lab: Lab, how: str
) -> None:
    visit(page, lab.url)
    before = answers(page)
    if how == "modifier":
        page.keyboard.press("Control+b")
    elif how == "text":
        page.get_by_role("spinbutton", name="seed").press("b")
    elif how == "menu":
        page.get_by_label("Question").press("t")
        page.get_by_label("Question").select_option("coding")
    elif how == "repeat":
        page.evaluate(
            "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', repeat: true}))"
        )
    else:
        page.get_by_label("letter keys judge").uncheck()
        page.keyboard.press("a")
    labels(page, 0)
    assert answers(page) == before


def test_a_letter_judges_while_a_slider_has_the_focus(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    page.get_by_role("slider", name="how many pairs").press("a")
    saved(page, 1)


def test_a_rater_labels_and_weights_with_intervals_appear(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    auto_label(page, 60)
    saved(page, 60)
    weights = page.locator(".weights tbody tr td.n").all_inner_texts()
    assert len(weights) == 6
    assert all(re.match(r"[+−]?\d+\.\d\d\s+−?\d+\.\d to −?\d+\.\d", text) for text in weights)
    assert "12 pairs held back" in page.locator(".accuracy").inner_text()


def test_clearing_can_be_taken_back(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    auto_label(page, 20)
    saved(page, 20)
    press_button(page, "Clear all labels")
    saved(page, 0)
    page.keyboard.press("u")
    saved(page, 20)


def test_a_text_that_is_longer_than_its_card_says_so_and_scrolls_by_keys(
    page: Page, lab: Lab
) -> None:
    visit(page, lab.url)
    experiment(page, 1)
    ended(page)
    card = page.locator(".after .answer").first
    hint = card.locator(".more-text")
    assert re.fullmatch(r"\d+ more lines ↓", hint.inner_text())
    card.locator(".answer-text").focus()
    page.keyboard.press("End")
    hint.wait_for(state="hidden")
    assert page.locator("#collect .more-text:visible").count() == 0  # some 30 words fit


def test_markup_in_an_answer_shows_as_text(page: Page, lab: Lab) -> None:
    markup = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"

    def with_markup(route: Route) -> None:
        found = route.fetch()
        body: dict[str, Any] = found.json()
        for pair in body["pairs"]:
            pair["a"]["text"] = markup
        route.fulfill(response=found, body=json.dumps(body))

    page.route("**/api/lab/pairs", with_markup)
    visit(page, lab.url)
    assert answers(page)[0] == markup
    assert page.locator("#collect img, #collect .answer-text b").count() == 0
    assert page.title() != "run"


def test_a_tab_that_gets_the_focus_knows_what_another_did(watch: Watch, lab: Lab) -> None:
    page = watch.open()
    visit(page, lab.url)
    other = page.context.new_page()
    visit(other, lab.url)
    other.keyboard.press("a")
    saved(other, 1)
    page.evaluate("dispatchEvent(new Event('focus'))")
    saved(page, 1)


def test_the_rubric_is_not_in_the_page_until_it_is_revealed(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    assert "450 words −5.25" not in page.content()
    press_button(page, "Reveal the hidden rubric")
    page.wait_for_selector(".weights.revealed")
    assert "450 words −5.25" in page.locator(".weights").inner_text()
    press_button(page, "Hide the rubric")
    assert page.locator(".weights .rubric:visible").count() == 0
