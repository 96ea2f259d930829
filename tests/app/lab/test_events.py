"""Labels of the lab's visitors: kept once, in order, for good, and fitted as the library does."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from rewardlab.app.lab.record import read
from rewardlab.app.lab.sessions import MOST_LABELS
from rewardlab.app.lab.store import EVENTS, StoredEvent, append_events, stored_events
from rewardlab.experiments.lab_history import Labelled
from rewardlab.experiments.lab_learning import learned_from
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons, rater_utility
from tests.app.lab.client import (
    ALICE,
    BOB,
    CLEAR,
    UNDO,
    Visitor,
    auto,
    client_in,
    database_in,
    label,
)


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    """A visitor of a lab with an empty database."""
    with client_in(tmp_path) as client:
        yield Visitor(client)


def other(visitor: Visitor) -> Visitor:
    """Somebody else in the same lab."""
    return Visitor(visitor.client, BOB)


def test_an_event_that_is_sent_again_is_acknowledged_and_kept_once(visitor: Visitor) -> None:
    sent = {"events": [label(id="one")]}
    first, again = visitor.ask("events", sent), visitor.ask("events", sent)
    assert first["acknowledged"] == again["acknowledged"] == ["one"]
    assert again["state"]["n_labels"] == again["state"]["revision"] == 1
    twice = visitor.ask("events", {"events": [label(id="two"), label(id="two")]})
    assert twice["state"]["n_labels"] == 2


def test_an_automatic_batch_that_is_sent_again_is_not_drawn_again(visitor: Visitor) -> None:
    sent = {"events": [auto(50, id="batch")]}
    first, again = visitor.ask("events", sent), visitor.ask("events", sent)
    assert first["state"] == again["state"]
    assert first["state"]["n_labels"] == 50


def test_a_second_batch_of_one_seed_holds_other_pairs_and_a_clean_start_the_same(
    visitor: Visitor, tmp_path: Path
) -> None:
    visitor.do(auto(50), auto(50), CLEAR, auto(50))
    with database_in(tmp_path) as engine:
        happened = [read(stored.happened) for stored in stored_events(engine, ALICE)]
    first, second, again = [e.votes.pairs for e in happened if isinstance(e, Labelled)]
    np.testing.assert_array_equal(first, again)
    assert (first == second).all(axis=1).mean() < 0.1


def test_an_id_does_not_serve_for_two_different_events(visitor: Visitor) -> None:
    visitor.do(label("a", id="one"))
    assert "was used for another event" in visitor.refused(
        "events", {"events": [label("b", id="one")]}
    )
    both = {"events": [label("a", id="two"), label("b", id="two")]}
    assert "was used for another event" in visitor.refused("events", both)
    assert visitor.state()["n_labels"] == 1


def test_the_same_id_of_two_visitors_is_two_events(visitor: Visitor) -> None:
    visitor.do(label(id="one"))
    assert other(visitor).state()["n_labels"] == 0
    assert other(visitor).do(label("b", id="one"))["outcomes"]["b"] == 1
    assert visitor.state()["outcomes"] == {"a": 1, "b": 0, "tie": 0, "both_bad": 0, "skip": 0}


def test_undo_takes_back_a_label_a_batch_and_a_clear(visitor: Visitor) -> None:
    assert visitor.do(label(), label("b"), UNDO)["outcomes"]["b"] == 0
    assert visitor.do(auto(40))["n_labels"] == 41
    assert visitor.do(UNDO)["n_labels"] == 1
    assert visitor.do(CLEAR)["n_labels"] == 0
    assert visitor.do(UNDO)["n_labels"] == 1
    state = visitor.do(UNDO, UNDO)
    assert (state["n_labels"], state["revision"]) == (0, 9)


def test_the_state_is_the_librarys_fit_of_the_same_comparisons(visitor: Visitor) -> None:
    state = visitor.do(auto(100, rater="careful", thumbs_weight=0.25, seed=11))
    world = lab_world()
    utility = rater_utility(world, "careful", thumbs_weight=0.25)
    made = draw_comparisons(utility, world.ref_logprobs, 100, rng=np.random.default_rng(11))
    learned = learned_from(made)
    assert learned is not None
    for name, expected in (("value", learned.weights), ("low", learned.low)):
        np.testing.assert_array_equal([w[name] for w in state["weights"]], expected)
    assert state["accuracy"]["value"] == learned.held.accuracy.value
    assert (state["n_fitted"], state["n_held_out"], state["accuracy"]["n"]) == (80, 20, 20)


def test_by_hand_ties_count_half_and_both_bad_and_skips_do_not_enter(visitor: Visitor) -> None:
    said = ["a", "tie", "skip", "b", "both_bad", "a", "b", "a"]
    state = visitor.do(*(label(one, a=i, b=400 + i) for i, one in enumerate(said)))
    label_of = {"a": 1.0, "b": 0.0, "tie": 0.5}
    used = [(i, label_of[one]) for i, one in enumerate(said) if one in label_of]
    pairs = np.array([[i, 400 + i] for i, _ in used])
    learned = learned_from(Comparisons(pairs, np.array([y for _, y in used])))
    assert learned is not None
    np.testing.assert_array_equal([w["value"] for w in state["weights"]], learned.weights)
    assert (state["n_labels"], state["n_fitted"], state["n_held_out"]) == (7, 5, 1)
    assert state["outcomes"] == {"a": 3, "b": 2, "tie": 1, "both_bad": 1, "skip": 1}


def test_the_weights_before_the_last_action_are_told(visitor: Visitor) -> None:
    before = visitor.do(auto(30))["weights"]
    after = visitor.do(label("a"))["weights"]
    assert [w["before"] for w in after] == [w["value"] for w in before]
    back = visitor.do(UNDO)["weights"]
    assert [w["value"] for w in back] == [w["value"] for w in before]
    assert [w["before"] for w in back] == [w["value"] for w in after]


def test_few_labels_have_no_intervals_and_say_so(visitor: Visitor) -> None:
    for weight in visitor.do(label())["weights"]:
        assert weight["low"] is weight["high"] is None
        assert "too few labels for an interval" in weight["text"]


def test_labels_are_there_after_a_restart(visitor: Visitor, tmp_path: Path) -> None:
    state = visitor.do(auto(60), label("tie"), label("skip"), UNDO)
    with client_in(tmp_path) as client:
        assert Visitor(client).state() == state


def test_what_another_process_stored_is_seen_at_once(visitor: Visitor, tmp_path: Path) -> None:
    visitor.do(label())
    with client_in(tmp_path) as client:
        assert Visitor(client).do(label("b", id="elsewhere"))["n_labels"] == 2
        assert visitor.state()["n_labels"] == 2
        assert visitor.do(label("tie"))["n_labels"] == 3
        assert Visitor(client).state()["n_labels"] == 3


def test_events_posted_at_once_from_many_threads_are_stored_once(
    visitor: Visitor, tmp_path: Path
) -> None:
    """Two applications on one database, eight threads, every event sent four times."""
    sent = [label("a", a=i, id=f"event-{i}") for i in range(12)] * 4
    with client_in(tmp_path) as client, ThreadPoolExecutor(8) as pool:
        visitors = [visitor, Visitor(client)]
        replies = list(
            pool.map(
                lambda job: visitors[job[0] % 2].post("events", {"events": [job[1]]}),
                enumerate(sent),
            )
        )
        assert {reply.status_code for reply in replies} == {200}
        assert [v.state()["n_labels"] for v in visitors] == [12, 12]
    with database_in(tmp_path) as engine:
        stored = stored_events(engine, ALICE)
    assert sorted(event.id for event in stored) == sorted({e["id"] for e in sent})


def test_of_two_writers_of_the_same_next_event_one_is_refused(tmp_path: Path) -> None:
    event = StoredEvent("one", "{}", '{"did":"clear"}')
    with database_in(tmp_path) as engine:
        assert append_events(engine, ALICE, [event], first=0)
        assert not append_events(engine, ALICE, [StoredEvent("two", "{}", "{}")], first=0)
        assert not append_events(engine, ALICE, [event], first=1)
        assert [stored.id for stored in stored_events(engine, ALICE)] == ["one"]


def test_drawn_pairs_and_labels_are_kept_as_they_were_drawn(
    visitor: Visitor, tmp_path: Path
) -> None:
    visitor.do(auto(5, id="batch"))
    with database_in(tmp_path) as engine, engine.connect() as connection:
        kept = connection.scalars(select(EVENTS.c.happened)).one()
    world = lab_world()
    rng = np.random.default_rng(3)
    made = draw_comparisons(rater_utility(world, "hurried"), world.ref_logprobs, 5, rng=rng)
    happened = read(kept)
    assert isinstance(happened, Labelled)
    assert not happened.by_hand
    np.testing.assert_array_equal(happened.votes.pairs, made.pairs)
    np.testing.assert_array_equal(happened.votes.said, np.where(made.label == 1, 0, 1))


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (label("c"), "outcome"),
        (label(a=576), "less than 576"),
        (label(a=-1), "greater than or equal to 0"),
        (label(a="<b>"), "valid integer"),
        (label(prompt="nothing"), "prompt"),
        (label(note="x"), "not permitted"),
        (label(id=""), "at least 1"),
        (label(id="x" * 41), "at most 40"),
        (label(id="<script>"), "pattern"),
        (auto(0), "greater than or equal to 1"),
        (auto(2001), "less than or equal to 2000"),
        (auto(5, rater="kind"), "rater"),
        (auto(5, thumbs_weight=1.5), "less than or equal to 1"),
        (auto(5, seed=-1), "seed"),
        (auto(5, writer="policy"), "run"),
        (auto(5, writer="policy", run={"method": "natural_gradient"}), "no label to learn"),
        ({"kind": "forget"}, "kind"),
        ("text", "dictionary"),
    ],
)
def test_an_event_that_cannot_be_stored_is_refused_with_its_whole_batch(
    visitor: Visitor, event: Any, why: str
) -> None:
    named = {"id": "bad", **event} if isinstance(event, dict) else event
    assert why in visitor.refused("events", {"events": [label("skip", id="good"), named]})
    assert visitor.state()["revision"] == 0


def test_too_many_events_at_once_and_too_many_labels_are_refused(visitor: Visitor) -> None:
    many = [label(id=f"e{i}") for i in range(201)]
    assert "at most 200" in visitor.refused("events", {"events": many})
    visitor.do(*(auto(2000, seed=i) for i in range(MOST_LABELS // 2000)))
    assert "clear some first" in visitor.refused("events", {"events": [label(id="more")]})
    assert visitor.do(CLEAR, label())["n_labels"] == 1


def test_labels_that_were_taken_back_count_towards_what_is_kept(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rewardlab.app.lab.sessions.MOST_MADE", 100)
    visitor.do(auto(60), UNDO)
    more = auto(60, id="more", seed=1)
    assert "taken back included" in visitor.refused("events", {"events": [more]})
    assert visitor.do(auto(40, seed=1))["n_labels"] == 40


@pytest.mark.parametrize("name", ["", "a" * 31, "a" * 33, "A" * 32, "g" * 32, "../" * 10 + "ab"])
def test_a_visitor_without_a_proper_name_is_refused(visitor: Visitor, name: str) -> None:
    nobody = Visitor(visitor.client, name or "x")
    if not name:
        del nobody.headers["X-Visitor"]
    assert "x-visitor" in nobody.refused("events", {"events": []}).lower()
    assert visitor.client.get("/api/lab/state", headers=nobody.headers).status_code == 422


def test_a_label_from_another_site_is_refused(visitor: Visitor) -> None:
    visitor.headers["Origin"] = "http://example.org"
    assert visitor.post("events", {"events": [label(id="one")]}).status_code == 403
