"""Labels that outlast a reload, a lost network, a killed server and a refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.app.browser import Detour, Watch, visit, wait_ready
from tests.app.lab.page_actions import answers, auto_label, ended, labels, press_button, saved
from tests.app.running import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

OFFLINE_MS = 8_000


def test_labels_survive_a_reload(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    page.keyboard.press("a")
    page.keyboard.press("b")
    saved(page, 2)
    shown = answers(page)
    page.reload()
    wait_ready(page)
    labels(page, 2)
    assert answers(page) == shown


def test_labels_wait_out_eight_seconds_without_a_network(watch: Watch, lab: Lab) -> None:
    watch.allow("ERR_INTERNET_DISCONNECTED")
    page = watch.open()
    visit(page, lab.url)
    page.context.set_offline(True)
    for n in range(1, 6):
        page.keyboard.press("ab"[n % 2])
        labels(page, n)
    page.wait_for_function(
        "() => document.querySelector('.saved').textContent.startsWith('5 waiting')"
    )
    page.wait_for_timeout(OFFLINE_MS)
    page.keyboard.press("t")
    labels(page, 6)
    page.context.set_offline(False)
    saved(page, 6)
    page.reload()
    wait_ready(page)
    saved(page, 6)


def test_labels_survive_a_server_that_is_killed(watch: Watch, own_lab: Callable[..., Lab]) -> None:
    for trouble in ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"):
        watch.allow(trouble)
    lab = own_lab()
    page = watch.open()
    visit(page, lab.url)
    page.keyboard.press("a")
    saved(page, 1)
    lab.kill()
    page.keyboard.press("b")
    page.keyboard.press("a")
    labels(page, 3)
    lab.restart()
    saved(page, 3)
    page.reload()
    wait_ready(page)
    saved(page, 3)


def test_a_label_that_arrives_twice_counts_once(watch: Watch, lab: Lab) -> None:
    watch.allow("503")
    page = watch.open()
    posts: list[str | None] = []

    def first_answer_lost(route: Route) -> None:
        posts.append(route.request.post_data)
        if len(posts) > 1:
            route.continue_()
            return
        route.fetch()
        route.fulfill(status=503, body="{}")

    page.route("**/api/lab/events", first_answer_lost)
    visit(page, lab.url)
    with page.expect_response(lambda answer: answer.ok and answer.url.endswith("/events")):
        page.keyboard.press("a")
    saved(page, 1)
    assert posts == posts[:1] * 2


def refuse(route: Route) -> None:
    route.fulfill(status=422, json={"error": "too many"})


def test_what_the_server_refused_can_be_sent_again_or_dropped(watch: Watch, lab: Lab) -> None:
    watch.allow("422")
    page = watch.open()
    events = Detour(page, "**/api/lab/events")
    visit(page, lab.url)
    events.answer = refuse
    page.keyboard.press("a")
    page.wait_for_selector(".refused:visible")
    assert "did not take your last judgement: too many" in page.locator(".refused").inner_text()
    events.answer = None
    page.reload()
    wait_ready(page)
    page.wait_for_selector(".refused:visible")
    labels(page, 0)
    press_button(page, "Try again")
    saved(page, 1)
    assert page.locator(".refused").is_hidden()


def test_what_is_dropped_no_longer_stands_in_the_way_of_a_run(watch: Watch, lab: Lab) -> None:
    watch.allow("422")
    page = watch.open()
    events = Detour(page, "**/api/lab/events")
    visit(page, lab.url)
    auto_label(page, 50)
    saved(page, 50)
    events.answer = refuse
    page.keyboard.press("a")
    page.wait_for_selector(".refused:visible")
    press_button(page, "Run")
    page.wait_for_selector(".run-controls .error:visible")
    press_button(page, "Drop it")
    press_button(page, "Run")
    ended(page)
    labels(page, 50)
