"""Arena battles: two models side by side and which one won, with or without their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardlab.errors import RowError
from rewardlab.preferences.column_names import PROMPT
from rewardlab.preferences.conventions.convention import Columns, Convention, no_words
from rewardlab.preferences.conventions.crowd import crowd_recipe
from rewardlab.preferences.entries import OUTCOME_WORDS, Vote, side_by_side
from rewardlab.preferences.rows import Row
from rewardlab.types import Outcome, Text

_ONE_HOT = {
    "winner_a": ("winner_model_a",),
    "winner_b": ("winner_model_b",),
    "winner_tie": ("winner_tie",),
}


def _words(_row: Row, _columns: Columns) -> Mapping[str, Outcome]:
    return OUTCOME_WORDS


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    try:
        outcome = row.outcome(columns["winner"], OUTCOME_WORDS)
    except RowError:
        _refuse_items(row, columns)
        raise
    return [side_by_side(row, columns, outcome)]


def _refuse_items(row: Row, columns: Columns) -> None:
    """Refuse an item as the winner, in place of a side: another convention reads that."""
    winner, left, right = columns["winner"], columns.get("item_a"), columns.get("item_b")
    value = row.get(winner)
    if left and right and isinstance(value, str) and value in (row.get(left), row.get(right)):
        recipe = crowd_recipe(left, right, winner)
        expected = f"the side that won, a or b; as the file names the item that won, {recipe}"
        raise row.error(winner, expected, reason=f"{winner} names an item") from None


def _decode_one_hot(row: Row, columns: Columns) -> Sequence[Vote]:
    flags = [_flag(row, columns[field]) for field in _ONE_HOT]
    if sum(flags) != 1:
        reason = "not exactly one of the winner columns is 1"
        raise row.error(
            columns["winner_a"], "exactly one 1 among the winner columns", flags, reason
        )
    outcome = (Outcome.A, Outcome.B, Outcome.TIE)[flags.index(1)]
    shown = row.values
    if {"prompt", "response_a", "response_b"} <= columns.keys():
        shown = shown | _turns(row, columns)
    return [side_by_side(replace(row, values=shown), columns, outcome)]


def _flag(row: Row, column: str) -> int:
    value = row.number(column)
    if value not in (0, 1):
        raise row.error(column, "1 or 0", reason=f"{column} is neither 1 nor 0")
    return int(value)


def _turns(row: Row, columns: Columns) -> dict[str, Any]:
    """Column -> prompt or response, where the columns hold (JSON) lists of turns; else nothing."""
    names = columns["prompt"], columns["response_a"], columns["response_b"]
    prompts, a, b = (_turn_texts(row, name) for name in names)
    if prompts is None or a is None or b is None:
        return {}
    for name, answers in zip(names[1:], (a, b), strict=True):
        if len(answers) != len(prompts) or not prompts:
            reason = f"{name} has not as many turns as {names[0]}"
            raise row.error(name, f"{len(prompts)} turns, as in the prompt", reason=reason)
    if len(prompts) == 1 and all(isinstance(x[0], str) for x in (prompts, a, b)):
        return dict(zip(names, (prompts[0], a[0], b[0]), strict=True))
    dialogues = [_user(prompts[0])], _dialogue(prompts, a), _dialogue(prompts, b)
    return dict(zip(names, dialogues, strict=True))


def _turn_texts(row: Row, column: str) -> list[str | None] | None:
    """The column's list of texts and nulls; None where it is none."""
    turns = row.listed(column)
    if turns is None or any(turn is not None and not isinstance(turn, str) for turn in turns):
        return None
    return turns


def _user(content: str | None) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _dialogue(prompts: list[str | None], answers: list[str | None]) -> Text:
    """The turns behind the first prompt."""
    turns: list[dict[str, Any]] = []
    for i, answer in enumerate(answers):
        if i:
            turns.append(_user(prompts[i]))
        turns.append({"role": "assistant", "content": answer})
    return turns


ARENA = Convention(
    name="arena",
    title="arena battles",
    required={"winner": ("winner",)},
    optional={
        "prompt": PROMPT,
        "response_a": ("response_a", "conversation_a", "answer_a"),
        "response_b": ("response_b", "conversation_b", "answer_b"),
        "item_a": ("model_a",),
        "item_b": ("model_b",),
        "margin": ("margin",),
    },
    decode=_decode,
    verdict="winner",
    words=_words,
    either=(("item_a", "item_b"), ("response_a", "response_b")),
)

ARENA_ONE_HOT = replace(
    ARENA,
    name="arena-one-hot",
    title="arena battles, one column a verdict",
    required=_ONE_HOT,
    decode=_decode_one_hot,
    verdict="",
    words=no_words,
)
