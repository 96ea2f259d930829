"""Each visitor's history, replayed from the database and kept at hand."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from sqlalchemy import Engine

from rewardlab.app.lab.models import AnyEvent
from rewardlab.app.lab.record import read, what_happens, written
from rewardlab.app.lab.store import StoredEvent, append_events, asked_before, stored_events
from rewardlab.errors import InputError
from rewardlab.experiments.lab_history import History, replayed

MOST_LABELS = 20_000
"""Labels that a visitor can have standing."""

MOST_STORED = 200_000
"""Events of one visitor that are kept."""

MOST_MADE = 500_000
"""Labels that a visitor can make in all, those taken back included: they are kept, too."""

_KEPT = 256
_ATTEMPTS = 8


@dataclass(slots=True)
class _Session:
    """One visitor's history as far as it was read."""

    history: History = field(default_factory=History)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Sessions:
    """Histories of all visitors; safe to use from many threads.

    Args:
        engine: Where their events are kept. Another process may add to it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: OrderedDict[str, _Session] = OrderedDict()
        self._lock = threading.Lock()
        self._writing = threading.Lock()  # Waiting in line is quicker than SQLite's asking again.

    def history(self, visitor: str, *, revision: int | None = None) -> History:
        """What a visitor did.

        Args:
            visitor: Who.
            revision: Only the first so many events; None for all.

        Raises:
            InputError: There are not so many events.
        """
        session = self._session(visitor)
        with session.lock:
            self._catch_up(visitor, session)
            history = session.history
        return self._at(visitor, history, revision)

    def add(self, visitor: str, events: Sequence[AnyEvent]) -> History:
        """Store those events that are not stored yet, all or none, and what follows from them.

        Raises:
            InputError: One cannot be stored, or its id was used for another; none is stored.
        """
        session = self._session(visitor)
        with session.lock:
            for _ in range(_ATTEMPTS):
                self._catch_up(visitor, session)
                fresh = self._fresh(visitor, events)
                if not fresh:
                    return session.history
                now = session.history
                history, rows = _followed(now, fresh, partial(self._at, visitor, now))
                with self._writing:
                    stored = append_events(self._engine, visitor, rows, first=now.n_events)
                if stored:
                    session.history = history
                    return history
        raise InputError("these events could not be stored beside others; send them again")

    def _session(self, visitor: str) -> _Session:
        with self._lock:
            session = self._kept.setdefault(visitor, _Session())
            self._kept.move_to_end(visitor)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return session

    def _catch_up(self, visitor: str, session: _Session) -> None:
        new = stored_events(self._engine, visitor, first=session.history.n_events)
        session.history = replayed([read(s.happened) for s in new], after=session.history)

    def _at(self, visitor: str, history: History, revision: int | None) -> History:
        """The history, or what it was when there were only so many events.

        Raises:
            InputError: There are not so many events.
        """
        if revision is None or revision == history.n_events:
            return history
        if revision > history.n_events:
            raise InputError(
                f"revision: expected at most {history.n_events}, the events so far, got {revision}"
            )
        earlier = stored_events(self._engine, visitor)[:revision]
        return replayed([read(stored.happened) for stored in earlier])

    def _fresh(self, visitor: str, events: Sequence[AnyEvent]) -> list[AnyEvent]:
        """Events not stored yet, each once.

        Raises:
            InputError: An id was used for something else.
        """
        seen = asked_before(self._engine, visitor, [event.id for event in events])
        fresh = []
        for event in events:
            asked = _asked(event)
            if event.id not in seen:
                fresh.append(event)
            if seen.setdefault(event.id, asked) != asked:
                raise InputError(f"events: the id {event.id} was used for another event")
        return fresh


def _followed(
    history: History, events: Sequence[AnyEvent], earlier: Callable[[int | None], History]
) -> tuple[History, list[StoredEvent]]:
    """The history after some events, and what is to be stored of them."""
    passed: dict[int | None, History] = {}
    rows = []

    def at(revision: int | None) -> History:
        return passed[revision] if revision in passed else earlier(revision)

    for event in events:
        passed.update({None: history, history.n_events: history})
        happened = what_happens(history, event, at=at)
        history = history.then(happened)
        rows.append(StoredEvent(event.id, _asked(event), written(happened)))
    if history.n_events > MOST_STORED:
        raise InputError(f"events: expected at most {MOST_STORED:,} in all; export the labels")
    if history.n_made > MOST_MADE:
        raise InputError(
            f"events: expected at most {MOST_MADE:,} labels in all, those taken back included; "
            "export what you have and go on in another browser"
        )
    n_labels = len(history.votes())
    if n_labels > MOST_LABELS:
        raise InputError(
            f"events: expected at most {MOST_LABELS:,} labels, this would make {n_labels:,}; "
            "clear some first"
        )
    return history, rows


def _asked(event: AnyEvent) -> str:
    return event.model_dump_json()
