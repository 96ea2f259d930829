"""Score the responses of a file and write it again with the rewards as further columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.errors import FormatError, InputError
from rewardlab.preferences.formats import PreferenceReader, Progress, ReadOptions, open_preferences
from rewardlab.preferences.samples import read_sample_texts
from rewardlab.preferences.table_writing import Columns, suffix_of, write_columns
from rewardlab.preferences.tables import open_tables
from rewardlab.rewards.text_feature_reward import TextFeatureReward
from rewardlab.rewards.vocabulary import Vocabulary
from rewardlab.types import FloatArray, IntArray, Outcome, Preferences

BATCH_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """What was scored and written.

    Attributes:
        path: The file written.
        columns: Columns added.
        n_rows: Rows written.
        n_without: Rows without a reward, left null.
        sentences: The same in plain words.
    """

    path: str
    columns: tuple[str, ...]
    n_rows: int
    n_without: int
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some rows of a file, and their rewards of shape [rows, columns to add]; NaN for none."""

    rows: list[dict[str, Any]]
    rewards: FloatArray


@dataclass(frozen=True, slots=True)
class _RowRewards:
    """Rewards of the rows of one table.

    Attributes:
        line: Shape [n], int64, increasing.
        reward: Shape [n, 2].
    """

    line: IntArray
    reward: FloatArray

    def of_lines(self, lines: list[int]) -> FloatArray:
        """Shape [len(lines), 2]; NaN where a line has no rewards."""
        wanted = np.array(lines, dtype=np.int64)
        rewards = np.full((len(wanted), 2), np.nan)
        if len(self.line):
            at = np.minimum(np.searchsorted(self.line, wanted), len(self.line) - 1)
            found = self.line[at] == wanted
            rewards[found] = self.reward[at[found]]
        return rewards


def score_preferences(
    reward: TextFeatureReward,
    reader: PreferenceReader,
    path: Path,
    out: Path,
    *,
    name: str = "reward",
    on_progress: Progress | None = None,
) -> ScoreReport:
    """Write the file with two columns of rewards added: ``name`` with _a and _b.

    Where the file's columns are chosen and rejected, they end in _chosen and _rejected. Every row
    and column of the file is kept as it is. A row that the reader leaves out, or that has no text
    of a response, gets null for a reward and is counted.

    Args:
        reward: The reward.
        reader: A reader of ``path``.
        path: The file that ``reader`` reads.
        out: JSON Lines, CSV or Parquet by its name, also gzipped.
        name: What the new columns' names begin with.
        on_progress: Called with the share read, in [0, 1].

    Raises:
        InputError: The file has a column of that name already, or a row holds several pairs.
        RewardLabError: The file cannot be read.
    """
    suffix_of(out)
    is_winner_first = "chosen" in reader.layout.columns
    sides = ("chosen", "rejected") if is_winner_first else ("a", "b")
    added = tuple(f"{name}_{side}" for side in sides)
    found = _score_chunks(reward, reader, is_winner_first, on_progress)

    def pieces() -> Iterator[_Piece]:
        nothing = _RowRewards(np.empty(0, np.int64), np.empty((0, 2)))
        for table in open_tables(path):
            rewards = found.get(table.source, nothing)
            for batch in table.batches(BATCH_ROWS):
                lines = [row.line for row in batch.rows]
                yield _Piece([row.values for row in batch.rows], rewards.of_lines(lines))

    n_rows, n_without = _write(path, out, added, pieces)
    said = [f"Scored as {reader.layout.sentence}.", *reader.report.sentences[1:]]
    said += _said(out, added, n_rows, n_without)
    n_unread = reader.report.n_rows - n_rows
    if n_unread:
        said.append(f"{n_unread:,} rows could not be read at all and are not in {out}.")
    return ScoreReport(str(out), added, n_rows, n_without, tuple(said))


def score_samples(
    reward: TextFeatureReward,
    path: Path,
    out: Path,
    *,
    prompt: str | None = None,
    response: str | None = None,
    name: str = "reward",
) -> ScoreReport:
    """Write a file of prompts and responses with the column ``name`` added.

    Args:
        reward: The reward.
        path: The file, one row a response.
        out: JSON Lines, CSV or Parquet by its name, also gzipped.
        prompt: Column of the prompt; None for the usual names.
        response: Column of the response; None likewise.
        name: Name of the new column.

    Raises:
        InputError: The file has a column of that name already.
        RewardLabError: The file cannot be read, or a row has no text.
    """
    suffix_of(out)
    rewards = sample_rewards(reward, path, prompt=prompt, response=response)

    def pieces() -> Iterator[_Piece]:
        first = 0
        for chunk in read_sample_texts(path, prompt=prompt, response=response):
            yield _Piece(chunk.rows, rewards[first : first + len(chunk), None])
            first += len(chunk)

    n_rows, n_without = _write(path, out, (name,), pieces)
    said = ("Scored as samples: one response a row.", *_said(out, (name,), n_rows, n_without))
    return ScoreReport(str(out), (name,), n_rows, n_without, said)


