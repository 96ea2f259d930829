"""A real browser that reaches nothing but this machine, and pages that report what goes wrong."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Page,
        Request,
        Route,
    )

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""The first draws no windows and takes half the time of the others."""

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)

PATIENCE_MS = 30_000
"""Longest wait for a state; a busy machine may be slow, a broken page never gets there."""


def chromium() -> str | None:
    """Path of a Chromium on this machine; the environment's REWARDLAB_CHROMIUM goes first."""
    named = os.environ.get("REWARDLAB_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Watch:
    """Pages of one test, and what went wrong on them."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._allowed: list[str] = []
        self._troubles: list[str] = []

    def open(self, **options: Any) -> Page:
        """A page of a new visitor, who shares nothing with others.

        Args:
            **options: Of Playwright's ``new_context``, such as ``color_scheme="dark"`` or
                ``viewport={"width": 320, "height": 640}``. Runs are drawn at once, as for people
                who want no motion, unless ``reduced_motion`` says otherwise.
        """
        usual = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
        context = self._browser.new_context(**{**usual, **options})
        context.set_default_timeout(PATIENCE_MS)
        context.on("request", self._on_request)
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self._troubles.append(f"error: {error.error}"))
        self._contexts.append(context)
        return context.new_page()

    def allow(self, text: str) -> None:
        """Let pass what contains this text, such as "ERR_CONNECTION_REFUSED" or "422"."""
        self._allowed.append(text)

    def troubles(self) -> list[str]:
        """Foreign requests, console errors and warnings, and uncaught errors, so far."""
        return [one for one in self._troubles if not any(text in one for text in self._allowed)]

    def close(self) -> None:
        """Close every page."""
        for context in self._contexts:
            context.close()

    def _on_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != "127.0.0.1":
            self._troubles.append(f"foreign request: {request.url}")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            where = message.location.get("url", "")
            self._troubles.append(f"console {message.type}: {message.text} ({where})")


class Detour:
    """Answers some requests of a page in the server's place, while it has an ``answer``.

    It is made before the page is visited: of a page that runs already, Chromium can let the next
    request pass unseen.
    """

    def __init__(self, page: Page, pattern: str) -> None:
        self.answer: Callable[[Route], object] | None = None
        page.route(pattern, self._meet)

    def _meet(self, route: Route) -> None:
        if self.answer is None:
            route.continue_()
        else:
            self.answer(route)


def visit(page: Page, url: str) -> None:
    """Open an address of the lab and wait until the page can be used."""
    page.goto(url)
    wait_ready(page)


def wait_ready(page: Page) -> None:
    """Wait until the page's scripts, if it has any, have mounted everything."""
    page.wait_for_selector(
        "html[data-ready], html:not(:has(script[type=module]))", state="attached"
    )
