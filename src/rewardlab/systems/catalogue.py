"""All systems, in teaching order."""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import import_module

from rewardlab.errors import InputError
from rewardlab.systems.declaration import System
from rewardlab.systems.words import all_words

THEMES: dict[str, tuple[str, ...]] = {
    "From end to end": ("the_loop",),
    "Learning a reward": (
        "tiny_rater",
        "six_responses",
        "losses",
        "ratings_or_comparisons",
        "ties",
        "rankings",
        "elo",
        "ceiling",
        "answer_world",
        "raters",
        "label_and_fit",
    ),
    "Optimising against it": (
        "leash",
        "natural_gradient",
        "best_of_n",
        "best_of_n_theory",
        "beta_sweep",
        "dpo",
        "group_advantages",
        "ppo_clip",
        "reversing_programs",
        "sampled_methods",
        "targets",
        "method_memory",
    ),
    "Where it breaks": (
        "guided_experiments",
        "six_hundred_answers",
        "hackable_feature",
        "scaling_laws",
        "length_geometry",
        "sycophancy",
        "goodhart",
        "boat_race",
        "special_cased_tests",
        "exploitable_verifier",
    ),
    "What helps": (
        "conservative_rewards",
        "rubric",
        "process_rewards",
    ),
    "People and rules": (
        "pluralism",
        "strategic_votes",
    ),
}
"""Theme -> modules of this package that declare a ``SYSTEM``, in teaching order."""

_MODULES = tuple(module for modules in THEMES.values() for module in modules)


def all_systems() -> tuple[System, ...]:
    """Every system; imports each module."""
    return tuple(_declared(module) for module in _MODULES)


def by_theme() -> dict[str, tuple[System, ...]]:
    """Theme -> its systems, in teaching order."""
    return {
        theme: tuple(_declared(module) for module in modules) for theme, modules in THEMES.items()
    }


def find_system(name: str) -> System:
    """A system by its name ("leash") or its row ("D3"), in any case.

    Raises:
        InputError: There is none; near names are listed.
    """
    wanted = name.lower().replace("_", "-")
    module = wanted.replace("-", "_")
    if module in _MODULES:
        return _declared(module)
    systems = all_systems()
    for system in systems:
        if system.row.lower() == wanted:
            return system
    near = get_close_matches(wanted, [s.name for s in systems], n=3, cutoff=0.6)
    near = near or [system.name for system in speaking_of(wanted, systems)][:4]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise InputError(
        f"system: expected the name of a system (rewardlab reproduce --list), got {name!r}{hint}"
    )


def speaking_of(word: str, systems: tuple[System, ...] | None = None) -> tuple[System, ...]:
    """Systems in whose words (names, labels, questions, sources) a word begins, in any case.

    Raises:
        InputError: There is none, and all systems were asked.
    """
    parts = (re.escape(part) for part in re.split(r"[\s_-]+", word.strip()))
    begins = re.compile(r"\b" + r"[\s_-]?".join(parts), re.IGNORECASE)
    found = tuple(system for system in systems or all_systems() if begins.search(all_words(system)))
    if not found and systems is None:
        raise InputError(f"reproduce: expected a word that a system speaks of, got {word!r}")
    return found


def _declared(module: str) -> System:
    system = import_module(f"rewardlab.systems.{module}").SYSTEM
    if not isinstance(system, System):
        raise TypeError(f"rewardlab.systems.{module}: expected SYSTEM to be a System")
    return system
