"""Arena battles: two models side by side and which one won, with or without their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewardlab.preferences.conventions.convention import PROMPT, Columns, Convention
from rewardlab.preferences.rows import Row, Vote, cut_conversations, label_of
from rewardlab.preferences.strict_json import decode
from rewardlab.types import Outcome, Text

_OPTIONAL = {
    "prompt": PROMPT,
    "response_a": ("response_a", "conversation_a", "answer_a"),
    "response_b": ("response_b", "conversation_b", "answer_b"),
    "item_a": ("model_a",),
    "item_b": ("model_b",),
    "margin": ("margin",),
}
_ONE_HOT = {
    "winner_a": ("winner_model_a",),
    "winner_b": ("winner_model_b",),
    "winner_tie": ("winner_tie",),
}


def _names_sides(_rows: Sequence[Row], columns: Columns) -> bool:
    return {"response_a", "response_b"} <= columns.keys() or {"item_a", "item_b"} <= columns.keys()


def side_texts(row: Row, columns: Columns, outcome: Outcome) -> Vote:
    """The vote of a row whose prompt, texts and items may each be absent as columns."""
    item_a = row.name(columns["item_a"]) if "item_a" in columns else None
    item_b = row.name(columns["item_b"]) if "item_b" in columns else None
    prompt = row.prompt_or_response(columns["prompt"]) if "prompt" in columns else ""
    if "response_a" not in columns or "response_b" not in columns:
        return Vote(prompt, None, None, outcome, label_of(outcome), item_a, item_b)
    a = row.prompt_or_response(columns["response_a"])
    b = row.prompt_or_response(columns["response_b"])
    cut = cut_conversations(columns.get("prompt", ""), prompt, a, b)
    return Vote(
        cut.prompt, cut.a, cut.b, outcome, label_of(outcome), item_a, item_b, extra=cut.left_over
    )


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    return [side_texts(row, columns, row.outcome(columns["winner"]))]


def _decode_one_hot(row: Row, columns: Columns) -> Sequence[Vote]:
    flags = [_flag(row, columns[field]) for field in _ONE_HOT]
    if sum(flags) != 1:
        reason = "not exactly one of the winner columns is 1"
        raise row.error(
            columns["winner_a"], "exactly one 1 among the winner columns", flags, reason
        )
    outcome = (Outcome.A, Outcome.B, Outcome.TIE)[flags.index(1)]
    shown = dict(row.values)
    texts = ("prompt", "response_a", "response_b")
    if all(field in columns for field in texts):
        shown.update(zip((columns[f] for f in texts), _turns(row, columns), strict=True))
    return [side_texts(Row(row.source, row.line, shown, row.blank_is_none), columns, outcome)]


def _flag(row: Row, column: str) -> int:
    value = row.number(column)
    if value not in (0, 1):
        raise row.error(column, "1 or 0", reason=f"{column} is neither 1 nor 0")
    return int(value)


def _turns(row: Row, columns: Columns) -> tuple[Any, Any, Any]:
    """The prompt and both responses, from columns of JSON lists of turns, or as they are."""
    names = columns["prompt"], columns["response_a"], columns["response_b"]
    prompts, a, b = (_json_list(row, name) for name in names)
    if prompts is None or a is None or b is None:
        return row.get(names[0]), row.get(names[1]), row.get(names[2])
    for field, answers in (("response_a", a), ("response_b", b)):
        if len(answers) != len(prompts) or not prompts:
            reason = f"{columns[field]} has not as many turns as {columns['prompt']}"
            raise row.error(
                columns[field], f"{len(prompts)} turns, as in the prompt", reason=reason
            )
    if len(prompts) == 1 and all(isinstance(x[0], str) for x in (prompts, a, b)):
        return prompts[0], a[0], b[0]
    return [_user(prompts[0])], _dialogue(prompts, a), _dialogue(prompts, b)


def _json_list(row: Row, column: str) -> list[str | None] | None:
    """The column's JSON list of texts and nulls; None where it is none."""
    value: Any = row.get(column)
    if isinstance(value, str) and value.startswith("["):
        try:
            value = decode(value)
        except ValueError:
            return None
    if isinstance(value, list) and all(item is None or isinstance(item, str) for item in value):
        return value
    return None


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
    kind="preferences",
    title="arena battles",
    required={"winner": ("winner",)},
    optional=_OPTIONAL,
    decode=_decode,
    holds=_names_sides,
)

ARENA_ONE_HOT = Convention(
    name="arena-one-hot",
    kind="preferences",
    title="arena battles, one column a verdict",
    required=_ONE_HOT,
    optional=_OPTIONAL,
    decode=_decode_one_hot,
    holds=_names_sides,
)
