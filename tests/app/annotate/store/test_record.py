"""What becomes of the events that annotators send."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from pydantic import ValidationError
from sqlalchemy import Engine, event

from rewardlab.app.annotate.store.record import labels_of, standing
from rewardlab.app.database import open_database
from tests.app.annotate.people import LEASE_S, START, Bench, pairs


@pytest.fixture
def bench(database_url: str) -> Iterator[Bench]:
    """Thirty pairs, each for one person, in a database of each kind."""
    opened: Engine = open_database(database_url)
    yield Bench(opened, pairs(30))
    opened.dispose()


def test_an_outcome_is_kept_in_terms_of_the_pair(bench: Bench) -> None:
    lent = bench.take("ann", 10).pairs
    bench.send("ann", *(bench.label(pair.pair, "left") for pair in lent))
    said = {label.pair: label.outcome for label in labels_of(bench.engine, "demo")}
    assert said == {pair.pair: "b" if pair.flipped else "a" for pair in lent}


def test_all_that_was_sent_is_kept(bench: Bench) -> None:
    bench.take("ann")
    at = datetime.fromisoformat("2026-11-30T13:00:00.123456+02:00")
    sent = bench.label(0, "tie", strength=2, reason="née ✓", duration_s=0.1, judged_at=at)
    bench.send("ann", sent)
    (label,) = labels_of(bench.engine, "demo")
    assert (label.strength, label.reason, label.duration_s) == (2, "née ✓", 0.1)
    assert (label.judged_at, label.stored_at) == (at, START)


def test_events_are_numbered_without_gaps_however_often_they_are_sent(bench: Bench) -> None:
    numbers = bench.numbers("ann", 5)
    events = [bench.label(pair) for pair in numbers]
    for sent in (events[:2], events[1:4], events, events[::-1]):
        stored = bench.send("ann", *sent)
        assert stored.acknowledged == tuple(one.id for one in sent) and not stored.refused
    assert [label.number for label in labels_of(bench.engine, "demo")] == list(range(5))


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "right"},
        {"pair": 1},
        {"strength": 1},
        {"reason": "no"},
        {"duration_s": 2.0},
        {"judged_at": START.replace(second=1)},
    ],
)
def test_another_event_under_the_same_id_is_refused(
    bench: Bench, change: dict[str, object]
) -> None:
    bench.take("ann", 2)
    first = bench.label(0)
    bench.send("ann", first)
    stored = bench.send("ann", first.model_copy(update=change))
    assert stored.refused == {first.id: f"the id {first.id} was used for something else"}
    assert len(labels_of(bench.engine, "demo")) == 1


def test_ids_of_two_people_may_be_the_same(bench: Bench) -> None:
    for who in ("ann", "bob"):
        pair = bench.numbers(who)[0]
        assert bench.send(who, bench.label(pair, id="one")).acknowledged == ("one",)


def test_a_refused_event_leaves_the_others(bench: Bench) -> None:
    bench.take("ann", 2)
    events = [bench.label(0), bench.label(29), bench.label(0, reason="\0"), bench.label(1)]
    stored = bench.send("ann", *events)
    assert stored.acknowledged == (events[0].id, events[3].id)
    assert stored.refused == {
        events[1].id: "pair 29 was never given to ann",
        events[2].id: "reason: expected no NUL characters",
    }


def test_a_late_label_is_taken_though_somebody_else_has_the_pair(bench: Bench) -> None:
    bench.take("ann")
    bench.wait(LEASE_S + 1)
    assert bench.numbers("bob") == [0]
    assert bench.send("ann", bench.label(0)).acknowledged
    assert bench.taken()[0] == (2, False)


def test_any_label_of_ones_own_can_be_undone_once(bench: Bench) -> None:
    bench.take("ann", 3)
    events = [bench.label(pair) for pair in range(3)]
    bench.send("ann", *events)
    undo = bench.undo(events[0])
    assert bench.send("ann", undo).acknowledged and bench.send("ann", undo).acknowledged
    assert [label.pair for label in standing(labels_of(bench.engine, "demo"))] == [1, 2]
    again = bench.undo(events[0])
    assert "does not stand any more" in bench.send("ann", again).refused[again.id]
    assert bench.numbers("ann", 1) == [0], "it is theirs to judge once more"


def test_nobody_undoes_what_another_said(bench: Bench) -> None:
    bench.take("ann")
    label = bench.label(0)
    bench.send("ann", label)
    undo = bench.undo(label)
    assert bench.send("bob", undo).refused and len(labels_of(bench.engine, "demo")) == 1


def test_an_undo_brings_back_what_was_said_before(bench: Bench) -> None:
    bench.take("ann")
    first, second = bench.label(0, "tie"), bench.label(0, "skip")
    bench.send("ann", first, second)
    assert bench.states()["ann", 0] == "skipped"
    early = bench.undo(first)
    assert "does not stand" in bench.send("ann", early).refused[early.id]
    bench.send("ann", bench.undo(second))
    assert bench.states()["ann", 0] == "judged" and bench.taken()[0] == (1, False)


def test_a_skip_that_is_undone_takes_its_place_again(bench: Bench) -> None:
    bench.take("ann")
    skip = bench.label(0, "skip")
    bench.send("ann", skip)
    assert bench.taken()[0] == (0, True)
    bench.send("ann", bench.undo(skip))
    assert bench.taken()[0] == (1, False) and bench.numbers("ann") == [0]


def test_what_stands_can_be_told_of_any_iterable(bench: Bench) -> None:
    bench.take("ann")
    label = bench.label(0)
    bench.send("ann", label, bench.undo(label))
    labels = labels_of(bench.engine, "demo")
    assert standing(iter(labels)) == standing(labels) == []


def test_a_moment_that_no_calendar_in_utc_has_is_refused(bench: Bench) -> None:
    with pytest.raises(ValidationError, match="years 1 to 9999"):
        bench.label(0, judged_at="0001-01-01T00:00:00+14:00")


def test_fifty_events_take_as_many_statements_as_one(bench: Bench) -> None:
    bench.take("ann", 30)
    asked: list[str] = []
    event.listen(bench.engine, "before_cursor_execute", lambda *seen: asked.append(seen[2]))
    n_statements = []
    for pairs_ in ([0], range(1, 30)):
        asked.clear()
        bench.send("ann", *(bench.label(pair) for pair in pairs_))
        n_statements.append(len(asked))
    assert n_statements[0] == n_statements[1] <= 6
