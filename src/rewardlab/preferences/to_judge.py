"""Reading what people are to judge: pairs, lists of responses, samples, samples asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from rewardlab.errors import FormatError, InputError
from rewardlab.preferences.column_names import no_such_column
from rewardlab.preferences.conventions import ALL
from rewardlab.preferences.conventions.convention import Kind
from rewardlab.preferences.pair_pool import MOST_PAIRS, ToJudge
from rewardlab.preferences.pairs_to_judge import (
    FIELDS,
    SIDES,
    read_labelled,
    read_unlabelled,
)
from rewardlab.preferences.recognition import Layout, recognise
from rewardlab.preferences.responses_to_judge import (
    LIST_FIELDS,
    SAMPLE_FIELDS,
    read_chosen,
    read_lists,
    read_single,
)
from rewardlab.preferences.rows import Row, kind_of
from rewardlab.preferences.sources import SAMPLE_ROWS
from rewardlab.preferences.tables import read_rows
from rewardlab.preferences.tallies import Tally

_KINDS: tuple[Kind, ...] = ("preferences", "rankings", "ratings", "unpaired", "steps")


def read_to_judge(
    path: Path,
    *,
    rng: np.random.Generator,
    pairs_per_prompt: int | None = None,
    columns: Mapping[str, str] | None = None,
    most_pairs: int = MOST_PAIRS,
) -> ToJudge:
    """The pairs that a file holds, or that are made of the responses it holds.

    Read are: what ``rewardlab curve --choose`` wrote; files of preferences that are recognised
    (their votes are kept from annotators); pairs without votes; prompts with a list of responses;
    samples, one a row. Responses are paired within their prompt: all of up to three, beyond that
    a random ring, in which each meets two others.

    Args:
        path: JSONL, JSON, CSV or Parquet, each also gzipped, or a saved HF dataset.
        rng: Draws which responses are compared.
        pairs_per_prompt: How many pairs of each prompt's responses instead.
        columns: Field -> column, where the file's names are others.
        most_pairs: More are refused.

    Raises:
        FormatError: The file cannot be read, or it is not told what of it to judge.
        InputError: No pair is left, or there are more than ``most_pairs``.
    """
    columns = dict(columns or {})
    if pairs_per_prompt is not None and pairs_per_prompt < 1:
        raise InputError(f"pairs_per_prompt: expected at least 1, got {pairs_per_prompt}")
    rows = list(islice(read_rows(path, Tally("count")), SAMPLE_ROWS))
    _check_columns(path, rows, columns)
    samples = _resolve(rows, SAMPLE_FIELDS, columns)
    if {"ask", "probability"} <= samples.keys():
        return read_chosen(path, samples, most_pairs, rng=rng)
    for name in ("ask", "probability"):
        samples.pop(name, None)
    layout = _layout(path, rows, columns)
    if layout is not None and layout.kind == "preferences" and not _is_unanswered(rows, layout):
        return read_labelled(path, columns, most_pairs)
    if layout is not None and layout.kind == "steps":
        raise FormatError(f"{path}: {layout.sentence}: steps of one solution are no pairs to judge")
    pairs = _resolve_pair(rows, columns)
    if pairs is not None:
        return read_unlabelled(path, pairs, most_pairs)
    lists = _resolve(rows, LIST_FIELDS, columns)
    if "responses" in lists and any(row.listed(lists["responses"]) is not None for row in rows):
        return read_lists(path, lists, most_pairs, rng=rng, pairs_per_prompt=pairs_per_prompt)
    if "response" in samples and {"prompt", "prompt_id"} & samples.keys():
        return read_single(path, samples, most_pairs, rng=rng, pairs_per_prompt=pairs_per_prompt)
    raise _nothing_to_judge(path, rows)


def _layout(path: Path, rows: Sequence[Row], columns: Mapping[str, str]) -> Layout | None:
    """What the file is recognised as; None where it is nothing that is known."""
    known = {name for c in ALL for field, names in c.fields.items() for name in (field, *names)}
    mapped = {field: column for field, column in columns.items() if field in known}
    try:
        return recognise(str(path), rows, forced=None, mapped=mapped, kinds=_KINDS)[1]
    except FormatError:
        return None


def _is_unanswered(rows: Sequence[Row], layout: Layout) -> bool:
    """Whether the column of verdicts holds none: a form that is yet to be filled in."""
    convention = next(c for c in ALL if c.name == layout.name)
    column = layout.columns.get(convention.verdict)
    return column is not None and all(
        row.values.get(column) is None or kind_of(row.values[column]) == "blank" for row in rows
    )


def _resolve(
    rows: Sequence[Row], fields: Mapping[str, tuple[str, ...]], given: Mapping[str, str]
) -> dict[str, str]:
    """Field -> column of the file, for the fields that have one."""
    present = {name for row in rows for name in row.values}
    found: dict[str, str] = {}
    for field, names in fields.items():
        free = (name for name in names if name in present and name not in given.values())
        column = given.get(field) or next((c for c in free if c not in found.values()), None)
        if column is not None:
            found[field] = column
    return found


def _resolve_pair(rows: Sequence[Row], given: Mapping[str, str]) -> dict[str, str] | None:
    """The same for pairs, whose responses both go by the names of one convention."""
    for side_a, side_b in SIDES:
        fields = {"response_a": side_a, "response_b": side_b, **FIELDS}
        found = _resolve(rows, fields, given)
        if {"response_a", "response_b"} <= found.keys():
            return found
    return None


def _check_columns(path: Path, rows: Sequence[Row], columns: Mapping[str, str]) -> None:
    present = dict.fromkeys(name for row in rows for name in row.values)
    known = {field for c in ALL for field in c.fields} | {*FIELDS, *LIST_FIELDS, *SAMPLE_FIELDS}
    for field, column in columns.items():
        if field not in known:
            raise InputError(
                f"--column {field}={column}: expected one of {', '.join(sorted(known))}"
            )
        if column not in present:
            raise no_such_column(str(path), f"--column {field}={column}", column, present)


def _nothing_to_judge(path: Path, rows: Sequence[Row]) -> FormatError:
    present = dict.fromkeys(name for row in rows for name in row.values)
    return FormatError(
        f"{path}: nothing to judge is recognised; expected pairs (columns response_a and "
        "response_b), prompts with a list of responses (prompt, responses), or samples, several "
        f"a prompt (prompt, response); columns found: {', '.join(present)}; name a column with "
        "--column FIELD=COLUMN, such as --column response_a=left"
    )
