"""Score the responses of a file and write it again with the rewards as further columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import FormatError, InputError
from rewardlab.preferences.formats import PreferenceReader, Progress, ReadOptions, open_preferences
from rewardlab.preferences.sample_pool import BATCH_ROWS, write_with_columns
from rewardlab.preferences.samples import SampleTexts, read_sample_texts
from rewardlab.preferences.table_writing import require_other_file, suffix_of
from rewardlab.preferences.tables import open_tables
from rewardlab.preferences.tallies import Tally
from rewardlab.rewards.text_feature_reward import TextFeatureReward
from rewardlab.rewards.training_prompts import RowsOnTrainedPrompts
from rewardlab.rewards.vocabulary import Vocabulary
from rewardlab.types import FloatArray, IntArray, Outcome, Preferences

_RENAME = "choose another name for the rewards"


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """What was scored and written.

    Attributes:
        path: The file written.
        columns: Columns added.
        n_rows: Rows written.
        n_without: Rows without a reward, left null.
        n_trained: Rows on prompts that the reward was fitted on; None where those are not known.
        sentences: The same in plain words.
    """

    path: str
    columns: tuple[str, ...]
    n_rows: int
    n_without: int
    n_trained: int | None
    sentences: tuple[str, ...]


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
    trained_prompts: NDArray[np.uint64] | None = None,
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
        trained_prompts: Digests of the prompts that the reward was fitted on.
        on_progress: Called with the share read, in [0, 1].

    Raises:
        InputError: The file has a column of that name already, or a row holds several pairs, or
            ``out`` is the file itself.
        RewardLabError: The file cannot be read.
    """
    suffix_of(out)
    require_other_file(out, [path])
    is_winner_first = "chosen" in reader.layout.columns
    sides = ("chosen", "rejected") if is_winner_first else ("a", "b")
    trained = RowsOnTrainedPrompts(trained_prompts)
    found = _score_chunks(reward, reader, is_winner_first, trained, on_progress)
    rewards = _in_file_order(path, found)
    added = {f"{name}_{side}": rewards[:, j] for j, side in enumerate(sides)}
    said = [f"Scored as {reader.layout.sentence}.", *reader.report.sentences[1:]]
    return _write(path, out, added, trained, reader.report.n_rows - len(rewards), said)


def score_samples(
    reward: TextFeatureReward,
    path: Path,
    out: Path,
    *,
    prompt: str | None = None,
    response: str | None = None,
    name: str = "reward",
    trained_prompts: NDArray[np.uint64] | None = None,
    on_bad: Literal["raise", "count"] = "raise",
) -> ScoreReport:
    """Write a file of prompts and responses with the column ``name`` added.

    An empty response is scored like any other.

    Args:
        reward: The reward.
        path: The file, one row a response.
        out: JSON Lines, CSV or Parquet by its name, also gzipped.
        prompt: Column of the prompt; None for the usual names.
        response: Column of the response; None likewise.
        name: Name of the new column.
        trained_prompts: Digests of the prompts that the reward was fitted on.
        on_bad: "raise" where a row has no prompt or no response, or "count" it and write null.

    Raises:
        InputError: The file has a column of that name already, or ``out`` is the file itself.
        RewardLabError: The file cannot be read, or a row has no text.
    """
    suffix_of(out)
    require_other_file(out, [path])
    vocabulary, tally, trained = Vocabulary(), Tally(on_bad), RowsOnTrainedPrompts(trained_prompts)
    parts = []
    for chunk in read_sample_texts(path, prompt=prompt, response=response, tally=tally):
        parts.append(_chunk_rewards(reward, chunk, vocabulary))
        has_text = ~np.isnan(parts[-1])
        trained.count(trained.among(chunk.prompt)[has_text])
    rewards = np.concatenate(parts)
    said = ["Scored as samples: one response a row."]
    lost = tally.left_out()
    said += [f"No reward for {x.count:,}: {x.reason} (first at {x.examples[0]})." for x in lost]
    return _write(path, out, {name: rewards}, trained, tally.n_rows - len(rewards), said)


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
    return np.concatenate([_chunk_rewards(reward, chunk, vocabulary) for chunk in chunks])


def _chunk_rewards(
    reward: TextFeatureReward, chunk: SampleTexts, vocabulary: Vocabulary
) -> FloatArray:
    return reward.score(chunk.prompt, chunk.response, vocabulary=vocabulary)


def open_pairs(path: Path, options: ReadOptions) -> PreferenceReader | None:
    """A reader of the file's pairs, or None where it holds single responses instead.

    Raises:
        FormatError: It is neither.
        InputError: It holds single responses, and an option of pairs is given.
    """
    if "response" not in options.columns:
        try:
            return open_preferences(path, options)
        except FormatError as no_pairs:
            try:
                next(read_sample_texts(path, chunk_rows=1, tally=Tally(options.on_bad)))
            except FormatError:
                raise no_pairs from None
    _require_no_pair_options(path, options)
    return None


def _require_no_pair_options(path: Path, options: ReadOptions) -> None:
    given = {
        "--where": options.where,
        "--labels": options.labels,
        "--join": options.join,
        "--rating": options.rating,
        "--from-rankings": options.from_rankings,
        "--format": options.format,
    }
    for option, value in given.items():
        if value:
            raise InputError(
                f"{path}: {option} is for preferences, and this file's rows are single responses"
            )


def _score_chunks(
    reward: TextFeatureReward,
    reader: PreferenceReader,
    is_winner_first: bool,
    trained: RowsOnTrainedPrompts,
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
        on_trained = trained.among(chunk.prompt)
        for i, source in enumerate(chunk.source):
            known = lines.setdefault(source, [])
            line = int(chunk.line[i])
            if known and known[-1] == line:
                _require_same(rewards[source][-1], both[i], chunk.location(i))
                continue
            known.append(line)
            trained.count(on_trained[i : i + 1])
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


def _in_file_order(path: Path, found: dict[str, _RowRewards]) -> FloatArray:
    """The rewards of every row that can be read. Shape [n, 2]; NaN for none."""
    nothing = _RowRewards(np.empty(0, np.int64), np.empty((0, 2)))
    parts = [np.empty((0, 2))]
    for table in open_tables(path):
        rewards = found.get(table.source, nothing)
        for batch in table.batches(BATCH_ROWS):
            parts.append(rewards.of_lines([row.line for row in batch.rows]))
    return np.concatenate(parts)


def _write(
    path: Path,
    out: Path,
    added: dict[str, FloatArray],
    trained: RowsOnTrainedPrompts,
    n_unread: int,
    said: list[str],
) -> ScoreReport:
    """Write every row with its rewards, and say so after what is said already."""
    columns = {name: _nulls(values) for name, values in added.items()}
    n_rows = write_with_columns(path, out, columns, remedy=_RENAME)
    n_without = int(np.isnan(np.stack(list(added.values()))).any(axis=0).sum())
    said = [*said, f"Wrote {n_rows:,} rows to {out}, with {' and '.join(added)} added."]
    if n_without:
        said.append(
            f"{n_without:,} rows have no reward (null): a text is missing, or the row was left out."
        )
    if n_unread:
        said.append(f"{n_unread:,} rows could not be read at all and are not in {out}.")
    said.append(trained.sentence)
    return ScoreReport(str(out), tuple(added), n_rows, n_without, trained.n_trained, tuple(said))


def _nulls(values: FloatArray) -> list[float | None]:
    """NaN as None, which every format can hold."""
    return [None if value != value else value for value in values.tolist()]
