"""Reading preferences and their kin from files: open, recognise, stream, say what was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rewardlab.errors import InputError
from rewardlab.preferences.assembly import preferences_of
from rewardlab.preferences.conventions.convention import Kind
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.recognition import Layout
from rewardlab.preferences.records import Provenance, Rankings, Ratings, Steps, Unpaired
from rewardlab.preferences.sibling_reading import (
    read_rankings,
    read_ratings,
    read_steps,
    read_unpaired,
)
from rewardlab.preferences.sources import RowSource, open_sources
from rewardlab.preferences.tables import read_table
from rewardlab.preferences.tallies import LeftOut, ReadReport, Tally, nothing_left
from rewardlab.preferences.vote_reading import votes_of_source
from rewardlab.types import Preferences, concat

Progress = Callable[[float], None]


class PreferenceReader:
    """Reads preferences from files, any number of times; holds no rows itself.

    Attributes:
        layout: What was recognised.
    """

    def __init__(self, sources: Sequence[RowSource], options: ReadOptions) -> None:
        self._sources, self._options = sources, options
        self.layout: Layout = sources[0].layout
        self._report: ReadReport | None = None

    @property
    def layouts(self) -> dict[str, Layout]:
        """What was recognised of each file; columns may differ between them."""
        return {source.rows.table.source: source.layout for source in self._sources}

    @property
    def report(self) -> ReadReport:
        """What the last complete pass read and left out.

        Raises:
            InputError: No pass is complete yet.
        """
        if self._report is None:
            raise InputError("report: expected a complete pass over chunks() or read() before it")
        return self._report

    def chunks(self, *, on_progress: Progress | None = None) -> Iterator[Preferences]:
        """The preferences in order, in chunks of about ``chunk_rows`` rows; none of them empty.

        Args:
            on_progress: Called with the share of the files' bytes read, in [0, 1].

        Raises:
            FormatError: A file is damaged.
            RowError: A row cannot be read, and ``on_bad`` is "raise".
        """
        tally = Tally(self._options.on_bad)
        joined = self._sources[0].rows.joined
        if joined is not None:
            joined.start()
        for i, source in enumerate(self._sources):
            for votes, share in votes_of_source(source, self._options, tally):
                if on_progress is not None:
                    on_progress((i + share) / len(self._sources))
                if votes:
                    sides = source.layout.sides_recorded
                    yield preferences_of(votes, sides_recorded=sides)
        if joined is not None:
            joined.finish(tally)
        self._report = tally.report(self.layout)

    def some_chunks(self, *, on_progress: Progress | None = None) -> Iterator[Preferences]:
        """The same as ``chunks``, but refuses files of which no row is left.

        Raises:
            FormatError: A file is damaged, or no row is left to deliver.
            RowError: A row cannot be read, and ``on_bad`` is "raise".
        """
        delivered = False
        for chunk in self.chunks(on_progress=on_progress):
            delivered = True
            yield chunk
        if not delivered:
            raise nothing_left(self.report)

    def read(self, *, on_progress: Progress | None = None) -> Preferences:
        """All preferences at once.

        Raises:
            FormatError: A file is damaged, or no row is left to deliver.
            RowError: A row cannot be read, and ``on_bad`` is "raise".
        """
        chunks = list(self.some_chunks(on_progress=on_progress))
        return chunks[0] if len(chunks) == 1 else concat(chunks)


def open_preferences(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> PreferenceReader:
    """A reader of the preferences in one or more files.

    Several files are splits, each named by its stem where it has no split column.

    Raises:
        FormatError: A file is missing or damaged, its layout is not recognised, or the files
            differ in layout.
        RowError: One of the first rows cannot be read at all, and ``on_bad`` is "raise".
    """
    options = options or ReadOptions()
    kinds: tuple[Kind, ...] = ("preferences",)
    if options.rating is not None and options.from_rankings:
        raise InputError("--rating and --from-rankings exclude each other; give one of them")
    if options.rating is not None:
        kinds = ("ratings",)
    elif options.from_rankings:
        kinds = ("rankings",)
    return PreferenceReader(open_sources(paths, options, kinds=kinds), options)


def read_preferences(
    paths: Path | Sequence[Path], options: ReadOptions | None = None
) -> Preferences:
    """All preferences of one or more files; see ``open_preferences``."""
    return open_preferences(paths, options).read()


__all__ = [
    "Layout",
    "LeftOut",
    "PreferenceReader",
    "Progress",
    "Provenance",
    "Rankings",
    "Ratings",
    "ReadOptions",
    "ReadReport",
    "Steps",
    "Unpaired",
    "open_preferences",
    "read_preferences",
    "read_rankings",
    "read_ratings",
    "read_steps",
    "read_table",
    "read_unpaired",
]
