"""Who judges what next: pairs are lent for a while, to no more people than a project asks for.

Within a project one transaction at a time runs these functions (``writing.lock_project``), on any
number of servers, so that no pair is lent twice where it is wanted once.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row

from rewardlab.app.annotate.store import queue_statements as statements
from rewardlab.app.annotate.store.contents import Assigned, Kind, Project
from rewardlab.app.annotate.store.projects import read_content

AnyRow = Row[*tuple[Any, ...]]

HOLDING = ("leased", "judged")
"""States in which an assignment takes one of a pair's places."""

REPEAT_GAP = 20
"""Pairs that somebody judges between a pair and its repetition, at least."""

PAIRS_PER_REPEAT = 10
"""Of so many pairs that somebody gets, one repeats another at the most."""

_RENEWED_BELOW = 0.9
"""Leases with more than this part of their time ahead stay as they are: it saves most writes."""


@dataclass(frozen=True, slots=True)
class Lent:
    """What an annotator's browser gets.

    Attributes:
        pairs: Theirs to judge, in the order to show; without those that the browser has.
        dropped: Pairs that it has and that are not theirs to judge any more.
    """

    pairs: tuple[Assigned, ...]
    dropped: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A pair to lend; ``again`` where it was lent to them before, with its sides as drawn."""

    pair: int
    kind: Kind
    flipped: bool
    again: bool


def take(
    connection: Connection,
    project: Project,
    annotator: str,
    n: int,
    *,
    have: Collection[int] = (),
    now: datetime,
) -> Lent:
    """Lend pairs to an annotator, so that they have ``n`` if there are so many.

    Leases of theirs are renewed, also of pairs in ``have`` that were taken back and that nobody
    else got; leases of others that have ended are taken back first.

    Args:
        connection: In a transaction that holds the project's lock.
        project: The project.
        annotator: Who.
        n: How many they should have, those in ``have`` included.
        have: Pairs that their browser holds already.
        now: The present.
    """
    take_back(connection, project.project, now, but=annotator)
    mine = leases_and(connection, project.project, annotator, have)
    renew(connection, project, annotator, mine.values(), now)
    leased = [pair for pair, row in mine.items() if row.state == "leased"]
    returned = [mine[p].pair for p in have if p in mine and mine[p].state == "returned"]
    chosen = _still_open(connection, project.project, returned, mine)
    chosen += _more(connection, project, annotator, n - len(leased) - len(chosen))
    _lend(connection, project, annotator, chosen, now)
    new = [one.pair for one in chosen]
    pairs = _assigned(connection, project.project, annotator, leased, new, but=set(have))
    return Lent(tuple(pairs), tuple(pair for pair in have if pair not in {*leased, *new}))


def end_leases(connection: Connection, project: str, annotator: str) -> int:
    """Give back all that an annotator has and did not judge; returns how many pairs that were.

    Args:
        connection: In a transaction that holds the project's lock.
        project: The project's name.
        annotator: Who.
    """
    rows = connection.execute(
        statements.THEIR_LEASES, {"in_project": project, "of_whom": annotator}
    ).all()
    return _end(connection, project, rows)


def take_back(connection: Connection, project: str, now: datetime, *, but: str = "") -> int:
    """End the leases that are over; returns how many pairs that were.

    Args:
        connection: In a transaction that holds the project's lock.
        project: The project's name.
        now: The present.
        but: Whose leases go on: they are there, and nobody else has got the pairs yet.
    """
    asked = {"in_project": project, "present": now, "of_whom": but}
    return _end(connection, project, connection.execute(statements.OVER, asked).all())


def change_taken(connection: Connection, project: str, changes: Mapping[int, int]) -> None:
    """Count the people who have or judged pairs up or down, by the change given for each."""
    for by in sorted(set(changes.values()) - {0}):
        which = [pair for pair, change in changes.items() if change == by]
        connection.execute(statements.COUNT, {"in_project": project, "which": which, "by": by})


def leases_and(
    connection: Connection, project: str, annotator: str, pairs: Collection[int]
) -> dict[int, AnyRow]:
    """An annotator's assignments of some pairs, and all that are leased to them, by pair."""
    asked = {"in_project": project, "of_whom": annotator, "which": list(pairs)}
    return {row.pair: row for row in connection.execute(statements.THEIRS, asked)}


def renew(
    connection: Connection,
    project: Project,
    annotator: str,
    assignments: Iterable[AnyRow],
    now: datetime,
) -> None:
    """Lend on what is leased to an annotator, of whom something was heard just now."""
    soon = now + timedelta(seconds=_RENEWED_BELOW * project.lease_s)
    if any(row.state == "leased" and row.until < soon for row in assignments):
        asked = {"in_project": project.project, "of_whom": annotator}
        connection.execute(statements.RENEW, {**asked, "until": lease_end(project, now)})


def lease_end(project: Project, now: datetime) -> datetime:
    """When a lease that begins now is over."""
    return now + timedelta(seconds=project.lease_s)


def move(
    connection: Connection,
    project: str,
    annotator: str,
    pairs: Sequence[int],
    *,
    state: str,
    until: datetime | None,
) -> None:
    """Give assignments of an annotator another state."""
    asked = {"in_project": project, "of_whom": annotator, "which": list(pairs)}
    connection.execute(statements.MOVE, {**asked, "state": state, "until": until})


