"""Who judges what next: pairs are lent for a while, to no more people than a project asks for.

Within a project one transaction at a time runs these functions (``writing.lock_project``), on any
number of servers, so that no pair is lent twice where it is wanted once.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    exists,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)

from rewardlab.app.annotate.contents import Assigned, Project
from rewardlab.app.annotate.projects import read_content
from rewardlab.app.annotate.tables import ASSIGNMENTS, PAIRS

HOLDING = ("leased", "judged")
"""States in which an assignment takes one of a pair's places."""

REPEAT_GAP = 20
"""Pairs that somebody judges between a pair and its repetition, at least."""


def take(
    connection: Connection,
    project: Project,
    annotator: str,
    n: int,
    *,
    have: Collection[int] = (),
    now: datetime,
) -> list[Assigned]:
    """The pairs that an annotator has, ``n`` if there are so many, without those in ``have``.

    Leases of theirs are renewed; leases of others that have ended are taken back first.

    Args:
        connection: In a transaction that holds the project's lock.
        project: The project.
        annotator: Who.
        n: How many they should have, those in ``have`` included.
        have: Pairs that their browser holds already.
        now: The present.
    """
    _take_back(connection, project, now, but=annotator)
    _renew(connection, project, annotator, now)
    leased = _leased(connection, project, annotator)
    wanted = n - len(leased)
    if wanted > 0:
        for pair, flipped in _more(connection, project, annotator, wanted):
            _lend(connection, project, annotator, pair, flipped=flipped, now=now)
            leased.append(pair)
    return _assigned(connection, project, annotator, [p for p in leased if p not in set(have)])


def give_back(connection: Connection, project: Project, annotator: str) -> int:
    """End all leases of an annotator; returns how many there were."""
    mine = and_(ASSIGNMENTS.c.annotator == annotator, ASSIGNMENTS.c.state == "leased")
    return _end(connection, project.project, mine)


def change_taken(connection: Connection, project: str, pairs: Sequence[int], by: int) -> None:
    """Count the people who have or judged these pairs up or down."""
    if pairs:
        mine = update(PAIRS).where(PAIRS.c.project == project, PAIRS.c.pair.in_(pairs))
        connection.execute(mine.values(taken=PAIRS.c.taken + by))


def _take_back(connection: Connection, project: Project, now: datetime, *, but: str) -> None:
    ended = and_(
        ASSIGNMENTS.c.state == "leased",
        ASSIGNMENTS.c.until < now,
        ASSIGNMENTS.c.annotator != but,
    )
    _end(connection, project.project, ended)


def _end(connection: Connection, project: str, which: ColumnElement[bool]) -> int:
    chosen = and_(ASSIGNMENTS.c.project == project, which)
    rows = connection.execute(
        select(ASSIGNMENTS.c.pair, ASSIGNMENTS.c.annotator).where(chosen)
    ).all()
    if rows:
        connection.execute(update(ASSIGNMENTS).where(chosen).values(state="returned", until=None))
        for row in rows:
            change_taken(connection, project, [row.pair], -1)
    return len(rows)


def _renew(connection: Connection, project: Project, annotator: str, now: datetime) -> None:
    mine = update(ASSIGNMENTS).where(
        ASSIGNMENTS.c.project == project.project,
        ASSIGNMENTS.c.annotator == annotator,
        ASSIGNMENTS.c.state == "leased",
    )
    connection.execute(mine.values(until=now + timedelta(seconds=project.lease_s)))


def _leased(connection: Connection, project: Project, annotator: str) -> list[int]:
    query = (
        select(ASSIGNMENTS.c.pair)
        .join(PAIRS, _same_pair())
        .where(
            ASSIGNMENTS.c.project == project.project,
            ASSIGNMENTS.c.annotator == annotator,
            ASSIGNMENTS.c.state == "leased",
        )
        .order_by(PAIRS.c.place, PAIRS.c.pair)
    )
    return list(connection.scalars(query))


def _more(
    connection: Connection, project: Project, annotator: str, wanted: int
) -> list[tuple[int, bool]]:
    """Pairs to lend next, and whether to show response b first."""
    given = _n_given(connection, project, annotator)
    fresh = _fresh(connection, project, annotator, "pair", wanted)
    known = _fresh(connection, project, annotator, "known", wanted) if project.known_every else []
    chosen: list[tuple[int, bool]] = []
    while len(chosen) < wanted and (fresh or known):
        draw = random.Random(f"{project.seed}/{annotator}/{given + len(chosen)}")
        flipped, due = draw.random() < 0.5, draw.random() < 1 / max(1, project.known_every)
        source = known if known and (due or not fresh) else fresh
        chosen.append((source.pop(0), flipped))
    repeated = _repeats(connection, project, annotator, wanted - len(chosen) if chosen else wanted)
    return [*chosen, *repeated][:wanted]


def _fresh(
    connection: Connection, project: Project, annotator: str, kind: str, n: int
) -> list[int]:
    """Pairs of a kind that the annotator has not had and that still have a place."""
    had = exists().where(
        _same_pair(), ASSIGNMENTS.c.annotator == annotator, ASSIGNMENTS.c.state != "returned"
    )
    room = or_(PAIRS.c.kind != "pair", PAIRS.c.taken < project.overlap)
    query = select(PAIRS.c.pair).where(
        PAIRS.c.project == project.project, PAIRS.c.kind == kind, room, not_(had)
    )
    return list(connection.scalars(query.order_by(PAIRS.c.place, PAIRS.c.pair).limit(n)))


def _repeats(
    connection: Connection, project: Project, annotator: str, n: int
) -> list[tuple[int, bool]]:
    """Repetitions of pairs that the annotator judged long enough ago, with the sides exchanged."""
    return []


def _n_given(connection: Connection, project: Project, annotator: str) -> int:
    query = select(func.count()).where(
        ASSIGNMENTS.c.project == project.project, ASSIGNMENTS.c.annotator == annotator
    )
    return connection.scalar(query) or 0


def _lend(
    connection: Connection,
    project: Project,
    annotator: str,
    pair: int,
    *,
    flipped: bool,
    now: datetime,
) -> None:
    """Lend a pair; the sides of one that was lent to them before stay as they were drawn."""
    until = now + timedelta(seconds=project.lease_s)
    again = update(ASSIGNMENTS).where(
        ASSIGNMENTS.c.project == project.project,
        ASSIGNMENTS.c.pair == pair,
        ASSIGNMENTS.c.annotator == annotator,
    )
    if not connection.execute(again.values(state="leased", until=until)).rowcount:
        row = {
            "project": project.project,
            "pair": pair,
            "annotator": annotator,
            "flipped": flipped,
            "state": "leased",
            "until": until,
        }
        connection.execute(insert(ASSIGNMENTS), [row])
    change_taken(connection, project.project, [pair], 1)


def _assigned(
    connection: Connection, project: Project, annotator: str, pairs: Sequence[int]
) -> list[Assigned]:
    query = (
        select(PAIRS.c.pair, PAIRS.c.content, ASSIGNMENTS.c.flipped)
        .join(ASSIGNMENTS, _same_pair())
        .where(
            PAIRS.c.project == project.project,
            PAIRS.c.pair.in_(pairs),
            ASSIGNMENTS.c.annotator == annotator,
        )
    )
    found = {row.pair: row for row in connection.execute(query)}
    return [Assigned(p, read_content(found[p].content), found[p].flipped) for p in pairs]


def _same_pair() -> ColumnElement[bool]:
    return and_(ASSIGNMENTS.c.project == PAIRS.c.project, ASSIGNMENTS.c.pair == PAIRS.c.pair)
