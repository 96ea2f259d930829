"""A copy of the systems' pages that any file server can serve: results computed beforehand.

The same templates, scripts and charts as in the running lab; where that asks for the result at some
settings, a copy has a file for each state of a grid (``systems/stops.py``). A copy is a folder with
``index.html``, a page a system, ``static/``, ``data/NAME/STATE.json``, and ``copy.json``, by which
a later run knows it for a copy and for one of the same version: it then keeps what is there.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson

from rewardlab import __version__
from rewardlab.app.assets import all_assets
from rewardlab.app.pages import Place, render
from rewardlab.app.systems.views import neighbours, search_words, system_state, theme_of
from rewardlab.app.wire import json_bytes
from rewardlab.errors import InputError, RewardLabError
from rewardlab.plots.chart import save
from rewardlab.preferences.table_writing import whole_file
from rewardlab.systems.catalogue import by_theme
from rewardlab.systems.controls import Value
from rewardlab.systems.declaration import System
from rewardlab.systems.stops import Stops, stops_within
from rewardlab.systems.words import described, setting_text

MARKER = "copy.json"
_DATA, _STATIC = "data", "static"
_FOLDERS = ("css/base", "css/systems", "css/charts", "vendor/", "icon", "js/core/", "js/charts/",
            "js/systems/")  # fmt: skip
"""What the pages of systems use of all scripts and styles."""

_PLACE = Place(
    static=_STATIC,
    home="",
    systems="index.html",
    system="{name}.html",
    learn="",
    reports="",
    annotate="",
)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the copy of one system is.

    Attributes:
        name: The system.
        done: States that are there.
        kept: States of these that an earlier run had made.
        total: States in all.
    """

    name: str
    done: int
    kept: int
    total: int


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        n_systems: Systems in the copy.
        n_states: States of all of them.
        n_kept: States of these that an earlier run had made.
        n_bytes: Size of all files.
    """

    n_systems: int
    n_states: int
    n_kept: int
    n_bytes: int


def write_copy(
    folder: Path,
    systems: tuple[System, ...],
    *,
    n_states: int = 150,
    force: bool = False,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Written:
    """Write a copy that holds these systems and no others.

    Args:
        folder: Where to; new, empty, or a copy, of which the states of this version are kept.
        systems: In teaching order.
        n_states: The most states of a system.
        force: Make every state anew.
        tell: Called before and after each state.

    Raises:
        InputError: The folder holds something else, or cannot be written to.
    """
    grids = {system.name: stops_within(system, n_states) for system in systems}
    try:
        _prepare(folder, force=force)
        return _written(folder, systems, grids, tell)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written to: {error.strerror}") from None


def _written(
    folder: Path,
    systems: tuple[System, ...],
    grids: Mapping[str, Stops],
    tell: Callable[[Progress], None],
) -> Written:
    _write_static(folder)
    kept = 0
    for system in systems:
        kept += _write_states(folder, system, grids[system.name], tell)
        _write_answers(folder, system)
        beside = neighbours(system, systems)
        _write(folder / f"{system.name}.html", _page(system, grids[system.name], beside))
    _write(folder / "index.html", _list_page(systems, grids))
    _remove_others(folder, systems, grids)
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    total = sum(grid.n_states for grid in grids.values())
    return Written(len(systems), total, kept, sum(sizes))


def state_name(settings: Mapping[str, Value]) -> str:
    """Name of the file of a state, such as "0.5_2.8"; "only" where there is nothing to set."""
    return "_".join(_exact_text(value) for value in settings.values()) or "only"


def _exact_text(value: Value) -> str:
    return repr(value) if isinstance(value, float) else setting_text(value)


def _prepare(folder: Path, *, force: bool) -> None:
    """Make the folder, or check that it is a copy; drop the states of another version."""
    marker = folder / MARKER
    folder.mkdir(parents=True, exist_ok=True)
    if not marker.is_file() and any(folder.iterdir()):
        raise InputError(
            f"{folder}: expected a new or empty folder, or an earlier copy (with {MARKER})"
        )
    if force or _made_by(marker) != _fingerprint():
        for name in (_DATA, _STATIC):
            shutil.rmtree(folder / name, ignore_errors=True)
    about = {"made_by": f"rewardlab {__version__}", "fingerprint": _fingerprint()}
    _write(marker, orjson.dumps(about, option=orjson.OPT_INDENT_2))


def _made_by(marker: Path) -> str:
    if not marker.is_file():
        return ""
    try:
        about = orjson.loads(marker.read_bytes())
    except orjson.JSONDecodeError:
        return ""
    return str(about.get("fingerprint", "")) if isinstance(about, dict) else ""


@cache
def _fingerprint() -> str:
    """A digest of the package's code, so that states of any other are not taken for its own."""
    digest = hashlib.sha256()
    for path, body in sorted(_code(files("rewardlab"), "")):
        digest.update(path.encode() + b"\0" + body)
    return digest.hexdigest()[:16]


