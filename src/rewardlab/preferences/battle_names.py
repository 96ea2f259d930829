"""Names of items that a reader would take for one name."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence

MOST_GROUPS = 5


def names_alike(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Groups of names that differ in case, blanks or Unicode form alone, each in the order given.

    Args:
        names: The items, each once.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[_looks(name)].append(name)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def alike_sentences(names: Sequence[str]) -> tuple[str, ...]:
    """That such names are items of their own, in plain words; nothing where there are none."""
    groups = names_alike(names)
    if not groups:
        return ()
    shown = "; ".join(_told_apart(group) for group in groups[:MOST_GROUPS])
    rest = len(groups) - MOST_GROUPS
    more = f"; and {rest:,} more such groups" if rest > 0 else ""
    return (
        "Taken as different items, though their names differ in case, blanks or Unicode form "
        f"alone: {shown}{more}.",
    )


def _looks(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _told_apart(group: Sequence[str]) -> str:
    """The names in quotes; as code points where they would look the same even so."""
    quoted = [repr(name) for name in group]
    if len({unicodedata.normalize("NFC", name) for name in quoted}) < len(quoted):
        quoted = [ascii(name) for name in group]
    return " and ".join(quoted)
