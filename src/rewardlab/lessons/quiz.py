"""Quizzes: the systems' own questions, drawn in an order that a seed fixes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.lessons.course import COURSE, find_chapter
from rewardlab.systems.controls import LARGEST_SEED
from rewardlab.systems.declaration import System


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a quiz.

    Attributes:
        system: Whose question it is.
        number: Its place among the system's questions, from 0.
        chapter: Name of the system's chapter.
    """

    system: System
    number: int
    chapter: str

    @property
    def text(self) -> str:
        """The question."""
        return self.system.questions[self.number].text

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be answered, in the order in which it was written."""
        return self.system.questions[self.number].choices


def quiz(chapter: str = "", *, seed: int = 0, most: int | None = None) -> tuple[Asked, ...]:
    """Questions of one chapter or of all, shuffled.

    Args:
        chapter: Name of a chapter; "" for all.
        seed: Fixes the order, from 0 to 999,999,999.
        most: How many questions at the most; None for all there are.

    Raises:
        InputError: There is no such chapter, or the seed or number is out of range.
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"seed: expected 0 to {LARGEST_SEED}, got {seed}")
    if most is not None and most < 1:
        raise InputError(f"most: expected at least 1, got {most}")
    chapters = (find_chapter(chapter),) if chapter else COURSE
    every = [
        Asked(system, number, one.name)
        for one in chapters
        for system in one.systems
        for number in range(len(system.questions))
    ]
    order = np.random.default_rng(seed).permutation(len(every))
    return tuple(every[place] for place in order[:most].tolist())
