"""The central formulas, in teaching order."""

from __future__ import annotations

from rewardlab.lessons.formula import Formula
from rewardlab.lessons.formulas import comparisons, methods, optimising, rewards

FORMULAS: tuple[Formula, ...] = (
    *comparisons.FORMULAS,
    *optimising.FORMULAS,
    *methods.FORMULAS,
    *rewards.FORMULAS,
)
