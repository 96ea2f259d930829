"""A small project to judge, and judging it without a server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, select

from rewardlab.app.annotate.store.contents import Content, Pair, Project
from rewardlab.app.annotate.store.models import AnyEvent, LabelEvent, UndoEvent
from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.annotate.store.queue import Lent, end_leases, take
from rewardlab.app.annotate.store.record import Stored, add_events
from rewardlab.app.annotate.store.tables import ASSIGNMENTS, PAIRS
from rewardlab.app.annotate.store.writing import lock_project

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
LEASE_S = 100


def content(i: int) -> Content:
    """Texts of which each says where it stands."""
    return Content(f"p{i}", f"q{i}", f"prompt {i}", f"a{i}", f"b{i}")


def pairs(n: int, *, repeated: Sequence[int] = (), n_known: int = 0) -> list[Pair]:
    """``n`` pairs, repetitions of some of them, and known ones."""
    plain = [Pair(i, "pair", content(i), place=float(i)) for i in range(n)]
    again = [Pair(n + i, "repeat", content(of), of=of) for i, of in enumerate(repeated)]
    first = n + len(again)
    known = [Pair(first + i, "known", content(first + i), known="a") for i in range(n_known)]
    return [*plain, *again, *known]


class Bench:
    """Annotators of one project who sit beside each other, and a clock that is set by hand."""

    def __init__(self, engine: Engine, made: Sequence[Pair], **options: Any) -> None:
        """Make the project; ``options`` are those of ``create_project``."""
        self.engine = engine
        self.now = START
        self.project: Project = create_project(
            engine, "demo", made, **{"lease_s": LEASE_S, **options}
        )
        self._n = 0

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def take(self, who: str, n: int = 1, *, have: Sequence[int] = ()) -> Lent:
        """Ask for pairs."""
        with self.engine.begin() as connection:
            lock_project(connection, "demo")
            return take(connection, self.project, who, n, have=have, now=self.now)

    def numbers(self, who: str, n: int = 1, *, have: Sequence[int] = ()) -> list[int]:
        """The numbers of the pairs that are lent."""
        return [pair.pair for pair in self.take(who, n, have=have).pairs]

    def send(self, who: str, *events: AnyEvent) -> Stored:
        """Send events, together."""
        with self.engine.begin() as connection:
            lock_project(connection, "demo")
            return add_events(connection, self.project, who, events, now=self.now)

    def release(self, who: str) -> int:
        """Give back what somebody has."""
        with self.engine.begin() as connection:
            lock_project(connection, "demo")
            return end_leases(connection, "demo", who)

    def label(self, pair: int, outcome: str = "left", **options: Any) -> LabelEvent:
        """A new label as the browser sends it."""
        made = {"id": self._id(), "kind": "label", "pair": pair, "outcome": outcome}
        return LabelEvent.model_validate({**made, "judged_at": self.now, **options})

    def undo(self, event: LabelEvent) -> UndoEvent:
        """Takes a label back."""
        made = {"id": self._id(), "kind": "undo", "pair": event.pair, "undone": event.id}
        return UndoEvent.model_validate({**made, "judged_at": self.now})

    def taken(self) -> dict[int, tuple[int, bool]]:
        """How many people count as having each pair, and whether it is open, as stored."""
        with self.engine.connect() as connection:
            rows = connection.execute(select(PAIRS.c.pair, PAIRS.c.taken, PAIRS.c.open)).all()
        return {row.pair: (row.taken, row.open) for row in rows}

    def states(self) -> dict[tuple[str, int], str]:
        """Who has which pair in what state."""
        columns = (ASSIGNMENTS.c.annotator, ASSIGNMENTS.c.pair, ASSIGNMENTS.c.state)
        with self.engine.connect() as connection:
            rows = connection.execute(select(*columns)).all()
        return {(row.annotator, row.pair): row.state for row in rows}

    def _id(self) -> str:
        self._n += 1
        return f"e{self._n}"
