"""Names that columns go by, and the errors that say which one is missing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from rewardlab.errors import FormatError

PROMPT = ("prompt", "instruction", "question", "input")

SHARED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("pair_id", "comparison_id", "battle_id", "id", "uid", "uuid"),
    "prompt_id": ("prompt_id", "question_id", "instruction_id"),
    "annotator": (
        "annotator",
        "annotator_id",
        "worker",
        "worker_id",
        "rater",
        "rater_id",
        "labeler",
        "judge",
        "judge_id",
    ),
    "split": ("split",),
}
"""Fields that every convention may have, with the columns they go by, the first found winning."""

TEXT_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "prompt": PROMPT,
    "response_a": ("response_a", "response_x", "output_1", "answer_a", "left_text", "completion_a"),
    "response_b": (
        "response_b",
        "response_y",
        "output_2",
        "answer_b",
        "right_text",
        "completion_b",
    ),
}
"""Field -> columns of a file of texts that it goes by, the first found winning."""


def did_you_mean(known: Iterable[str], *wanted: str) -> str:
    """ "did you mean 'NAME'?" of the known name nearest to a wanted one, or ""."""
    names = list(known)
    near = [n for name in wanted for n in difflib.get_close_matches(name, names, 1, 0.7)]
    return f"did you mean {near[0]!r}?" if near else ""


def no_such_column(source: str, option: str, column: str, present: Iterable[str]) -> FormatError:
    """The error that an option names a column which the file lacks."""
    names = list(present)
    said = "; ".join(filter(None, ("there is no such column", did_you_mean(names, column))))
    return FormatError(f"{source}: {option}: {said} (columns found: {', '.join(names)})")
