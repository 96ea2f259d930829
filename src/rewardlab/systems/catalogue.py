"""All systems, in teaching order."""

from __future__ import annotations

from importlib import import_module

from rewardlab.errors import InputError
from rewardlab.systems.declaration import System

_MODULES = (
    "answer_world",
    "raters",
    "label_and_fit",
    "guided_experiments",
    "leash",
    "natural_gradient",
    "best_of_n",
    "best_of_n_theory",
    "losses",
    "ties",
    "rankings",
    "ratings_or_comparisons",
    "dpo",
    "six_responses",
    "elo",
    "length_geometry",
    "ceiling",
    "pluralism",
    "strategic_votes",
    "sycophancy",
    "beta_sweep",
    "scaling_laws",
    "targets",
    "group_advantages",
    "ppo_clip",
    "method_memory",
    "six_hundred_answers",
    "reversing_programs",
    "special_cased_tests",
    "hackable_feature",
    "tiny_rater",
    "boat_race",
    "rubric",
    "exploitable_verifier",
    "goodhart",
    "process_rewards",
    "conservative_rewards",
)
"""Modules of this package that declare a ``SYSTEM``, in teaching order."""


def all_systems() -> tuple[System, ...]:
    """Every system; imports each module."""
    return tuple(_declared(module) for module in _MODULES)


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
    from difflib import get_close_matches

    near = get_close_matches(wanted, [s.name for s in systems], n=3, cutoff=0.4)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise InputError(
        f"reproduce: expected the name of a system (rewardlab reproduce --list), got {name!r}{hint}"
    )


def _declared(module: str) -> System:
    system = import_module(f"rewardlab.systems.{module}").SYSTEM
    if not isinstance(system, System):
        raise TypeError(f"rewardlab.systems.{module}: expected SYSTEM to be a System")
    return system
