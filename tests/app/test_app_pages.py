"""The lab's pages as a whole: every link leads somewhere, every first visit is light."""

from __future__ import annotations

import re
import urllib.request
from html.parser import HTMLParser

import pytest
from playwright.sync_api import Browser, Page

from tests.app.browser import visit
from tests.app.running import Lab
from tests.app.test_accessibility import PAGES, PLAIN, REFUSED, REPORT, SYSTEMS, few_first

MOST_BYTES = 80_000
"""What a page may bring over the wire at a first visit, with its styles, scripts and data."""


class _Links(HTMLParser):
    """Collects where a page's links lead, within the lab."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href") or ""
        if tag == "a" and href.startswith("/"):
            self.found.add(href.partition("#")[0])


def test_every_link_leads_to_a_page_that_is_tested(lab: Lab) -> None:
    seen: set[str] = set()
    waiting = {"/"}
    while waiting:
        path = waiting.pop()
        seen.add(path)
        with urllib.request.urlopen(lab.url + path, timeout=60) as answer:
            assert answer.status == 200
            links = _Links()
            if answer.headers.get_content_type() == "text/html":
                links.feed(answer.read().decode())
        waiting |= links.found - seen
    pages = {path.partition("?")[0] for path in seen}
    known = {path.partition("?")[0] for path in PAGES}
    reports = {path for path in pages if re.match(r"/reports/[0-9a-f]+(/|$)", path)}
    assert pages - known - reports == set()
    assert known - pages - {REPORT, "/nowhere"} == set(), "no link leads there"


@pytest.mark.parametrize("path", few_first([one for one in PLAIN if one != REPORT] + SYSTEMS))
def test_a_first_visit_stays_light(lab: Lab, page: Page, path: str) -> None:
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: dict[str, float] = {}
    network.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}),
    )
    visit(page, lab.url + path)
    page.wait_for_load_state("networkidle")
    assert len(sizes) > 1
    assert sum(sizes.values()) < MOST_BYTES, f"{sum(sizes.values()):,.0f} bytes"


def test_a_refused_address_says_why_and_leads_back(lab: Lab, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        for path in REFUSED:
            page.goto(lab.url + path)
            assert page.locator("p.message").inner_text().endswith(".")
            page.get_by_role("link", name="All systems").click()
            page.wait_for_url("**/systems")
