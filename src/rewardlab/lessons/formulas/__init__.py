"""The central formulas, in teaching order."""

from __future__ import annotations

from rewardlab.errors import InputError
from rewardlab.lessons.formula import Formula
from rewardlab.lessons.formulas import comparisons, methods, optimising, rewards

FORMULAS: tuple[Formula, ...] = (
    *comparisons.FORMULAS,
    *optimising.FORMULAS,
    *methods.FORMULAS,
    *rewards.FORMULAS,
)


def find_formula(name: str) -> Formula:
    """A formula by its name.

    Raises:
        InputError: There is none.
    """
    for formula in FORMULAS:
        if formula.name == name:
            return formula
    raise InputError(f"formula: there is none named {name!r}")
