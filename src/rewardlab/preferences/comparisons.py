"""Turning rankings and ratings into comparisons: every two responses to one prompt.

The first response of a pair is the earlier one, or with annotators the one whose text sorts first,
so that all votes on a pair agree on which is "a". The margin is the difference of the two ratings;
equal ratings or ranks are ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rewardlab.preferences.conventions.rankings import Ranking
from rewardlab.preferences.conventions.ratings import Rated
from rewardlab.preferences.rows import Row, Vote, label_of, sort_key
from rewardlab.types import Outcome, Text


@dataclass(slots=True)
class Candidate:
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


def compare_all(
    prompt: Text,
    candidates: Sequence[Candidate],
    *,
    by_text: bool,
    margins: bool,
) -> Iterator[Vote]:
    """A vote for every two candidates.

    Args:
        prompt: What they answer.
        candidates: At least two, in the order of the file.
        by_text: Order the two sides by their text, not by the order of the file.
        margins: Give the absolute difference of the values as the margin.
    """
    for first, second in combinations(candidates, 2):
        a, b = first, second
        if by_text and sort_key(b.text) < sort_key(a.text):
            a, b = b, a
        difference = a.value - b.value
        outcome = Outcome.TIE if difference == 0 else Outcome.A if difference > 0 else Outcome.B
        extra = {f"{name}_a": value for name, value in a.extra.items()}
        extra |= {f"{name}_b": value for name, value in b.extra.items()}
        margin = abs(difference) if margins else math.nan
        pair = f"{a.name}-{b.name}"
        yield Vote(
            prompt,
            a.text,
            b.text,
            outcome,
            label_of(outcome),
            a.item,
            b.item,
            margin=margin,
            pair=pair,
            extra=extra,
        )


def votes_of_ranking(ranking: Ranking, *, by_text: bool) -> list[Vote]:
    """Every comparison that a ranking implies."""
    candidates = [
        Candidate(str(i), text, ranking.items[i], -ranking.ranks[i], {"rank": ranking.ranks[i]})
        for i, text in enumerate(ranking.responses)
    ]
    return list(compare_all(ranking.prompt, candidates, by_text=by_text, margins=False))


def votes_of_ratings(listed: Sequence[Rated], rating: str, *, by_text: bool) -> list[Vote]:
    """Every comparison of the rated completions in one row; those without the rating are out."""
    candidates = [
        Candidate(str(i), x.response, x.item, x.ratings[rating], {"rated": x.extra})
        for i, x in enumerate(listed)
        if rating in x.ratings
    ]
    return list(compare_all(listed[0].prompt, candidates, by_text=by_text, margins=True))


class RatedRows:
    """Rows of one rated response each, gathered by prompt (and annotator and split).

    Args:
        rating: Name of the rating to compare by.
        key: What tells one group of comparable rows from another.
        by_text: See ``compare_all``.
        claimed: Columns that are fields, and so not among the extra ones.
        id_column: Column of the rows' ids; None where lines serve.
    """

    def __init__(
        self,
        rating: str,
        *,
        key: Callable[[Row, Text], tuple[str | None, ...]],
        by_text: bool,
        claimed: frozenset[str],
        id_column: str | None,
    ) -> None:
        self._rating, self._key, self._by_text = rating, key, by_text
        self._claimed, self._id_column = claimed, id_column
        self._groups: dict[tuple[str | None, ...], list[tuple[Row, Rated]]] = {}

    def add(self, row: Row, rated: Rated) -> bool:
        """Put the row into its group; False where it has no such rating."""
        if self._rating not in rated.ratings:
            return False
        self._groups.setdefault(self._key(row, rated.prompt), []).append((row, rated))
        return True

    def groups(self) -> Iterator[tuple[list[Row], list[Vote]]]:
        """(rows, their comparisons) prompt by prompt; no comparisons where there is one row."""
        for members in self._groups.values():
            rows = [row for row, _ in members]
            candidates = [self._candidate(row, rated) for row, rated in members]
            prompt = members[0][1].prompt
            votes = list(compare_all(prompt, candidates, by_text=self._by_text, margins=True))
            if not self._by_text:  # with annotators, votes on one pair share a digest as their id
                for vote in votes:
                    vote.id = vote.pair
            yield rows, votes

    def _candidate(self, row: Row, rated: Rated) -> Candidate:
        extra = {k: v for k, v in row.values.items() if k not in self._claimed}
        name = row.name(self._id_column) if self._id_column else None
        name = name or str(row.line)
        return Candidate(name, rated.response, rated.item, rated.ratings[self._rating], extra)
