"""The lab's page in a real browser: judge, fit, optimise, lose the network, come back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.app.browser import Watch, visit, wait_ready
from tests.app.running import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

OFFLINE_MS = 8_000


def labels(page: Page, n: int) -> None:
    """Wait until there are so many labels."""
    page.wait_for_selector(f'[data-labels="{n}"]')


def saved(page: Page, n: int) -> None:
    """Wait until so many labels are on the server's disk."""
    labels(page, n)
    page.wait_for_function("() => document.querySelector('.saved').textContent === 'saved'")


def ended(page: Page, *, run: int = 1) -> None:
    """Wait until a run of this visit (0: that of an earlier visit) is drawn to its end."""
    page.wait_for_selector(f'[data-run="ended"][data-runs="{run}"]')


def press_button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def answers(page: Page) -> list[str]:
    """The texts of the two answers that are compared."""
    return page.locator("#collect .answer-text").all_inner_texts()


def auto_label(page: Page, n: int) -> None:
    field = page.get_by_label("how many pairs, exact value")
    field.fill(str(n))
    field.press("Enter")
    press_button(page, f"Label {n} pairs")


def table_of_run(page: Page) -> list[list[float]]:
    """Strength, distance, learned reward and true quality at points of the run."""
    rows = page.locator(".run-data tbody tr").all()
    return [[figure(cell) for cell in row.locator("td").all()] for row in rows]


def figure(cell: Locator) -> float:
    return float((cell.text_content() or "").replace("−", "-").replace(",", ""))


def experiment(page: Page, number: int) -> None:
    page.locator(".experiments button").nth(number - 1).click()
    page.wait_for_selector(f'aside:has-text("Experiment {number}:")')


def test_a_letter_judges_and_brings_the_next_pair(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    for n, key in enumerate(("a", "b", "t", "x"), start=1):
        before = answers(page)
        page.keyboard.press(key)
        labels(page, n)
        assert answers(page) != before
    saved(page, 4)


def test_a_pair_that_is_skipped_is_no_label(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    before = answers(page)
    page.keyboard.press("s")
    assert answers(page) != before
    page.keyboard.press("a")
    saved(page, 1)


def test_undo_takes_a_label_back_and_shows_its_pair_again(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    page.keyboard.press("a")
    labels(page, 1)
    judged = answers(page)
    page.keyboard.press("b")
    labels(page, 2)
    page.keyboard.press("u")
    saved(page, 1)
    assert answers(page) == judged


@pytest.mark.parametrize("how", ["modifier", "text", "menu", "repeat", "switched off"])
def test_a_letter_that_is_meant_for_something_else_judges_nothing(
    page: Page, lab: Lab, how: str
) -> None:
    visit(page, lab.url)
    before = answers(page)
    if how == "modifier":
        page.keyboard.press("Control+b")
    elif how == "text":
        page.get_by_role("spinbutton", name="seed").press("b")
    elif how == "menu":
        page.get_by_label("Question").press("t")
        page.get_by_label("Question").select_option("coding")
    elif how == "repeat":
        page.evaluate(
            "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', repeat: true}))"
        )
    else:
        page.get_by_label("letter keys judge").uncheck()
        page.keyboard.press("a")
    labels(page, 0)
    assert answers(page) == before


def test_a_letter_judges_while_a_slider_has_the_focus(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    page.get_by_role("slider", name="how many pairs").press("a")
    saved(page, 1)


def test_a_rater_labels_and_weights_with_intervals_appear(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    auto_label(page, 60)
    saved(page, 60)
    weights = page.locator(".weights tbody tr td.n").all_inner_texts()
    assert len(weights) == 6
    assert all(re.match(r"[+−]?\d+\.\d\d\s+−?\d+\.\d to −?\d+\.\d", text) for text in weights)
    assert "12 pairs held back" in page.locator(".accuracy").inner_text()


def test_clearing_can_be_taken_back(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    auto_label(page, 20)
    saved(page, 20)
    press_button(page, "Clear all labels")
    saved(page, 0)
    page.keyboard.press("u")
    saved(page, 20)


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
    visit(page, lab.url)

    def answer_lost(route: Route) -> None:
        route.fetch()
        route.fulfill(status=503, body="{}")
        page.unroute("**/api/lab/events")

    page.route("**/api/lab/events", answer_lost)
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('.saved').textContent !== 'saved'")
    saved(page, 1)


def test_what_the_server_refused_can_be_sent_again_or_dropped(watch: Watch, lab: Lab) -> None:
    watch.allow("422")
    page = watch.open()
    visit(page, lab.url)
    page.route(
        "**/api/lab/events", lambda route: route.fulfill(status=422, json={"error": "too many"})
    )
    page.keyboard.press("a")
    page.wait_for_selector(".refused:visible")
    assert "did not take your last judgement: too many" in page.locator(".refused").inner_text()
    page.unroute("**/api/lab/events")
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
    visit(page, lab.url)
    auto_label(page, 50)
    saved(page, 50)
    page.route(
        "**/api/lab/events", lambda route: route.fulfill(status=422, json={"error": "too many"})
    )
    page.keyboard.press("a")
    page.wait_for_selector(".refused:visible")
    press_button(page, "Run")
    page.wait_for_selector(".run-controls .error:visible")
    press_button(page, "Drop it")
    press_button(page, "Run")
    ended(page)
    labels(page, 50)


def test_a_text_that_is_longer_than_its_card_says_so_and_scrolls_by_keys(
    page: Page, lab: Lab
) -> None:
    visit(page, lab.url)
    experiment(page, 1)
    ended(page)
    card = page.locator(".after .answer").first
    hint = card.locator(".more-text")
    assert re.fullmatch(r"\d+ more lines ↓", hint.inner_text())
    card.locator(".answer-text").focus()
    page.keyboard.press("End")
    hint.wait_for(state="hidden")
    assert page.locator("#collect .more-text:visible").count() == 0  # some 30 words fit


def test_a_tab_that_gets_the_focus_knows_what_another_did(watch: Watch, lab: Lab) -> None:
    page = watch.open()
    visit(page, lab.url)
    other = page.context.new_page()
    visit(other, lab.url)
    other.keyboard.press("a")
    saved(other, 1)
    page.evaluate("dispatchEvent(new Event('focus'))")
    saved(page, 1)


def test_markup_in_an_answer_shows_as_text(page: Page, lab: Lab) -> None:
    markup = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"

    def with_markup(route: Route) -> None:
        found = route.fetch()
        body: dict[str, Any] = found.json()
        for pair in body["pairs"]:
            pair["a"]["text"] = markup
        route.fulfill(response=found, body=json.dumps(body))

    page.route("**/api/lab/pairs", with_markup)
    visit(page, lab.url)
    assert answers(page)[0] == markup
    assert page.locator("#collect img, #collect .answer-text b").count() == 0
    assert page.title() != "run"


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


def test_the_rubric_is_not_in_the_page_until_it_is_revealed(page: Page, lab: Lab) -> None:
    visit(page, lab.url)
    assert "450 words −5.25" not in page.content()
    press_button(page, "Reveal the hidden rubric")
    page.wait_for_selector(".weights.revealed")
    assert "450 words −5.25" in page.locator(".weights").inner_text()
    press_button(page, "Hide the rubric")
    assert page.locator(".weights .rubric:visible").count() == 0


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


def tab_to(page: Page, name: str) -> None:
    """Press Tab until a button of this name has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == name:
            return
    raise AssertionError(f"Tab does not reach the button {name}")


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
