"""Pairs that carry a list of votes: one row a pair, delivered as one row a vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab.preferences.column_names import PROMPT, SHARED_FIELDS
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import OUTCOME_WORDS, Vote, side_by_side
from rewardlab.preferences.rows import Row
from rewardlab.types import Outcome

_LABELS = ("label", "vote", "winner", "preference", "outcome", "choice")
_EXPECTED = "a list of labels, or of objects with a label and an annotator"


def _holds_lists(rows: Sequence[Row], columns: Columns) -> bool:
    return any(row.listed(columns["votes"]) is not None for row in rows)


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    ballots = row.listed(columns["votes"])
    if ballots is None:
        raise row.error(columns["votes"], _EXPECTED)
    meaning = _words(row, columns)
    return [_vote(row, columns, ballot, meaning) for ballot in ballots]


def _words(_row: Row, columns: Columns) -> Mapping[str, Outcome]:
    own_names = {columns["response_a"]: Outcome.A, columns["response_b"]: Outcome.B}
    return {**own_names, **OUTCOME_WORDS}


def labels_in(row: Row, column: str) -> list[Any]:
    """The labels of the votes that the row lists, whatever they are."""
    labels = []
    for ballot in row.listed(column) or []:
        key = _label_key(ballot) if isinstance(ballot, dict) else None
        labels.append(ballot if key is None else ballot[key])
    return labels


def _label_key(ballot: Mapping[str, Any]) -> str | None:
    return next((key for key in _LABELS if key in ballot), None)


def _vote(row: Row, columns: Columns, ballot: Any, meaning: Mapping[str, Outcome]) -> Vote:
    column = columns["votes"]
    if not isinstance(ballot, dict):
        return side_by_side(row, columns, row.outcome(column, meaning, ballot))
    label_key = _label_key(ballot)
    if label_key is None:
        reason = f"{column} holds a vote without a label"
        raise row.error(column, _EXPECTED, ballot, reason)
    vote = side_by_side(row, columns, row.outcome(column, meaning, ballot[label_key]))
    who_key = next((key for key in SHARED_FIELDS["annotator"] if key in ballot), None)
    if who_key is not None:
        vote.annotator = row.as_name(column, ballot[who_key])
    rest = {k: v for k, v in ballot.items() if k not in (label_key, who_key)}
    if rest:
        vote.extra = {**vote.extra, column: rest}
    return vote


VOTES = Convention(
    name="votes",
    title="pairs with a list of votes each",
    required={
        "response_a": ("response_a", "answer_a", "completion_a", "output_1", "response_1"),
        "response_b": ("response_b", "answer_b", "completion_b", "output_2", "response_2"),
        "votes": ("votes", "annotations", "labels", "judgments"),
    },
    optional={
        "prompt": PROMPT,
        "item_a": ("model_a", "item_a", "generator_1", "model_1"),
        "item_b": ("model_b", "item_b", "generator_2", "model_2"),
        "margin": ("margin",),
    },
    decode=_decode,
    verdict="votes",
    words=_words,
    holds=_holds_lists,
)
