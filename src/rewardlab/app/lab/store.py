"""The events of the lab's visitors, in the order in which they came; only ever added to.

A visitor's events are numbered from 0. The number is part of the key, so that of two writers who
would add the same next event one is refused and reads again; an event that is acknowledged has been
committed, and is there once, however often it was sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import (
    Column,
    Engine,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError

from rewardlab.app.database import METADATA, Moment

LONGEST_ID = 40

EVENTS = Table(
    "lab_events",
    METADATA,
    Column("visitor", String(32), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("id", String(LONGEST_ID), nullable=False),
    Column("asked", Text, nullable=False),
    Column("happened", Text, nullable=False),
    Column("made_at", Moment, nullable=False),
    UniqueConstraint("visitor", "id"),
)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event.

    Attributes:
        id: Its name, given by the browser.
        asked: What was sent, as JSON.
        happened: What it came to, as JSON, with the pairs that the server drew.
    """

    id: str
    asked: str
    happened: str


def stored_events(engine: Engine, visitor: str, *, first: int = 0) -> list[StoredEvent]:
    """A visitor's events from number ``first`` on."""
    query = (
        select(EVENTS.c.id, EVENTS.c.asked, EVENTS.c.happened)
        .where(EVENTS.c.visitor == visitor, EVENTS.c.position >= first)
        .order_by(EVENTS.c.position)
    )
    with engine.connect() as connection:
        return [StoredEvent(*row) for row in connection.execute(query)]


def asked_before(engine: Engine, visitor: str, ids: Sequence[str]) -> dict[str, str]:
    """What was sent under those of the ids that are stored already."""
    query = select(EVENTS.c.id, EVENTS.c.asked).where(
        EVENTS.c.visitor == visitor, EVENTS.c.id.in_(ids)
    )
    with engine.connect() as connection:
        return {row.id: row.asked for row in connection.execute(query)}


def append_events(
    engine: Engine, visitor: str, events: Sequence[StoredEvent], *, first: int
) -> bool:
    """Add a visitor's next events, all or none; False if somebody else was quicker.

    Args:
        engine: The database.
        visitor: Whose they are.
        events: At least one.
        first: Number of the first of them.
    """
    now = datetime.now(UTC)
    rows = [
        {
            "visitor": visitor,
            "position": first + i,
            "id": event.id,
            "asked": event.asked,
            "happened": event.happened,
            "made_at": now,
        }
        for i, event in enumerate(events)
    ]
    try:
        with engine.begin() as connection:
            connection.execute(insert(EVENTS), rows)
    except IntegrityError:
        return False
    return True
