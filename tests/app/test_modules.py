"""Tests of what pages load ahead: each module that a page starts with, and no other."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
from starlette.testclient import TestClient

from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.assets import all_assets
from rewardlab.app.config import AppConfig
from rewardlab.app.server import create_app
from tests.app.annotate.people import pairs

_IMPORT = re.compile(r'^(?:import|export)\b[^;]*?from "(\.[^"]+)"', re.MULTILINE)
_DYNAMIC = re.compile(r'\bimport\("(\.[^"]+)"\)')
_JS = "js/"

DRAWN = {
    "/systems/leash": "line_chart",
    "/systems/losses": "line_chart",
    "/systems/elo": "bar_chart",
    "/systems/scaling-laws": "plane_chart",
    "/systems/the-loop": "diagram_chart",
    "/annotate/demo/admin": "line_chart",
}
PAGES = (
    *("/", "/systems", "/learn", "/learn/optimising", "/learn/quiz", "/learn/flashcards"),
    *("/learn/formulas", "/learn/glossary", "/reports", *DRAWN),
    *("/annotate", "/annotate/demo"),
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    app = create_app(AppConfig(folder=tmp_path_factory.mktemp("lab"), open_annotation=True))
    create_project(app.state.engine, "demo", pairs(1))
    return TestClient(app, base_url="http://127.0.0.1")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_ahead_all_modules_that_it_starts_with_and_no_other(
    lab: TestClient, page: str
) -> None:
    text = lab.get(page).text
    entry = set(re.findall(r'<script type="module" src="/static/\w+/([^"]+)"', text))
    ahead = re.findall(r'<link rel="modulepreload" href="/static/\w+/([^"]+)"', text)
    drawn = {f"{_JS}charts/{DRAWN[page]}.js"} if page in DRAWN else set()
    assert len(ahead) == len(set(ahead))
    assert set(ahead) == _reached(entry | drawn) - entry
    assert ("uPlot.iife" in text) == (DRAWN.get(page) == "line_chart")


def test_every_module_is_reached_from_a_page() -> None:
    templates = Path(create_app.__globals__["__file__"]).parent / "templates"
    texts = [path.read_text(encoding="utf-8") for path in templates.glob("*.jinja")]
    started = {name for text in texts for name in re.findall(r"static }}/(js/[\w/]+\.js)", text)}
    ours = {path for path in all_assets() if path.startswith(_JS)}
    assert ours == _reached(started, dynamic=True)


def test_nothing_is_exported_that_no_module_imports() -> None:
    sources = {path: asset.body.decode() for path, asset in all_assets().items() if _ours(path)}
    together = "\n".join(sources.values())
    for path, source in sources.items():
        for name in re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", source, re.M):
            word = re.compile(rf"\b{name}\b")
            elsewhere = len(word.findall(together)) > len(word.findall(source))
            assert elsewhere, f"{path} exports {name}, which nothing else uses"


def _ours(path: str) -> bool:
    return path.startswith(_JS)


def _reached(started: set[str], *, dynamic: bool = False) -> set[str]:
    """Modules and all that they import, those imported later too where ``dynamic``."""
    found: set[str] = set()
    waiting = list(started)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        source = all_assets()[path].body.decode()
        named = _IMPORT.findall(source) + (_DYNAMIC.findall(source) if dynamic else [])
        waiting += [_joined(path, name) for name in named]
    return found


def _joined(path: str, name: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / name).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
