"""The lab in a browser: what a page weighs, how soon it is ready, how soon a drag is drawn.

Aims stand where other benchmarks have a peer; a ratio above 1 means that the aim is met. The times
are those of a clock, so that a machine that is busy with other things shows slower ones.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Message

from benchmarks.load import put_under_load
from benchmarks.side_by_side import best_times, print_heading, print_line
from rewardlab.app.config import AppConfig
from rewardlab.app.server import create_app
from rewardlab.app.systems.views import system_state
from rewardlab.app.wire import json_bytes
from rewardlab.report.as_json import to_json
from rewardlab.systems.catalogue import find_system
from tests.app.browser import FLAGS, chromium, visit
from tests.app.running import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

COLD_KB, READY_MS, REDRAW_MS, LATENCY_MS = 80, 500, 20, 30
PAGES = ("/", "/systems/leash")
DRAGGED = {
    "leash": "beta",
    "best-of-n": "n",
    "length-geometry": "beta",
    "label-and-fit": "n_labels",
    "losses": "gap",
    "sycophancy": "taste",
}
N_LOADS, N_MOVES, N_ASKED = 7, 40, 100

_MOVE = """
async ([name, place]) => {
  const widget = document.querySelector("[data-system]");
  const input = document.getElementById(`control-${name}`);
  const drawn = new Promise((resolve) => {
    const seen = new MutationObserver(() => {
      seen.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    });
    seen.observe(widget, { attributeFilter: ["data-state"] });
  });
  const moved = performance.now();
  input.value = String(Math.round(Number(input.max) * place));
  input.dispatchEvent(new Event("input", { bubbles: true }));
  return (await drawn) - moved;
}
"""
"""Moves a slider; resolves to the milliseconds until after the frame that shows the result."""


def main() -> None:
    """Print what was measured beside what is aimed at."""
    compare_json()
    with tempfile.TemporaryDirectory() as folder:
        compare_request(create_app(AppConfig(folder=Path(folder))))
        lab = Lab(Path(folder) / "served")
        try:
            measure_pages(lab.url)
            measure_load(lab.url)
        finally:
            lab.kill()


def compare_json() -> None:
    """A result written as JSON, against the standard library."""
    system = find_system("leash")
    state = system_state(system, system.settings(), 0)
    times = best_times(
        lambda: [json_bytes(state) for _ in range(50)],
        lambda: [json.dumps(to_json(state)).encode() for _ in range(50)],
    )
    print_line(
        "Lab: a result as JSON / json.dumps",
        f"{20 * times.ours:.2f} ms",
        f"{20 * times.peer:.2f} ms",
        times.peer / times.ours,
    )


def compare_request(ours: FastAPI) -> None:
    """A whole request for a new value, against an endpoint as FastAPI's tutorial writes it."""
    leash = find_system("leash")
    peer = FastAPI()
    peer.add_middleware(GZipMiddleware)

    @peer.get("/api/systems/leash/result")
    def result(beta: float) -> dict[str, Any]:
        return dict(to_json(system_state(leash, leash.settings({"beta": beta}), 0)))

    times = best_times(lambda: asyncio.run(_ask(ours)), lambda: asyncio.run(_ask(peer)))
    print_line(
        "Lab: a request for a new value / plain FastAPI with gzip",
        f"{1e3 * times.ours / N_ASKED:.2f} ms",
        f"{1e3 * times.peer / N_ASKED:.2f} ms",
        times.peer / times.ours,
    )


async def _ask(app: FastAPI) -> None:
    """Ask an application, without a network, for values that nobody asked for before."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        assert message.get("status", 200) == 200

    for _ in range(N_ASKED):
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": "/api/systems/leash/result",
            "raw_path": b"/api/systems/leash/result",
            "query_string": f"beta={random.uniform(0.05, 4.0):.12f}".encode(),
            "root_path": "",
            "headers": [(b"host", b"127.0.0.1"), (b"accept-encoding", b"gzip")],
        }
        await app(scope, receive, send)


def measure_load(url: str) -> None:
    """Latencies that 20 clients see: dragging, and labelling faster than anybody reads."""
    for kind, rate, name in (
        ("dragged", 40, "drag to new values"),
        ("stopped", 40, "drag over the same stops"),
        ("labelled", 2, "label; stored, fitted"),
    ):
        seen = put_under_load(url, kind, rate=rate)
        said = f"Lab: 20 clients, {rate} a second each, {name}"
        _against_aim(f"{said}, 50%", seen.median_ms, LATENCY_MS, "ms")
        _against_aim(f"{said}, 95%", seen.p95_ms, LATENCY_MS, "ms")
        if seen.refused or seen.per_second < 0.9 * 20 * rate:
            print(f"  {seen.per_second:.0f} events a second answered, {seen.refused} refused")


def measure_pages(url: str) -> None:
    """Weight, readiness and redraws in a real browser, where there is one."""
    path = chromium()
    if path is None or find_spec("playwright") is None:
        print("Lab: no Chromium with Playwright here, so that no page is measured")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for page in PAGES:
            _against_aim(f"Lab: cold load of {page}", _cold_kb(browser, url + page), COLD_KB, "KB")
            _against_aim(f"Lab: {page} ready, cold", _ready_ms(browser, url + page), READY_MS, "ms")
        opened = browser.new_page()
        for system, control in DRAGGED.items():
            taken = _redraws(opened, f"{url}/systems/{system}", control)
            name = f"Lab: {system}, slider to redraw, median of {len(taken)}"
            _against_aim(name, statistics.median(taken), REDRAW_MS, "ms")
        browser.close()


def _cold_kb(browser: Browser, url: str) -> float:
    """Bytes over the wire for a first visit, headers included, in KB."""
    context = browser.new_context()
    page = context.new_page()
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[float] = []

    def finished(event: dict[str, Any]) -> None:
        sizes.append(event["encodedDataLength"])

    wire.on("Network.loadingFinished", finished)
    visit(page, url)
    page.wait_for_load_state("networkidle")
    context.close()
    return sum(sizes) / 1000


def _ready_ms(browser: Browser, url: str) -> float:
    """Median time from the start of a first visit until its controls work."""
    taken = []
    for _ in range(N_LOADS):
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script(
            "new MutationObserver((_, seen) => {"
            " if ('ready' in document.documentElement.dataset) {"
            " window.readyAt = performance.now(); seen.disconnect(); }"
            "}).observe(document, { attributes: true, subtree: true, childList: true });"
        )
        visit(page, url)
        taken.append(float(page.evaluate("window.readyAt")))
        context.close()
    return statistics.median(taken)


def _redraws(page: Page, url: str, control: str) -> list[float]:
    """Time from each move of a slider until its result is on the screen, in ms."""
    visit(page, url)
    places = [(0.618034 * k) % 1.0 for k in range(1, N_MOVES + 6)]
    return [float(page.evaluate(_MOVE, [control, place])) for place in places][5:]


def _against_aim(name: str, measured: float, aim: float, unit: str) -> None:
    print_line(name, f"{measured:.1f} {unit}", f"< {aim:g} {unit}", aim / measured)


if __name__ == "__main__":
    print_heading()
    main()
