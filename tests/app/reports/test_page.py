"""Uploads and reports in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.browser import Watch
from tests.app.running import Lab
from tests.app.uploads.sending import votes

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def open_reports(page: Page, lab: Lab) -> None:
    page.goto(f"{lab.url}/reports")
    page.wait_for_selector("html[data-ready]", state="attached")


def choose(page: Page, path: Path) -> None:
    page.get_by_label("Choose a preference file, or drop it here").set_input_files(path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my votes.jsonl"
    path.write_bytes(votes(80))
    return path


def test_a_file_is_uploaded_fitted_audited_and_its_report_opened(
    page: Page, lab: Lab, file: Path
) -> None:
    open_reports(page, lab)
    choose(page, file)
    page.get_by_text("my votes.jsonl: 80 rows, 80 votes.").wait_for()
    page.get_by_role("button", name="Fit its text-feature reward").click()
    page.get_by_text(
        re.compile("this reward agrees with people on .* of 80 decided votes")
    ).wait_for()
    chart = page.locator(".fitted figure").get_by_role("img").first
    assert "decided votes" in (chart.get_attribute("aria-label") or "")
    page.get_by_text(re.compile("All [0-9]+ weights as a table")).click()
    assert (
        page.get_by_role("region", name=re.compile("weights as a table")).get_by_role("row").count()
        > 1
    )
    page.locator(".taken").get_by_role("button", name="Full audit").click()
    page.get_by_role("link", name="Open the report").click()
    page.get_by_role("heading", name="my_votes.jsonl").wait_for()
    page.get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="my votes.jsonl").first.wait_for()


def test_an_audit_that_is_done_stands_in_the_list_at_once(page: Page, lab: Lab, file: Path) -> None:
    open_reports(page, lab)
    choose(page, file)
    page.locator(".taken").get_by_role("button", name="Full audit").click()
    opened = page.get_by_role("link", name="Open the report")
    link = page.locator(f"a[href='{opened.get_attribute('href')}']")
    item = page.get_by_role("listitem").filter(has=link)
    item.get_by_role("button", name="Delete").click()
    item.get_by_role("button", name="Delete for good?").click()
    item.wait_for(state="detached")


def test_it_all_works_by_keyboard(page: Page, lab: Lab) -> None:
    open_reports(page, lab)
    page.get_by_label("Choose a preference file, or drop it here").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    audit = page.locator(".taken").get_by_role("button", name="Full audit")
    audit.wait_for()
    audit.focus()
    page.keyboard.press("Enter")
    opened = page.get_by_role("link", name="Open the report")
    opened.wait_for()
    opened.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{lab.url}/reports/*")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the verdict"
    page.keyboard.press("Tab")
    assert "Reports" in page.locator(":focus").inner_text()


def test_a_section_of_a_report_has_an_address(page: Page, lab: Lab, file: Path) -> None:
    open_reports(page, lab)
    choose(page, file)
    page.locator(".taken").get_by_role("button", name="Full audit").click()
    opened = page.get_by_role("link", name="Open the report")
    page.goto(f"{lab.url}{opened.get_attribute('href')}#pays")
    heading = page.get_by_role("heading", name="What is paid for")
    heading.wait_for()
    page.wait_for_function(
        "() => document.querySelector('#pays').getBoundingClientRect().top < 200"
    )


def test_hostile_text_shows_as_text(page: Page, lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [json.loads(line) for line in votes(60).splitlines()]
    hostile = [{**row, "prompt": f"{EVIL} {k}", "annotator": EVIL} for k, row in enumerate(rows)]
    path.write_text("\n".join(json.dumps(row) for row in hostile))
    open_reports(page, lab)
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    named: FilePayload = {
        "name": f"{EVIL}.jsonl",
        "mimeType": "application/json",
        "buffer": path.read_bytes(),
    }
    page.get_by_label("Choose a preference file, or drop it here").set_input_files(named)
    page.locator(".taken").get_by_role("button", name="Full audit").click()
    page.get_by_role("link", name="Open the report").click()
    page.get_by_role("heading", name="Verdict").wait_for()
    assert EVIL in page.locator("#reading").evaluate("element => element.textContent")
    assert page.locator("img, script").count() == 0
    open_reports(page, lab)
    page.get_by_role("link", name="script>.jsonl").wait_for()
    assert page.locator("main img, main script").count() == 0


def test_what_is_wrong_is_said(watch: Watch, lab: Lab, tmp_path: Path) -> None:
    watch.allow("422")
    page = watch.open()
    path = tmp_path / "photos.jsonl"
    path.write_bytes(b"PK\x03\x04 and so on")
    open_reports(page, lab)
    choose(page, path)
    page.get_by_role("alert").get_by_text("photos.jsonl: the file is a zip archive").wait_for()
    choose_again = tmp_path / "good.jsonl"
    choose_again.write_bytes(votes(50))
    choose(page, choose_again)
    page.get_by_text("good.jsonl: 50 rows, 50 votes.").wait_for()
    assert page.locator("[role=alert]").text_content() == ""


def test_a_running_audit_is_shown_stopped_and_deleted(
    watch: Watch, own_lab: Callable[..., Lab], tmp_path: Path
) -> None:
    lab, page = own_lab(), watch.open()
    path = tmp_path / "long.jsonl"
    path.write_bytes(votes(40_000))
    open_reports(page, lab)
    choose(page, path)
    page.locator(".taken").get_by_role("button", name="Full audit").click()
    page.get_by_role("button", name="Stop").wait_for()
    page.goto(f"{lab.url}/reports")
    page.get_by_role("link", name="long.jsonl").click()
    page.get_by_role("heading", name="Audit of long.jsonl").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()
    page.get_by_role("button", name="Start again").wait_for()
    open_reports(page, lab)
    delete = page.get_by_role("button", name="Delete the audit of long.jsonl")
    delete.click()
    page.get_by_role("button", name="Delete for good?").click()
    page.get_by_text("Deleted: long.jsonl").wait_for()
    assert page.get_by_role("link", name="long.jsonl").count() == 0
    page.reload()
    page.get_by_text("No audits yet.").wait_for()
    assert not [*(lab.folder / "uploads").iterdir()]


def test_an_audit_survives_a_crash_of_the_server(
    watch: Watch, own_lab: Callable[..., Lab], tmp_path: Path
) -> None:
    lab = own_lab()
    for text in ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"):
        watch.allow(text)
    page = watch.open()
    path = tmp_path / "votes.jsonl"
    path.write_bytes(votes(5_000))
    open_reports(page, lab)
    choose(page, path)
    page.locator(".taken").get_by_role("button", name="Full audit").click()
    page.get_by_role("button", name="Stop").wait_for()
    lab.kill()
    page.get_by_text("The lab's server cannot be reached.").wait_for()
    lab.restart()
    page.get_by_role("link", name="Open the report").click()
    page.get_by_role("heading", name="Verdict").wait_for()
