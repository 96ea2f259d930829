"""What the lab's visitor did last and what it changed, in a sentence or two."""

from __future__ import annotations

import numpy as np

from rewardlab.experiments.lab_history import Cleared, Event, History, Labelled, Undone
from rewardlab.experiments.lab_learning import Learned
from rewardlab.plots.text import listed, true_minus
from rewardlab.systems.lab_features import LABELS
from rewardlab.types import FloatArray
from rewardlab.worlds.lab_raters import HELD_BACK
from rewardlab.worlds.lab_votes import SAID

_VISIBLE = 0.005
"""A change of a weight that two decimals show."""

_SAID = {
    "a": "You preferred A.",
    "b": "You preferred B.",
    "tie": "You called it a tie: it counts as half a win for each.",
    "both_bad": "You found both bad: that says of neither that it is better, so nothing is fitted.",
    "skip": "Skipped: nothing is learned from this pair.",
}


def change_sentence(history: History, before: Learned | None, now: Learned | None) -> str:
    """What the last event changed, or what to do first.

    Args:
        history: Everything that happened.
        before: What was learned before the last event.
        now: What is learned now.
    """
    event = history.last
    if event is None:
        return "Judge a pair, or let a rater label some: the reward learns from every label."
    did = _did(event, history)
    if isinstance(event, Labelled) and event.by_hand:
        said = SAID[int(event.votes.said[0])]
        if said in ("both_bad", "skip"):
            return did
        if len(history.votes().comparisons()) % HELD_BACK == 0:
            return f"{did} Every fifth label is held back to test the reward, and this was one."
    return f"{did} {_moved(before, now)}"


def _did(event: Event, history: History) -> str:
    match event:
        case Cleared():
            return "All labels are put away; Undo brings them back."
        case Undone():
            if history.standing == history.before:
                return "There was nothing to take back."
            return "The last action is taken back."
        case Labelled():
            if event.by_hand:
                return _SAID[SAID[int(event.votes.said[0])]]
            n = len(event.votes)
            return f"The {event.votes.by[0]} labelled {n:,} pair{'s' * (n != 1)}."


def _moved(before: Learned | None, now: Learned | None) -> str:
    if now is None:
        return "There is no reward now."
    if before is None:
        return _largest(now.weights)
    change = now.weights - before.weights
    top = int(np.argmax(np.abs(change)))
    if abs(change[top]) < _VISIBLE:
        return "No weight moved."
    return (
        f"The weight of {LABELS[top]} moved most, from {_signed(before.weights[top])} to "
        f"{_signed(now.weights[top])}."
    )


def _largest(weights: FloatArray) -> str:
    top = [int(i) for i in np.argsort(-np.abs(weights)) if abs(weights[i]) >= _VISIBLE][:2]
    if not top:
        return "Every weight is still 0."
    said = [f"{LABELS[i]} ({_signed(weights[i])})" for i in top]
    return f"The largest weight{'s are' if len(said) > 1 else ' is'} on {listed(said)}."


def _signed(value: float) -> str:
    said = true_minus(f"{value:+.2f}")
    return said[1:] if said[1:] == "0.00" else said


def accuracy_text(learned: Learned | None) -> str:
    """How often the reward agrees with what was held back, with interval and count."""
    if learned is None or not learned.held.n + learned.held.n_ties:
        return "Nothing is held back yet: every fifth label will be."
    held, figure = learned.held, learned.held.accuracy
    ties = f"; {held.n_ties} tie{'s' * (held.n_ties > 1)} left out" if held.n_ties else ""
    if not held.n:
        return f"Only ties are held back so far, and nothing in them can be foretold{ties}."
    pairs = f"{held.n} pair{'s' * (held.n > 1)} held back"
    if np.isnan(figure.low):
        return f"{figure.value:.0%} of {pairs}{ties}: too few for an interval."
    return f"{figure.value:.0%} ({figure.low:.0%} to {figure.high:.0%}) of {pairs}{ties}."


def weight_text(value: float, low: float, high: float) -> str:
    """A weight with its interval."""
    if np.isnan(low) or np.isnan(high):
        return f"{_signed(value)}; too few labels for an interval"
    return f"{_signed(value)} ({_signed(low)} to {_signed(high)})"