def sample_rewards(
    reward: TextFeatureReward,
    path: Path,
    *,
    prompt: str | None = None,
    response: str | None = None,
) -> FloatArray:
    """Shape [n]; the reward of every row of a file of prompts and responses.

    Args:
        reward: The reward.
        path: The file, one row a response.
        prompt: Column of the prompt; None for the usual names.
        response: Column of the response; None likewise.

    Raises:
        RewardLabError: The file cannot be read, or a row has no text.
    """
    vocabulary = Vocabulary()
    chunks = read_sample_texts(path, prompt=prompt, response=response)
    return np.concatenate(
        [reward.score(chunk.prompt, chunk.response, vocabulary=vocabulary) for chunk in chunks]
    )


def open_pairs(path: Path, options: ReadOptions) -> PreferenceReader | None:
    """A reader of the file's pairs, or None where it holds single responses instead.

    Raises:
        FormatError: It is neither.
    """
    if "response" in options.columns:
        return None
    try:
        return open_preferences(path, options)
    except FormatError as no_pairs:
        try:
            next(read_sample_texts(path, chunk_rows=1))
        except FormatError:
            raise no_pairs from None
        return None


def _score_chunks(
    reward: TextFeatureReward,
    reader: PreferenceReader,
    is_winner_first: bool,
    on_progress: Progress | None,
) -> dict[str, _RowRewards]:
    """The rewards of each table's rows, by the table's name."""
    vocabulary = Vocabulary()
    lines: dict[str, list[int]] = {}
    rewards: dict[str, list[FloatArray]] = {}
    for chunk in reader.chunks(on_progress=on_progress):
        both = _both_sides(reward, chunk, vocabulary)
        if is_winner_first:
            swap = chunk.outcome == Outcome.B
            both[swap] = both[swap][:, ::-1]
        for i, source in enumerate(chunk.source):
            known = lines.setdefault(source, [])
            line = int(chunk.line[i])
            if known and known[-1] == line:
                _require_same(rewards[source][-1], both[i], chunk.location(i))
                continue
            known.append(line)
            rewards.setdefault(source, []).append(both[i])
    return {
        source: _RowRewards(np.array(lines[source], dtype=np.int64), np.stack(rewards[source]))
        for source in lines
    }


def _both_sides(
    reward: TextFeatureReward, chunk: Preferences, vocabulary: Vocabulary
) -> FloatArray:
    prompts = [prompt for prompt in chunk.prompt for _ in (0, 1)]
    responses = [r for pair in zip(chunk.response_a, chunk.response_b, strict=True) for r in pair]
    return reward.score(prompts, responses, vocabulary=vocabulary).reshape(-1, 2)


def _require_same(before: FloatArray, now: FloatArray, location: str) -> None:
    if not np.array_equal(before, now, equal_nan=True):
        raise InputError(
            f"{location}: the row holds several pairs, so two columns cannot hold their rewards; "
            "write one pair a row first (rewardlab convert)"
        )


def _write(
    path: Path, out: Path, added: tuple[str, ...], pieces: Callable[[], Iterable[_Piece]]
) -> tuple[int, int]:
    """Write every row with its rewards; returns rows, and rows without a reward."""
    names = list(dict.fromkeys(name for piece in pieces() for row in piece.rows for name in row))
    taken = [name for name in added if name in names]
    if taken:
        raise InputError(
            f"{path}: has a column {taken[0]!r} already; choose another name for the rewards"
        )
    n_without = 0

    def columns() -> Iterator[Columns]:
        nonlocal n_without
        n_without = 0
        for piece in pieces():
            n_without += int(np.isnan(piece.rewards).any(axis=1).sum())
            kept: dict[str, list[Any]] = {n: [row.get(n) for row in piece.rows] for n in names}
            yield {**kept, **{n: _nulls(piece.rewards[:, j]) for j, n in enumerate(added)}}

    n_rows = write_columns(out, columns, [*names, *added])
    return n_rows, n_without


def _nulls(values: FloatArray) -> list[float | None]:
    """NaN as None, which every format can hold."""
    return [None if value != value else value for value in values.tolist()]


def _said(out: Path, added: tuple[str, ...], n_rows: int, n_without: int) -> list[str]:
    said = [f"Wrote {n_rows:,} rows to {out}, with {' and '.join(added)} added."]
    if n_without:
        said.append(
            f"{n_without:,} rows have no reward (null): a text is missing, or the row was left out."
        )
    return said
