"""The lab's page as a whole: its address, its keyboard, its files, a narrow screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.app.browser import Watch, visit, wait_ready
from tests.app.lab.page_actions import ended, experiment, press_button, saved, tab_to
from tests.app.running import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_the_address_holds_the_settings(page: Page, lab: Lab) -> None:
    visit(page, f"{lab.url}/?prompt=science&method=grpo&beta=0.5&seed=7&n=30&rater=careful")
    assert page.get_by_label("Question").input_value() == "science"
    assert page.get_by_label("Method").input_value() == "grpo"
    assert page.get_by_label(re.compile("^beta.*exact")).input_value() == "0.5"
    assert page.get_by_role("spinbutton", name="seed").input_value() == "7"
    assert page.get_by_role("radio", name=re.compile("^careful")).is_checked()
    assert page.get_by_role("button", name="Label 30 pairs").is_visible()
    page.get_by_label("Method").select_option("best_of_n")
    page.wait_for_url(re.compile("method=best_of_n"))
    assert "step_size" not in page.url
    page.reload()
    wait_ready(page)
    assert page.get_by_label("Method").input_value() == "best_of_n"


def test_a_beta_that_was_chosen_goes_along_to_other_methods_and_a_default_does_not(
    page: Page, lab: Lab
) -> None:
    visit(page, lab.url)
    method, beta = page.get_by_label("Method"), page.get_by_label(re.compile("^beta.*exact"))
    method.select_option("closed_form")
    assert beta.input_value() == "0.02"
    method.select_option("natural_gradient")
    assert beta.input_value() == "0"
    beta.fill("0.5")
    beta.press("Enter")
    method.select_option("closed_form")
    assert beta.input_value() == "0.5"


def test_the_buttons_stay_where_they_are_whatever_the_method(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    run = page.get_by_role("button", name="Run", exact=True)
    place = run.bounding_box()
    for method in ("grpo", "ppo", "reinforce", "best_of_n", "closed_form"):
        page.get_by_label("Method").select_option(method)
        assert run.bounding_box() == place


def test_what_an_address_gets_wrong_is_left_at_its_default(page: Page, lab: Lab) -> None:
    visit(page, f"{lab.url}/?prompt=no&method=__proto__&beta=1e9&seed=-1&n=x&rater=toString")
    assert page.get_by_label("Question").input_value() == "coding"
    assert page.get_by_label("Method").input_value() == "natural_gradient"
    assert page.get_by_role("radio", name=re.compile("^hurried")).is_checked()


def test_everything_can_be_done_from_the_keyboard(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    tab_to(page, "Label 100 pairs")
    page.keyboard.press("Enter")
    saved(page, 100)
    tab_to(page, "Reveal the hidden rubric")
    page.keyboard.press("Space")
    page.wait_for_selector(".weights.revealed")
    tab_to(page, "Run")
    page.keyboard.press("Enter")
    ended(page)
    tab_to(page, "Sweep beta")
    page.keyboard.press("Enter")
    page.wait_for_selector(".sweep-shown figure [role=img]")


def test_labels_and_path_are_saved_as_files(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    for key in "abt":
        page.keyboard.press(key)
    saved(page, 3)
    with page.expect_download() as labelled:
        press_button(page, "Save labels (JSONL)")
    rows = labelled.value.path().read_text().splitlines()
    assert len(rows) == 2
    page.wait_for_selector("text=1 left out")
    press_button(page, "Run")
    ended(page)
    with page.expect_download() as path:
        press_button(page, "Save path (CSV)")
    assert "kl_nats" in path.value.path().read_text().splitlines()[0]


def test_the_page_fits_a_narrow_screen(watch: Watch, lab: Lab) -> None:
    page = watch.open(viewport={"width": 320, "height": 640})
    visit(page, lab.url)
    experiment(page, 5)
    ended(page)
    press_button(page, "Reveal the hidden rubric")
    page.wait_for_selector(".weights.revealed")
    press_button(page, "Sweep beta")
    page.wait_for_selector(".sweep-shown figure [role=img]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
