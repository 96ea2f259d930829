"""Who gets which pair next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, event

from rewardlab.app.annotate.judging.reading import progress_of
from rewardlab.app.annotate.store.queue import PAIRS_PER_REPEAT, REPEAT_GAP
from rewardlab.app.database import open_database
from tests.app.annotate.people import LEASE_S, Bench, pairs


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database of each kind."""
    opened = open_database(database_url)
    yield opened
    opened.dispose()


def test_no_pair_is_lent_to_more_people_than_the_overlap(engine: Engine) -> None:
    bench = Bench(engine, pairs(4), overlap=2)
    assert bench.numbers("ann", 4) == [0, 1, 2, 3]
    assert bench.numbers("bob", 2) == [0, 1]
    assert bench.numbers("cy", 4) == [2, 3]
    assert bench.numbers("dee", 4) == []


def test_what_an_answer_lost_brings_is_brought_again(engine: Engine) -> None:
    bench = Bench(engine, pairs(9))
    first = bench.take("ann", 3)
    assert bench.take("ann", 3) == first
    assert bench.numbers("ann", 4, have=[0, 1]) == [2, 3]


def test_a_lease_that_is_over_frees_its_place_for_somebody_else(engine: Engine) -> None:
    bench = Bench(engine, pairs(2))
    bench.take("ann", 2)
    bench.wait(LEASE_S - 1)
    assert bench.numbers("bob") == []
    bench.wait(2)
    assert bench.numbers("bob") == [0]


def test_a_lease_goes_on_as_long_as_its_annotator_is_heard_of(engine: Engine) -> None:
    bench = Bench(engine, pairs(3))
    bench.take("ann", 3)
    for pair in range(2):
        bench.wait(0.7 * LEASE_S)
        bench.send("ann", bench.label(pair))
    bench.wait(0.7 * LEASE_S)
    assert bench.numbers("bob", 3) == []


def test_pairs_that_somebody_else_got_meanwhile_are_dropped(engine: Engine) -> None:
    bench = Bench(engine, pairs(3))
    bench.take("ann", 3)
    bench.wait(LEASE_S + 1)
    assert bench.numbers("bob", 1) == [0]
    lent = bench.take("ann", 3, have=[0, 1, 2])
    assert lent.dropped == (0,) and lent.pairs == ()
    assert bench.states()["ann", 1] == "leased", "its place was free: it is lent again"
    assert bench.taken() == dict.fromkeys(range(3), (1, False))


def test_a_pair_that_was_judged_elsewhere_or_never_given_is_dropped(engine: Engine) -> None:
    bench = Bench(engine, pairs(3))
    bench.take("ann", 2)
    bench.send("ann", bench.label(0))
    assert bench.take("ann", 1, have=[0, 1, 2]).dropped == (0, 2)


def test_a_pair_given_back_returns_with_the_same_sides(engine: Engine) -> None:
    bench = Bench(engine, pairs(20))
    first = bench.take("ann", 20)
    assert {pair.flipped for pair in first.pairs} == {True, False}
    assert bench.release("ann") == 20
    assert bench.take("ann", 20) == first


def test_a_skipped_pair_is_not_asked_again_and_frees_its_place(engine: Engine) -> None:
    bench = Bench(engine, pairs(1))
    bench.take("ann")
    bench.send("ann", bench.label(0, "skip"))
    assert bench.numbers("ann") == []
    assert bench.numbers("bob") == [0]


def test_everybody_gets_each_known_pair_once(engine: Engine) -> None:
    bench = Bench(engine, pairs(30, n_known=3), overlap=2, known_every=5)
    for who in ("ann", "bob"):
        given = []
        while got := bench.numbers(who):
            given += got
            bench.send(who, bench.label(got[0]))
        assert sorted(given) == list(range(33))
        assert given[-3:] != [30, 31, 32], "they come among the others"


def test_known_pairs_stay_in_proportion_and_what_is_left_falls_to_none(engine: Engine) -> None:
    bench = Bench(engine, pairs(30, n_known=20), known_every=5)
    given = []
    while got := bench.numbers("ann"):
        assert progress_of(engine, bench.project, "ann").left >= 1
        given += got
        bench.send("ann", bench.label(got[0]))
    assert progress_of(engine, bench.project, "ann").left == 0
    assert sorted(pair for pair in given if pair < 30) == list(range(30))
    assert 30 // 5 <= len(given) - 30 < 20


def test_repetitions_come_late_and_seldom_with_the_sides_exchanged(engine: Engine) -> None:
    bench = Bench(engine, pairs(80, repeated=range(0, 40, 2)), overlap=1)
    given: list[int] = []
    flipped: dict[int, bool] = {}
    while lent := bench.take("ann").pairs:
        given.append(lent[0].pair)
        flipped[lent[0].pair] = lent[0].flipped
        bench.send("ann", bench.label(lent[0].pair))
    repeats = [pair for pair in given if pair >= 80]
    assert len(repeats) == len(given) // PAIRS_PER_REPEAT
    for n, pair in enumerate(given):
        n_repeats = sum(p >= 80 for p in given[: n + 1])
        assert n_repeats <= (n + 1) / PAIRS_PER_REPEAT
        if pair >= 80:
            of = 2 * (pair - 80)
            assert n - given.index(of) > REPEAT_GAP
            assert flipped[pair] is not flipped[of]


def test_repetitions_are_for_who_judged_the_pair(engine: Engine) -> None:
    bench = Bench(engine, pairs(60, repeated=range(30)), overlap=1)
    for _ in range(30):
        bench.send("ann", bench.label(bench.numbers("ann")[0]))
    theirs = []
    while got := bench.numbers("bob"):
        theirs += got
        bench.send("bob", bench.label(got[0], "skip" if len(theirs) % 2 else "tie"))
    repeated = [pair - 60 for pair in theirs if pair >= 60]
    judged = {
        pair for (who, pair), state in bench.states().items() if (who, state) == ("bob", "judged")
    }
    assert set(repeated) <= judged


def test_asking_takes_as_many_statements_for_fifty_pairs_as_for_twenty(engine: Engine) -> None:
    bench = Bench(engine, pairs(200, repeated=[0, 1], n_known=5), known_every=5)
    asked: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *seen: asked.append(seen[2]))
    n_statements = []
    for who, n in (("ann", 20), ("bob", 50)):
        asked.clear()
        assert len(bench.numbers(who, n)) == n
        n_statements.append(len(asked))
    assert n_statements[0] == n_statements[1] <= 12
