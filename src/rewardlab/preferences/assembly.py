"""Gathering votes into the columns of ``Preferences``."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from rewardlab.preferences.layouts import Recognised
from rewardlab.preferences.rows import Row, Vote
from rewardlab.types import Preferences, Text

ESCAPE = "rewardlab.extra."
"""Written before the name of an extra column that would else be read as a field."""


def digest(*parts: Any) -> str:
    """A short name for the parts: 24 hexadecimal digits of BLAKE2b over their JSON."""
    if len(parts) == 1 and isinstance(parts[0], str):
        text = json.dumps(parts[0])  # the quick way to the same digest as below
    else:
        text = json.dumps(parts if len(parts) > 1 else parts[0], sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


class VoteColumns:
    """Columns of preferences while they fill, row by row.

    Args:
        recognised: The convention and columns of the rows to come.
        split: Split of the rows whose file has no split column; None where there is none.
    """

    def __init__(self, recognised: Recognised, *, split: str | None) -> None:
        columns = recognised.layout.columns
        convention = recognised.convention
        self._sides_recorded = recognised.layout.sides_recorded
        self._id, self._prompt_id = columns.get("id"), columns.get("prompt_id")
        self._annotator, self._split = columns.get("annotator"), columns.get("split")
        self._margin = columns.get("margin")
        self._sides = columns.get("sides_recorded")
        self._has_prompt = "prompt" in columns or not recognised.layout.sides_recorded
        self._claimed = frozenset(c for f, c in columns.items() if f not in convention.kept)
        self._given_split = split
        self.clear()

    def clear(self) -> None:
        """Start anew."""
        self._votes: list[Vote] = []
        self._annotators: list[str | None] = []
        self._ids: list[str] = []
        self._prompt_ids: list[str] = []
        self._splits: list[str | None] = []
        self._margins: list[float] = []
        self._lines: list[int] = []
        self._sources: list[str] = []
        self._extra: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        return len(self._votes)

    def add(self, row: Row, votes: list[Vote], *, own_extra: bool = True) -> None:
        """Add a row's votes, which share its id.

        Args:
            row: The row they came from.
            votes: Its votes.
            own_extra: Keep the row's own extra columns; False where the votes carry them.

        Raises:
            RowError: An id, a split, an annotator or a margin is not of its type.
        """
        if self._sides and row.get(self._sides) is not self._sides_recorded:
            expected = f"{self._sides_recorded}".lower() + ", as in the file's first row"
            raise row.error(self._sides, expected)
        annotator = row.name(self._annotator) if self._annotator else None
        margin = row.number(self._margin) if self._margin else float("nan")
        split = row.name(self._split) if self._split else None
        named = row.name(self._id) if self._id else None
        prompt_id = row.name(self._prompt_id) if self._prompt_id else None
        kept = row.values.items() if own_extra else ()
        extra = {k: v for k, v in kept if k not in self._claimed}
        for vote in votes:
            start = len(self._votes)
            identity = self._identity(row, vote, named) if vote.id is None else vote.id
            self._votes.append(vote)
            self._annotators.append(annotator if vote.annotator is None else vote.annotator)
            self._ids.append(identity)
            self._prompt_ids.append(
                self._prompt_name(vote.prompt, identity) if prompt_id is None else prompt_id
            )
            self._splits.append(self._given_split if split is None else split)
            self._margins.append(margin if vote.margin != vote.margin else vote.margin)
            self._lines.append(row.line)
            self._sources.append(row.source)
            self._add_extra({**extra, **vote.extra} if vote.extra else extra, start)

    def _identity(self, row: Row, vote: Vote, named: str | None) -> str:
        """The pair's own name, its line, or with annotators a digest that its votes share."""
        if named is not None or self._annotator is None:
            base = str(row.line) if named is None else named
            return f"{base}:{vote.pair}" if vote.pair else base
        sides = [
            vote.item_a if vote.response_a is None else vote.response_a,
            vote.item_b if vote.response_b is None else vote.response_b,
        ]
        return digest(vote.prompt, *sides)

    def _prompt_name(self, prompt: Text, identity: str) -> str:
        return digest(prompt) if self._has_prompt else identity

    def _add_extra(self, extra: dict[str, Any], start: int) -> None:
        for written, value in extra.items():
            name = written.removeprefix(ESCAPE)
            column = self._extra.get(name)
            if column is None:
                column = self._extra[name] = []
            if len(column) < start:
                column.extend([None] * (start - len(column)))
            column.append(value)

    def done(self) -> Preferences:
        """The rows so far as ``Preferences``; then start anew."""
        n, votes = len(self._votes), self._votes
        for column in self._extra.values():
            column.extend([None] * (n - len(column)))
        preferences = Preferences(
            prompt=[v.prompt for v in votes],
            response_a=[v.response_a for v in votes],
            response_b=[v.response_b for v in votes],
            outcome=np.array([v.outcome for v in votes], dtype=np.int8),
            label=np.array([v.label for v in votes], dtype=float),
            margin=np.array(self._margins, dtype=float),
            annotator=self._annotators,
            id=self._ids,
            prompt_id=self._prompt_ids,
            split=self._splits,
            item_a=[v.item_a for v in votes],
            item_b=[v.item_b for v in votes],
            line=np.array(self._lines, dtype=np.int64),
            source=self._sources,
            sides_recorded=self._sides_recorded,
            extra=self._extra,
        )
        self.clear()
        return preferences