def _end(connection: Connection, project: str, leases: Sequence[AnyRow]) -> int:
    by_person: dict[str, list[int]] = {}
    for row in leases:
        by_person.setdefault(row.annotator, []).append(row.pair)
    for annotator, pairs in by_person.items():
        move(connection, project, annotator, pairs, state="returned", until=None)
    n_ended = Counter(row.pair for row in leases)
    change_taken(connection, project, {pair: -n for pair, n in n_ended.items()})
    return len(leases)


def _still_open(
    connection: Connection, project: str, pairs: Sequence[int], mine: Mapping[int, AnyRow]
) -> list[_Chosen]:
    """Those pairs of an annotator that were taken back and that nobody else got."""
    if not pairs:
        return []
    asked = {"in_project": project, "which": list(pairs)}
    free = set(connection.scalars(statements.OPEN, asked))
    rows = [mine[pair] for pair in pairs if pair in free]
    return [_Chosen(row.pair, row.kind, row.flipped, again=True) for row in rows]


def _more(connection: Connection, project: Project, annotator: str, wanted: int) -> list[_Chosen]:
    """Pairs to lend next: in their order, with known ones and repetitions among them."""
    if wanted <= 0:
        return []
    asked = {"in_project": project.project, "of_whom": annotator}
    given = Counter({row.kind: row.n for row in connection.execute(statements.GIVEN, asked)})
    n, n_repeats = given.total(), given["repeat"]
    fresh = _unseen(connection, asked, "pair", wanted)
    known = _unseen(connection, asked, "known", wanted if project.known_every else 0)
    room = (n + wanted) // PAIRS_PER_REPEAT - n_repeats
    repeats = _repeats(connection, asked, min(room, wanted))
    chosen: list[_Chosen] = []
    kind: Kind
    while len(chosen) < wanted and (fresh or known or repeats):
        draw = random.Random(f"{project.seed}/{annotator}/{n}")
        flipped, known_is_due = draw.random() < 0.5, draw.random() * project.known_every < 1
        if repeats and n_repeats < (n + 1) // PAIRS_PER_REPEAT:
            row, kind, n_repeats = repeats.popleft(), "repeat", n_repeats + 1
            flipped = not row.seen
        elif known and (known_is_due if fresh else given["known"] < known_due(project, given)):
            row, kind = known.popleft(), "known"
        elif fresh:
            row, kind = fresh.popleft(), "pair"
        else:
            break
        given[kind] += 1
        again = row.flipped is not None
        chosen.append(_Chosen(row.pair, kind, row.flipped if again else flipped, again=again))
        n += 1
    return chosen


def known_due(project: Project, given: Mapping[str, int]) -> int:
    """How many known pairs belong among the ordinary ones that somebody is given."""
    return given["pair"] // project.known_every if project.known_every else 0


def _unseen(connection: Connection, asked: Mapping[str, Any], kind: Kind, n: int) -> deque[AnyRow]:
    """Pairs of a kind that an annotator has not had and that still have a place."""
    if n <= 0:
        return deque()
    return deque(connection.execute(statements.UNSEEN, {**asked, "of_kind": kind, "most": n}))


def _repeats(connection: Connection, asked: Mapping[str, Any], n: int) -> deque[AnyRow]:
    """Repetitions of pairs that an annotator judged, and not just now."""
    if (
        n <= 0
        or not connection.execute(
            statements.ANY_REPEAT, {"in_project": asked["in_project"]}
        ).first()
    ):
        return deque()
    last = list(connection.scalars(statements.LAST_JUDGED, {**asked, "most": REPEAT_GAP}))
    return deque(connection.execute(statements.REPEATS, {**asked, "last": last, "most": n}))


def _lend(
    connection: Connection,
    project: Project,
    annotator: str,
    chosen: Sequence[_Chosen],
    now: datetime,
) -> None:
    until = lease_end(project, now)
    again = [one.pair for one in chosen if one.again]
    if again:
        move(connection, project.project, annotator, again, state="leased", until=until)
    rows = [
        {
            "project": project.project,
            "annotator": annotator,
            "pair": one.pair,
            "kind": one.kind,
            "flipped": one.flipped,
            "state": "leased",
            "until": until,
        }
        for one in chosen
        if not one.again
    ]
    if rows:
        connection.execute(statements.ASSIGN, rows)
    change_taken(connection, project.project, {one.pair: 1 for one in chosen})


def _assigned(
    connection: Connection,
    project: str,
    annotator: str,
    leased: Sequence[int],
    new: Sequence[int],
    *,
    but: Collection[int],
) -> list[Assigned]:
    """What to show of pairs: those that were leased before in their order, then new ones as is."""
    which = [pair for pair in (*leased, *new) if pair not in but]
    if not which:
        return []
    asked = {"in_project": project, "of_whom": annotator, "which": which}
    rows = connection.execute(statements.CONTENTS, asked).all()
    later = {pair: i for i, pair in enumerate(new)}
    rows = sorted(rows, key=lambda row: (later.get(row.pair, -1), row.place, row.pair))
    return [Assigned(row.pair, read_content(row.content), row.flipped) for row in rows]
