"""Fixtures of the lab's tests: a running lab, and a real browser to look at it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.browser import FLAGS, Watch, chromium
from tests.app.databases import KINDS, new_database
from tests.app.running import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab that tests share: none may kill it or count on an empty database."""
    running = Lab(tmp_path_factory.mktemp("lab"))
    yield running
    running.kill()


@pytest.fixture
def own_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Lab]]:
    """Starts labs for this test alone, with further options; they may be killed and restarted."""
    started: list[Lab] = []

    def start(*options: str) -> Lab:
        started.append(Lab(tmp_path_factory.mktemp("own"), *options))
        return started[-1]

    yield start
    for running in started:
        running.kill()


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, first a SQLite file, then one of a real PostgreSQL."""
    with new_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser; without one the test is skipped, or fails where CI is set."""
    path = chromium()
    missing = "playwright" if importlib.util.find_spec("playwright") is None else ""
    missing = missing or ("" if path else "a Chromium; REWARDLAB_CHROMIUM can name one")
    if missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"this needs {missing}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    """Opens pages; the test fails if anything goes wrong on one that it did not allow."""
    watching = Watch(browser)
    yield watching
    watching.close()
    troubles = watching.troubles()
    assert not troubles, "\n".join(troubles)


@pytest.fixture
def page(watch: Watch) -> Page:
    """An empty page, 1280 px wide, of a new visitor who wants no motion."""
    return watch.open()


@pytest.fixture
def moving_page(watch: Watch) -> Page:
    """An empty page, 1280 px wide, on which runs and plays take their time."""
    return watch.open(reduced_motion="no-preference")
