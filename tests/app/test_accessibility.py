"""Every page for everybody: no axe violation in light or dark, 320 px and keys alone suffice."""

from __future__ import annotations

import time
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page

from rewardlab.lessons.course import COURSE
from rewardlab.systems.catalogue import all_systems
from tests.app.browser import Watch, visit
from tests.app.running import Lab

REPORT = "/reports/of-the-sample"
"""Stands for the page of an audit of the packaged sample."""

PLAIN = [
    *("/", "/systems", "/annotate", "/reports", REPORT, "/systems/leash?embed=1"),
    *("/learn", "/learn/quiz", "/learn/flashcards", "/learn/formulas", "/learn/glossary"),
    f"/learn/{COURSE[0].name}",
]
REFUSED = ["/systems/leash?beta=abc", "/nowhere"]
CHAPTERS = [f"/learn/{chapter.name}" for chapter in COURSE[1:]]
SYSTEMS = [f"/systems/{system.name}" for system in all_systems()]
PAGES = [*PLAIN, *REFUSED, *CHAPTERS, *SYSTEMS]

_VARIED = (
    *("the-loop", "six-responses", "losses", "answer-world", "leash", "reversing-programs"),
    *("guided-experiments", "goodhart", "length-geometry"),
)
"""Systems that among them have every kind of chart and control, and the longest words."""


def few_first(paths: list[str]) -> list[Any]:
    """Parameters: other systems and chapters, which are drawn alike, are left to the slow tests."""
    rest = {path for path in SYSTEMS if path.rsplit("/", 1)[1] not in _VARIED} | {*CHAPTERS}
    return [pytest.param(p, marks=[pytest.mark.slow] if p in rest else []) for p in paths]


LONGEST_AUDIT_S = 120.0


@pytest.fixture(scope="session")
def report(lab: Lab) -> str:
    """Address of an audit's page."""
    taken = lab.ask("POST", "/api/uploads/sample")
    audit = lab.ask("POST", "/api/audits", {"upload": taken["upload"]})
    deadline = time.monotonic() + LONGEST_AUDIT_S
    while not audit["done"]:
        assert audit["state"] in ("waiting", "running"), audit
        assert time.monotonic() < deadline
        time.sleep(0.05)
        audit = lab.ask("GET", f"/api/audits/{audit['report']}")
    return str(audit["page"])


@pytest.fixture
def path(request: pytest.FixtureRequest) -> str:
    """The address that the test is about; the report is made when it is asked for first."""
    wanted = str(request.param)
    return str(request.getfixturevalue("report")) if wanted == REPORT else wanted


@pytest.mark.parametrize("path", few_first(PAGES), indirect=True)
def test_axe_finds_nothing_in_light_or_dark(lab: Lab, watch: Watch, path: str) -> None:
    page = _opened(watch, lab, path)
    _open_details(page)
    assert axe_violations(page) == []
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => matchMedia('(prefers-color-scheme: dark)').matches")
    assert _violations(page, {"runOnly": ["color-contrast", "link-in-text-block"]}) == []


@pytest.mark.parametrize("path", few_first(PAGES), indirect=True)
def test_nothing_overflows_at_320_px(lab: Lab, watch: Watch, path: str) -> None:
    page = _opened(watch, lab, path, viewport={"width": 320, "height": 640})
    _open_details(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert cut_off(page) == []


@pytest.mark.parametrize("path", [*PLAIN, *SYSTEMS[:3]], indirect=True)
def test_tab_reaches_every_control_and_shows_where_it_is(lab: Lab, watch: Watch, path: str) -> None:
    page = _opened(watch, lab, path)
    wanted = page.evaluate(_LIST_CONTROLS)
    assert wanted
    for _ in range(len(wanted) + 2):
        page.keyboard.press("Tab")
    reached = page.evaluate("window.reached")
    assert [name for name in wanted if name not in reached] == []
    assert [name for name, visible in reached.items() if not visible] == []


def test_the_skip_link_leads_past_the_navigation(lab: Lab, page: Page) -> None:
    visit(page, f"{lab.url}/systems/leash")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_keys_answer_a_question_and_open_the_table(lab: Lab, page: Page, key: str) -> None:
    visit(page, f"{lab.url}/systems/leash")
    page.locator(".question button").first.focus()
    page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('.question .because').textContent !== ''")
    summary = page.locator("details.data summary")
    summary.focus()
    page.keyboard.press(key)
    page.locator("details.data table").wait_for(state="visible")


@pytest.mark.parametrize("path", ["/", "/systems", SYSTEMS[0], "/learn", "/reports"], indirect=True)
def test_nothing_moves_for_those_who_ask_for_less_motion(lab: Lab, watch: Watch, path: str) -> None:
    page = _opened(watch, lab, path, reduced_motion="reduce")
    assert page.evaluate(_MOVING) == []


def _opened(watch: Watch, lab: Lab, path: str, **options: Any) -> Page:
    if path in REFUSED:
        watch.allow("Failed to load resource")
    page = watch.open(**options)
    visit(page, lab.url + path)
    return page


def _open_details(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")


def axe_violations(page: Page) -> list[str]:
    """What axe objects to on a page as it is."""
    page.evaluate(_axe())
    return _violations(page, {})


def cut_off(page: Page) -> list[str]:
    """What sticks out of a page at the side, apart from what can be scrolled by itself."""
    width = page.viewport_size["width"] if page.viewport_size else 320
    found: list[str] = page.evaluate(_CUT_OFF, width + 1)
    return found


@cache
def _axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text()


def _violations(page: Page, options: dict[str, Any]) -> list[str]:
    """What axe objects to: the rule and the elements."""
    asked = {"resultTypes": ["violations"], "elementRef": False, **options}
    found = page.evaluate("options => axe.run(document, options)", asked)["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['failureSummary']})"
        for rule in found
        for node in rule["nodes"]
    ]


_CUT_OFF = """(width) => [...document.querySelectorAll("main *, header *, footer *")]
  .filter(it => it.checkVisibility({ visibilityProperty: true }))
  .filter(it => {
    const box = it.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || (box.right <= width && box.left >= -1)) return false;
    for (let up = it.parentElement; up; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== "visible") return false;
    return !it.closest(".skip");
  })
  .map(it => it.outerHTML.slice(0, 160))"""
"""What sticks out of the page, apart from what can be scrolled by itself."""

_LIST_CONTROLS = """() => {
  const css = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const named = new Map();
  let count = 0;
  for (const it of document.querySelectorAll(css)) {
    const usable = it.checkVisibility({ visibilityProperty: true }) && !it.disabled;
    if (!usable || it.tabIndex < 0 || it.type === "hidden") continue;
    const text = (it.getAttribute("aria-label") || it.textContent || it.name || "").trim();
    const own = `${count++} ${it.localName} ${text.slice(0, 60)}`;
    named.set(it, it.type === "radio" ? `radio ${it.name}` : own);
  }
  window.reached = {};
  document.addEventListener("focusin", ({ target }) => {
    const name = named.get(target);
    if (!name) return;
    const seen = [target, target.parentElement, ...target.labels || []].some(one => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
      return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
    });
    window.reached[name] = seen;
  });
  return [...new Set(named.values())];
}"""
"""Names every control that a mouse could use, and notes each that gets the focus from now on."""

_MOVING = """() => [...document.querySelectorAll("*")].filter(it => {
  const { transitionDuration, animationName } = getComputedStyle(it);
  return animationName !== "none" || transitionDuration.split(", ").some(s => parseFloat(s) > 0);
}).map(it => it.outerHTML.slice(0, 120))"""
