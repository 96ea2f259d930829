"""Reading the siblings of preferences: rankings, ratings, unpaired labels and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.assembly import digest
from rewardlab.preferences.conventions.convention import Kind
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.recognition import RowSource, open_sources, require_one_layout
from rewardlab.preferences.records import Provenance, Rankings, Ratings, Steps, Unpaired
from rewardlab.preferences.rows import Row
from rewardlab.preferences.tallies import ReadReport, Tally


class _Gathered:
    """Decoded records with the rows they came from."""

    def __init__(self) -> None:
        self.records: list[Any] = []
        self._columns: list[tuple[str, str, str | None, str | None, int, str]] = []
        self._extra: dict[str, list[Any]] = {}

    def add(self, row: Row, records: Sequence[Any], source: RowSource) -> None:
        """Add a row's records."""
        mapping = source.recognised.layout.columns
        named = {f: row.name(mapping[f]) for f in ("id", "annotator", "split") if f in mapping}
        prompt_id = row.name(mapping["prompt_id"]) if "prompt_id" in mapping else None
        claimed = set(mapping.values())
        extra = {k: v for k, v in row.values.items() if k not in claimed}
        for record in records:
            start = len(self.records)
            self.records.append(record)
            self._columns.append(
                (
                    named.get("id") or str(row.line),
                    prompt_id or digest(record.prompt),
                    named.get("annotator"),
                    named.get("split") or source.table.split,
                    row.line,
                    row.source,
                )
            )
            for name, value in extra.items():
                column = self._extra.setdefault(name, [None] * start)
                column.extend([None] * (start - len(column)))
                column.append(value)

    def provenance(self) -> Provenance:
        """Where the rows came from, and what came with them."""
        n = len(self.records)
        for column in self._extra.values():
            column.extend([None] * (n - len(column)))
        return Provenance(
            id=[c[0] for c in self._columns],
            prompt_id=[c[1] for c in self._columns],
            annotator=[c[2] for c in self._columns],
            split=[c[3] for c in self._columns],
            line=np.array([c[4] for c in self._columns], dtype=np.int64),
            source=[c[5] for c in self._columns],
            extra=self._extra,
        )


def _gather(
    paths: Path | Sequence[Path], options: ReadOptions | None, kind: Kind
) -> tuple[_Gathered, ReadReport]:
    options = options or ReadOptions()
    sources = open_sources(paths, options, kinds=(kind,))
    require_one_layout(sources)
    tally, gathered = Tally(options.on_bad), _Gathered()
    for source in sources:
        decode: Callable[..., Any] = source.recognised.convention.decode
        mapping = source.recognised.layout.columns
        for rows, _ in source.batches(options.chunk_rows, tally):
            for row in rows:
                try:
                    records = decode(row, mapping)
                    gathered.add(row, records, source)
                except RowError as error:
                    tally.bad(error)
                else:
                    tally.delivered(len(records))
    report = tally.report(sources[0].recognised.layout)
    if not gathered.records:
        reasons = "; ".join(f"{x.count:,}: {x.reason}" for x in report.left_out)
        raise FormatError(f"all {report.n_rows:,} rows were left out: {reasons}")
    return gathered, report


def read_rankings(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> tuple[Rankings, ReadReport]:
    """The rankings in one or more files, and what was left out.

    Raises:
        FormatError: A file cannot be read, or holds no rankings.
        RowError: A row cannot be read, and ``on_bad`` is "raise".
    """
    gathered, report = _gather(paths, options, "rankings")
    records = gathered.records
    rankings = Rankings(
        prompt=[r.prompt for r in records],
        responses=[r.responses for r in records],
        ranks=[np.array(r.ranks, dtype=np.int64) for r in records],
        items=[r.items for r in records],
        rows=gathered.provenance(),
    )
    return rankings, report


def read_ratings(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> tuple[Ratings, ReadReport]:
    """The ratings in one or more files, and what was left out; see ``read_rankings``.

    What else a listed completion holds is in ``rows.extra["completion"]``.
    """
    gathered, report = _gather(paths, options, "ratings")
    records, rows = gathered.records, gathered.provenance()
    names = dict.fromkeys(name for r in records for name in r.ratings)
    extra = {name: column for name, column in rows.extra.items() if name not in names}
    if any(r.extra for r in records):
        extra["completion"] = [r.extra for r in records]
    ratings = Ratings(
        prompt=[r.prompt for r in records],
        response=[r.response for r in records],
        ratings={n: np.array([r.ratings.get(n, np.nan) for r in records]) for n in names},
        item=[r.item for r in records],
        rows=Provenance(
            rows.id, rows.prompt_id, rows.annotator, rows.split, rows.line, rows.source, extra
        ),
    )
    return ratings, report


def read_unpaired(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> tuple[Unpaired, ReadReport]:
    """The unpaired labels in one or more files, and what was left out; see ``read_rankings``."""
    gathered, report = _gather(paths, options, "unpaired")
    records = gathered.records
    unpaired = Unpaired(
        prompt=[r.prompt for r in records],
        completion=[r.completion for r in records],
        label=np.array([r.label for r in records], dtype=bool),
        rows=gathered.provenance(),
    )
    return unpaired, report


def read_steps(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> tuple[Steps, ReadReport]:
    """The labelled steps in one or more files, and what was left out; see ``read_rankings``."""
    gathered, report = _gather(paths, options, "steps")
    records = gathered.records
    steps = Steps(
        prompt=[r.prompt for r in records],
        steps=[r.steps for r in records],
        labels=[np.array(r.labels, dtype=np.int8) for r in records],
        rows=gathered.provenance(),
    )
    return steps, report
