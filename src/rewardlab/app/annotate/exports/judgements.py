"""What annotators said, to take along: standing judgements as preferences, and the whole record.

Everything is written in pieces, so that a large project is never held as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from sqlalchemy import Engine, select

from rewardlab.app.annotate.store.contents import Content, Kind, Label
from rewardlab.app.annotate.store.projects import read_content
from rewardlab.app.annotate.store.record import labels_of, standing
from rewardlab.app.annotate.store.tables import PAIRS
from rewardlab.errors import InputError
from rewardlab.preferences.conventions.native import OUTCOME_OF_WORD
from rewardlab.preferences.table_writing import whole_file
from rewardlab.preferences.writing import write_preferences
from rewardlab.types import LABEL_OF_OUTCOME, Preferences, concat

PIECE = 2_000
"""Judgements whose texts are in memory at once."""

OWN = ("kind", "judged_at", "duration_s", "reason")
"""Extra columns of ours; a column of the project's file that goes by one of these names, or by one
of ours with ``FILE`` before it, gets ``FILE`` before its name."""

FILE = "file."

_EXCHANGED = {"a": "b", "b": "a"}

_CHECKS: dict[Kind, str] = {"repeat": "of planted repeats", "known": "of known pairs"}


@dataclass(frozen=True, slots=True)
class Exported:
    """The judgements that stand, as preferences.

    Attributes:
        preferences: One row a judgement, in the order of the record. "a" is the response that was
            shown on the left, so that side bias can be told; ``id`` is the pair's id in its file,
            ``margin`` the strength (1 slightly, 2 clearly, 3 much), ``line`` the number in the
            record, from 1.
        left_out: Why a judgement is not in it -> how many.
    """

    preferences: Preferences
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written.

    Attributes:
        n: Its rows.
        left_out: Why something is not in it -> how many.
    """

    n: int
    left_out: Mapping[str, int]

    @property
    def left_out_sentence(self) -> str:
        """What is not in it, in words; "" where nothing is left out."""
        said = ", ".join(f"{n:,} {reason}" for reason, n in self.left_out.items())
        return f"Left out: {said}." if said else ""


def preferences_of(engine: Engine, project: str, *, checks: bool = False) -> Exported:
    """All judgements of a project that stand, at once.

    Args:
        engine: The database.
        project: Its name.
        checks: True takes planted repeats and pairs with a known answer, too.
    """
    votes = _Votes(engine, project, checks=checks)
    chunks = list(votes.chunks())
    return Exported(concat(chunks) if chunks else _preferences([], {}, project), votes.left_out)


def write_labels(engine: Engine, project: str, path: Path, *, checks: bool = False) -> Written:
    """Write the judgements that stand in rewardlab's own layout, which an audit reads.

    Args:
        engine: The database.
        project: Its name.
        path: A JSON Lines or Parquet file, also gzipped, by its name.
        checks: See ``preferences_of``.

    Raises:
        InputError: There is no judgement to write, or the name says no known kind.
    """
    votes = _Votes(engine, project, checks=checks)
    if not votes.labels:
        found = Written(0, votes.left_out).left_out_sentence or "Nobody has judged a pair yet."
        raise InputError(f"{project}: there is no judgement to export. {found}")
    report = write_preferences(votes.chunks, path, layout="native")
    return Written(report.n_written, votes.left_out)


def write_record(engine: Engine, project: str, path: Path) -> Written:
    """Write the whole record as JSON Lines: every judgement and every undo, and which stand.

    Args:
        engine: The database.
        project: Its name.
        path: The file.

    Raises:
        InputError: The record is empty.
    """
    labels = labels_of(engine, project)
    if not labels:
        raise InputError(f"{project}: the record is empty; nobody has judged a pair yet")
    stands = {label.number for label in standing(labels)}
    with whole_file(path, gzipped=path.name.endswith(".gz")) as stream:
        for start in range(0, len(labels), PIECE):
            piece = labels[start : start + PIECE]
            pairs = _pairs_of(engine, project, piece)
            for label in piece:
                line = _record_line(label, pairs[label.pair], stands=label.number in stands)
                stream.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
    return Written(len(labels), {})


