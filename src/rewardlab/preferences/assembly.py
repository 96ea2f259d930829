"""Completing what conventions read from rows, and gathering it into columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rewardlab.preferences.entries import Entry, Vote
from rewardlab.preferences.records import Provenance
from rewardlab.preferences.rows import Row
from rewardlab.preferences.sources import RowSource
from rewardlab.types import LABEL_OF_OUTCOME, Preferences

ESCAPE = "rewardlab.extra."
"""Written before the name of an extra column that would else be read as a field."""


_quoted = json.JSONEncoder().encode


def digest(*parts: Any) -> str:
    """A short name for the parts: 24 hexadecimal digits of BLAKE2b over their JSON."""
    if len(parts) == 1 and isinstance(parts[0], str):
        text = _quoted(parts[0])  # the quick way to the same digest as below
    else:
        text = json.dumps(parts if len(parts) > 1 else parts[0], sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def complete(entry: Entry, row: Row, source: RowSource, *, own_extra: bool = True) -> None:
    """Fill in what the convention does not say of an entry, from its row's other columns.

    Args:
        entry: The entry.
        row: The row it was read from.
        source: Where the row stands.
        own_extra: Keep the row's extra columns; False where the entry carries them.

    Raises:
        RowError: An id, a split or an annotator is not of its type, or a column stands twice.
    """
    columns = source.layout.columns
    entry.line, entry.source = row.line, row.source
    if entry.id is None:
        entry.id = row.name(columns.get("id"))
        if entry.id is None:
            entry.id = str(row.line)
    prompt_id = row.name(columns["prompt_id"]) if "prompt_id" in columns else None
    split = row.name(columns["split"]) if "split" in columns else None
    if prompt_id is not None:
        entry.prompt_id = prompt_id
    elif "prompt" in columns or not source.layout.sides_recorded:
        entry.prompt_id = digest(entry.prompt)
    else:  # there is no prompt, neither in a column nor in the texts
        entry.prompt_id = entry.id
    if entry.annotator is None and "annotator" in columns:
        entry.annotator = row.name(columns["annotator"])
    entry.split = source.rows.table.split if split is None else split
    extra = source.extra_of(row) if own_extra else {}
    if extra or entry.extra:
        entry.extra = _unescaped(row, {**extra, **entry.extra})


def _unescaped(row: Row, extra: dict[str, Any]) -> dict[str, Any]:
    named = {written.removeprefix(ESCAPE): value for written, value in extra.items()}
    if len(named) < len(extra):
        twice = next(name for name in extra if ESCAPE + name in extra)
        raise row.error(ESCAPE + twice, f"no such column beside {twice!r}")
    return named


def complete_vote(vote: Vote, row: Row, source: RowSource, *, own_extra: bool = True) -> None:
    """The same for a vote, whose id is that of its pair; see ``complete``.

    Raises:
        RowError: Its margin is no number, or its row says otherwise of the sides than the first.
    """
    layout, columns = source.layout, source.layout.columns
    sides = columns.get("sides_recorded")
    if sides is not None and row.get(sides) is not layout.sides_recorded:
        expected = f"{layout.sides_recorded}".lower() + ", as in the file's first row"
        raise row.error(sides, expected)
    if vote.margin != vote.margin and "margin" in columns:
        vote.margin = row.number(columns["margin"])
    if vote.id is None and (vote.pair or "annotator" in columns):
        vote.id = _pair_id(vote, row, columns)
    complete(vote, row, source, own_extra=own_extra)


def _pair_id(vote: Vote, row: Row, columns: Mapping[str, str]) -> str:
    """The pair's own name, its line, or with annotators a digest that its votes share."""
    named = row.name(columns.get("id"))
    if named is not None or "annotator" not in columns:
        base = str(row.line) if named is None else named
        return f"{base}:{vote.pair}" if vote.pair else base
    sides = [
        vote.item_a if vote.response_a is None else vote.response_a,
        vote.item_b if vote.response_b is None else vote.response_b,
    ]
    return digest(vote.prompt, *sides)


def provenance_of(entries: Sequence[Entry]) -> Provenance:
    """Where the (completed) entries came from, and what came with them."""
    extra: dict[str, list[Any]] = {}
    for i, entry in enumerate(entries):
        for name, value in entry.extra.items():
            column = extra.get(name)
            if column is None:
                column = extra[name] = [None] * len(entries)
            column[i] = value
    return Provenance(
        id=[x.id or "" for x in entries],
        prompt_id=[x.prompt_id or "" for x in entries],
        annotator=[x.annotator for x in entries],
        split=[x.split for x in entries],
        line=np.array([x.line for x in entries], dtype=np.int64),
        source=[x.source for x in entries],
        extra=extra,
    )


def preferences_of(votes: Sequence[Vote], *, sides_recorded: bool) -> Preferences:
    """The (completed) votes as ``Preferences``."""
    rows = provenance_of(votes)
    outcome = np.array([v.outcome for v in votes], dtype=np.int8)
    label = np.array([v.label for v in votes], dtype=float)
    return Preferences(
        prompt=[v.prompt for v in votes],
        response_a=[v.response_a for v in votes],
        response_b=[v.response_b for v in votes],
        outcome=outcome,
        label=np.where(np.isnan(label), LABEL_OF_OUTCOME[outcome], label),
        margin=np.array([v.margin for v in votes], dtype=float),
        annotator=rows.annotator,
        id=rows.id,
        prompt_id=rows.prompt_id,
        split=rows.split,
        item_a=[v.item_a for v in votes],
        item_b=[v.item_b for v in votes],
        line=rows.line,
        source=rows.source,
        sides_recorded=sides_recorded,
        extra=rows.extra,
    )
