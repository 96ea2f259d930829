"""From recognised rows to votes: read as they are, or compared where they are rated or ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.assembly import VoteColumns, digest
from rewardlab.preferences.comparisons import RatedRows, votes_of_ranking, votes_of_ratings
from rewardlab.preferences.conventions.ratings import RATINGS, RATINGS_LIST, rating_names
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.recognition import RowSource
from rewardlab.preferences.rows import Row, Vote
from rewardlab.preferences.tallies import Tally
from rewardlab.types import Text


def votes_of_source(
    source: RowSource, options: ReadOptions, tally: Tally, columns: VoteColumns
) -> Iterator[float]:
    """Fill ``columns`` with the source's votes; yields the share read whenever it may be emptied.

    Raises:
        FormatError: There is no such rating.
        RowError: A row cannot be read, and the tally does not count such rows.
    """
    if source.recognised.convention is RATINGS:
        return _rated_rows(source, options, tally, columns)
    return _row_by_row(source, options, tally, columns)


def _row_by_row(
    source: RowSource, options: ReadOptions, tally: Tally, columns: VoteColumns
) -> Iterator[float]:
    decode, none_left = _decoder(source, options)
    for rows, share in source.batches(options.chunk_rows, tally):
        for row in rows:
            try:
                votes = decode(row)
                columns.add(row, votes)
            except RowError as error:
                tally.bad(error)
                continue
            if votes:
                tally.delivered(len(votes))
            else:
                tally.leave_out(none_left, row.source, row.line)
        yield share


def _decoder(source: RowSource, options: ReadOptions) -> tuple[Callable[[Row], list[Vote]], str]:
    """(row -> its votes, why a row may have none)."""
    convention, mapping = source.recognised.convention, source.recognised.layout.columns
    decode: Callable[..., Any] = convention.decode
    by_text = "annotator" in mapping
    if convention.kind == "rankings":
        return (
            lambda row: votes_of_ranking(decode(row, mapping)[0], by_text=by_text)
        ), "fewer than two responses"
    if convention is RATINGS_LIST:
        rating = _known_rating(source, options.rating)
        return (
            lambda row: votes_of_ratings(decode(row, mapping), rating, by_text=by_text)
        ), f"fewer than two responses rated by {rating}"
    return (lambda row: list(decode(row, mapping))), "no votes on the pair"


def _known_rating(source: RowSource, rating: str | None) -> str:
    names = rating_names(source.sample, source.recognised.layout.columns)
    if rating is None or rating not in names:
        said = f"--rating {rating}: there is no such rating" if rating else "name a rating"
        raise FormatError(
            f"{source.table.source}: {said}; give --rating NAME, one of: {', '.join(names)}"
        )
    return rating


def _rated_rows(
    source: RowSource, options: ReadOptions, tally: Tally, columns: VoteColumns
) -> Iterator[float]:
    rating = _known_rating(source, options.rating)
    mapping, decode = source.recognised.layout.columns, source.recognised.convention.decode

    def key(row: Row, prompt: Text) -> tuple[str | None, ...]:
        named = [row.name(mapping[f]) if f in mapping else None for f in ("annotator", "split")]
        prompt_id = row.name(mapping["prompt_id"]) if "prompt_id" in mapping else None
        return (prompt_id or digest(prompt), *named)

    rated_rows = RatedRows(
        rating,
        key=key,
        by_text="annotator" in mapping,
        claimed=frozenset(mapping.values()),
        id_column=mapping.get("id"),
    )
    for rows, share in source.batches(options.chunk_rows, tally):
        for row in rows:
            try:
                if not rated_rows.add(row, decode(row, mapping)[0]):
                    tally.leave_out(f"no rating {rating}", row.source, row.line)
            except RowError as error:
                tally.bad(error)
        yield share
    yield from _emit(rated_rows, options, tally, columns)


def _emit(
    rated_rows: RatedRows, options: ReadOptions, tally: Tally, columns: VoteColumns
) -> Iterator[float]:
    for rows, votes in rated_rows.groups():
        if not votes:
            tally.leave_out("the only rated response to its prompt", rows[0].source, rows[0].line)
            continue
        columns.add(rows[0], votes, own_extra=False)
        tally.delivered(len(votes), n_rows=len(rows))
        if len(columns) >= options.chunk_rows:
            yield 1.0
    yield 1.0
