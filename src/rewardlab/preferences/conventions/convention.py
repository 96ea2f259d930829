"""What a convention is: the columns it needs, the values it holds, and how a row is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rewardlab.preferences.column_names import SHARED_FIELDS
from rewardlab.preferences.rows import NO_WORDS, Row
from rewardlab.types import Outcome

Columns = Mapping[str, str]
"""Field of the convention -> column of the file."""

Kind = Literal["preferences", "rankings", "ratings", "unpaired", "steps", "refused"]


def always(_rows: Sequence[Row], _columns: Columns) -> bool:
    """The columns alone tell this convention."""
    return True


def settled(_rows: Iterable[tuple[Row, Columns]]) -> None:
    """Every row tells its own meaning."""


def no_words(_row: Row, _columns: Columns) -> Mapping[str, Outcome]:
    """The labels are numbers, or there are none."""
    return NO_WORDS


@dataclass(frozen=True, slots=True)
class Convention:
    """One convention of files.

    Attributes:
        name: What ``--format`` calls it.
        title: What it is called in a sentence.
        required: Field -> names its column goes by, the first found winning.
        decode: Reads a row into the votes (or rankings, ratings, ...) that it holds.
        kind: What its rows are.
        optional: As ``required``, for fields that may be absent.
        either: Sets of optional fields of which one must be there whole.
        forbidden: Columns whose presence says that a file is of another convention.
        verdict: The field whose labels say who won, which the user may give other meanings; ""
            where there is none.
        words: What of a row's labels means an outcome by itself: word -> outcome.
        settle: Raises FormatError where all rows together leave open what their labels mean; it
            need not look at them all.
        holds: Whether sample values look like this convention's.
        sides_recorded: True if side a is the one shown first (or left).
        no_sides: Why the sides are unknown, where they are.
        kept: Fields whose column stays among the extra columns too, as it cannot be rebuilt.
        remedy: For a refused convention, what to do instead.
    """

    name: str
    title: str
    required: Mapping[str, tuple[str, ...]]
    decode: Callable[[Row, Columns], Sequence[Any]]
    kind: Kind = "preferences"
    optional: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    either: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[str, ...] = ()
    verdict: str = ""
    words: Callable[[Row, Columns], Mapping[str, Outcome]] = no_words
    settle: Callable[[Iterable[tuple[Row, Columns]]], None] = settled
    holds: Callable[[Sequence[Row], Columns], bool] = always
    sides_recorded: bool = True
    no_sides: str = "the first column is the winner's, not the side shown first"
    kept: frozenset[str] = frozenset()
    remedy: str = ""

    @property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """Every field with the names its column goes by, the required ones first."""
        return {**self.required, **self.optional, **SHARED_FIELDS}

    def chooses(self, columns: Columns) -> bool:
        """Whether one of the sets of ``either`` is there whole, or none is asked for."""
        return not self.either or any(columns.keys() >= set(fields) for fields in self.either)

    @property
    def reads_items(self) -> bool:
        """Whether items alone, without their texts, are enough."""
        return any("item_a" in fields for fields in (self.required, *self.either))
