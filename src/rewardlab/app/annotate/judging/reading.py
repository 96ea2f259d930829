"""What an annotator may look at: their pairs, what they said, and how much there is to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    and_,
    func,
    select,
    true,
)

from rewardlab.app.annotate.store.contents import Assigned, Label, Project
from rewardlab.app.annotate.store.projects import read_content
from rewardlab.app.annotate.store.queue import known_due
from rewardlab.app.annotate.store.tables import ASSIGNMENTS, IS_LEASED, LABELS, PAIRS

LATEST = 40
"""Judgements in the list of one's own."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an annotator is.

    Attributes:
        judged: Pairs that they judged.
        skipped: Pairs that they skipped.
        left: Pairs that they have or could have next.
        elsewhere: Where nothing is left for them: pairs that others have at the moment.
    """

    judged: int
    skipped: int
    left: int
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair as it was shown, and the judgement of it that stands."""

    assigned: Assigned
    label: Label


def shown_to(engine: Engine, project: Project, annotator: str, pair: int) -> Assigned | None:
    """A pair that was given to the annotator at some time; None where it never was."""
    query = (
        select(PAIRS.c.content, ASSIGNMENTS.c.flipped)
        .join(ASSIGNMENTS, _same_pair())
        .where(*_mine(project, annotator), PAIRS.c.pair == pair)
    )
    with engine.connect() as connection:
        row = connection.execute(query).first()
    return None if row is None else Assigned(pair, read_content(row.content), row.flipped)


def progress_of(engine: Engine, project: Project, annotator: str) -> Progress:
    """How far an annotator is."""
    with engine.connect() as connection:
        counts = {
            row.state: row.n
            for row in connection.execute(
                select(ASSIGNMENTS.c.state, func.count().label("n"))
                .where(*_mine(project, annotator))
                .group_by(ASSIGNMENTS.c.state)
            )
        }
        free = _n_free(connection, project, annotator)
        left = counts.get("leased", 0) + free
        elsewhere = 0 if left else _n_elsewhere(connection, project, annotator)
    return Progress(counts.get("judged", 0), counts.get("skipped", 0), left, elsewhere)


def history_of(
    engine: Engine, project: Project, annotator: str, *, n: int = LATEST, skipped: bool = False
) -> list[Judged]:
    """The latest judgements that stand, the newest first.

    Args:
        engine: The database.
        project: The project.
        annotator: Whose.
        n: How many at most.
        skipped: True for pairs that were skipped alone.
    """
    with engine.connect() as connection:
        labels = _standing(connection, project, annotator, n, skipped=skipped)
        contents = _contents(connection, project, [label.pair for label in labels])
    return [
        Judged(Assigned(label.pair, read_content(contents[label.pair]), label.flipped), label)
        for label in labels
    ]


def _standing(
    connection: Connection, project: Project, annotator: str, n: int, *, skipped: bool
) -> list[Label]:
    """Of each pair that is judged or skipped now, the last label: an undo would have ended it."""
    states = ("skipped",) if skipped else ("judged", "skipped")
    last = (
        select(func.max(LABELS.c.number))
        .join(
            ASSIGNMENTS,
            and_(
                ASSIGNMENTS.c.project == LABELS.c.project,
                ASSIGNMENTS.c.pair == LABELS.c.pair,
                ASSIGNMENTS.c.annotator == LABELS.c.annotator,
            ),
        )
        .where(*_mine(project, annotator), LABELS.c.did == "label", ASSIGNMENTS.c.state.in_(states))
        .group_by(LABELS.c.pair)
    )
    columns = [column for column in LABELS.c if column.name != "project"]
    query = (
        select(*columns)
        .where(LABELS.c.project == project.project, LABELS.c.number.in_(last))
        .order_by(LABELS.c.number.desc())
        .limit(n)
    )
    return [Label(**row._mapping) for row in connection.execute(query)]


