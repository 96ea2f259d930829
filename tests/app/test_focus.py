"""The keyboard's place on a page stays where it was when a button has done its work."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.app.browser import visit
from tests.app.running import Lab


def test_running_and_stopping_leave_the_keyboard_among_their_buttons(
    lab: Lab, moving_page: Page
) -> None:
    visit(moving_page, lab.url)
    moving_page.get_by_role("button", name=re.compile("^Label [0-9]+ pairs")).click()
    expect(moving_page.locator(".saved")).to_have_text("saved")
    run = moving_page.get_by_role("button", name="Run", exact=True)
    run.focus()
    moving_page.keyboard.press("Enter")
    expect(moving_page.locator("[data-run]")).to_have_attribute("data-run", "playing")
    expect(run).to_be_focused()
    moving_page.get_by_role("button", name="Stop", exact=True).focus()
    moving_page.keyboard.press("Enter")
    expect(moving_page.locator("[data-run]")).to_have_attribute("data-run", "ended")
    expect(run).to_be_focused()
    moving_page.keyboard.press("Enter")
    # The run before has "ended" too: only what plays again can end again, and that takes its time.
    expect(moving_page.locator("[data-run]")).to_have_attribute("data-run", "playing")
    moving_page.get_by_role("button", name="Pause").focus()
    expect(moving_page.locator("[data-run]")).to_have_attribute("data-run", "ended", timeout=30_000)
    expect(run).to_be_focused()
