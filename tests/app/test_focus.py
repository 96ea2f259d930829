"""The keyboard's place on a page stays where it was when a button has done its work."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.app.browser import visit
from tests.app.running import Lab


def test_running_and_stopping_leave_the_keyboard_among_their_buttons(lab: Lab, page: Page) -> None:
    visit(page, lab.url)
    page.get_by_role("button", name=re.compile("^Label [0-9]+ pairs")).click()
    expect(page.locator(".saved")).to_have_text("saved")
    run = page.get_by_role("button", name="Run", exact=True)
    run.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-run]")).to_have_attribute("data-run", "playing")
    expect(run).to_be_focused()
    page.get_by_role("button", name="Stop", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-run]")).to_have_attribute("data-run", "ended")
    expect(run).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Pause").focus()
    expect(page.locator("[data-run]")).to_have_attribute("data-run", "ended")
    expect(run).to_be_focused()
