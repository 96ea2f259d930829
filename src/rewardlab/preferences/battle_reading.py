"""Battles from files of any convention that names items, and what of a file is no battle."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rewardlab.counting import counted
from rewardlab.errors import RowError
from rewardlab.preferences.battle_columns import ColumnCoder, code_columns
from rewardlab.preferences.battle_gathering import (
    BattleGatherer,
    BothBad,
    NameCodes,
    Names,
    VoteBlock,
)
from rewardlab.preferences.battles import Battles
from rewardlab.preferences.column_names import no_such_column
from rewardlab.preferences.formats import Layout, PreferenceReader, Progress, open_preferences
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.sources import open_sources
from rewardlab.preferences.tallies import LeftOut, ReadReport, Tally
from rewardlab.types import LABEL_OF_OUTCOME, FloatArray, IntArray, Preferences

TextCovariates = Callable[[Preferences], FloatArray]
"""Shape [n, k] from n votes with texts: features of a less those of b."""


@dataclass(frozen=True, slots=True)
class BattleOptions:
    """What of a vote is taken, besides the items and who won.

    Attributes:
        both_bad: "tie" counts a vote that both are bad as a tie; "leave-out" leaves it out.
        covariates: Name -> (column of a, column of b), numbers; the covariate is a's less b's.
        text_names: Names of what ``of_texts`` computes.
        of_texts: Covariates computed from the texts; None for none.
        margin: Whether the file's margins are taken, in logits.
    """

    both_bad: BothBad = "tie"
    covariates: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    text_names: tuple[str, ...] = ()
    of_texts: TextCovariates | None = None
    margin: bool = False


@dataclass(frozen=True, slots=True)
class ReadBattles:
    """Battles with what the files held besides.

    Attributes:
        battles: The battles, in the files' order.
        layout: What was recognised.
        n_rows: Rows in the files.
        left_out: Rows and votes that are no battles, by reason.
        n_both_bad: Votes that both are bad, counted as ties or left out as was asked.
        n_soft: Votes whose label is a probability, of which only the side was taken.
        n_no_annotator: Battles without an annotator in a file that names them; they share one.
        sentences: The same in plain words.
    """

    battles: Battles
    layout: Layout
    n_rows: int
    left_out: tuple[LeftOut, ...]
    n_both_bad: int
    n_soft: int
    n_no_annotator: int
    sentences: tuple[str, ...]


def read_battles(
    paths: Path | Sequence[Path],
    reading: ReadOptions | None = None,
    options: BattleOptions | None = None,
    *,
    on_progress: Progress | None = None,
) -> ReadBattles:
    """The battles of one or more files.

    Args:
        paths: One file or more; several are read as one.
        reading: How to read them.
        options: What to take of each vote.
        on_progress: Called with the share of the files' bytes read, in [0, 1].

    Raises:
        FormatError: The files cannot be read, name no items, or hold no battle.
        RowError: A row cannot be read, or a covariate is no number.
        InputError: Margins are asked for and there are none, or one is negative.
    """
    reading = replace(reading or ReadOptions(), needs="items")
    options = options or BattleOptions()
    by_row = options.of_texts is not None or options.margin
    if not by_row and reading.rating is None and not reading.from_rankings:
        named = [paths] if isinstance(paths, Path) else list(paths)
        sources = open_sources(named, reading, kinds=("preferences",))
        gathered = BattleGatherer(options.both_bad, tuple(options.covariates))
        tally = Tally("raise")
        coder = ColumnCoder(gathered, tuple(options.covariates.values()), tally)
        if code_columns(sources, named, reading, coder):
            report = tally.report(sources[0].layout)
            return _finished(report, gathered, coder.annotators, 0)
        return battles_by_row(PreferenceReader(sources, reading), reading, options, on_progress)
    return battles_by_row(open_preferences(paths, reading), reading, options, on_progress)


def battles_by_row(
    reader: PreferenceReader,
    reading: ReadOptions,
    options: BattleOptions,
    on_progress: Progress | None = None,
) -> ReadBattles:
    """The battles of a reader, row by row; see ``read_battles``."""
    coder = _RowCoder(reader.layouts, options, raises=reading.on_bad == "raise")
    n_soft = 0
    for chunk in reader.some_chunks(on_progress=on_progress):
        coder.add(chunk)
        n_soft += int(np.count_nonzero(chunk.label != LABEL_OF_OUTCOME[chunk.outcome]))
    return _finished(reader.report, coder.gathered, coder.annotators, n_soft)


def _finished(
    report: ReadReport, gathered: BattleGatherer, annotators: Names, n_soft: int
) -> ReadBattles:
    """What was read, with its sentences.

    Args:
        report: Of the pass over the files.
        gathered: The votes.
        annotators: Their names; "" for none.
        n_soft: Votes with a probability for a label.
    """
    battles = gathered.battles(annotators, sides_recorded=report.layout.sides_recorded)
    n_no_annotator = 0
    if battles.annotator is not None and "" in annotators.codes:
        n_no_annotator = int(np.count_nonzero(battles.annotator == annotators.codes[""]))
    said = [f"Read as {report.layout.sentence}.", *report.sentences[2:]]
    said += [x.sentence for x in gathered.left_out]
    if gathered.n_both_bad and gathered.both_bad == "tie":
        said.append(f"Counted as ties: {counted(gathered.n_both_bad, 'vote')} that both are bad.")
    if n_soft:
        said.append(f"Taken for the side favoured alone: {counted(n_soft, 'probability label')}.")
    if battles.margin is not None:
        ahead = counted(int(np.count_nonzero(battles.margin)), "vote")
        said.append(f"With a margin above 0, which is in the loss: {ahead}.")
    if n_no_annotator:
        unnamed = counted(n_no_annotator, "vote")
        said.append(f"Taken for one annotator's, as none is named: {unnamed}.")
    return ReadBattles(
        battles=battles,
        layout=report.layout,
        n_rows=report.n_rows,
        left_out=report.left_out + gathered.left_out,
        n_both_bad=gathered.n_both_bad,
        n_soft=n_soft,
        n_no_annotator=n_no_annotator,
        sentences=tuple(said),
    )


def has_prompts(layout: Layout) -> bool:
    """Whether a file of this layout says which votes answer the same prompt."""
    return bool({"prompt", "prompt_id"} & layout.columns.keys()) or not layout.sides_recorded


class _RowCoder:
    """Codes chunks of votes and gathers them.

    Where only some of the files have prompts or annotators, a vote without a prompt is a prompt of
    its own, and one without an annotator is counted as such.
    """

    def __init__(
        self, layouts: Mapping[str, Layout], options: BattleOptions, *, raises: bool
    ) -> None:
        names = (*options.text_names, *options.covariates)
        self.gathered = BattleGatherer(options.both_bad, names)
        self.annotators = Names()
        self._prompts = Names()
        self._with_prompts = {file for file, layout in layouts.items() if has_prompts(layout)}
        self._has_annotators = any("annotator" in x.columns for x in layouts.values())
        self._options, self._raises = options, raises

    def add(self, chunk: Preferences) -> None:
        """Take in a chunk.

        Raises:
            FormatError: A covariate's column is absent.
            RowError: A covariate is no number.
        """
        items = self.gathered.items
        annotators = [name or "" for name in chunk.annotator] if self._has_annotators else None

        def locations(rows: IntArray) -> list[str]:
            return [chunk.location(i) for i in rows.tolist()]

        self.gathered.add(
            VoteBlock(
                a=items.coded(chunk.item_a),
                b=items.coded(chunk.item_b),
                outcome=chunk.outcome,
                prompt=self._prompt_codes(chunk),
                annotator=None if annotators is None else self.annotators.coded(annotators),
                covariates=_covariates(chunk, self._options, raises=self._raises),
                locations=locations,
                margin=chunk.margin if self._options.margin else None,
            )
        )

    def _prompt_codes(self, chunk: Preferences) -> NameCodes | None:
        """A chunk is of one file."""
        if not self._with_prompts:
            return None
        if chunk.source[0] in self._with_prompts:
            return self._prompts.coded(chunk.prompt_id)
        return self._prompts.coded([chunk.location(i) for i in range(len(chunk))])


def _covariates(chunk: Preferences, options: BattleOptions, *, raises: bool) -> FloatArray:
    parts = [] if options.of_texts is None else [options.of_texts(chunk)]
    for columns in options.covariates.values():
        a, b = (_numbers(chunk, column, raises=raises) for column in columns)
        parts.append((a - b)[:, None])
    return np.hstack(parts) if parts else np.zeros((len(chunk), 0))


def _numbers(chunk: Preferences, column: str, *, raises: bool) -> FloatArray:
    """Shape [n]; a column of finite numbers; NaN (or an error) for what is none."""
    if column not in chunk.extra:
        raise no_such_column(chunk.source[0], f"--covariate ...={column}", column, chunk.extra)
    numbers = np.array([_number(value) for value in chunk.extra[column]])
    bad = np.flatnonzero(np.isnan(numbers))
    if len(bad) and raises:
        i = int(bad[0])
        value, line = chunk.extra[column][i], int(chunk.line[i])
        raise RowError(chunk.source[i], line, column, value, "a finite number")
    return numbers


def _number(value: object) -> float:
    try:
        number = float(value) if isinstance(value, (str, int, float)) else math.nan
    except (ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan
