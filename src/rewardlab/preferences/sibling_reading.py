"""Reading the siblings of preferences: rankings, ratings, unpaired labels and steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.preferences.assembly import complete, provenance_of
from rewardlab.preferences.conventions.convention import Kind
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.records import Provenance, Rankings, Ratings, Steps, Unpaired
from rewardlab.preferences.rows import Row
from rewardlab.preferences.sources import RowSource, open_sources
from rewardlab.preferences.tallies import ReadReport, Tally, nothing_left

Paths = Path | Sequence[Path]


def read_rankings(paths: Paths, options: ReadOptions | None = None) -> tuple[Rankings, ReadReport]:
    """The rankings in one or more files, and what was left out.

    Raises:
        FormatError: A file cannot be read, or holds no rankings.
        RowError: A row cannot be read, and ``on_bad`` is "raise".
    """
    found, rows, report = _read(paths, options, "rankings")
    rankings = Rankings(
        prompt=[x.prompt for x in found],
        responses=[x.responses for x in found],
        ranks=[np.array(x.ranks, dtype=np.int64) for x in found],
        items=[x.items for x in found],
        rows=rows,
    )
    return rankings, report


def read_ratings(paths: Paths, options: ReadOptions | None = None) -> tuple[Ratings, ReadReport]:
    """The ratings in one or more files, and what was left out; see ``read_rankings``.

    What else a listed completion holds is in ``rows.extra["completion"]``.
    """
    found, rows, report = _read(paths, options, "ratings")
    names = dict.fromkeys(name for x in found for name in x.ratings)
    extra = {name: column for name, column in rows.extra.items() if name not in names}
    if any(x.completion for x in found):
        extra["completion"] = [x.completion for x in found]
    ratings = Ratings(
        prompt=[x.prompt for x in found],
        response=[x.response for x in found],
        ratings={n: np.array([x.ratings.get(n, np.nan) for x in found]) for n in names},
        item=[x.item for x in found],
        rows=replace(rows, extra=extra),
    )
    return ratings, report


def read_unpaired(paths: Paths, options: ReadOptions | None = None) -> tuple[Unpaired, ReadReport]:
    """The unpaired labels in one or more files, and what was left out; see ``read_rankings``."""
    found, rows, report = _read(paths, options, "unpaired")
    unpaired = Unpaired(
        prompt=[x.prompt for x in found],
        completion=[x.completion for x in found],
        label=np.array([x.label for x in found], dtype=bool),
        rows=rows,
    )
    return unpaired, report


def read_steps(paths: Paths, options: ReadOptions | None = None) -> tuple[Steps, ReadReport]:
    """The labelled steps in one or more files, and what was left out; see ``read_rankings``."""
    found, rows, report = _read(paths, options, "steps")
    steps = Steps(
        prompt=[x.prompt for x in found],
        steps=[x.steps for x in found],
        labels=[np.array(x.labels, dtype=np.int8) for x in found],
        rows=rows,
    )
    return steps, report


def _read(
    paths: Paths, options: ReadOptions | None, kind: Kind
) -> tuple[list[Any], Provenance, ReadReport]:
    """(what the convention reads from the rows, where each stands, what was left out)."""
    options = options or ReadOptions()
    sources = open_sources(paths, options, kinds=(kind,))
    tally = Tally(options.on_bad)
    found: list[Any] = []
    for source in sources:
        decode = partial(_decode, source, tally)
        for entries, _ in source.read(decode, chunk_rows=options.chunk_rows, tally=tally):
            found += entries
    report = tally.report(sources[0].layout)
    if not found:
        raise nothing_left(report)
    return found, provenance_of(found), report


def _decode(source: RowSource, tally: Tally, row: Row) -> Sequence[Any]:
    entries = source.convention.decode(row, source.layout.columns)
    for entry in entries:
        complete(entry, row, source)
    tally.delivered(len(entries))
    return entries
