"""Every system in a real browser: it shows what the library says, at first and after each control.

What is shown is read from the page as a reader sees it, and compared with ``evaluate`` at exactly
the settings that the page says it shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page

from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.controls import Choice, Control, Slider, Value
from rewardlab.systems.declaration import Result, System
from rewardlab.systems.words import figure_text, table_texts
from tests.app.browser import visit, wait_ready
from tests.app.running import Lab
from tests.app.systems.running_code import printed

SYSTEMS = all_systems()

EACH_KIND = ("the-loop", "six-responses", "natural-gradient", "scaling-laws", "leash", "losses")
"""Every kind of chart and of first control, with draws and without."""

State = tuple[dict[str, Value], int]


def of_each_kind(systems: Iterable[System]) -> list[Any]:
    """Parameters: what is the same script for all is shown by a few; the rest are slow tests."""
    return [
        pytest.param(one, id=one.name, marks=[] if one.name in EACH_KIND else [pytest.mark.slow])
        for one in systems
    ]


@pytest.mark.parametrize("system", of_each_kind(SYSTEMS))
def test_figures_equal_the_librarys_at_first_and_after_every_control(
    lab: Lab, page: Page, system: System
) -> None:
    visit(page, f"{lab.url}/systems/{system.name}")
    settings, seed = _state(page)
    assert settings == system.settings()
    before = _assert_shows(page, system, settings, seed)
    changed = False
    for control in system.controls:
        _operate(page, control)
        now, seed = _state(page)
        assert {name for name in now if now[name] != settings[name]} == {control.name}
        settings = now
        result = _assert_shows(page, system, settings, seed)
        changed = changed or result.sentence != before.sentence
    assert changed, "no control changed the sentence"


@pytest.mark.parametrize("system", of_each_kind(one for one in SYSTEMS if one.draws))
def test_drawing_again_shows_the_next_seed_and_reset_the_first(
    lab: Lab, page: Page, system: System
) -> None:
    visit(page, f"{lab.url}/systems/{system.name}")
    state = _said(page)
    page.get_by_role("button", name="Draw again").click()
    _wait_for_new(page, state)
    settings, seed = _state(page)
    assert (settings, seed) == (system.settings(), 1)
    _assert_shows(page, system, settings, seed)
    again = _said(page)
    page.get_by_role("button", name="Reset").click()
    _wait_for_new(page, again)
    assert _said(page) == state
    assert page.text_content(".sentence") == system.evaluate().sentence


@pytest.mark.parametrize("system", of_each_kind(SYSTEMS))
def test_an_address_brings_back_its_settings_and_the_code_behind_them_runs(
    lab: Lab, page: Page, system: System
) -> None:
    visit(page, f"{lab.url}/systems/{system.name}")
    _operate(page, system.controls[0])
    if system.draws:
        state = _said(page)
        page.get_by_role("button", name="Draw again").click()
        _wait_for_new(page, state)
    state = _said(page)
    settings, seed = _state(page)
    name = system.controls[0].name
    page.wait_for_url(lambda url: name in parse_qs(urlsplit(url).query))
    if system.draws:
        page.wait_for_url("**seed=1**")
    page.reload()
    wait_ready(page)
    assert _said(page) == state
    _assert_shows(page, system, settings, seed)
    assert printed(page.text_content(".code pre") or "") == page.text_content(".sentence")


def _said(page: Page) -> str:
    return page.get_attribute("[data-system]", "data-state") or ""


def _state(page: Page) -> State:
    """Settings and seed that the page says it shows."""
    settings, seed = json.loads(_said(page))
    return settings, seed or 0


def _wait_for_new(page: Page, state: str) -> None:
    page.wait_for_function(
        "state => document.querySelector('[data-system]').dataset.state !== state", arg=state
    )


def _operate(page: Page, control: Control) -> None:
    """Change a control by keyboard, and wait until its result is shown."""
    state = _said(page)
    element = _element(page, control)
    element.focus()
    match control:
        case Slider():
            at, top = (int(element.evaluate(f"it => Number(it.{of})")) for of in ("value", "max"))
            element.press("PageUp" if at < top else "PageDown")
        case Choice() if element.get_attribute("role") == "radiogroup":
            element.get_by_role("radio", checked=False).first.check()
        case Choice():
            shown = element.input_value()
            element.select_option(next(one for one in control.options if one != shown))
        case _:
            element.press("Space")
    _wait_for_new(page, state)


def _element(page: Page, control: Control) -> Locator:
    """The control by the label that a reader sees."""
    widget = page.locator("[data-system]")
    match control:
        case Slider():
            return widget.get_by_role("slider", name=control.label, exact=True)
        case Choice():
            return widget.get_by_label(control.label, exact=True)
    return widget.get_by_role("checkbox", name=control.label, exact=True)


def _assert_shows(page: Page, system: System, settings: dict[str, Value], seed: int) -> Result:
    """The page shows the library's result at these settings: sentence, figures, table."""
    result = system.evaluate(settings, seed=seed)
    assert page.text_content(".sentence") == result.sentence
    figures = page.eval_on_selector_all(
        "[data-quantity]",
        "all => all.map(it => [it.dataset.quantity, ...[...it.children].map(x => x.textContent)])",
    )
    assert figures == [[one.name, one.label, figure_text(one)] for one in result.quantities]
    heads, *rows = page.eval_on_selector_all(
        ".data table tr",
        "all => all.map(row => [...row.children].map(cell => cell.textContent))",
    )
    expected = table_texts(result.table)
    assert heads == list(expected["columns"])
    assert rows == [list(row) for row in expected["rows"]]
    return result
