"""From recognised rows to votes: read as they are, or compared where they are rated or ranked.

Where rows are rated or ranked, every two responses to one prompt are compared. The first of a pair
is the earlier one, or with annotators the one whose text sorts first, so that all votes on a pair
agree on which is "a". The margin is the difference of the two ratings; equal ratings or ranks are
ties.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rewardlab.errors import FormatError
from rewardlab.preferences.assembly import complete, complete_vote
from rewardlab.preferences.conventions.rankings import Ranking
from rewardlab.preferences.conventions.ratings import RATINGS, RATINGS_LIST, Rated, rating_names
from rewardlab.preferences.entries import Vote, sort_key
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.rows import Row
from rewardlab.preferences.sources import RowSource
from rewardlab.preferences.tallies import Tally
from rewardlab.types import Outcome, Text


def votes_of_source(
    source: RowSource, options: ReadOptions, tally: Tally
) -> Iterator[tuple[list[Vote], float]]:
    """(votes, share of the source read), chunk by chunk.

    Raises:
        FormatError: There is no such rating.
        RowError: A row cannot be read, and the tally does not count such rows.
    """
    if source.convention is RATINGS:
        return _votes_of_rated_rows(source, options, tally)
    rating = _known_rating(source, options.rating) if source.convention is RATINGS_LIST else ""

    def decode(row: Row) -> list[Vote]:
        votes, none_left = _votes_of_row(source, row, rating)
        for vote in votes:
            complete_vote(vote, row, source)
        if votes:
            tally.delivered(len(votes))
        else:
            tally.leave_out(none_left, row.source, row.line)
        return votes

    return source.read(decode, chunk_rows=options.chunk_rows, tally=tally)


def _votes_of_row(source: RowSource, row: Row, rating: str) -> tuple[list[Vote], str]:
    """(the row's votes, why it may have none)."""
    convention, mapping = source.convention, source.layout.columns
    read = list(convention.decode(row, mapping))
    by_text = "annotator" in mapping
    if convention.kind == "rankings":
        return _votes_of_ranking(read[0], by_text=by_text), "fewer than two responses"
    if convention is RATINGS_LIST:
        votes = _votes_of_ratings(read, rating, by_text=by_text)
        return votes, f"fewer than two responses rated by {rating}"
    return read, "no votes on the pair"


def _known_rating(source: RowSource, rating: str | None) -> str:
    names = rating_names(source.sample, source.layout.columns)
    if rating is None or rating not in names:
        said = f"--rating {rating}: there is no such rating" if rating else "name a rating"
        raise FormatError(
            f"{source.rows.table.source}: {said}; give --rating NAME, one of: {', '.join(names)}"
        )
    return rating


@dataclass(slots=True)
class _Candidate:
    """One response on its way into pairs.

    Attributes:
        name: What tells it from the others of its prompt.
        text: The response.
        item: Who wrote it; None where unknown.
        value: Higher is better.
        extra: What goes along with it, under the column's name plus "_a" or "_b".
    """

    name: str
    text: Text
    item: str | None
    value: float
    extra: dict[str, Any]


def _compare_all(
    prompt: Text, candidates: Sequence[_Candidate], *, by_text: bool, margins: bool
) -> list[Vote]:
    """A vote for every two candidates, their difference the margin if ``margins``."""
    votes = []
    for first, second in combinations(candidates, 2):
        swap = by_text and sort_key(second.text) < sort_key(first.text)
        a, b = (second, first) if swap else (first, second)
        difference = a.value - b.value
        outcome = Outcome.TIE if difference == 0 else Outcome.A if difference > 0 else Outcome.B
        extra = {f"{name}_a": value for name, value in a.extra.items()}
        extra |= {f"{name}_b": value for name, value in b.extra.items()}
        vote = Vote(prompt, a.text, b.text, outcome, item_a=a.item, item_b=b.item, extra=extra)
        vote.margin = abs(difference) if margins else math.nan
        vote.pair = f"{a.name}-{b.name}"
        votes.append(vote)
    return votes


def _votes_of_ranking(ranking: Ranking, *, by_text: bool) -> list[Vote]:
    candidates = [
        _Candidate(str(i), text, ranking.items[i], -ranking.ranks[i], {"rank": ranking.ranks[i]})
        for i, text in enumerate(ranking.responses)
    ]
    return _compare_all(ranking.prompt, candidates, by_text=by_text, margins=False)


def _votes_of_ratings(listed: Sequence[Rated], rating: str, *, by_text: bool) -> list[Vote]:
    """Every comparison of the rated completions in one row; those without the rating are out."""
    candidates = [
        _Candidate(str(i), x.response, x.item, x.ratings[rating], {"rated": x.completion})
        for i, x in enumerate(listed)
        if rating in x.ratings
    ]
    return _compare_all(listed[0].prompt, candidates, by_text=by_text, margins=True)


def _votes_of_rated_rows(
    source: RowSource, options: ReadOptions, tally: Tally
) -> Iterator[tuple[list[Vote], float]]:
    """The same for rows of one rated response each, which are first gathered by prompt.

    Responses with different annotators or splits are not compared.
    """
    rating = _known_rating(source, options.rating)
    columns = source.layout.columns
    groups: dict[tuple[str | None, ...], list[tuple[Row, Rated]]] = {}

    def decode(row: Row) -> list[tuple[Row, Rated]]:
        rated: Rated = source.convention.decode(row, columns)[0]
        if rating in rated.ratings:
            complete(rated, row, source)
            return [(row, rated)]
        tally.leave_out(f"no rating {rating}", row.source, row.line)
        return []

    for found, share in source.read(decode, chunk_rows=options.chunk_rows, tally=tally):
        for row, rated in found:
            key = (rated.prompt_id, rated.annotator, rated.split)
            groups.setdefault(key, []).append((row, rated))
        yield [], share
    by_text = "annotator" in columns
    votes: list[Vote] = []
    for members in groups.values():
        row, first = members[0]
        candidates = [
            _Candidate(x.id or "", x.response, x.item, x.ratings[rating], x.extra)
            for _, x in members
        ]
        new = _compare_all(first.prompt, candidates, by_text=by_text, margins=True)
        for vote in new:
            if not by_text:  # with annotators, votes on one pair share a digest as their id
                vote.id = vote.pair
            complete_vote(vote, row, source, own_extra=False)
        if new:
            tally.delivered(len(new), n_rows=len(members))
        else:
            tally.leave_out("the only rated response to its prompt", row.source, row.line)
        votes += new
        if len(votes) >= options.chunk_rows:
            yield votes, 1.0
            votes = []
    yield votes, 1.0
