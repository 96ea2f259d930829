"""What the queue asks of the database.

Statements are made once: SQLAlchemy takes longer to make one than SQLite to run it. Their
parameters are ``in_project`` and ``of_whom`` (an annotator), ``which`` (pairs) and what each says.
"""

from __future__ import annotations

from sqlalchemy import BindParameter, and_, bindparam, func, insert, or_, select, true, update

from rewardlab.app.annotate.store.tables import ASSIGNMENTS, LABELS, PAIRS, PROJECTS

_IN_PROJECT: BindParameter[str] = bindparam("in_project")
_OF_WHOM: BindParameter[str] = bindparam("of_whom")
_WHICH: BindParameter[int] = bindparam("which", expanding=True)
_MINE = and_(ASSIGNMENTS.c.project == _IN_PROJECT, ASSIGNMENTS.c.annotator == _OF_WHOM)
_LEASED = ASSIGNMENTS.c.state == "leased"

THEIRS = select(
    ASSIGNMENTS.c.pair,
    ASSIGNMENTS.c.kind,
    ASSIGNMENTS.c.flipped,
    ASSIGNMENTS.c.state,
    ASSIGNMENTS.c.until,
).where(_MINE, or_(_LEASED, ASSIGNMENTS.c.pair.in_(_WHICH)))
"""Somebody's assignments of some pairs, and all that are leased to them."""

THEIR_LEASES = select(ASSIGNMENTS.c.pair, ASSIGNMENTS.c.annotator).where(_MINE, _LEASED)

OVER = select(ASSIGNMENTS.c.pair, ASSIGNMENTS.c.annotator).where(
    ASSIGNMENTS.c.project == _IN_PROJECT,
    _LEASED,
    ASSIGNMENTS.c.until < bindparam("present"),
    ASSIGNMENTS.c.annotator != _OF_WHOM,
)
"""Leases that have ended, but those of one person."""

RENEW = update(ASSIGNMENTS).where(_MINE, _LEASED).values(until=bindparam("until"))

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

_BEFORE = and_(
    ASSIGNMENTS.c.project == PAIRS.c.project,
    ASSIGNMENTS.c.annotator == _OF_WHOM,
    ASSIGNMENTS.c.pair == PAIRS.c.pair,
)
_NOT_HAD = or_(ASSIGNMENTS.c.state.is_(None), ASSIGNMENTS.c.state == "returned")
_MOST: BindParameter[int] = bindparam("most")

UNSEEN = (
    select(PAIRS.c.pair, ASSIGNMENTS.c.flipped)
    .select_from(PAIRS.outerjoin(ASSIGNMENTS, _BEFORE))
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

_FIRST = ASSIGNMENTS.alias("first")
REPEATS = (
    select(PAIRS.c.pair, ASSIGNMENTS.c.flipped, _FIRST.c.flipped.label("seen"))
    .select_from(PAIRS.outerjoin(ASSIGNMENTS, _BEFORE))
    .join(
        _FIRST,
        and_(
            _FIRST.c.project == PAIRS.c.project,
            _FIRST.c.annotator == _OF_WHOM,
            _FIRST.c.pair == PAIRS.c.of,
            _FIRST.c.state == "judged",
        ),
    )
    .where(
        PAIRS.c.project == _IN_PROJECT,
        PAIRS.c.kind == "repeat",
        PAIRS.c.open == true(),
        PAIRS.c.of.not_in(bindparam("last", expanding=True)),
        _NOT_HAD,
    )
    .order_by(PAIRS.c.place, PAIRS.c.pair)
    .limit(_MOST)
)
"""Repetitions that somebody may have; ``seen`` is which side came first when they judged."""

CONTENTS = (
    select(PAIRS.c.pair, PAIRS.c.place, PAIRS.c.content, ASSIGNMENTS.c.flipped)
    .join(ASSIGNMENTS, _BEFORE)
    .where(PAIRS.c.project == _IN_PROJECT, PAIRS.c.pair.in_(_WHICH))
)
"""What to show of pairs that somebody has."""
