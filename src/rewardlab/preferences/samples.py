"""Reading scored samples: several responses a prompt, with proxy rewards and gold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.column_names import PROMPT, no_such_column
from rewardlab.preferences.rows import ABSENT, Row
from rewardlab.preferences.tables import read_rows
from rewardlab.preferences.tallies import MAX_EXAMPLES, LeftOut, Tally
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
    """Responses to be scored.

    Attributes:
        prompt: Length n; "" where the row cannot be scored.
        response: Length n; None where the row cannot be scored.
        line: Length n; 1-based line or row.
    """

    prompt: list[Text]
    response: list[Text | None]
    line: list[int]

    def __len__(self) -> int:
        return len(self.line)


def _require_columns(row: Row, wanted: Sequence[tuple[str, str]]) -> None:
    for said, column in wanted:
        if column not in row.values:
            raise no_such_column(row.source, f"{said} {column}", column, row.values)


def _gold(row: Row, column: str) -> float:
    """The gold value; NaN where it is missing."""
    value = row.get(column)
    word = str(value).strip().lower() if isinstance(value, (str, bool)) else value
    if word is None or word is ABSENT or word != word or word in ("", "nan"):
        return math.nan
    if isinstance(word, str) and word in _WORDS:
        return _WORDS[word]
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


def _required_name(row: Row, column: str, expected: str) -> str:
    name = row.name(column)
    if name is None:
        raise row.error(column, expected)
    return name


class _SampleNames:
    """Names of samples within their prompt: those of a column, or else numbers."""

    def __init__(self, column: str | None) -> None:
        self._column = column
        self._n: Counter[str] = Counter()
        self._line: dict[tuple[str, str], int] = {}

    def of(self, row: Row, prompt: str) -> str:
        """The row's; no two of a prompt are the same."""
        if self._column is None:
            self._n[prompt] += 1
            return str(self._n[prompt] - 1)
        name = _required_name(row, self._column, "the sample's name or number")
        before = self._line.setdefault((prompt, name), row.line)
        if before != row.line:
            expected = f"each sample of prompt {prompt!r} once (it stands in line {before} too)"
            reason = f"{self._column} stands twice for one prompt"
            raise row.error(self._column, expected, reason=reason)
        return name


@dataclass(slots=True)
class _Sample:
    """One row."""

    prompt_id: str
    name: str
    proxy: tuple[float, ...]
    gold: float
    probability: float
    line: int


def _scored(samples: Sequence[_Sample], proxies: Sequence[str], path: Path) -> ScoredSamples:
    return ScoredSamples(
        prompt_id=[x.prompt_id for x in samples],
        sample=[x.name for x in samples],
        proxy={name: np.array([x.proxy[j] for x in samples]) for j, name in enumerate(proxies)},
        gold=np.array([x.gold for x in samples]),
        probability=np.array([x.probability for x in samples]),
        line=np.array([x.line for x in samples], dtype=np.int64),
        source=str(path),
    )


def read_samples(
    path: Path,
    *,
    group: str,
    proxies: Sequence[str],
    gold: str | None,
    scored: Mapping[str, FloatArray] | None = None,
    probability: str | None = None,
    sample: str | None = None,
    missing_gold: MissingGold = "error",
) -> ScoredSamplesRead:
    """Scored samples from JSONL, CSV or Parquet, each also gzipped.

    Args:
        path: The file, one row a sample.
        group: Column of the prompt.
        proxies: Columns of the proxy rewards; at least one unless some are scored.
        gold: Column of the gold, as a number or as win, loss, tie, true or false; None where it
            is not known yet (then NaN throughout).
        scored: Further proxies that are not in the file: name -> one reward for each row.
        probability: Column of the probability with which a row's gold was asked for, in (0, 1].
        sample: Column of the sample's name; else samples are numbered within their prompt.
        missing_gold: "error" where gold is missing, "restrict" to the rows that have it (the
            others are counted), or "keep" them with NaN.

    Raises:
        FormatError: The file cannot be read or lacks a column.
        InputError: No proxy is named, gold is missing and that is an error, or no gold is left.
        RowError: A value is not a finite number, or a sample stands twice.
    """
    scored = scored or {}
    if not proxies and not scored:
        raise InputError("proxies: expected at least one column, got none")
    wanted = [("--group", group), *(("--proxy", name) for name in proxies)]
    named = (("--probability", probability), ("--sample", sample))
    wanted += [(option, column) for option, column in named if column is not None]
    proxies, names = tuple(dict.fromkeys(proxies)), _SampleNames(sample)
    samples: list[_Sample] = []
    first: Row | None = None
    gold_found = gold is None
    for row in read_rows(path):
        if first is None:
            first = row
            _require_columns(row, wanted)
        gold_found = gold_found or gold in row.values
        prompt = _required_name(row, group, "the prompt's name or id")
        samples.append(
            _Sample(
                prompt,
                names.of(row, prompt),
                (
                    *(_required_number(row, proxy) for proxy in proxies),
                    *(float(rewards[len(samples)]) for rewards in scored.values()),
                ),
                _gold(row, gold) if gold else math.nan,
                _probability(row, probability) if probability else 1.0,
                row.line,
            )
        )
    if first is not None and gold is not None and not gold_found:
        _require_columns(first, [("--gold", gold)])
    kept, left_out, said = _settle_gold(samples, path, gold, missing_gold)
    said = f"Read {len(samples):,} samples of {_n_prompts(samples):,} prompts.", *said
    return ScoredSamplesRead(_scored(kept, (*proxies, *scored), path), len(samples), left_out, said)


