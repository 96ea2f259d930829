"""Histories of labels, replayed."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.experiments.lab_history import (
    Cleared,
    Event,
    History,
    Labelled,
    Undone,
    by_hand,
    by_rater,
    replayed,
)
from rewardlab.worlds.lab_raters import Comparisons


def label(i: int) -> Labelled:
    """A pair judged by hand."""
    return by_hand("coding", i, 300, "a")


def batch(n: int) -> Labelled:
    """A batch judged by a rater."""
    pairs = np.column_stack([np.arange(n), np.full(n, 400)])
    return by_rater("coding", Comparisons(pairs, np.ones(n)), by="careful rater")


def firsts(history: History) -> list[int]:
    """The first answer of each pair that counts."""
    first: list[int] = history.votes().pairs[:, 0].tolist()
    return first


def test_undo_takes_back_a_label_a_whole_batch_and_a_clear() -> None:
    assert firsts(replayed([label(1), label(2), Undone()])) == [1]
    assert firsts(replayed([label(1), batch(5), Undone()])) == [1]
    assert firsts(replayed([label(1), Cleared()])) == []
    assert firsts(replayed([label(1), Cleared(), Undone()])) == [1]
    assert firsts(replayed([label(1), Cleared(), label(2), Undone(), Undone(), Undone()])) == []


def test_undoing_nothing_is_an_event_that_changes_nothing() -> None:
    history = replayed([Undone(), label(1)])
    assert history.n_events == 2
    assert firsts(history) == [1]


def test_what_counted_before_the_last_event_is_known() -> None:
    history = replayed([label(1), batch(3)])
    assert len(history.votes_before()) == 1
    assert len(history.then(Undone()).votes_before()) == 4


events = st.lists(
    st.one_of(
        st.integers(0, 99).map(label),
        st.integers(1, 4).map(batch),
        st.builds(Cleared),
        st.builds(Undone),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(done=events, more=st.one_of(st.integers(0, 99).map(label), st.builds(Cleared)))
def test_undo_leads_back_to_what_counted(done: list[Event], more: Event) -> None:
    history = replayed(done)
    back = history.then(more).then(Undone())
    assert back.standing == history.standing
    assert back.n_events == history.n_events + 2


@settings(deadline=None)
@given(done=events, more=events)
def test_replaying_is_the_same_as_one_event_after_the_other(
    done: list[Event], more: list[Event]
) -> None:
    history = History()
    for event in [*done, *more]:
        history = history.then(event)
    assert replayed([*done, *more]) == history
    if more:
        assert replayed(more, after=replayed(done)) == history
