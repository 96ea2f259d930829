"""Every system in a real browser: what it shows is what the library says, and its controls work."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.declaration import System
from rewardlab.systems.words import figure_text
from tests.app.browser import visit
from tests.app.running import Lab


@pytest.mark.parametrize("system", all_systems(), ids=lambda system: system.name)
def test_the_page_shows_what_the_library_says(lab: Lab, page: Page, system: System) -> None:
    visit(page, f"{lab.url}/systems/{system.name}")
    result = system.evaluate()
    assert page.text_content(".sentence") == result.sentence
    figures = page.locator("[data-quantity] dd").all_text_contents()
    assert figures == [figure_text(quantity) for quantity in result.quantities]
