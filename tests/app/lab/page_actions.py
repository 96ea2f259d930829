"""What a visitor does on the lab's page, and what there is to wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


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


def tab_to(page: Page, name: str) -> None:
    """Press Tab until a button of this name has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == name:
            return
    raise AssertionError(f"Tab does not reach the button {name}")
