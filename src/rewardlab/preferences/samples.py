"""Reading scored samples: several responses a prompt, with proxy rewards and gold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.column_names import PROMPT, no_such_column
from rewardlab.preferences.rows import ABSENT, Row
from rewardlab.preferences.tables import read_rows
from rewardlab.preferences.tallies import MAX_EXAMPLES, LeftOut
from rewardlab.types import FloatArray, ScoredSamples, Text

MissingGold = Literal["error", "restrict", "keep"]
_WORDS = {
    "win": 1.0,
    "won": 1.0,
    "true": 1.0,
    "loss": 0.0,
    "lose": 0.0,
    "lost": 0.0,
    "false": 0.0,
    "tie": 0.5,
    "draw": 0.5,
}
_EXPECTED_GOLD = "a finite number, or one of win, loss, tie, true, false"


@dataclass(frozen=True, slots=True)
class ScoredSamplesRead:
    """Scored samples, and what of their file was left out.

    Attributes:
        samples: The samples.
        n_rows: Rows in the file.
        left_out: Rows not among the samples, by reason.
        sentences: The same in plain words, for the terminal.
    """

    samples: ScoredSamples
    n_rows: int
    left_out: tuple[LeftOut, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleTexts:
    """Responses to be scored, with the rows that they came in.

    Attributes:
        prompt: Length n.
        response: Length n.
        line: Length n; 1-based line or row.
        rows: Length n; the whole rows, as they came.
    """

    prompt: list[Text]
    response: list[Text]
    line: list[int]
    rows: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.rows)


def _require_columns(row: Row, wanted: Sequence[tuple[str, str]]) -> None:
    for said, column in wanted:
        if column not in row.values:
            raise no_such_column(row.source, f"{said} {column}", column, row.values)


def _gold(row: Row, column: str) -> float:
    """The gold value; NaN where it is missing."""
    value = row.get(column)
    if isinstance(value, bool):
        return float(value)
    if value is None or value is ABSENT or (isinstance(value, str) and not value.strip()):
        return math.nan
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _WORDS:
            return _WORDS[word]
        if word == "nan":
            return math.nan
    if isinstance(value, float) and math.isnan(value):
        return math.nan
    try:
        return row.as_number(column, value)
    except RowError as error:
        raise row.error(column, _EXPECTED_GOLD, value) from error


def _required_number(row: Row, column: str) -> float:
    value = row.number(column)
    if math.isnan(value):
        raise row.error(column, "a finite number")
    return value


def _probability(row: Row, column: str) -> float:
    value = _required_number(row, column)
    if not 0 < value <= 1:
        raise row.error(column, "a probability above 0, at most 1")
    return value


class _Columns:
    """Columns of scored samples while they fill."""

    def __init__(self, group: str, proxies: Sequence[str], gold: str | None) -> None:
        self.group, self.gold_column = group, gold
        self.prompt_id: list[str] = []
        self.sample: list[str] = []
        self.proxy: dict[str, list[float]] = {name: [] for name in proxies}
        self.gold: list[float] = []
        self.probability: list[float] = []
        self.line: list[int] = []
        self._next: dict[str, int] = {}
        self._seen: dict[tuple[str, str], int] = {}

    def add(self, row: Row, *, probability: str | None, sample: str | None) -> None:
        """Add a row; without a sample column, samples are numbered within their prompt."""
        prompt = row.name(self.group)
        if prompt is None:
            raise row.error(self.group, "the prompt's name or id")
        if sample is None:
            number = self._next.get(prompt, 0)
            self._next[prompt] = number + 1
            name = str(number)
        else:
            name = self._named(row, prompt, sample)
        values = {proxy: _required_number(row, proxy) for proxy in self.proxy}
        self.gold.append(_gold(row, self.gold_column) if self.gold_column else math.nan)
        self.probability.append(_probability(row, probability) if probability else 1.0)
        for proxy, value in values.items():
            self.proxy[proxy].append(value)
        self.prompt_id.append(prompt)
        self.sample.append(name)
        self.line.append(row.line)

    def _named(self, row: Row, prompt: str, sample: str) -> str:
        name = row.name(sample)
        if name is None:
            raise row.error(sample, "the sample's name or number")
        before = self._seen.setdefault((prompt, name), row.line)
        if before != row.line:
            expected = f"each sample of prompt {prompt!r} once (it stands in line {before} too)"
            raise row.error(sample, expected, reason=f"{sample} stands twice for one prompt")
        return name

    def picked(self, keep: Any, source: str) -> ScoredSamples:
        """The rows at the positions ``keep``."""
        as_array = np.asarray
        return ScoredSamples(
            prompt_id=[self.prompt_id[i] for i in keep],
            sample=[self.sample[i] for i in keep],
            proxy={
                name: as_array(values, dtype=float)[keep] for name, values in self.proxy.items()
            },
            gold=as_array(self.gold, dtype=float)[keep],
            probability=as_array(self.probability, dtype=float)[keep],
            line=as_array(self.line, dtype=np.int64)[keep],
            source=source,
        )


def read_samples(
    path: Path,
    *,
    group: str,
    proxies: Sequence[str],
    gold: str | None,
    probability: str | None = None,
    sample: str | None = None,
    missing_gold: MissingGold = "error",
) -> ScoredSamplesRead:
    """Scored samples from JSONL, CSV or Parquet, each also gzipped.

    Args:
        path: The file, one row a sample.
        group: Column of the prompt.
        proxies: Columns of the proxy rewards, at least one.
        gold: Column of the gold, as a number or as win, loss, tie, true or false; None where it
            is not known yet (then NaN throughout).
        probability: Column of the probability with which a row's gold was asked for, in (0, 1].
        sample: Column of the sample's name; else samples are numbered within their prompt.
        missing_gold: "error" where gold is missing, "restrict" to the rows that have it (the
            others are counted), or "keep" them with NaN.

    Raises:
        FormatError: The file cannot be read or lacks a column.
        InputError: No proxy is named, gold is missing and that is an error, or no gold is left.
        RowError: A value is not a finite number, or a sample stands twice.
    """
    if not proxies:
        raise InputError("proxies: expected at least one column, got none")
    columns = _Columns(group, proxies, gold)
    wanted = [("--group", group), *(("--proxy", name) for name in proxies)]
    named = (("--probability", probability), ("--sample", sample))
    wanted += [(option, column) for option, column in named if column is not None]
    first: Row | None = None
    gold_found = gold is None
    for row in read_rows(path):
        if first is None:
            first = row
            _require_columns(row, wanted)
        gold_found = gold_found or gold in row.values
        columns.add(row, probability=probability, sample=sample)
    if first is not None and gold is not None and not gold_found:
        _require_columns(first, [("--gold", gold)])
    return _settle_gold(columns, path, gold, missing_gold)


def _settle_gold(
    columns: _Columns, path: Path, gold: str | None, missing_gold: MissingGold
) -> ScoredSamplesRead:
    values: FloatArray = np.asarray(columns.gold, dtype=float)
    n, missing = len(values), np.flatnonzero(np.isnan(values))
    examples = tuple(f"{path}:{columns.line[i]}" for i in missing[:MAX_EXAMPLES])
    keep, left_out = np.arange(n), tuple[LeftOut, ...]()
    sentences = [f"Read {n:,} samples of {len(set(columns.prompt_id)):,} prompts."]
    if gold is not None and len(missing) and missing_gold == "error":
        raise InputError(
            f"{path}: {len(missing):,} of {n:,} rows have no {gold} (first at "
            f"{', '.join(examples[:3])}); fill it in, or restrict the samples to the rows that "
            "have it (--missing-gold restrict)"
        )
    if gold is not None and len(missing) and missing_gold == "restrict":
        keep = np.flatnonzero(~np.isnan(values))
        if not len(keep):
            raise InputError(f"{path}: no row has a {gold}")
        left_out = (LeftOut(f"no {gold}", len(missing), examples),)
        prompts = len({columns.prompt_id[i] for i in keep})
        sentences.append(
            f"Restricted to the {len(keep):,} rows of {prompts:,} prompts that have a {gold}; "
            f"left out {len(missing):,} (first at {examples[0]})."
        )
    elif gold is not None and len(missing):
        sentences.append(f"{len(missing):,} of {n:,} rows have no {gold} yet.")
    return ScoredSamplesRead(columns.picked(keep, str(path)), n, left_out, tuple(sentences))


_RESPONSE_COLUMNS = ("response", "completion", "output", "answer", "solution")


def read_sample_texts(
    path: Path,
    *,
    prompt: str | None = None,
    response: str | None = None,
    chunk_rows: int = 5_000,
) -> Iterator[SampleTexts]:
    """Prompts and responses to be scored, in chunks, with the whole rows they came in.

    Args:
        path: The file, one row a sample.
        prompt: Column of the prompt; None to take the first of prompt, instruction, question and
            input that there is.
        response: Column of the response; None likewise for response, completion, output, answer
            and solution.
        chunk_rows: Rows a chunk.

    Raises:
        FormatError: The file cannot be read or lacks a column.
        RowError: A prompt or a response is neither text nor messages.
    """
    chunk = SampleTexts([], [], [], [])
    names: tuple[str, str] | None = None
    for row in read_rows(path):
        if names is None:
            names = (
                _text_column(row, prompt, PROMPT, "prompt"),
                _text_column(row, response, _RESPONSE_COLUMNS, "response"),
            )
        chunk.prompt.append(row.prompt_or_response(names[0]))
        chunk.response.append(row.prompt_or_response(names[1]))
        chunk.line.append(row.line)
        chunk.rows.append(row.values)
        if len(chunk) >= chunk_rows:
            yield chunk
            chunk = SampleTexts([], [], [], [])
    if len(chunk):
        yield chunk


def _text_column(row: Row, given: str | None, known: Sequence[str], field: str) -> str:
    if given is not None:
        _require_columns(row, [(f"--column {field}:", given)])
        return given
    for name in known:
        if name in row.values:
            return name
    raise FormatError(
        f"{row.source}: no column for the {field} ({', '.join(known)}); columns found: "
        f"{', '.join(row.values)}; name it with --column {field}=COLUMN"
    )
