"""One word of the field in plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A word of the glossary.

    Attributes:
        name: The word.
        words: What it means, in one to three plain sentences.
        systems: Names of systems that show it.
        formulas: Names of formulas that state it.
        card: True if it is also a flashcard.
    """

    name: str
    words: str
    systems: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    card: bool = False

    @property
    def slug(self) -> str:
        """Its anchor, such as "best-of-n"."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")
