"""What an event of the lab comes to, and how that is kept.

Pairs that the server draws and labels that its raters give are drawn once and kept, so that a
history read again later is the same, whatever has changed in how they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import orjson

from rewardlab.app.lab.kept import reward_of, run_of
from rewardlab.app.lab.models import AnyEvent, AutoEvent, ClearEvent, LabelEvent, Run
from rewardlab.errors import InputError
from rewardlab.experiments.lab_history import (
    Cleared,
    Event,
    History,
    Labelled,
    Undone,
    by_hand,
    by_rater,
)
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import draw_comparisons, rater_utility
from rewardlab.worlds.lab_votes import Votes


def what_happens(
    history: History, event: AnyEvent, *, at: Callable[[int | None], History]
) -> Event:
    """What an event comes to.

    Args:
        history: What happened before it.
        event: As the page sent it.
        at: What had happened at a revision; None for now.

    Raises:
        InputError: The policy is to write the answers, and there is none.
    """
    match event:
        case LabelEvent():
            return by_hand(event.prompt, event.a, event.b, event.outcome)
        case AutoEvent():
            return _batch(history, event, at)
        case ClearEvent():
            return Cleared()
    return Undone()


def _batch(history: History, event: AutoEvent, at: Callable[[int | None], History]) -> Labelled:
    world = lab_world(event.prompt)
    writer = world.ref_logprobs
    if event.writer == "policy":
        writer = policy_logprobs(at(event.run.revision if event.run else None), event.run)
    utility = rater_utility(world, event.rater, thumbs_weight=event.thumbs_weight)
    # A batch beside others holds pairs of its own; the first of a seed is that of the seed alone.
    rng = np.random.default_rng([event.seed, 0, len(history.votes())])
    made = draw_comparisons(utility, writer, event.n, rng=rng)
    mixed = f", {event.thumbs_weight:.0%} thumbs-up" if event.thumbs_weight else ""
    return by_rater(event.prompt, made, by=f"{event.rater} rater{mixed}")


def policy_logprobs(history: History, run: Run | None) -> FloatArray:
    """Log-probabilities of the policy that a run ends with, shape [576].

    Args:
        history: Whose labels the reward is fitted to.
        run: The run.

    Raises:
        InputError: No run is given, or there is no label to learn from.
    """
    if run is None:
        raise InputError("run: expected the settings of a run, as the policy is to write")
    return run_of(reward_of(history.votes()), run.settings()).logprobs


def written(event: Event) -> str:
    """What happened as JSON."""
    match event:
        case Cleared():
            record: dict[str, object] = {"did": "clear"}
        case Undone():
            record = {"did": "undo"}
        case Labelled():
            votes = event.votes
            record = {
                "did": "label",
                "by_hand": event.by_hand,
                "prompt": votes.prompt[0],
                "by": votes.by[0],
                "pairs": votes.pairs.tolist(),
                "said": votes.said.tolist(),
            }
    return orjson.dumps(record).decode()


def read(text: str) -> Event:
    """What ``written`` wrote."""
    record = orjson.loads(text)
    if record["did"] != "label":
        return Cleared() if record["did"] == "clear" else Undone()
    n = len(record["said"])
    votes = Votes(
        (record["prompt"],) * n,
        np.array(record["pairs"], dtype=np.int64),
        np.array(record["said"], dtype=np.int8),
        (record["by"],) * n,
    )
    return Labelled(votes, record["by_hand"])
