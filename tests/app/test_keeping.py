"""What a page keeps in the browser, where the browser keeps little or nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.app.browser import Watch, visit
from tests.app.running import Lab

FULL = """Storage.prototype.setItem = () => {
  throw new DOMException("full", "QuotaExceededError");
};"""
BLOCKED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("blocked", "SecurityError"); },
});"""


@pytest.mark.parametrize("script", [FULL, BLOCKED])
def test_labels_and_lessons_work_where_the_browser_keeps_nothing(
    lab: Lab, watch: Watch, script: str
) -> None:
    page = watch.open()
    page.add_init_script(script)
    visit(page, lab.url)
    page.keyboard.press("a")
    expect(page.locator("[data-labels]")).to_have_text("Labels: 1")
    expect(page.locator(".saved")).to_have_text("saved")
    visit(page, f"{lab.url}/learn")
    page.get_by_role("button", name="Forget my progress").click()
    expect(page.get_by_text("Forgotten.")).to_be_visible()
