"""The page of a system in a real browser: controls, playing, questions, charts, frames."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from rewardlab.systems.controls import Value
from tests.app.browser import Detour, Watch, visit, wait_ready
from tests.app.running import Lab


def open_system(page: Page, lab: Lab, name: str, query: str = "") -> None:
    """The page of a system, ready."""
    visit(page, f"{lab.url}/systems/{name}{query}")


def settings(page: Page) -> dict[str, Value]:
    """What the page says it shows."""
    shown: tuple[dict[str, Value], int | None] = json.loads(
        page.get_attribute("[data-system]", "data-state") or ""
    )
    return shown[0]


def wait_for(page: Page, name: str, value: Value) -> None:
    """Wait until a control's value is the one shown."""
    page.wait_for_function(
        "([name, value]) => JSON.parse(document.querySelector('[data-system]').dataset.state)[0]"
        "[name] === value",
        arg=[name, value],
    )


def test_an_exact_value_can_be_typed_and_stays_in_the_address(lab: Lab, page: Page) -> None:
    open_system(page, lab, "leash")
    field = page.get_by_label("beta, the price of a nat of KL, exact value")
    field.fill(".1234")
    field.press("Enter")
    wait_for(page, "beta", 0.1234)
    page.wait_for_url("**beta=0.1234**")
    page.reload()
    wait_ready(page)
    assert settings(page)["beta"] == 0.1234
    expect(field).to_have_value("0.1234")


@pytest.mark.parametrize(
    ("typed", "said"),
    [("9", "Give a number from 0.05 to 4."), ("much", "This is not a number.")],
)
def test_a_value_that_is_not_allowed_is_refused_in_words(
    lab: Lab, page: Page, typed: str, said: str
) -> None:
    open_system(page, lab, "leash")
    field = page.get_by_label("beta, the price of a nat of KL, exact value")
    field.fill(typed)
    field.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=said)).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    assert settings(page)["beta"] == 0.5
    field.press("Escape")
    expect(field).to_have_value("0.5")
    expect(page.get_by_text(said)).to_have_count(0)


def test_a_default_between_round_values_is_a_stop_of_its_slider(lab: Lab, page: Page) -> None:
    open_system(page, lab, "losses")
    slider = page.get_by_role("slider", name="deviation of the Gaussian noise (Thurstone)")
    slider.press("ArrowRight")
    page.wait_for_function(
        "() => !document.querySelector('[data-system]').dataset.state.includes('1.2035')"
    )
    slider.press("ArrowLeft")
    wait_for(page, "sigma", 1.2035)


def test_a_logarithmic_slider_of_whole_numbers_moves_with_every_step(lab: Lab, page: Page) -> None:
    open_system(page, lab, "best-of-n", "?n=1")
    slider = page.get_by_role("slider", name="n, answers of which the best is kept")
    for n in (2, 3, 4):
        slider.press("ArrowRight")
        wait_for(page, "n", n)


def test_playing_steps_through_the_range_and_ends_by_itself(lab: Lab, moving_page: Page) -> None:
    open_system(moving_page, lab, "tiny-rater", "?answered=1")
    moving_page.get_by_role("button", name="Play: pairs answered").press("Enter")
    expect(moving_page.get_by_role("button", name="Pause: pairs answered")).to_be_visible()
    for answered in (2, 3, 4, 5):
        wait_for(moving_page, "answered", answered)
    expect(moving_page.get_by_role("button", name="Play: pairs answered")).to_be_visible()


def test_playing_pauses_when_a_control_is_moved(lab: Lab, moving_page: Page) -> None:
    open_system(moving_page, lab, "reversing-programs")
    moving_page.get_by_role("button", name="Play: round").click()
    wait_for(moving_page, "round", 3)
    moving_page.get_by_role("slider", name="round").press("Home")
    expect(moving_page.get_by_role("button", name="Play: round")).to_be_visible()
    wait_for(moving_page, "round", 1)


def test_where_motion_is_unwanted_a_press_is_a_step(lab: Lab, watch: Watch) -> None:
    page = watch.open(reduced_motion="reduce")
    open_system(page, lab, "tiny-rater", "?answered=3")
    page.get_by_role("button", name="Step: pairs answered").click()
    wait_for(page, "answered", 4)
    expect(page.get_by_role("button", name="Step: pairs answered")).to_be_visible()


