"""The record of what annotators did: added to, never changed; and what of it still stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, func, insert, or_, select

from rewardlab.app.annotate.store.contents import Label, Project, Verdict
from rewardlab.app.annotate.store.models import AnyEvent, LabelEvent, UndoEvent
from rewardlab.app.annotate.store.queue import (
    HOLDING,
    change_taken,
    lease_end,
    leases_and,
    move,
    renew,
)
from rewardlab.app.annotate.store.tables import LABELS

_SHOWN: dict[bool, dict[str, Verdict]] = {
    flipped: {
        "left": "b" if flipped else "a",
        "right": "a" if flipped else "b",
        "tie": "tie",
        "both_bad": "both_bad",
        "skip": "skip",
    }
    for flipped in (False, True)
}
"""What is meant by what was said of the sides as shown."""

_COLUMNS = [column for column in LABELS.c if column.name != "project"]
_EARLIER = (
    select(*_COLUMNS)
    .where(
        LABELS.c.project == bindparam("in_project"),
        LABELS.c.annotator == bindparam("of_whom"),
        or_(
            LABELS.c.pair.in_(bindparam("which", expanding=True)),
            LABELS.c.id.in_(bindparam("ids", expanding=True)),
        ),
    )
    .order_by(LABELS.c.number)
)
_LAST_NUMBER = select(func.max(LABELS.c.number)).where(LABELS.c.project == bindparam("in_project"))
_ADD = insert(LABELS)


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of events: each is in one of the two.

    Attributes:
        acknowledged: Ids of those in the record, from now or from an earlier sending.
        refused: Id -> why it cannot be.
    """

    acknowledged: tuple[str, ...]
    refused: dict[str, str]


def add_events(
    connection: Connection,
    project: Project,
    annotator: str,
    events: Sequence[AnyEvent],
    *,
    now: datetime,
) -> Stored:
    """Add what an annotator did, in order; what is in the record already is not added again.

    A label is taken also where its lease has ended meanwhile, and a label that is taken back is
    theirs to judge again, even if somebody else has got its place: neither is lost. Leases of
    theirs are renewed. However many events there are, the statements are as many.

    Args:
        connection: In a transaction that holds the project's lock.
        project: The project.
        annotator: Who.
        events: What they did, the oldest first.
        now: The present.
    """
    history = _History(connection, project, annotator, events, now)
    acknowledged: list[str] = []
    refused: dict[str, str] = {}
    for event in events:
        reason = history.add(event)
        if reason:
            refused[event.id] = reason
        else:
            acknowledged.append(event.id)
    history.write()
    return Stored(tuple(acknowledged), refused)


def labels_of(engine: Engine, project: str, *, first: int = 0) -> list[Label]:
    """The record of a project from number ``first`` on."""
    query = select(*_COLUMNS).where(LABELS.c.project == project, LABELS.c.number >= first)
    with engine.connect() as connection:
        rows = connection.execute(query.order_by(LABELS.c.number)).all()
    return [Label(**row._mapping) for row in rows]


def standing(labels: Iterable[Label]) -> list[Label]:
    """The labels that count: of each annotator's on a pair the last that was not undone."""
    labels = list(labels)
    undone = {(x.annotator, x.undone) for x in labels if x.did == "undo"}
    last = {
        (x.annotator, x.pair): x
        for x in labels
        if x.did == "label" and (x.annotator, x.id) not in undone
    }
    return sorted(last.values(), key=lambda label: label.number)


class _History:
    """One annotator's events being added: read at once, added in memory, written at once."""

    def __init__(
        self,
        connection: Connection,
        project: Project,
        annotator: str,
        events: Sequence[AnyEvent],
        now: datetime,
    ) -> None:
        self._connection = connection
        self._project = project
        self._annotator = annotator
        self._now = now
        pairs = {event.pair for event in events}
        asked = {"in_project": project.project, "of_whom": annotator, "which": list(pairs)}
        rows = connection.execute(_EARLIER, {**asked, "ids": [event.id for event in events]})
        self._labels = {row.id: Label(**row._mapping) for row in rows}
        self._given = leases_and(connection, project.project, annotator, pairs)
        self._state = {pair: row.state for pair, row in self._given.items()}
        self._made: list[Label] = []
        self._first = -1

    def add(self, event: AnyEvent) -> str:
        """Add an event unless it is there; returns why it cannot be added, or ""."""
        before = self._labels.get(event.id)
        if before is not None:
            sent = self._label(event, flipped=before.flipped)
            same = replace(sent, number=before.number, stored_at=before.stored_at) == before
            return "" if same else f"the id {event.id} was used for something else"
        if event.pair not in self._given:
            return f"pair {event.pair} was never given to {self._annotator}"
        reason = self._why_not(event)
        if not reason:
            made = self._label(event, flipped=self._given[event.pair].flipped)
            self._labels[made.id] = made
            self._made.append(made)
            stands = self._standing(event.pair)
            self._state[event.pair] = _state_after(stands)
        return reason

    def write(self) -> None:
        """Store what was added."""
        project = self._project.project
        if self._made:
            rows = [{"project": project, **_row(label)} for label in self._made]
            self._connection.execute(_ADD, rows)
        moved = {p: after for p, after in self._state.items() if after != self._given[p].state}
        for state in sorted(set(moved.values())):
            pairs = [pair for pair, after in moved.items() if after == state]
            until = lease_end(self._project, self._now) if state == "leased" else None
            move(self._connection, project, self._annotator, pairs, state=state, until=until)
        change_taken(self._connection, project, {p: self._change(p) for p in moved})
        renew(self._connection, self._project, self._annotator, self._given.values(), self._now)

    def _why_not(self, event: AnyEvent) -> str:
        if isinstance(event, LabelEvent):
            return "reason: expected no NUL characters" if "\0" in event.reason else ""
        label = self._labels.get(event.undone)
        if label is None or label.did != "label" or label.pair != event.pair:
            return f"there is no judgement {event.undone} of this pair to undo"
        stands = self._standing(event.pair)
        if stands is None or stands.id != event.undone:
            return f"the judgement {event.undone} does not stand any more"
        return ""

    def _standing(self, pair: int) -> Label | None:
        found = standing(label for label in self._labels.values() if label.pair == pair)
        return found[0] if found else None

    def _change(self, pair: int) -> int:
        """By how much more people have a pair or judged it."""
        return int(self._state[pair] in HOLDING) - int(self._given[pair].state in HOLDING)

    def _label(self, event: AnyEvent, *, flipped: bool) -> Label:
        said = event if isinstance(event, LabelEvent) else None
        return Label(
            number=self._next_number(),
            annotator=self._annotator,
            id=event.id,
            pair=event.pair,
            did=event.kind,
            outcome=_SHOWN[flipped][said.outcome] if said else None,
            flipped=flipped,
            strength=said.strength if said else None,
            reason=said.reason if said else "",
            duration_s=said.duration_s if said else None,
            undone=event.undone if isinstance(event, UndoEvent) else None,
            judged_at=event.judged_at,
            stored_at=self._now,
        )

    def _next_number(self) -> int:
        if self._first < 0:
            asked = {"in_project": self._project.project}
            last = self._connection.scalar(_LAST_NUMBER, asked)
            self._first = 0 if last is None else last + 1
        return self._first + len(self._made)


def _state_after(stands: Label | None) -> str:
    """The state of an assignment by what stands of the annotator's on the pair."""
    if stands is None:
        return "leased"
    return "skipped" if stands.outcome == "skip" else "judged"


def _row(label: Label) -> dict[str, Any]:
    return {name: getattr(label, name) for name in Label.__dataclass_fields__}