def _contents(connection: Connection, project: Project, pairs: Sequence[int]) -> dict[int, str]:
    query = select(PAIRS.c.pair, PAIRS.c.content).where(
        PAIRS.c.project == project.project, PAIRS.c.pair.in_(pairs)
    )
    return {row.pair: row.content for row in connection.execute(query)}


def _n_free(connection: Connection, project: Project, annotator: str) -> int:
    """Pairs that could be lent to the annotator, now or once they judged some more.

    Of the known ones, as many as belong among the others.
    """
    had = _n_had(connection, project, annotator)
    fresh = _n_unseen(connection, project, annotator, "pair")
    known = 0
    if project.known_every:
        due = known_due(project, {"pair": had["pair"] + fresh}) - had["known"]
        known = max(0, min(due, _n_unseen(connection, project, annotator, "known")))
    again = and_(
        PAIRS.c.kind == "repeat",
        _state_of(project, annotator, PAIRS.c.of) == "judged",
        _state_of(project, annotator, PAIRS.c.pair) == "returned",
    )
    repeats = _n_pairs(project, again)
    return fresh + known + (connection.scalar(repeats) or 0)


def _n_had(connection: Connection, project: Project, annotator: str) -> Counter[str]:
    query = (
        select(ASSIGNMENTS.c.kind, func.count().label("n"))
        .where(*_mine(project, annotator), ASSIGNMENTS.c.state != "returned")
        .group_by(ASSIGNMENTS.c.kind)
    )
    return Counter({row.kind: row.n for row in connection.execute(query)})


def _n_unseen(connection: Connection, project: Project, annotator: str, kind: str) -> int:
    """Open pairs of a kind that the annotator has not had.

    Open pairs are counted, and those of them that they had are taken off: to look for each pair
    whether they had it takes far longer.
    """
    n_open = connection.scalar(
        _n_pairs(project, and_(PAIRS.c.kind == kind, PAIRS.c.open == true()))
    )
    is_open = (
        select(PAIRS.c.open)
        .where(PAIRS.c.project == project.project, PAIRS.c.pair == ASSIGNMENTS.c.pair)
        .scalar_subquery()
    )
    had = (
        select(func.count())
        .select_from(ASSIGNMENTS)
        .where(
            *_mine(project, annotator),
            ASSIGNMENTS.c.kind == kind,
            ASSIGNMENTS.c.state != "returned",
            is_open == true(),
        )
    )
    return (n_open or 0) - (connection.scalar(had) or 0)


def _state_of(
    project: Project, annotator: str, pair: ColumnElement[int] | ColumnElement[int | None]
) -> ColumnElement[str]:
    """The state of a pair for the annotator, "returned" where they never had it.

    Looked up pair by pair, for the reason that ``queue_statements`` gives.
    """
    own = ASSIGNMENTS.alias("own")
    found = select(own.c.state).where(
        own.c.project == project.project, own.c.annotator == annotator, own.c.pair == pair
    )
    return func.coalesce(found.scalar_subquery(), "returned")


def _n_elsewhere(connection: Connection, project: Project, annotator: str) -> int:
    """Pairs that others have at the moment and that the annotator has not had."""
    query = select(func.count(func.distinct(ASSIGNMENTS.c.pair))).where(
        ASSIGNMENTS.c.project == project.project,
        IS_LEASED,
        ASSIGNMENTS.c.kind == "pair",
        _state_of(project, annotator, ASSIGNMENTS.c.pair) == "returned",
    )
    return connection.scalar(query) or 0


def _n_pairs(project: Project, which: ColumnElement[bool]) -> Select[int]:
    whose = PAIRS.c.project == project.project
    return select(func.count()).select_from(PAIRS).where(whose, which)


def _mine(project: Project, annotator: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return ASSIGNMENTS.c.project == project.project, ASSIGNMENTS.c.annotator == annotator


def _same_pair() -> ColumnElement[bool]:
    return and_(ASSIGNMENTS.c.project == PAIRS.c.project, ASSIGNMENTS.c.pair == PAIRS.c.pair)
