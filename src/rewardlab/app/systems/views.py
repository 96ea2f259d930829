"""The systems as their pages get them, from a server or from a copy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from rewardlab.systems.catalogue import all_systems, by_theme
from rewardlab.systems.controls import Value
from rewardlab.systems.declaration import System
from rewardlab.systems.words import all_words, code_for, shown, table_texts


def system_state(system: System, settings: dict[str, Value], seed: int) -> dict[str, Any]:
    """A result as the browser draws it, with the settings that it belongs to."""
    result = system.evaluate(settings, seed=seed)
    return {
        "settings": settings,
        "seed": seed if system.draws else None,
        "code": code_for(system, settings, seed),
        **shown(result),
        "table": table_texts(result.table),
    }


@cache
def search_words() -> dict[str, str]:
    """Name of a system -> every different word that it speaks, to filter the list by."""
    return {
        system.name: " ".join(sorted(set(re.findall(r"[^\W_]+", all_words(system).lower()))))
        for system in all_systems()
    }


def neighbours(system: System, among: Sequence[System]) -> dict[str, System | None]:
    """The systems before and after one, in the order given."""
    at = [one.name for one in among].index(system.name)
    return {
        "before": among[at - 1] if at else None,
        "after": among[at + 1] if at + 1 < len(among) else None,
    }


def theme_of(system: System) -> str:
    """The theme that it is listed under."""
    return next(theme for theme, systems in by_theme().items() if system in systems)
