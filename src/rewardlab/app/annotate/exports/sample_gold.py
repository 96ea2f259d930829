"""Judgements of samples as gold: the file of ``rewardlab curve --choose``, filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Engine

from rewardlab.app.annotate.store.contents import Content
from rewardlab.app.annotate.store.projects import find_project, pairs_of
from rewardlab.app.annotate.store.record import labels_of, standing
from rewardlab.errors import InputError
from rewardlab.preferences.conventions.native import OUTCOME_OF_WORD
from rewardlab.preferences.pair_pool import LINE
from rewardlab.preferences.sample_pool import write_with_columns
from rewardlab.preferences.tables import read_rows
from rewardlab.types import LABEL_OF_OUTCOME, Outcome, as_text

GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Filled:
    """A file of samples that was written with gold.

    Attributes:
        n_rows: Its rows.
        n_filled: Samples whose gold comes from judgements.
        n_settled: Samples that nobody need judge: the one drawn for them reads the same. They tie.
        n_waiting: Samples that the project asks about and nobody has judged; their gold is as it
            was in the file.
        n_kept: Samples whose gold the file held already, from elsewhere.
    """

    n_rows: int
    n_filled: int
    n_settled: int
    n_waiting: int
    n_kept: int


def write_samples(
    engine: Engine, project: str, samples: Path, out: Path, *, gold: str = GOLD
) -> Filled:
    """Write a file of samples again, with the share of judgements that each one won as its gold.

    A win over another sample of the prompt, drawn at random, counts 1, a tie or "both bad" one
    half, a loss 0, and several people's judgements their mean: what is estimated is the chance to
    be preferred to the reference policy.

    Args:
        engine: The database.
        project: Made from the file.
        samples: The file that the project was made from.
        out: The new one; its name says the kind.
        gold: The column.

    Raises:
        InputError: The project was made from another file, or nobody has judged a pair yet.
    """
    contents = _asked(engine, project)
    of_line = _gold(engine, project, contents)
    n_judged = len(of_line)
    if not n_judged:
        raise InputError(f"{project}: there is no judgement of a sample yet to write as {gold}")
    by_line = {int(content.extra[LINE]): content for content in contents.values()}
    of_line |= dict.fromkeys(_settled(engine, project), LABEL_OF_OUTCOME[Outcome.TIE])
    values: list[Any] = []
    n_kept = 0
    for row in read_rows(samples):
        content = by_line.pop(row.line, None)
        if content is not None:
            _require_same(samples, row.line, row.values, content)
        before = row.values.get(gold)
        n_kept += row.line not in of_line and before not in (None, "")
        values.append(of_line.get(row.line, before))
    if by_line:
        raise InputError(
            f"--samples: {samples} has no line {min(by_line)}, which {project} asks about; give "
            "the file that the project was made from"
        )
    n_rows = write_with_columns(samples, out, {gold: values}, renewed=(gold,))
    n_asked = len({content.extra[LINE] for content in contents.values()})
    return Filled(n_rows, n_judged, len(of_line) - n_judged, n_asked - n_judged, n_kept)


def _asked(engine: Engine, project: str) -> dict[int, Content]:
    """The pairs about samples, by number."""
    pairs = [pair for pair in pairs_of(engine, project) if pair.kind == "pair"]
    asked = {pair.pair: pair.content for pair in pairs if LINE in pair.content.extra}
    if not asked:
        raise InputError(
            f"--samples: {project} was not made from the samples that 'rewardlab curve --choose' "
            "asks for; export its judgements without --samples"
        )
    return asked


def _settled(engine: Engine, project: str) -> list[int]:
    found = find_project(engine, project)
    return list(found.about.get("settled", ())) if found else []


def _gold(engine: Engine, project: str, contents: Mapping[int, Content]) -> dict[int, float]:
    """Line -> mean over judgements; response a is the sample that was asked for."""
    votes: dict[int, list[float]] = {}
    for label in standing(labels_of(engine, project)):
        if label.pair in contents and label.outcome and label.outcome != "skip":
            line = int(contents[label.pair].extra[LINE])
            won = float(LABEL_OF_OUTCOME[OUTCOME_OF_WORD[label.outcome]])
            votes.setdefault(line, []).append(won)
    return {line: float(np.mean(won)) for line, won in votes.items()}


def _require_same(samples: Path, line: int, values: Mapping[str, Any], content: Content) -> None:
    judged = content.response_a
    if judged not in values.values() and as_text(judged) not in map(str, values.values()):
        raise InputError(
            f"--samples: line {line} of {samples} does not hold the response that was judged; "
            "give the file that the project was made from, unchanged"
        )
