"""Writing preferences as TRL pairs or in rewardlab's own layout, so that reading gives them back.

What a layout has no column for goes into columns of its own: for TRL ``chosen_side``, ``label_a``,
``plain_text``, ``sides_recorded``, ``pair_id``, ``prompt_id`` and so on. An extra column whose name
would be read as a field is written with the prefix ``rewardlab.extra.``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rewardlab.counting import counted
from rewardlab.errors import InputError
from rewardlab.preferences.assembly import ESCAPE
from rewardlab.preferences.conventions import ALL
from rewardlab.preferences.conventions.native import WORD_OF_OUTCOME
from rewardlab.preferences.conventions.winner_first import PLAIN_TEXT_NAMES
from rewardlab.preferences.survey import Survey
from rewardlab.preferences.table_writing import ColumnTypes, suffix_of, write_columns
from rewardlab.types import Outcome, Preferences

Chunks = Callable[[], Iterable[Preferences]]
_Encode = Callable[[Preferences, Survey], dict[str, list[Any]]]
Layout = Literal["trl", "native"]
Ties = Literal["refuse", "leave-out"]


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written.

    Attributes:
        path: The file.
        layout: "trl" or "native".
        n_written: Rows written.
        n_ties_left_out: Ties and both-bad votes left out, as TRL's layout holds none.
        sentences: The same in plain words, for the terminal.
    """

    path: str
    layout: Layout
    n_written: int
    n_ties_left_out: int
    sentences: tuple[str, ...]


def write_preferences(
    chunks: Chunks, path: Path, *, layout: Layout = "trl", ties: Ties = "refuse"
) -> WriteReport:
    """Write preferences to a JSON Lines or Parquet file, also gzipped, by its name.

    Reading the file gives the same ``Preferences`` but for ``line`` and ``source``, which are the
    new file's.

    Args:
        chunks: Gives the chunks anew at each call, as ``PreferenceReader.chunks`` does; two
            passes are made, and a third where texts must become messages in Parquet.
        path: The file; it appears only once it is whole.
        layout: "trl" (prompt, chosen, rejected) or "native" (one column a field).
        ties: For TRL, refuse preferences that hold ties or both-bad votes, or leave those out.

    Raises:
        InputError: The name says no known kind, nothing is left to write, or the layout cannot
            hold the preferences.
    """
    kind = suffix_of(path)[0]
    if kind == ".csv":
        raise InputError(
            f"{path}: preferences are written as .jsonl or .parquet (also .gz): CSV has no nulls "
            "and no lists, so that they could not be read back unchanged"
        )
    encode = _encode_trl if layout == "trl" else _encode_native
    survey, types = _surveyed(chunks, layout, encode if kind == ".parquet" else None)
    if layout == "trl":
        _check_trl(survey, path, ties)
    n_left_out = survey.n_ties if layout == "trl" else 0
    if survey.n == n_left_out:
        raise InputError(f"{path}: nothing to write: of {survey.n:,} rows, {n_left_out:,} are ties")

    def encoded() -> Iterator[dict[str, list[Any]]]:
        for chunk in chunks():
            columns = encode(chunk, survey)
            if columns["prompt"]:
                yield columns

    n = write_columns(path, encoded, _names(survey, layout), types=types)
    sentences = tuple(_sentences(survey, path, layout, n))
    return WriteReport(str(path), layout, n, n_left_out, sentences)


def _surveyed(
    chunks: Chunks, layout: Layout, encode: _Encode | None
) -> tuple[Survey, ColumnTypes | None]:
    """What the chunks hold, and with ``encode`` the types of their columns, where now known.

    Where TRL's layout holds messages and plain texts, the latter become messages too, which no
    pass can tell before its end.
    """
    survey, types = Survey(), ColumnTypes()
    for chunk in chunks():
        survey.add(chunk)
        if encode is not None and not (layout == "trl" and survey.is_mixed):
            types.add(encode(chunk, survey))
    unknown = encode is None or (layout == "trl" and survey.is_mixed)
    return survey, None if unknown else types


def _check_trl(survey: Survey, path: Path, ties: Ties) -> None:
    if survey.n_ties and ties == "refuse":
        raise InputError(
            f"{path}: TRL's layout holds no ties, and {survey.n_ties:,} of {survey.n:,} rows are "
            f"ties or both-bad votes (first at {survey.first_tie}); leave them out with "
            "--ties leave-out, or keep them with --to native"
        )
    if survey.n_without_text:
        raise InputError(
            f"{path}: TRL's layout needs both texts, and {survey.n_without_text:,} of "
            f"{survey.n:,} rows lack one (first at {survey.first_without_text}); join the texts "
            "with --join FILE --on COLUMN, or write --to native"
        )


def _sentences(survey: Survey, path: Path, layout: Layout, n: int) -> Iterator[str]:
    name = "TRL's layout (prompt, chosen, rejected)" if layout == "trl" else "rewardlab's layout"
    yield f"Wrote {counted(n, 'row')} to {path} in {name}."
    if layout == "native":
        return
    if survey.n_ties:
        left_out = counted(survey.n_ties, "vote")
        yield f"Left out as a tie or both bad: {left_out} (first at {survey.first_tie})."
    if survey.n_soft:
        yield f"{survey.n_soft:,} soft labels are kept in the column label_a; TRL does not use it."
    if survey.is_mixed:
        yield (
            "Plain texts became messages, as other rows are messages; the column plain_text says "
            "which."
        )


def _reserved() -> frozenset[str]:
    """Column names that would be read as a field, or make a file look like another convention."""
    pairwise = [c for c in ALL if c.kind == "preferences"]
    own = [name for c in pairwise for aliases in c.required.values() for name in aliases]
    written = [c for c in pairwise if c.name in ("native", "trl-explicit")]
    return frozenset(own + [name for c in written for names in c.fields.values() for name in names])


RESERVED = _reserved()


def _escaped(name: str) -> str:
    return ESCAPE + name if name in RESERVED or name.startswith(ESCAPE) else name


_NAMES: dict[Layout, tuple[str, ...]] = {
    "native": (
        *("prompt", "response_a", "response_b", "outcome", "label", "margin", "annotator"),
        *("split", "id", "prompt_id", "item_a", "item_b", "sides_recorded"),
    ),
    "trl": (
        *("prompt", "chosen", "rejected", "margin", "annotator", "split", "pair_id", "prompt_id"),
        *("chosen_model", "rejected_model", "chosen_side", "sides_recorded", "label_a"),
        "plain_text",
    ),
}
"""Every column of a layout, in order."""


def _names(survey: Survey, layout: Layout) -> list[str]:
    """The columns to write: those without which reading would not give back the same."""
    holds = survey.holds
    # Without its side, reading would make "a" the winner, or order the sides by their texts.
    says_side = survey.sides_recorded or bool({"b wins", "annotator"} & holds)
    needed = {
        **{name: name in holds for name in ("margin", "annotator", "split")},
        **dict.fromkeys(("item_a", "item_b", "chosen_model", "rejected_model"), "item" in holds),
        "label": "own label" in holds,
        "label_a": survey.n_soft > 0,
        "chosen_side": says_side,
        "sides_recorded": layout == "native" or (says_side and not survey.sides_recorded),
        "plain_text": survey.is_mixed,
    }
    names = [name for name in _NAMES[layout] if needed.get(name, True)]
    return [*names, *map(_escaped, survey.extra)]


_WORDS = tuple(WORD_OF_OUTCOME[outcome] for outcome in Outcome)


def _encode_native(chunk: Preferences, _survey: Survey) -> dict[str, list[Any]]:
    return {
        "prompt": chunk.prompt,
        "response_a": chunk.response_a,
        "response_b": chunk.response_b,
        "outcome": [_WORDS[code] for code in chunk.outcome.tolist()],
        "label": chunk.label.tolist(),
        "id": chunk.id,
        "item_a": chunk.item_a,
        "item_b": chunk.item_b,
        **_encode_shared(chunk),
    }


def _encode_shared(chunk: Preferences) -> dict[str, list[Any]]:
    return {
        "margin": [None if value != value else value for value in chunk.margin.tolist()],
        "annotator": chunk.annotator,
        "split": chunk.split,
        "prompt_id": chunk.prompt_id,
        "sides_recorded": [chunk.sides_recorded] * len(chunk),
        **{_escaped(name): column for name, column in chunk.extra.items()},
    }


def _encode_trl(chunk: Preferences, survey: Survey) -> dict[str, list[Any]]:
    chunk = chunk.take(np.flatnonzero(chunk.outcome <= Outcome.B))
    won_by_a = [code == Outcome.A for code in chunk.outcome.tolist()]
    texts = list(zip(chunk.response_a, chunk.response_b, won_by_a, strict=True))
    items = list(zip(chunk.item_a, chunk.item_b, won_by_a, strict=True))
    columns: dict[str, list[Any]] = {
        "prompt": list(chunk.prompt),
        "chosen": [a if first else b for a, b, first in texts],
        "rejected": [b if first else a for a, b, first in texts],
    }
    if survey.is_mixed:
        columns["plain_text"] = _as_messages(columns)
    return {
        **columns,
        "pair_id": chunk.id,
        "chosen_model": [a if first else b for a, b, first in items],
        "rejected_model": [b if first else a for a, b, first in items],
        "chosen_side": ["a" if first else "b" for first in won_by_a],
        "label_a": chunk.label.tolist(),
        **_encode_shared(chunk),
    }


def _as_messages(columns: dict[str, list[Any]]) -> list[str | None]:
    """Make messages of plain texts, in place; returns which ones were plain, row by row."""
    said: list[str | None] = []
    for i in range(len(columns["prompt"])):
        plain = [name for name in PLAIN_TEXT_NAMES if isinstance(columns[name][i], str)]
        for name in plain:
            role = "user" if name == "prompt" else "assistant"
            columns[name][i] = [{"role": role, "content": columns[name][i]}]
        said.append("+".join(plain) or None)
    return said
