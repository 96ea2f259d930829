"""Crowd tables: a worker saw a left and a right item, and the label is the better one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.entries import OUTCOME_WORDS, Vote, side_by_side
from rewardlab.preferences.rows import OWN_LABELS, Row
from rewardlab.types import Outcome

_WORDS = ("left", "right", "tie", "both_bad")


def _words(row: Row, columns: Columns) -> Mapping[str, Outcome]:
    """The sides, and the row's own two items, where these have names."""
    words = {word: OUTCOME_WORDS[word] for word in _WORDS}
    for field, outcome in (("item_a", Outcome.A), ("item_b", Outcome.B)):
        item = row.values.get(columns[field])
        if isinstance(item, (str, int, float)):
            words[str(item)] = outcome
    return words


def _decode(row: Row, columns: Columns) -> Sequence[Vote]:
    left, right = row.name(columns["item_a"]), row.name(columns["item_b"])
    for side, item in (("item_a", left), ("item_b", right)):
        if item is None:
            raise row.error(columns[side], "an item")
    if left == right:
        reason = f"{columns['item_a']} and {columns['item_b']} are the same item"
        raise row.error(columns["item_b"], f"another item than {columns['item_a']}", right, reason)
    meaning = _words(row, columns)
    own = row.own_label(columns["label"], known=meaning)
    if own is not None:
        return [side_by_side(row, columns, own)]
    label = row.name(columns["label"])
    if label is None or label not in meaning:
        known = [repr(left), repr(right), *_WORDS]
        raise row.unknown_word(columns["label"], label, known, hint=OWN_LABELS)
    return [side_by_side(row, columns, meaning[label])]


CROWD = Convention(
    name="crowd",
    title="a crowd table",
    required={"item_a": ("left",), "item_b": ("right",), "label": ("label",)},
    optional={
        "prompt": ("prompt", "instruction", "question"),
        "response_a": ("response_a", "left_text", "response_left"),
        "response_b": ("response_b", "right_text", "response_right"),
        "margin": ("margin",),
    },
    decode=_decode,
    verdict="label",
    words=_words,
)


def crowd_recipe(left: str, right: str, label: str) -> str:
    """The options that read columns of other names as a crowd table."""
    return (
        f"read it as a crowd table, with --format crowd --column left={left} "
        f"--column right={right} --column label={label}"
    )
