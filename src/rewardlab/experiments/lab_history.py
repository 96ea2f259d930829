"""What a visitor of the lab did, replayed: labels, automatic batches, clearing, and taking back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.worlds.lab_raters import Comparisons
from rewardlab.worlds.lab_votes import SAID, Said, Votes, gathered, votes_of


@dataclass(frozen=True, slots=True)
class Labelled:
    """A pair that was judged by hand, or a batch that a rater judged.

    Attributes:
        votes: What was said.
        by_hand: True for a pair that the visitor judged.
    """

    votes: Votes
    by_hand: bool


@dataclass(frozen=True, slots=True)
class Cleared:
    """All labels so far were put away."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The last action still standing was taken back."""


Action = Labelled | Cleared
Event = Labelled | Cleared | Undone


@dataclass(frozen=True, slots=True)
class History:
    """Everything that happened, as far as it still counts.

    Attributes:
        n_events: How many events there were.
        standing: Actions that were not taken back, in order.
        before: The same before the last event.
        last: The last event; None at the start.
        n_made: Labels that were ever made, those taken back included.
    """

    n_events: int = 0
    standing: tuple[Action, ...] = ()
    before: tuple[Action, ...] = ()
    last: Event | None = None
    n_made: int = 0

    def then(self, event: Event) -> History:
        """What follows when one more thing happens; with nothing to take back nothing is."""
        standing = self.standing[:-1] if isinstance(event, Undone) else (*self.standing, event)
        n_made = self.n_made + _labels_in(event)
        return History(self.n_events + 1, standing, self.standing, event, n_made)

    def votes(self) -> Votes:
        """The votes that count now."""
        return votes_that_count(self.standing)

    def votes_before(self) -> Votes:
        """The votes that counted before the last event."""
        return votes_that_count(self.before)


def replayed(events: Sequence[Event], *, after: History | None = None) -> History:
    """What follows from events in order.

    As ``then`` event by event, which copies what stands each time: here it is copied once.

    Args:
        events: What happened.
        after: What happened before; None for nothing.
    """
    history = after or History()
    if not events:
        return history
    standing = list(history.standing)
    for event in events[:-1]:
        if not isinstance(event, Undone):
            standing.append(event)
        elif standing:
            standing.pop()
    n_made = history.n_made + sum(_labels_in(event) for event in events[:-1])
    n_events = history.n_events + len(events) - 1
    so_far = History(n_events, tuple(standing), n_made=n_made)
    return so_far.then(events[-1])


def _labels_in(event: Event) -> int:
    return len(event.votes) if isinstance(event, Labelled) else 0


def votes_that_count(standing: tuple[Action, ...]) -> Votes:
    """Votes since the last time that all were put away."""
    parts: list[Votes] = []
    for action in reversed(standing):
        if isinstance(action, Cleared):
            break
        parts.append(action.votes)
    return gathered(parts[::-1])


def by_hand(prompt: str, a: int, b: int, said: Said, *, by: str = "visitor") -> Labelled:
    """One pair that a visitor judged.

    Args:
        prompt: A subject of ``lab_prompts.PROMPTS``.
        a: Position of the answer shown first.
        b: Position of the other.
        said: What was said.
        by: By whom.
    """
    pair = np.array([[a, b]], dtype=np.int64)
    code = np.array([SAID.index(said)], dtype=np.int8)
    return Labelled(Votes((prompt,), pair, code, (by,)), by_hand=True)


def by_rater(prompt: str, comparisons: Comparisons, *, by: str) -> Labelled:
    """A batch that a rater judged.

    Args:
        prompt: A subject of ``lab_prompts.PROMPTS``.
        comparisons: The pairs and labels.
        by: Name of the rater.
    """
    return Labelled(votes_of(prompt, comparisons, by=by), by_hand=False)
