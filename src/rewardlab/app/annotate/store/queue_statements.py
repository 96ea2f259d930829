"""What the queue asks of the database.

Statements are made once: SQLAlchemy takes longer to make one than SQLite to run it. Their
parameters are ``in_project`` and ``of_whom`` (an annotator), ``which`` (pairs) and what each says.
"""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    ScalarSelect,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    true,
    union,
    update,
)

from rewardlab.app.annotate.store.tables import ASSIGNMENTS, IS_LEASED, LABELS, PAIRS, PROJECTS

T = TypeVar("T")

_IN_PROJECT: BindParameter[str] = bindparam("in_project")
_OF_WHOM: BindParameter[str] = bindparam("of_whom")
_WHICH: BindParameter[int] = bindparam("which", expanding=True)
_MINE = and_(ASSIGNMENTS.c.project == _IN_PROJECT, ASSIGNMENTS.c.annotator == _OF_WHOM)

_ASSIGNED = select(
    ASSIGNMENTS.c.pair,
    ASSIGNMENTS.c.kind,
    ASSIGNMENTS.c.flipped,
    ASSIGNMENTS.c.state,
    ASSIGNMENTS.c.until,
).where(_MINE)
THEIRS = union(_ASSIGNED.where(IS_LEASED), _ASSIGNED.where(ASSIGNMENTS.c.pair.in_(_WHICH)))
"""Somebody's assignments of some pairs, and all that are leased to them."""

THEIR_LEASES = select(ASSIGNMENTS.c.pair, ASSIGNMENTS.c.annotator).where(_MINE, IS_LEASED)

OVER = select(ASSIGNMENTS.c.pair, ASSIGNMENTS.c.annotator).where(
    ASSIGNMENTS.c.project == _IN_PROJECT,
    IS_LEASED,
    ASSIGNMENTS.c.until < bindparam("present"),
    ASSIGNMENTS.c.annotator != _OF_WHOM,
)
"""Leases that have ended, but those of one person."""

RENEW = update(ASSIGNMENTS).where(_MINE, IS_LEASED).values(until=bindparam("until"))

MOVE = (
    update(ASSIGNMENTS)
    .where(_MINE, ASSIGNMENTS.c.pair.in_(_WHICH))
    .values(state=bindparam("state"), until=bindparam("until"))
)

ASSIGN = insert(ASSIGNMENTS)

_N_TAKEN = PAIRS.c.taken + bindparam("by")
_OVERLAP = (
    select(PROJECTS.c.overlap)
    .where(PROJECTS.c.project == bindparam("in_project"))
    .scalar_subquery()
)
COUNT = (
    update(PAIRS)
    .where(PAIRS.c.project == _IN_PROJECT, PAIRS.c.pair.in_(_WHICH))
    .values(taken=_N_TAKEN, open=or_(PAIRS.c.kind != "pair", _N_TAKEN < _OVERLAP))
)
"""Counts the people who have a pair up ``by`` so many, and says whether it stays open."""

OPEN = select(PAIRS.c.pair).where(
    PAIRS.c.project == _IN_PROJECT, PAIRS.c.pair.in_(_WHICH), PAIRS.c.open == true()
)

GIVEN = (
    select(ASSIGNMENTS.c.kind, func.count().label("n")).where(_MINE).group_by(ASSIGNMENTS.c.kind)
)
"""How many pairs of each kind somebody was ever given."""


def _of_theirs(what: ColumnElement[T], pair: ColumnElement[Any]) -> ScalarSelect[T]:
    """A column of somebody's assignment of a pair; NULL where they never had it.

    Looked up pair by pair with the whole key. A join would be left to the planner, and PostgreSQL
    takes somebody's many assignments for one as long as it has counted no rows.
    """
    return select(what).where(_MINE, ASSIGNMENTS.c.pair == pair).scalar_subquery()


_STATE = _of_theirs(ASSIGNMENTS.c.state, PAIRS.c.pair)
_FLIPPED = _of_theirs(ASSIGNMENTS.c.flipped, PAIRS.c.pair).label("flipped")
_NOT_HAD = func.coalesce(_STATE, "returned") == "returned"
_MOST: BindParameter[int] = bindparam("most")

UNSEEN = (
    select(PAIRS.c.pair, _FLIPPED)
    .where(
        PAIRS.c.project == _IN_PROJECT,
        PAIRS.c.kind == bindparam("of_kind"),
        PAIRS.c.open == true(),
        _NOT_HAD,
    )
    .order_by(PAIRS.c.place, PAIRS.c.pair)
    .limit(_MOST)
)
"""Pairs of a kind that somebody may have; ``flipped`` is None where they never had it."""

ANY_REPEAT = (
    select(PAIRS.c.pair).where(PAIRS.c.project == _IN_PROJECT, PAIRS.c.kind == "repeat").limit(1)
)

LAST_JUDGED = (
    select(LABELS.c.pair)
    .where(LABELS.c.project == _IN_PROJECT, LABELS.c.annotator == _OF_WHOM, LABELS.c.did == "label")
    .order_by(LABELS.c.number.desc())
    .limit(_MOST)
)
"""The pairs that somebody judged last."""

REPEATS = (
    select(
        PAIRS.c.pair,
        _FLIPPED,
        _of_theirs(ASSIGNMENTS.c.flipped, PAIRS.c.of).label("seen"),
    )
    .where(
        PAIRS.c.project == _IN_PROJECT,
        PAIRS.c.kind == "repeat",
        PAIRS.c.open == true(),
        PAIRS.c.of.not_in(bindparam("last", expanding=True)),
        _of_theirs(ASSIGNMENTS.c.state, PAIRS.c.of) == "judged",
        _NOT_HAD,
    )
    .order_by(PAIRS.c.place, PAIRS.c.pair)
    .limit(_MOST)
)
"""Repetitions that somebody may have; ``seen`` is which side came first when they judged."""

CONTENTS = select(PAIRS.c.pair, PAIRS.c.place, PAIRS.c.content, _FLIPPED).where(
    PAIRS.c.project == _IN_PROJECT, PAIRS.c.pair.in_(_WHICH)
)
"""What to show of pairs that somebody has."""
