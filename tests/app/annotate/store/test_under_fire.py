"""Twenty browsers at once that send twice, late and out of order, and a server that is killed."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import Engine, select

from rewardlab.app.annotate.entering import cookie_name
from rewardlab.app.annotate.store.access import new_link
from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.annotate.store.queue import HOLDING, take_back
from rewardlab.app.annotate.store.record import labels_of, standing
from rewardlab.app.annotate.store.tables import ASSIGNMENTS, PAIRS
from rewardlab.app.annotate.store.writing import lock_project
from rewardlab.app.database import open_database
from tests.app.annotate.people import pairs
from tests.app.running import Lab

N_PEOPLE, N_LABELS, OVERLAP = 20, 50, 2
N_PAIRS = N_PEOPLE * N_LABELS // OVERLAP + 40
LONGEST_S = 60.0


class Person:
    """One annotator's browser: it keeps what it did until that is acknowledged, and drops nothing.

    Attributes:
        acknowledged: Ids of events that the server has, as it said.
        judged: Pair -> the event that stands.
        held: Pairs to judge next.
    """

    def __init__(self, name: str, url: str, token: str, seen: threading.Semaphore) -> None:
        self.name = name
        self.acknowledged: set[str] = set()
        self.judged: dict[int, dict[str, Any]] = {}
        self.held: list[int] = []
        self._place = urlsplit(url).netloc
        self._seen = seen
        self._sent: list[dict[str, Any]] = []
        self._random = random.Random(name)
        self._headers = {
            "Origin": url,
            "Content-Type": "application/json",
            "Cookie": f"{cookie_name('demo', 'annotator')}={token}",
        }
        self._connection = http.client.HTTPConnection(self._place, timeout=10)

    def work(self, n: int) -> None:
        """Judge until ``n`` judgements stand."""
        while len(self.judged) < n:
            self._fetch()
            assert self.held, f"nothing is left for {self.name}, who judged {len(self.judged)}"
            while self.held and len(self.judged) < n:
                self._judge(self.held[: min(2, n - len(self.judged))])

    def release(self) -> None:
        """Close the browser: what is held goes back."""
        self._ask("release", None)
        self.held = []
        self.vanish()

    def vanish(self) -> None:
        """Go without a word."""
        self._connection.close()

    def _fetch(self) -> None:
        answer = self._ask("next", {"annotator": self.name, "n": 5, "have": self.held})
        new = [pair["pair"] for pair in answer["pairs"]]
        assert not set(new) & {*self.judged, *self.held}, "a pair was asked twice"
        self.held = [pair for pair in self.held if pair not in answer["dropped"]] + new

    def _judge(self, which: list[int]) -> None:
        for pair in which:
            self.held.remove(pair)
        labels = [self._event("label", pair, outcome="left") for pair in which]
        self.judged |= {event["pair"]: event for event in labels}
        self._send(labels)
        if self._random.random() < 0.3:
            self._send(labels)
        if self._random.random() < 0.2:
            self._send(self._random.sample(self._sent, min(4, len(self._sent))))
        if self._random.random() < 0.2:
            undone = self._random.choice(list(self.judged.values()))
            del self.judged[undone["pair"]]
            self._send([self._event("undo", undone["pair"], undone=undone["id"])])
            self.held.append(undone["pair"])

    def _event(self, kind: str, pair: int, **more: Any) -> dict[str, Any]:
        event = {"id": f"{self.name}-{len(self._sent)}", "kind": kind, "pair": pair, **more}
        self._sent.append({**event, "judged_at": datetime.now(UTC).isoformat()})
        return self._sent[-1]

    def _send(self, events: list[dict[str, Any]]) -> None:
        answer = self._ask("labels", {"annotator": self.name, "events": events})
        assert not answer["refused"]
        self.acknowledged |= set(answer["acknowledged"])
        self._seen.release(len(events))

    def _ask(self, what: str, body: Any) -> Any:
        """An answer, however often it takes to get one."""
        last = time.monotonic() + LONGEST_S
        while time.monotonic() < last:
            try:
                sent = json.dumps(body) if body else ""
                path = f"/api/annotate/demo/{what}"
                self._connection.request("POST", path, body=sent, headers=self._headers)
                answer = self._connection.getresponse()
                said = json.loads(answer.read())
            except (OSError, http.client.HTTPException):
                self._connection.close()
                time.sleep(0.05)
                continue
            assert answer.status == 200, said
            return said
        raise AssertionError("the server is gone")


@pytest.mark.slow
def test_each_acknowledged_label_is_there_once_though_the_server_is_killed(
    database_url: str, own_lab: Callable[..., Lab]
) -> None:
    lab = own_lab(f"--db={database_url}")
    engine = open_database(database_url)
    create_project(engine, "demo", pairs(N_PAIRS), overlap=OVERLAP)
    seen = threading.Semaphore(0)
    names = [f"person{i}" for i in range(N_PEOPLE)]
    people = [
        Person(name, lab.url, new_link(engine, "demo", "annotator", name), seen) for name in names
    ]
    with ThreadPoolExecutor(N_PEOPLE) as pool:
        working = [pool.submit(person.work, N_LABELS) for person in people]
        for _ in range(N_PEOPLE * N_LABELS // 2):
            assert seen.acquire(timeout=LONGEST_S)
        lab.restart()
        for one in working:
            one.result()
        list(pool.map(Person.release, people[1:]))
    people[0].vanish()
    _check_record(engine, people)
    _check_places(engine, left=people[0])
    engine.dispose()


def _check_record(engine: Engine, people: list[Person]) -> None:
    labels = labels_of(engine, "demo")
    assert [label.number for label in labels] == list(range(len(labels)))
    times = Counter((label.annotator, label.id) for label in labels)
    assert times == Counter((person.name, id_) for person in people for id_ in person.acknowledged)
    stands = {(label.annotator, label.pair): label.id for label in standing(labels)}
    assert stands == {
        (person.name, pair): event["id"]
        for person in people
        for pair, event in person.judged.items()
    }


def _check_places(engine: Engine, left: Person) -> None:
    """No pair has more people than asked for; only who left without a word still has any."""
    leased = _held(engine, "leased")
    assert {name for name, _ in leased} <= {left.name}
    assert {pair for _, pair in leased} >= set(left.held)
    with engine.begin() as connection:
        lock_project(connection, "demo")
        take_back(connection, "demo", datetime.now(UTC) + timedelta(days=1))
    assert not _held(engine, "leased")
    held = Counter(pair for state in HOLDING for _, pair in _held(engine, state))
    assert max(held.values()) <= OVERLAP
    assert held.total() == N_PEOPLE * N_LABELS
    with engine.connect() as connection:
        rows = connection.execute(select(PAIRS.c.pair, PAIRS.c.taken)).all()
    assert {row.pair: row.taken for row in rows} == {i: held[i] for i in range(N_PAIRS)}


def _held(engine: Engine, state: str) -> list[tuple[str, int]]:
    query = select(ASSIGNMENTS.c.annotator, ASSIGNMENTS.c.pair).where(ASSIGNMENTS.c.state == state)
    with engine.connect() as connection:
        return [(row.annotator, row.pair) for row in connection.execute(query)]