def _record_line(label: Label, pair: tuple[Kind, Content], *, stands: bool) -> dict[str, Any]:
    kind, content = pair
    return {**asdict(label), "kind": kind, "pair_id": content.id, "stands": stands}


class _Votes:
    """The standing judgements that an export holds, chosen once and read any number of times."""

    def __init__(self, engine: Engine, project: str, *, checks: bool) -> None:
        self._engine, self._project = engine, project
        kinds = _kinds(engine, project)
        record = labels_of(engine, project)
        stand = standing(record)
        said = [label for label in stand if label.outcome != "skip"]
        counts = {
            "undone or judged again": sum(x.did == "label" for x in record) - len(stand),
            "skipped": len(stand) - len(said),
            **{
                name: 0 if checks else sum(kinds[x.pair] == kind for x in said)
                for kind, name in _CHECKS.items()
            },
        }
        self.labels = [x for x in said if checks or kinds[x.pair] == "pair"]
        self.left_out = {reason: n for reason, n in counts.items() if n}

    def chunks(self) -> Iterator[Preferences]:
        for start in range(0, len(self.labels), PIECE):
            piece = self.labels[start : start + PIECE]
            yield _preferences(piece, _pairs_of(self._engine, self._project, piece), self._project)


def _kinds(engine: Engine, project: str) -> dict[int, Kind]:
    query = select(PAIRS.c.pair, PAIRS.c.kind).where(PAIRS.c.project == project)
    with engine.connect() as connection:
        return {row.pair: row.kind for row in connection.execute(query)}


def _pairs_of(
    engine: Engine, project: str, labels: Sequence[Label]
) -> dict[int, tuple[Kind, Content]]:
    numbers = {label.pair for label in labels}
    query = select(PAIRS.c.pair, PAIRS.c.kind, PAIRS.c.content).where(
        PAIRS.c.project == project, PAIRS.c.pair.in_(numbers)
    )
    with engine.connect() as connection:
        rows = connection.execute(query).all()
    return {row.pair: (row.kind, read_content(row.content)) for row in rows}


def _preferences(
    labels: Sequence[Label], pairs: Mapping[int, tuple[Kind, Content]], project: str
) -> Preferences:
    contents = [pairs[label.pair][1] for label in labels]
    shown = list(zip(contents, [label.flipped for label in labels], strict=True))
    outcome = np.array([OUTCOME_OF_WORD[_as_shown(x)] for x in labels], dtype=np.int8)
    return Preferences(
        prompt=[content.prompt for content in contents],
        response_a=[x.response_b if flipped else x.response_a for x, flipped in shown],
        response_b=[x.response_a if flipped else x.response_b for x, flipped in shown],
        outcome=outcome,
        label=LABEL_OF_OUTCOME[outcome],
        margin=np.array([x.strength or np.nan for x in labels], dtype=np.float64),
        annotator=[label.annotator for label in labels],
        id=[content.id for content in contents],
        prompt_id=[content.prompt_id for content in contents],
        split=[None] * len(labels),
        item_a=[x.item_b if flipped else x.item_a for x, flipped in shown],
        item_b=[x.item_a if flipped else x.item_b for x, flipped in shown],
        line=np.array([label.number + 1 for label in labels], dtype=np.int64),
        source=[project] * len(labels),
        sides_recorded=True,
        extra=_extra(labels, pairs),
    )


def _as_shown(label: Label) -> str:
    """What was said, with "a" for the left side."""
    said = label.outcome or ""
    return _EXCHANGED.get(said, said) if label.flipped else said


def _extra(
    labels: Sequence[Label], pairs: Mapping[int, tuple[Kind, Content]]
) -> dict[str, list[Any]]:
    own: dict[str, list[Any]] = {
        "kind": [pairs[x.pair][0] for x in labels],
        "judged_at": [x.judged_at.isoformat() for x in labels],
        "duration_s": [x.duration_s for x in labels],
        "reason": [x.reason or None for x in labels],
    }
    files = [pairs[x.pair][1].extra for x in labels]
    names = dict.fromkeys(name for extra in files for name in extra)
    theirs = {_file_column(name): [extra.get(name) for extra in files] for name in names}
    return {**own, **theirs}


def _file_column(name: str) -> str:
    bare = name
    while bare.startswith(FILE):
        bare = bare.removeprefix(FILE)
    return FILE + name if bare in OWN else name
