"""The systems in a browser: the list, a page each, and their results at any settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from rewardlab.app.pages import render, served
from rewardlab.app.systems.views import neighbours, search_words, system_state, theme_of
from rewardlab.app.wire import HTML, answer, json_bytes, packed
from rewardlab.errors import InputError
from rewardlab.systems.catalogue import all_systems, by_theme
from rewardlab.systems.controls import LARGEST_SEED, Value
from rewardlab.systems.declaration import System
from rewardlab.systems.words import described

router = APIRouter()

_KEPT_RESULTS = 512
"""Results kept in memory, some 20 KB each: people drag the same sliders to the same stops."""


@router.get("/systems")
def list_page(request: Request) -> Response:
    """Every system, in teaching order."""
    page = render(
        "systems.jinja",
        place=served(),
        page="systems",
        title="Systems",
        themes=by_theme(),
        boot=search_words(),
    )
    return packed(request, page.encode(), media_type=HTML)


@router.get("/systems/{name}")
def system_page(request: Request, name: str, embed: str = "") -> Response:
    """One system, at the settings of the address."""
    system = _system(name)
    settings, seed = read_query(system, request.query_params, ignore=("embed",))
    kept = _result_bytes(system.name, tuple(settings.items()), seed)
    page = render(
        "system.jinja",
        place=served(),
        page="systems",
        title=system.title,
        system=system,
        theme=theme_of(system),
        embed=embed == "1",
        kind=orjson.loads(kept)["chart"]["kind"],
        boot={"system": described(system), "result": orjson.Fragment(kept)},
        **neighbours(system, all_systems()),
    )
    return packed(request, page.encode(), media_type=HTML)


@router.get("/api/systems")
def list_systems(request: Request) -> Response:
    """Every declaration as data."""
    return answer(request, [described(system) for system in all_systems()])


@router.get("/api/systems/{name}")
def declaration(request: Request, name: str) -> Response:
    """One declaration as data, such as a lesson needs to show a system."""
    return answer(request, described(_system(name)))


@router.get("/api/systems/{name}/result")
def result(request: Request, name: str) -> Response:
    """A system's result at the settings of the query."""
    system = _system(name)
    settings, seed = read_query(system, request.query_params)
    body = _result_bytes(system.name, tuple(settings.items()), seed)
    return packed(request, body, media_type="application/json")


@router.get("/api/systems/{name}/answers/{number}")
def question_answer(request: Request, name: str, number: int) -> Response:
    """The computed answer to one of a system's questions."""
    system = _system(name)
    if not 0 <= number < len(system.questions):
        raise HTTPException(404, f"{name} has {len(system.questions)} questions")
    return answer(request, _answer(system.name, number))


@lru_cache(maxsize=_KEPT_RESULTS)
def _result_bytes(name: str, settings: tuple[tuple[str, Value], ...], seed: int) -> bytes:
    return json_bytes(system_state(_by_name()[name], dict(settings), seed))


def read_query(
    system: System, query: Mapping[str, str], *, ignore: tuple[str, ...] = ()
) -> tuple[dict[str, Value], int]:
    """Settings and seed that an address names.

    Raises:
        InputError: There is no such control, or its value is not allowed.
    """
    controls = {control.name: control for control in system.controls}
    chosen: dict[str, Value] = {}
    seed = 0
    for name, text in query.items():
        if name == "seed":
            seed = _read_seed(text)
        elif name in controls:
            chosen[name] = controls[name].read(text)
        elif name not in ignore:
            known = ", ".join([*controls, "seed"])
            raise InputError(f"{system.name}: expected a control among {known}, got {name!r}")
    return system.settings(chosen), seed


def _read_seed(text: str) -> int:
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_SEED))
    if not digits or int(text) > LARGEST_SEED:
        raise InputError(
            f"seed: expected a whole number from 0 to {LARGEST_SEED}, got {text[:40]!r}"
        )
    return int(text)


@cache
def _by_name() -> dict[str, System]:
    return {system.name: system for system in all_systems()}


def _system(name: str) -> System:
    found = _by_name().get(name)
    if found is None:
        raise HTTPException(404, f"there is no system {name[:80]!r}")
    return found


@cache
def _answer(name: str, number: int) -> Any:
    return _by_name()[name].questions[number].answer()