def test_an_answer_is_marked_in_words(lab: Lab, page: Page) -> None:
    open_system(page, lab, "leash")
    page.get_by_role("button", name="It rises with the score").click()
    expect(page.get_by_role("button", name="It rises with the score not so")).to_have_text(
        re.compile("^✗")
    )
    expect(page.get_by_role("button", name="It collapses right")).to_have_text(re.compile("^✓"))
    expect(page.locator(".because")).to_have_text(re.compile(r"^No\. \S"))
    page.get_by_role("button", name="It collapses").click()
    expect(page.locator(".because")).to_have_text(re.compile(r"^Yes\. \S"))


def test_nothing_below_a_question_moves_when_it_is_answered(lab: Lab, page: Page) -> None:
    open_system(page, lab, "leash")
    place = "document.querySelector('.widget').getBoundingClientRect().top"
    before = page.evaluate(place)
    page.get_by_role("button", name="It rises with the score").click()
    expect(page.locator(".because")).to_have_text(re.compile(r"^No\. \S"))
    assert page.evaluate(place) == before


def test_questions_come_one_at_a_time(lab: Lab, page: Page) -> None:
    open_system(page, lab, "tiny-rater")
    expect(page.locator(".question:visible")).to_have_count(1)
    page.get_by_role("button", name="Next question").click()
    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    expect(page.get_by_role("button", name="Much less sure")).to_be_focused()


def test_a_server_that_is_gone_is_said_and_forgotten_when_it_is_back(
    lab: Lab, page: Page, watch: Watch
) -> None:
    watch.allow("ERR_FAILED")
    results = Detour(page, "**/result?*")
    open_system(page, lab, "leash")
    results.answer = Route.abort
    slider = page.get_by_role("slider", name="reward of the nonsense")
    slider.press("ArrowRight")
    expect(page.get_by_text("The lab's server cannot be reached.")).to_be_visible()
    results.answer = None
    slider.press("ArrowLeft")
    expect(page.get_by_text("The lab's server cannot be reached.")).to_be_hidden()


@pytest.mark.parametrize("name", ["leash", "goodhart", "scaling-laws", "ratings-or-comparisons"])
def test_charts_are_drawn_again_when_the_page_turns_dark_or_narrow(
    lab: Lab, page: Page, name: str
) -> None:
    open_system(page, lab, name)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 320, "height": 640})
    chart = page.locator("figure.chart")
    page.wait_for_function("() => document.querySelector('figure.chart').clientWidth < 320")
    expect(chart.locator("[role=img]")).to_have_attribute("aria-label", re.compile(r"\w+"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_above_the_figures_moves_while_a_slider_is_dragged(lab: Lab, page: Page) -> None:
    open_system(page, lab, "leash")
    place = "() => ['figure.chart', '.figures'].map(s => document.querySelector(s).offsetTop)"
    before = page.evaluate(place)
    slider = page.get_by_role("slider", name="beta, the price of a nat of KL")
    for key, beta in (("Home", 0.05), ("End", 4)):
        slider.press(key)
        wait_for(page, "beta", beta)
        assert page.evaluate(place) == before


def test_a_frame_tells_its_height_to_the_page_around_it(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/systems")
    page.route(
        "**/around.html",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f"<iframe id=f src='{lab.url}/systems/leash?embed=1'></iframe>"
            "<script>addEventListener('message', e => {"
            "if (e.data.rewardlab === 'height') window.told = e.data.height })</script>",
        ),
    )
    page.goto(f"{lab.url}/around.html")
    page.wait_for_function("() => window.told > 300")
    expect(page.frame_locator("#f").get_by_role("heading", name="The leash")).to_be_visible()


def test_the_list_is_filtered_by_a_word(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/systems")
    page.get_by_label("Filter by a word").fill("elo")
    expect(page.get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_role("link", name="Elo is gradient descent")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^1 of \d+$"))
    page.get_by_label("Filter by a word").fill("xyzzy")
    expect(page.get_by_role("listitem")).to_have_count(0)


def test_the_address_keeps_up_with_a_slider_that_comes_back_at_once(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/systems/leash")
    slider = page.get_by_role("slider").first
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('beta=')")
    moved = page.url
    page.evaluate(
        """async () => {
          const widget = document.querySelector("[data-system]");
          const input = document.querySelector("input[type=range]");
          const went = (by) => new Promise((resolve) => {
            const seen = new MutationObserver(() => { seen.disconnect(); resolve(); });
            seen.observe(widget, { attributeFilter: ["data-state"] });
            input.value = String(Number(input.value) + by);
            input.dispatchEvent(new Event("input", { bubbles: true }));
          });
          await went(1);
          await went(-1);
          await new Promise((resolve) => setTimeout(resolve, 400));
        }"""
    )
    assert page.url == moved
