"""Words of the field, each in plain sentences."""

from __future__ import annotations

from functools import cache

from rewardlab.lessons.glossary import failures, optimising, rewards
from rewardlab.lessons.glossary.entry import Entry


@cache
def glossary() -> tuple[Entry, ...]:
    """Every word, in alphabetical order."""
    every = (*rewards.ENTRIES, *optimising.ENTRIES, *failures.ENTRIES)
    return tuple(sorted(every, key=lambda entry: entry.name.casefold()))
