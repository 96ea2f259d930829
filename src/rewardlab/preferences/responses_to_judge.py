"""Files of responses to judge in pairs: lists of them, single samples, samples asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.assembly import digest
from rewardlab.preferences.column_names import PROMPT, SHARED_FIELDS
from rewardlab.preferences.conventions.rankings import listed_response
from rewardlab.preferences.entries import sort_key
from rewardlab.preferences.pair_pool import (
    LINE,
    PROBABILITY,
    PairPool,
    PairToJudge,
    ToJudge,
    is_blank,
)
from rewardlab.preferences.prompt_pairs import pairs_within
from rewardlab.preferences.rows import Row
from rewardlab.preferences.samples import RESPONSE_COLUMNS
from rewardlab.preferences.tables import read_rows
from rewardlab.preferences.tallies import Tally
from rewardlab.types import Text

Columns = Mapping[str, str]

LIST_FIELDS: Mapping[str, tuple[str, ...]] = {
    "prompt": PROMPT,
    "responses": ("responses", "answers", "completions", "outputs", "candidates"),
    "items": ("models", "items"),
    "id": SHARED_FIELDS["id"],
    "prompt_id": SHARED_FIELDS["prompt_id"],
}
"""Field of a prompt with a list of responses -> columns it goes by."""

SAMPLE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "prompt": PROMPT,
    "response": (*RESPONSE_COLUMNS, "text"),
    "item": ("model", "generator", "system"),
    "prompt_id": SHARED_FIELDS["prompt_id"],
    "ask": ("ask",),
    "probability": ("probability",),
}
"""Field of a sample -> columns it goes by."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """One response."""

    response: Text
    item: str | None
    line: int
    extra: dict[str, Any]
    probability: float | None = None


@dataclass(slots=True)
class _Prompt:
    """A prompt with its responses."""

    id: str
    prompt_id: str
    prompt: Text
    line: int
    extra: dict[str, Any]
    samples: list[_Sample] = field(default_factory=list)


def read_lists(
    path: Path,
    columns: Columns,
    most: int,
    *,
    rng: np.random.Generator,
    pairs_per_prompt: int | None,
) -> ToJudge:
    """Prompts with a list of responses each, one a row; for arguments see ``read_to_judge``."""
    pool = PairPool(path, most, Tally("count"))
    for row in read_rows(path, pool.tally):
        try:
            prompt = _listed(row, columns)
        except RowError as error:
            pool.tally.bad(error)
            continue
        _add_pairs(pool, prompt, rng, pairs_per_prompt)
    return pool.finish(
        "responses", f"prompts with several responses, one a row ({', '.join(columns.values())})"
    )


def _listed(row: Row, columns: Columns) -> _Prompt:
    column = columns["responses"]
    listed = row.listed(column)
    if listed is None:
        raise row.error(column, "a list of responses")
    read = [listed_response(row, column, item) for item in listed]
    names = row.listed(columns["items"]) if "items" in columns else None
    if names is not None and len(names) == len(read):
        said = [None if name is None else str(name) for name in names]
        read = [(text, who or name) for (text, who), name in zip(read, said, strict=True)]
    text = row.prompt_or_response(columns["prompt"]) if "prompt" in columns else ""
    name = row.name(columns.get("prompt_id"))
    id_ = row.name(columns.get("id"))
    taken = set(columns.values())
    extra = {key: value for key, value in row.values.items() if key not in taken}
    prompt_id = name if name is not None else digest(text) if text else str(row.line)
    prompt = _Prompt(str(row.line) if id_ is None else id_, prompt_id, text, row.line, extra)
    prompt.samples = [_Sample(response, who, row.line, {}) for response, who in read]
    return prompt


def read_single(
    path: Path,
    columns: Columns,
    most: int,
    *,
    rng: np.random.Generator,
    pairs_per_prompt: int | None,
) -> ToJudge:
    """Samples, one a row, several a prompt; for arguments see ``read_to_judge``."""
    pool = PairPool(path, most, Tally("count"))
    for prompt in _grouped(path, columns, pool.tally):
        _add_pairs(pool, prompt, rng, pairs_per_prompt)
    said = f"samples, one a row ({', '.join(columns.values())}), paired within their prompt"
    return pool.finish("samples", said)


def read_chosen(path: Path, columns: Columns, most: int, *, rng: np.random.Generator) -> ToJudge:
    """Samples that were asked for, each against one of its prompt's others drawn at random.

    Every other sample of the prompt is as likely, so that a sample's rate of wins is that against
    the policy that was sampled. For the same reason blank responses stay, and a sample that is
    given one with the same text is settled: it ties.

    Args:
        path: What ``rewardlab curve --choose`` wrote.
        columns: Field of ``SAMPLE_FIELDS`` -> column; prompt, response, ask and probability.
        most: Pairs that it may give.
        rng: Draws the other samples.

    Raises:
        FormatError: There is no column of the prompt's text or of the response's.
    """
    for name in ("prompt", "response"):
        if name not in columns:
            raise FormatError(
                f"{path}: samples asked for by rewardlab curve --choose, but with no column of "
                f"the {name}'s text ({', '.join(SAMPLE_FIELDS[name])}); put the texts into the "
                f"file before it is chosen from, or name the column with --column {name}=COLUMN"
            )
    pool, settled = PairPool(path, most, Tally("count")), []
    for prompt in _grouped(path, columns, pool.tally):
        for at, sample in enumerate(prompt.samples):
            if sample.probability is None:
                continue
            if len(prompt.samples) < 2:
                reason = "the prompt has no other sample to compare with"
                pool.tally.leave_out(reason, str(path), sample.line)
                continue
            drawn = int(rng.integers(len(prompt.samples) - 1))
            other = prompt.samples[drawn + (drawn >= at)]
            if sort_key(sample.response) == sort_key(other.response):
                settled.append(sample.line)
                reason = "the sample that was drawn reads the same: a tie without a judge"
                pool.tally.leave_out(reason, str(path), sample.line)
            else:
                pool.add(_against(prompt, sample, other), sample.line, blank=True, repeated=True)
    said = f"samples asked for by rewardlab curve --choose ({', '.join(columns.values())})"
    return pool.finish(
        "samples",
        f"{said}, each against another sample of its prompt drawn at random",
        chosen=True,
        settled=tuple(settled),
    )


def _against(prompt: _Prompt, sample: _Sample, other: _Sample) -> PairToJudge:
    return PairToJudge(
        id=str(sample.line),
        prompt_id=prompt.prompt_id,
        prompt=prompt.prompt,
        response_a=sample.response,
        response_b=other.response,
        item_a=sample.item,
        item_b=other.item,
        extra={**sample.extra, LINE: sample.line, PROBABILITY: sample.probability},
    )


def _grouped(path: Path, columns: Columns, tally: Tally) -> Iterator[_Prompt]:
    """The prompts of a file of samples with all of their samples, in order of appearance."""
    prompts: dict[str, _Prompt] = {}
    for row in read_rows(path, tally):
        try:
            text = row.prompt_or_response(columns["prompt"]) if "prompt" in columns else ""
            name = row.name(columns.get("prompt_id"))
            sample = _sample(row, columns)
        except RowError as error:
            tally.bad(error)
            continue
        key = digest(text) if name is None else name
        prompt = prompts.setdefault(key, _Prompt(key, key, text, row.line, {}))
        if sort_key(prompt.prompt) != sort_key(text):
            reason = f"its prompt is not that of the first row with its {columns['prompt_id']}"
            tally.leave_out(reason, str(path), row.line)
            continue
        prompt.samples.append(sample)
    yield from prompts.values()


def _sample(row: Row, columns: Columns) -> _Sample:
    probability = None
    if "ask" in columns:
        asked = row.number(columns["ask"])
        if asked not in (0, 1):
            raise row.error(columns["ask"], "1 for a sample asked for, 0 for another")
        probability = row.probability(columns["probability"]) if asked else None
        if asked and not probability:
            raise row.error(columns["probability"], "a probability above 0, at most 1")
        if probability is not None and probability != probability:
            raise row.error(columns["probability"], "a probability above 0, at most 1")
    taken = set(columns.values())
    extra = {name: value for name, value in row.values.items() if name not in taken}
    response = row.prompt_or_response(columns["response"])
    return _Sample(response, row.name(columns.get("item")), row.line, extra, probability)


def _add_pairs(
    pool: PairPool, prompt: _Prompt, rng: np.random.Generator, pairs_per_prompt: int | None
) -> None:
    """Add the pairs of a prompt's distinct responses; whatever is no response is counted."""
    distinct: dict[str, _Sample] = {}
    source = str(pool.path)
    for sample in prompt.samples:
        key = sort_key(sample.response)
        if is_blank(sample.response):
            pool.tally.leave_out("a response is blank", source, sample.line)
        elif key in distinct:
            pool.tally.leave_out("the same response to a prompt once more", source, sample.line)
        else:
            distinct[key] = sample
    kept = list(distinct.values())
    if len(kept) < 2:
        reason = "a prompt with fewer than two different responses"
        pool.tally.leave_out(reason, source, prompt.line)
    for i, j in pairs_within(len(kept), rng, n_pairs=pairs_per_prompt):
        a, b = kept[i], kept[j]
        pair = PairToJudge(
            id=f"{prompt.id}:{i + 1}-{j + 1}",
            prompt_id=prompt.prompt_id,
            prompt=prompt.prompt,
            response_a=a.response,
            response_b=b.response,
            item_a=a.item,
            item_b=b.item,
            extra=prompt.extra,
        )
        pool.add(pair, a.line)