def _settle_gold(
    samples: Sequence[_Sample], path: Path, gold: str | None, missing_gold: MissingGold
) -> tuple[Sequence[_Sample], tuple[LeftOut, ...], tuple[str, ...]]:
    """(samples to keep, those left out, what is to be said of that)."""
    missing = [x for x in samples if math.isnan(x.gold)]
    if gold is None or not missing:
        return samples, (), ()
    examples = tuple(f"{path}:{x.line}" for x in missing[:MAX_EXAMPLES])
    without = f"{len(missing):,} of {len(samples):,} rows have no {gold}"
    if missing_gold == "error":
        raise InputError(
            f"{path}: {without} (first at {', '.join(examples[:3])}); fill it in, or restrict the "
            "samples to the rows that have it (--missing-gold restrict)"
        )
    if missing_gold == "keep":
        return samples, (), (f"{without} yet.",)
    kept = [x for x in samples if not math.isnan(x.gold)]
    if not kept:
        raise InputError(f"{path}: no row has a {gold}")
    said = (
        f"Restricted to the {len(kept):,} rows of {_n_prompts(kept):,} prompts that have a {gold}; "
        f"left out {len(missing):,} (first at {examples[0]})."
    )
    return kept, (LeftOut(f"no {gold}", len(missing), examples),), (said,)


def _n_prompts(samples: Sequence[_Sample]) -> int:
    return len({x.prompt_id for x in samples})


RESPONSE_COLUMNS = ("response", "completion", "output", "answer", "solution")


def read_sample_texts(
    path: Path,
    *,
    prompt: str | None = None,
    response: str | None = None,
    chunk_rows: int = 5_000,
    tally: Tally | None = None,
) -> Iterator[SampleTexts]:
    """Prompts and responses to be scored, in chunks.

    Args:
        path: The file, one row a sample.
        prompt: Column of the prompt; None to take the first of prompt, instruction, question and
            input that there is.
        response: Column of the response; None likewise for response, completion, output, answer
            and solution.
        chunk_rows: Rows a chunk.
        tally: Counts rows without a prompt or a response, if it is to count them; else such a row
            is an error.

    Raises:
        FormatError: The file cannot be read or lacks a column.
        RowError: A prompt or a response is neither text nor messages.
    """
    chunk, tally = SampleTexts([], [], []), tally or Tally("raise")
    names: tuple[str, str] | None = None
    for row in read_rows(path, tally):
        if names is None:
            names = (
                _text_column(row, prompt, PROMPT, "prompt"),
                _text_column(row, response, RESPONSE_COLUMNS, "response"),
            )
        prompt_text: Text = ""
        response_text: Text | None = None
        try:
            prompt_text, response_text = (row.prompt_or_response(name) for name in names)
        except RowError as error:
            tally.bad(error)
        chunk.prompt.append(prompt_text)
        chunk.response.append(response_text)
        chunk.line.append(row.line)
        if len(chunk) >= chunk_rows:
            yield chunk
            chunk = SampleTexts([], [], [])
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
