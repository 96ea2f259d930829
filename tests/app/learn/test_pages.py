"""The course in a real browser."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from rewardlab.lessons.cards import all_cards
from rewardlab.lessons.course import COURSE, find_chapter
from rewardlab.lessons.formulas import FORMULAS
from rewardlab.lessons.quiz import quiz
from rewardlab.systems.catalogue import find_system
from rewardlab.systems.controls import Slider
from tests.app.browser import Watch, visit
from tests.app.running import Lab

_BOXES = """() => [...document.querySelectorAll("math[display=block]")].map((math) => {
  const unseen = [...math.querySelectorAll("mi, mn, mo")]
    .filter((part) => part.textContent !== "\\u2061")
    .filter((part) => part.getBoundingClientRect().width === 0);
  const { width, height } = math.getBoundingClientRect();
  return [width, height, unseen.length];
})"""
"""Width and height of every formula, and how many of its symbols take no room."""

_SPOIL = """() => {
  for (const key of ["rewardlab.answered", "rewardlab.cards"]) localStorage.setItem(key, "{[");
}"""


@pytest.mark.parametrize("width", [1280, 320])
def test_every_formula_is_drawn_at_its_size(lab: Lab, watch: Watch, width: int) -> None:
    page = watch.open(viewport={"width": width, "height": 800})
    visit(page, f"{lab.url}/learn/formulas")
    boxes = page.evaluate(_BOXES)
    assert len(boxes) == len(FORMULAS)
    assert all(wide > 40 and high > 15 and not unseen for wide, high, unseen in boxes), boxes


def test_pointing_at_a_part_lights_up_its_words_and_back(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/learn/formulas")
    formula = page.locator("#formula-kl-bound")
    rows = formula.locator(".terms > div")
    formula.locator("math[display=block] [data-term=n]").first.hover()
    expect(rows.nth(1)).to_have_class("lit")
    expect(rows.nth(0)).not_to_have_class("lit")
    rows.nth(0).focus()
    expect(formula.locator("math[display=block] [data-term=kl]")).to_have_class("term lit")
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    expect(rows.nth(1)).to_have_class("lit")


def test_a_question_is_answered_by_keyboard_and_counted(lab: Lab, page: Page) -> None:
    chapter = find_chapter("optimising")
    visit(page, f"{lab.url}/learn/optimising")
    system = find_system("leash")
    answer = system.questions[0].answer()
    choice = page.get_by_role("button", name=system.questions[0].choices[answer.choice])
    choice.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-questions=leash] .because")).to_have_text(f"Yes. {answer.because}")
    expect(page.locator("[data-done=leash]")).to_have_text("✓ answered")
    visit(page, f"{lab.url}/learn")
    line = page.locator("[data-chapter=optimising]")
    expect(line).to_contain_text(f"1 of {chapter.n_questions} questions")
    assert line.locator("progress").evaluate("(bar) => bar.value") == 1
    page.get_by_role("button", name="Forget my progress").click()
    expect(line).to_contain_text(f"0 of {chapter.n_questions} questions")


def test_a_widget_is_loaded_when_it_is_opened_and_can_be_dragged(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/learn/optimising")
    assert not page.evaluate("'uPlot' in window")
    for name in ("leash", "best-of-n"):
        page.locator(f"[data-widget={name}] > summary").click()
        result = find_system(name).evaluate()
        expect(page.locator(f"[data-system={name}] .sentence")).to_have_text(result.sentence)
    slider = page.locator("[data-system=leash]").get_by_role("slider").first
    slider.focus()
    page.keyboard.press("Home")
    beta = find_system("leash").controls[0]
    assert isinstance(beta, Slider)
    lowest = find_system("leash").evaluate({"beta": beta.low})
    expect(page.locator("[data-system=leash] .sentence")).to_have_text(lowest.sentence)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((it) => it.id)")
    assert len(ids) == len(set(ids))


def test_a_quiz_is_taken_by_keyboard_and_scored(lab: Lab, page: Page) -> None:
    asked = quiz("people", seed=2)
    visit(page, f"{lab.url}/learn/quiz?chapter=people&seed=2")
    for at, one in enumerate(asked):
        expect(page.locator("#question")).to_have_text(one.text)
        answer = one.system.questions[one.number].answer()
        wrong = (answer.choice + 1) % len(one.choices)
        page.keyboard.press(str((wrong if at == 0 else answer.choice) + 1))
        said = "No." if at == 0 else "Yes."
        expect(page.locator("#quiz .because")).to_have_text(f"{said} {answer.because}")
        page.keyboard.press("Enter")
    expect(page.locator("#quiz h2")).to_have_text(f"{len(asked) - 1} of {len(asked)} right")
    again = page.locator("#quiz li a").first
    expect(again).to_have_attribute("href", f"/systems/{asked[0].system.name}")
    kept = json.loads(page.evaluate("localStorage.getItem('rewardlab.answered')"))
    assert sorted(kept) == sorted(f"{one.system.name}/{one.number}" for one in asked)


def test_a_quiz_tells_the_setting_of_its_question(lab: Lab, page: Page) -> None:
    one = quiz("people", seed=2)[0]
    visit(page, f"{lab.url}/learn/quiz?chapter=people&seed=2")
    expect(page.locator("#quiz .eyebrow")).to_have_text(one.system.title)
    page.get_by_text("The setting").click()
    expect(page.locator("#quiz .setting p")).to_have_text(one.system.paragraph)


def test_a_question_is_answered_once(lab: Lab, page: Page) -> None:
    one = quiz("people", seed=2)[0]
    right = one.system.questions[one.number].answer().choice
    visit(page, f"{lab.url}/learn/quiz?chapter=people&seed=2")
    page.keyboard.press(str((right + 1) % len(one.choices) + 1))
    expect(page.locator("#quiz .because")).to_contain_text("No.")
    page.keyboard.press(str(right + 1))
    expect(page.locator("#quiz .place")).to_have_text("Question 1 of 4 · 0 right")


def test_a_card_is_turned_rated_and_remembered(lab: Lab, page: Page) -> None:
    cards = find_chapter("people").cards
    visit(page, f"{lab.url}/learn/flashcards?deck=people")
    expect(page.locator(".front")).to_have_text(cards[0].fronts[0])
    page.keyboard.press("Space")
    expect(page.locator(".back")).to_have_text(cards[0].answer(0))
    expect(page.locator(".face .origin code")).to_have_text(cards[0].path)
    page.keyboard.press("2")
    expect(page.locator(".front")).to_have_text(cards[1].fronts[0])
    expect(page.locator(".boxes b").nth(0)).to_have_text("1")
    page.keyboard.press("Enter")
    expect(page.locator(".back")).to_have_text(cards[1].answer(0))
    page.keyboard.press("1")
    expect(page.locator(".left")).to_have_text("1 to go")
    expect(page.locator(".front")).to_have_text(cards[1].fronts[0])
    page.keyboard.press("Enter")
    expect(page.locator(".back")).to_have_text(cards[1].answer(0))
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Done for now")).to_be_focused()
    expect(page.locator(".finished")).to_contain_text("due tomorrow")
    visit(page, f"{lab.url}/learn/flashcards?deck=people")
    expect(page.get_by_role("heading", name="Done for now")).to_be_visible()


def test_a_known_card_waits_longer_each_time_and_asks_with_other_figures(
    lab: Lab, page: Page
) -> None:
    card = find_chapter("people").cards[0]
    assert len(card.fronts) == 2
    visit(page, f"{lab.url}/learn/flashcards?deck=people")
    today = page.evaluate("import('/static/x/js/learn/boxes.js').then((it) => it.today())")
    place = {"box": 3, "due": today, "seen": 1}
    kept = {card.name: place, find_chapter("people").cards[1].name: {**place, "due": today + 1}}
    page.evaluate("(kept) => localStorage.setItem('rewardlab.cards', kept)", json.dumps(kept))
    visit(page, f"{lab.url}/learn/flashcards?deck=people")
    expect(page.locator(".front")).to_have_text(card.fronts[1])
    page.keyboard.press("Space")
    expect(page.locator(".back")).to_have_text(card.answer(1))
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Done for now")).to_be_visible()
    after = json.loads(page.evaluate("localStorage.getItem('rewardlab.cards')"))
    assert after[card.name] == {"box": 4, "due": today + 8, "seen": 2}


def test_the_glossary_is_filtered_and_links_still_find_hidden_words(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/learn/glossary")
    page.get_by_label("Find a word").fill("goodhart")
    expect(page.locator("#found")).to_have_text("5 words")
    expect(page.locator("#causal-goodhart")).to_be_visible()
    expect(page.locator("#beta")).to_be_hidden()
    page.evaluate("location.hash = '#beta'")
    expect(page.locator("#beta")).to_be_visible()
    page.get_by_label("Find a word").fill("zzz")
    expect(page.locator("#found")).to_have_text("No word has this in it.")


def test_spoilt_storage_does_no_harm(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/learn")
    page.evaluate(_SPOIL)
    for path in ("/learn", f"/learn/{COURSE[1].name}", "/learn/flashcards"):
        visit(page, lab.url + path)
    expect(page.locator(".front")).to_have_text(all_cards()[0].fronts[0])
