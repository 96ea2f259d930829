"""Gathering what conventions read from rows into columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rewardlab.preferences.records import Provenance
from rewardlab.preferences.rows import Row
from rewardlab.preferences.sources import RowSource
from rewardlab.preferences.votes import Vote
from rewardlab.types import LABEL_OF_OUTCOME, Preferences, Text

ESCAPE = "rewardlab.extra."
"""Written before the name of an extra column that would else be read as a field."""


def digest(*parts: Any) -> str:
    """A short name for the parts: 24 hexadecimal digits of BLAKE2b over their JSON."""
    if len(parts) == 1 and isinstance(parts[0], str):
        text = json.dumps(parts[0])  # the quick way to the same digest as below
    else:
        text = json.dumps(parts if len(parts) > 1 else parts[0], sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


class ProvenanceColumns:
    """The columns of ``Provenance`` while they fill, source after source."""

    def __init__(self, source: RowSource) -> None:
        self.begin(source)
        self._clear()

    def begin(self, source: RowSource) -> None:
        """Take rows of this source from now on; its columns that are no fields are extra ones."""
        columns, convention = source.layout.columns, source.convention
        self._id, self._prompt_id = columns.get("id"), columns.get("prompt_id")
        self._annotator, self._split = columns.get("annotator"), columns.get("split")
        self._claimed = frozenset(c for f, c in columns.items() if f not in convention.kept)
        self._given_split = source.rows.table.split

    def _clear(self) -> None:
        self._ids: list[str] = []
        self._prompt_ids: list[str] = []
        self._annotators: list[str | None] = []
        self._splits: list[str | None] = []
        self._lines: list[int] = []
        self._sources: list[str] = []
        self._extra: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def extra_of(self, row: Row) -> dict[str, Any]:
        """The row's columns that are no fields."""
        return {k: v for k, v in row.values.items() if k not in self._claimed}

    def add(
        self,
        row: Row,
        prompt: Text | None,
        *,
        extra: Mapping[str, Any],
        id: str | None = None,
        annotator: str | None = None,
    ) -> None:
        """Add one entry of a row.

        Args:
            row: Where it stands.
            prompt: Whose digest is the prompt's id where no column gives one; None for the id.
            extra: Its extra columns.
            id: Its id; None for the row's own, or else its line.
            annotator: Who judged; None for what the row says.

        Raises:
            RowError: An id, a split or an annotator is not of its type.
        """
        id = row.name(self._id) if id is None else id
        id = str(row.line) if id is None else id
        prompt_id = row.name(self._prompt_id)
        if prompt_id is None:
            prompt_id = id if prompt is None else digest(prompt)
        said_by, split = row.name(self._annotator), row.name(self._split)
        self._add_extra(row, extra)
        self._ids.append(id)
        self._prompt_ids.append(prompt_id)
        self._annotators.append(said_by if annotator is None else annotator)
        self._splits.append(self._given_split if split is None else split)
        self._lines.append(row.line)
        self._sources.append(row.source)

    def _add_extra(self, row: Row, extra: Mapping[str, Any]) -> None:
        named = {written.removeprefix(ESCAPE): value for written, value in extra.items()}
        if len(named) < len(extra):
            twice = next(name for name in extra if ESCAPE + name in extra)
            raise row.error(ESCAPE + twice, f"no such column beside {twice!r}")
        n_before = len(self)
        for name, value in named.items():
            column = self._extra.setdefault(name, [])
            if len(column) < n_before:
                column.extend([None] * (n_before - len(column)))
            column.append(value)

    def done(self) -> Provenance:
        """The entries so far; then start anew."""
        n = len(self)
        for column in self._extra.values():
            column.extend([None] * (n - len(column)))
        provenance = Provenance(
            id=self._ids,
            prompt_id=self._prompt_ids,
            annotator=self._annotators,
            split=self._splits,
            line=np.array(self._lines, dtype=np.int64),
            source=self._sources,
            extra=self._extra,
        )
        self._clear()
        return provenance


class VoteColumns:
    """Columns of preferences while they fill, row by row, with the votes of ``source``."""

    def __init__(self, source: RowSource) -> None:
        columns = source.layout.columns
        self._rows = ProvenanceColumns(source)
        self._votes: list[Vote] = []
        self._margins: list[float] = []
        self._sides_recorded = source.layout.sides_recorded
        self._sides, self._margin = columns.get("sides_recorded"), columns.get("margin")
        self._id, self._has_annotator = columns.get("id"), "annotator" in columns
        self._has_prompt = "prompt" in columns or not self._sides_recorded

    def __len__(self) -> int:
        return len(self._votes)

    def extra_of(self, row: Row) -> dict[str, Any]:
        """The row's columns that are no fields."""
        return self._rows.extra_of(row)

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
        margin = row.number(self._margin)
        extra = self._rows.extra_of(row) if own_extra else {}
        for vote in votes:
            self._rows.add(
                row,
                vote.prompt if self._has_prompt else None,
                extra={**extra, **vote.extra} if vote.extra else extra,
                id=self._pair_id(row, vote) if vote.id is None else vote.id,
                annotator=vote.annotator,
            )
            self._votes.append(vote)
            self._margins.append(margin if vote.margin != vote.margin else vote.margin)

    def _pair_id(self, row: Row, vote: Vote) -> str:
        """The pair's own name, its line, or with annotators a digest that its votes share."""
        named = row.name(self._id)
        if named is not None or not self._has_annotator:
            base = str(row.line) if named is None else named
            return f"{base}:{vote.pair}" if vote.pair else base
        sides = [
            vote.item_a if vote.response_a is None else vote.response_a,
            vote.item_b if vote.response_b is None else vote.response_b,
        ]
        return digest(vote.prompt, *sides)

    def done(self) -> Preferences:
        """The rows so far as ``Preferences``; then start anew."""
        votes, rows = self._votes, self._rows.done()
        outcome = np.array([v.outcome for v in votes], dtype=np.int8)
        label = np.array([v.label for v in votes], dtype=float)
        preferences = Preferences(
            prompt=[v.prompt for v in votes],
            response_a=[v.response_a for v in votes],
            response_b=[v.response_b for v in votes],
            outcome=outcome,
            label=np.where(np.isnan(label), LABEL_OF_OUTCOME[outcome], label),
            margin=np.array(self._margins, dtype=float),
            annotator=rows.annotator,
            id=rows.id,
            prompt_id=rows.prompt_id,
            split=rows.split,
            item_a=[v.item_a for v in votes],
            item_b=[v.item_b for v in votes],
            line=rows.line,
            source=rows.source,
            sides_recorded=self._sides_recorded,
            extra=rows.extra,
        )
        self._votes, self._margins = [], []
        return preferences
