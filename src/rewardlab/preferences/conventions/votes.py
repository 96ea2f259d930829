"""Pairs that carry a list of votes: one row a pair, delivered as one row a vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewardlab.preferences.conventions.arena import side_texts
from rewardlab.preferences.conventions.convention import PROMPT, SHARED_FIELDS, Columns, Convention
from rewardlab.preferences.rows import OUTCOME_WORDS, Row, Vote
from rewardlab.preferences.strict_json import decode
from rewardlab.types import Outcome

_LABELS = ("label", "vote", "winner", "preference", "outcome", "choice")
_ANNOTATORS = SHARED_FIELDS["annotator"]
_EXPECTED = "a list of labels, or of objects with a label and an annotator"


def vote_list(value: Any) -> list[Any] | None:
    """The column's list, or the list that its JSON text holds; None where it is none."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = decode(value)
        except ValueError:
            return None
    return value if isinstance(value, list) else None


def _holds_lists(rows: Sequence[Row], columns: Columns) -> bool:
    return any(vote_list(row.values.get(columns["votes"])) is not None for row in rows)


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    column = columns["votes"]
    ballots = vote_list(row.get(column))
    if ballots is None:
        raise row.error(column, _EXPECTED)
    return [_vote(row, columns, ballot) for ballot in ballots]


def _vote(row: Row, columns: Columns, ballot: Any) -> Vote:
    column = columns["votes"]
    if not isinstance(ballot, dict):
        return side_texts(row, columns, _outcome(row, columns, ballot))
    label_key = next((key for key in _LABELS if key in ballot), None)
    if label_key is None:
        reason = f"{column} holds a vote without a label"
        raise row.error(column, _EXPECTED, ballot, reason)
    vote = side_texts(row, columns, _outcome(row, columns, ballot[label_key]))
    who_key = next((key for key in _ANNOTATORS if key in ballot), None)
    if who_key is not None:
        who = Row(row.source, row.line, {column: ballot[who_key]})
        vote.annotator = who.name(column)
    rest = {k: v for k, v in ballot.items() if k not in (label_key, who_key)}
    if rest:
        vote.extra = {**vote.extra, column: rest}
    return vote


def _outcome(row: Row, columns: Columns, label: Any) -> Outcome:
    if isinstance(label, str) and label not in OUTCOME_WORDS:
        for field, outcome in (("response_a", Outcome.A), ("response_b", Outcome.B)):
            if label == columns[field]:
                return outcome
    return row.outcome_of(columns["votes"], label)


VOTES = Convention(
    name="votes",
    kind="preferences",
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
    holds=_holds_lists,
)
