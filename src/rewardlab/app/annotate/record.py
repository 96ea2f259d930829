"""The record of what annotators did: added to, never changed; and what of it still stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, func, insert, select, update

from rewardlab.app.annotate.contents import Label, Project, Verdict
from rewardlab.app.annotate.models import AnyEvent, LabelEvent, UndoEvent
from rewardlab.app.annotate.queue import HOLDING, change_taken
from rewardlab.app.annotate.tables import ASSIGNMENTS, LABELS

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

    A label is taken also where its lease has ended meanwhile: it was made, and is not lost.

    Args:
        connection: In a transaction that holds the project's lock.
        project: The project.
        annotator: Who.
        events: What they did, the oldest first.
        now: The present.
    """
    history = _History(connection, project, annotator, now)
    acknowledged: list[str] = []
    refused: dict[str, str] = {}
    for event in events:
        reason = history.add(event)
        if reason:
            refused[event.id] = reason
        else:
            acknowledged.append(event.id)
    return Stored(tuple(acknowledged), refused)


def labels_of(engine: Engine, project: str, *, first: int = 0) -> list[Label]:
    """The record of a project from number ``first`` on."""
    columns = [column for column in LABELS.c if column.name != "project"]
    query = select(*columns).where(LABELS.c.project == project, LABELS.c.number >= first)
    with engine.connect() as connection:
        rows = connection.execute(query.order_by(LABELS.c.number)).all()
    return [Label(**row._mapping) for row in rows]


def standing(labels: Iterable[Label]) -> list[Label]:
    """The labels that count: of each annotator's on a pair the last that was not undone."""
    undone = {(x.annotator, x.undone) for x in labels if x.did == "undo"}
    last = {
        (x.annotator, x.pair): x
        for x in labels
        if x.did == "label" and (x.annotator, x.id) not in undone
    }
    return sorted(last.values(), key=lambda label: label.number)


class _History:
    """One annotator's events being added."""

    def __init__(
        self, connection: Connection, project: Project, annotator: str, now: datetime
    ) -> None:
        self._connection = connection
        self._project = project
        self._annotator = annotator
        self._now = now

    def add(self, event: AnyEvent) -> str:
        """Add an event unless it is there; returns why it cannot be added, or ""."""
        before = self._found(event.id)
        if before is not None:
            same = before.pair == event.pair and before.did == event.kind
            return "" if same else f"the id {event.id} was used for something else"
        return self._label(event) if isinstance(event, LabelEvent) else self._undo(event)

    def _label(self, event: LabelEvent) -> str:
        assigned = self._assignment(event.pair)
        if assigned is None:
            return f"pair {event.pair} was never given to {self._annotator}"
        outcome = _SHOWN[assigned.flipped][event.outcome]
        self._move(event.pair, assigned.state, "skipped" if outcome == "skip" else "judged")
        self._append(event, flipped=assigned.flipped, outcome=outcome)
        return ""

    def _undo(self, event: UndoEvent) -> str:
        label, assigned = self._found(event.undone), self._assignment(event.pair)
        if label is None or label.did != "label" or label.pair != event.pair or assigned is None:
            return f"there is no judgement {event.undone} of this pair to undo"
        if self._last_standing(event.pair) != event.undone:
            return f"the judgement {event.undone} does not stand any more"
        self._move(event.pair, assigned.state, "leased")
        self._append(event, flipped=assigned.flipped, outcome=None)
        return ""

    def _found(self, id_: str) -> Label | None:
        columns = [column for column in LABELS.c if column.name != "project"]
        row = self._connection.execute(
            select(*columns).where(*self._mine(), LABELS.c.id == id_)
        ).first()
        return None if row is None else Label(**row._mapping)

    def _last_standing(self, pair: int) -> str:
        columns = [column for column in LABELS.c if column.name != "project"]
        rows = self._connection.execute(
            select(*columns).where(*self._mine(), LABELS.c.pair == pair).order_by(LABELS.c.number)
        )
        return next((label.id for label in standing([Label(**r._mapping) for r in rows])), "")

    def _mine(self) -> tuple[ColumnElement[bool], ...]:
        project = LABELS.c.project == self._project.project
        return project, LABELS.c.annotator == self._annotator

    def _assignment(self, pair: int) -> Row[Any] | None:
        return self._connection.execute(select(ASSIGNMENTS).where(*self._of(pair))).first()

    def _of(self, pair: int) -> tuple[ColumnElement[bool], ...]:
        return (
            ASSIGNMENTS.c.project == self._project.project,
            ASSIGNMENTS.c.pair == pair,
            ASSIGNMENTS.c.annotator == self._annotator,
        )

    def _move(self, pair: int, before: str, after: str) -> None:
        """Change the state of an assignment, and the count of the pair with it."""
        leased = self._now + timedelta(seconds=self._project.lease_s)
        until = leased if after == "leased" else None
        self._connection.execute(
            update(ASSIGNMENTS).where(*self._of(pair)).values(state=after, until=until)
        )
        change = int(after in HOLDING) - int(before in HOLDING)
        if change:
            change_taken(self._connection, self._project.project, [pair], change)

    def _append(self, event: AnyEvent, *, flipped: bool, outcome: Verdict | None) -> None:
        ours = LABELS.c.project == self._project.project
        last = self._connection.scalar(select(func.max(LABELS.c.number)).where(ours))
        label = event if isinstance(event, LabelEvent) else None
        row = {
            "project": self._project.project,
            "number": 0 if last is None else last + 1,
            "annotator": self._annotator,
            "id": event.id,
            "pair": event.pair,
            "did": event.kind,
            "outcome": outcome,
            "flipped": flipped,
            "strength": label.strength if label else None,
            "reason": label.reason if label else "",
            "duration_s": label.duration_s if label else None,
            "undone": event.undone if isinstance(event, UndoEvent) else None,
            "judged_at": event.judged_at,
            "stored_at": self._now,
        }
        self._connection.execute(insert(LABELS), [row])
