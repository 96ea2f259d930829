"""The admin's page in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert

from rewardlab.app.annotate.store.access import new_link
from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.annotate.store.tables import LABELS
from rewardlab.app.config import AppConfig
from rewardlab.app.database import open_database
from tests.app.annotate.people import START
from tests.app.browser import Watch
from tests.app.running import Lab
from tests.app.test_accessibility import axe_violations, cut_off

if TYPE_CHECKING:
    from playwright.sync_api import Page

SAID = ["a", "b", "tie", "a", "skip", "a", "b", "a"]


def made(lab: Lab, name: str) -> None:
    """A project that two people have begun."""
    engine = open_database(AppConfig(folder=lab.folder).url)
    pairs = [Pair(i, "pair", Content(f"{i}", f"{i}", "Why?", "so", "no")) for i in range(8)]
    create_project(engine, name, pairs, overlap=2, guidelines="Be *fair*.")
    row = {"project": name, "did": "label", "reason": "", "flipped": False, "duration_s": 4.0}
    at = {"judged_at": START, "stored_at": START}
    rows = [
        {**row, **at, "number": k, "id": f"e{k}", "annotator": who, "pair": k // 2, "outcome": said}
        for k, (who, said) in enumerate(zip(["ann", "ben"] * 4, SAID, strict=True))
    ]
    with engine.begin() as connection:
        connection.execute(insert(LABELS), rows)
    engine.dispose()


def open_admin(page: Page, lab: Lab, name: str) -> None:
    """Enter by an admin's link."""
    engine = open_database(AppConfig(folder=lab.folder).url)
    token = new_link(engine, name, "admin")
    engine.dispose()
    page.goto(f"{lab.url}/annotate/{name}/admin#{token}")
    page.wait_for_selector("html[data-ready] body.admin", state="attached")
    page.locator(".reward", has_text="cannot be said yet").wait_for()


def test_an_admin_invites_shuts_out_and_changes_the_guidelines(lab: Lab, watch: Watch) -> None:
    watch.allow("401")
    made(lab, "admin-does")
    page = watch.open()
    open_admin(page, lab, "admin-does")
    page.get_by_label("Invite an annotator").fill("cleo")
    page.keyboard.press("Enter")
    link = page.get_by_label("The link for cleo").input_value()
    assert link.startswith(f"{lab.url}/annotate/admin-does#")
    revoke = page.get_by_role("button", name="Revoke the link of cleo")
    revoke.click()
    page.get_by_role("button", name="Shut out now?").click()
    page.get_by_text("The link of cleo opens nothing any more.").wait_for()
    page.locator("#guidelines textarea").fill("Be **kind**.")
    page.locator(".preview strong", has_text="kind").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    open_admin(page, lab, "admin-does")
    page.wait_for_url(f"{lab.url}/annotate/admin-does/admin")  # the token is gone from it


def test_figures_renew_themselves_when_somebody_judges(lab: Lab, watch: Watch) -> None:
    watch.allow("401")
    made(lab, "admin-sees")
    page = watch.open()
    open_admin(page, lab, "admin-sees")
    page.locator("#progress-sentence", has_text="7 of 16 judgements").wait_for()
    engine = open_database(AppConfig(folder=lab.folder).url)
    row = {"project": "admin-sees", "number": 8, "id": "e8", "annotator": "cleo", "pair": 5}
    more = {"did": "label", "outcome": "a", "flipped": True, "reason": "", "judged_at": START}
    with engine.begin() as connection:
        connection.execute(insert(LABELS), [{**row, **more, "stored_at": START}])
    engine.dispose()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#progress-sentence", has_text="8 of 16 judgements").wait_for()
    page.locator(".people th", has_text="cleo").wait_for()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_the_page_is_for_everybody(lab: Lab, watch: Watch, scheme: str, width: int) -> None:
    watch.allow("401")
    name = f"admin-{scheme}"
    made(lab, name)
    page = watch.open(color_scheme=scheme, viewport={"width": width, "height": 800})
    open_admin(page, lab, name)
    page.get_by_role("button", name="Link for another admin").click()
    page.get_by_label("The link for an admin").wait_for()
    for summary in page.locator("summary").all():
        if summary.is_visible():
            summary.click()
    assert axe_violations(page) == []
    assert cut_off(page) == []