def _code(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _code(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".py"):
            yield prefix + entry.name, entry.read_bytes()


def _write(path: Path, body: bytes) -> None:
    """Write a file whole, and leave one that is the same as it is."""
    if path.is_file() and path.read_bytes() == body:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(body)


def _write_static(folder: Path) -> None:
    for path, asset in all_assets().items():
        if path.startswith(_FOLDERS):
            _write(folder / _STATIC / path, asset.body)


def _write_states(
    folder: Path, system: System, grid: Stops, tell: Callable[[Progress], None]
) -> int:
    """Write the states that are missing; how many were there."""
    kept = 0
    for done, settings in enumerate(grid.states()):
        tell(Progress(system.name, done, kept, grid.n_states))
        path = folder / _DATA / system.name / f"{state_name(settings)}.json"
        if path.is_file():
            kept += 1
        else:
            _write(path, _state(system, settings))
    tell(Progress(system.name, grid.n_states, kept, grid.n_states))
    return kept


def _state(system: System, settings: dict[str, Value]) -> bytes:
    """The result, or why there is none at these settings."""
    try:
        return json_bytes(system_state(system, settings, 0))
    except RewardLabError as error:
        return json_bytes({"error": " ".join(str(error).split())})


def _write_answers(folder: Path, system: System) -> None:
    """The computed answers in files of their own, and the default chart as a drawing."""
    own = folder / _DATA / system.name
    drawing = own / "default.svg"
    if drawing.is_file():
        return
    for k, question in enumerate(system.questions):
        _write(own / f"answer-{k}.json", json_bytes(question.answer()))
    result = system.evaluate()
    _write(drawing, save(result.chart, title=system.title, description=result.sentence).encode())


def _page(system: System, grid: Stops, beside: dict[str, System | None]) -> bytes:
    settings = system.settings()
    state = system_state(system, settings, 0)
    labels = {control.name: control.label for control in system.controls}
    page = render(
        "system_copy.jinja",
        place=_PLACE,
        page="systems",
        title=system.title,
        system=system,
        theme=theme_of(system),
        embed=False,
        kind=state["chart"]["kind"],
        sentence=state["sentence"],
        drawing=f"{_DATA}/{system.name}/default.svg",
        n_states=grid.n_states,
        fixed=[labels[name] for name in grid.fixed],
        boot={"system": _declared(system, grid), "result": state, "copy": _lookup(system, grid)},
        **beside,
    )
    return page.encode()


def _declared(system: System, grid: Stops) -> dict[str, Any]:
    """The declaration with the stops of each control, and nothing to draw anew."""
    about = described(system)
    for control in about["controls"]:
        control["stops"] = grid.values[control["name"]]
        control["plays"] = control.get("plays", False) and len(control["stops"]) > 1
    return {**about, "draws": False}


def _lookup(system: System, grid: Stops) -> dict[str, Any]:
    """Where the states lie, and the part of a file's name for each stop."""
    return {
        "folder": f"{_DATA}/{system.name}",
        "names": {n: [_exact_text(v) for v in values] for n, values in grid.values.items()},
    }


def _list_page(systems: tuple[System, ...], grids: Mapping[str, Stops]) -> bytes:
    words = search_words()
    names = {system.name for system in systems}
    themes = {
        theme: tuple(one for one in of if one.name in names) for theme, of in by_theme().items()
    }
    page = render(
        "systems_copy.jinja",
        place=_PLACE,
        page="systems",
        title="Systems",
        themes={theme: of for theme, of in themes.items() if of},
        n_states=sum(grid.n_states for grid in grids.values()),
        boot={name: words[name] for name in grids},
    )
    return page.encode()


def _remove_others(folder: Path, systems: tuple[System, ...], grids: Mapping[str, Stops]) -> None:
    """Pages and states that an earlier run had and this one has not."""
    names = {system.name for system in systems}
    for page in folder.glob("*.html"):
        if page.stem not in names | {"index"}:
            page.unlink()
    for own in (folder / _DATA).iterdir():
        if not own.is_dir():
            continue  # Such as what a desktop leaves in the folders that it shows.
        if own.name not in names:
            shutil.rmtree(own)
            continue
        wanted = {state_name(settings) for settings in grids[own.name].states()}
        for path in own.glob("*.json"):
            if path.stem not in wanted and not path.stem.startswith("answer-"):
                path.unlink()
