"""Runs and guided experiments on the lab's page, in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.app.browser import Watch, visit, wait_ready
from tests.app.lab.page_actions import (
    answers,
    auto_label,
    ended,
    experiment,
    labels,
    press_button,
    saved,
    table_of_run,
)
from tests.app.running import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_in_experiment_1_true_quality_falls_and_in_2_it_holds(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    experiment(page, 1)
    ended(page)
    hacked = table_of_run(page)
    assert hacked[-1][2] > hacked[0][2]
    assert hacked[-1][3] < hacked[0][3]
    experiment(page, 2)
    ended(page, run=2)
    leashed = table_of_run(page)
    peak = max(row[3] for row in hacked)
    assert leashed[-1][3] > peak - 0.2 * (peak - hacked[0][3])
    assert "true quality, without a penalty" in page.locator(".run-chart .legend").inner_text()


def test_experiment_3_stands_beside_the_same_with_the_hurried_rater(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    experiment(page, 1)
    ended(page)
    hacked = table_of_run(page)
    experiment(page, 3)
    ended(page, run=2)
    assert "true quality, hurried rater" in page.locator(".run-chart .legend").inner_text()
    assert table_of_run(page)[-1][3] > hacked[-1][3]
    saved(page, 100)


def test_an_experiment_sets_everything_and_its_text_is_at_hand(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    experiment(page, 1)
    ended(page)
    page.get_by_label("Answers written by").select_option("policy")
    experiment(page, 5)
    ended(page, run=2)
    assert page.evaluate("document.activeElement.matches('aside.note')")
    assert page.get_by_label("Answers written by").input_value() == "reference"
    assert "RL (natural gradient)" in page.locator(".run-chart .legend").inner_text()
    press_button(page, "Close")
    assert page.evaluate("document.activeElement.innerText").startswith("5")


def test_the_text_of_an_experiment_says_when_the_run_shown_is_another(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    experiment(page, 1)
    ended(page)
    assert "hurried rater labels 100" in page.locator("aside").inner_text()
    page.get_by_label("Method").select_option("closed_form")
    press_button(page, "Run")
    page.wait_for_selector('aside:has-text("a run of your own")')


def test_another_seed_draws_other_weights_in_experiment_6(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    experiment(page, 6)
    ended(page)
    before = page.locator(".weights tbody td.n b").all_inner_texts()
    press_button(page, "Another seed: 4")
    ended(page, run=2)
    assert page.locator(".weights tbody td.n b").all_inner_texts() != before
    assert page.get_by_role("spinbutton", name="seed").input_value() == "4"
    saved(page, 8)


def test_the_last_run_and_its_experiment_are_there_after_a_reload(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    experiment(page, 2)
    ended(page)
    shown = table_of_run(page)
    page.get_by_label("Answers written by").select_option("policy")
    page.wait_for_url(re.compile("writer=policy"))
    page.reload()
    wait_ready(page)
    assert page.get_by_label("Answers written by").input_value() == "policy"
    ended(page, run=0)
    assert table_of_run(page) == shown
    assert "true quality, without a penalty" in page.locator(".run-chart .legend").inner_text()
    assert "Experiment 2:" in page.locator("aside").inner_text()


def test_a_run_whose_labels_are_gone_is_forgotten(watch: Watch, lab: Lab) -> None:
    watch.allow("422")
    page = watch.open()
    visit(page, lab.url)
    experiment(page, 1)
    ended(page)
    page.evaluate("localStorage.setItem('rewardlab.visitor', '0123456789abcdef'.repeat(2))")
    page.reload()
    wait_ready(page)
    page.wait_for_function("() => localStorage.getItem('rewardlab.run') === null")
    assert page.get_by_label("Answers written by").locator("option").nth(1).is_disabled()
    assert page.locator(".run-controls .error:visible").count() == 0


def test_experiment_4_counts_what_is_judged_by_hand(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    experiment(page, 4)
    for n in range(1, 4):
        page.keyboard.press("a")
        labels(page, n)
    assert "3 of 30 judged" in page.locator("aside").inner_text()


def test_a_run_that_is_stopped_keeps_its_path_so_far(moving_page: Page, lab: Lab) -> None:
    visit(moving_page, lab.url)
    auto_label(moving_page, 50)
    press_button(moving_page, "Run")
    moving_page.wait_for_function("() => Number(document.querySelector('#scrub').value) > 3")
    press_button(moving_page, "Pause")
    press_button(moving_page, "Stop")
    ended(moving_page)
    assert 3 < table_of_run(moving_page)[-1][0] < 400
    sentence = moving_page.locator(".run-chart [role=status]").inner_text()
    assert re.search(r"\d", sentence)


def test_the_policy_can_write_once_there_was_a_run(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    writer = page.get_by_label("Answers written by")
    assert writer.locator("option").nth(1).is_disabled()
    auto_label(page, 50)
    press_button(page, "Run")
    ended(page)
    before = answers(page)
    writer.select_option("policy")
    page.wait_for_function(
        "text => document.querySelector('#collect .answer-text').innerText !== text",
        arg=before[0],
    )
    page.wait_for_selector('[data-outcome="a"]:enabled')
    page.keyboard.press("a")
    saved(page, 51)


def test_a_run_without_labels_says_what_is_missing(watch: Watch, lab: Lab) -> None:
    watch.allow("422")
    page = watch.open()
    visit(page, lab.url)
    press_button(page, "Run")
    page.wait_for_selector(".run-controls .error:visible")
    assert "label" in page.locator(".run-controls .error").inner_text()


def test_with_reduced_motion_a_run_is_drawn_at_once(watch: Watch, lab: Lab) -> None:
    page = watch.open(reduced_motion="reduce")
    visit(page, lab.url)
    auto_label(page, 50)
    page.evaluate(
        "window.seen = []; new MutationObserver(() => window.seen.push("
        "document.querySelector('.readout').dataset.run)).observe("
        "document.querySelector('.readout'), {attributes: true})"
    )
    press_button(page, "Run")
    ended(page)
    assert "playing" not in page.evaluate("window.seen")


def test_nothing_moves_while_labels_come_and_a_run_plays(moving_page: Page, lab: Lab) -> None:
    visit(moving_page, lab.url)
    auto_label(moving_page, 50)
    saved(moving_page, 50)
    places = "() => ['#collect', '#fit', '#optimise'].map(i => document.querySelector(i).offsetTop)"
    before = moving_page.evaluate(places)
    press_button(moving_page, "Run")
    ended(moving_page)
    for key in "abx":
        moving_page.keyboard.press(key)
    saved(moving_page, 53)
    assert moving_page.evaluate(places) == before
