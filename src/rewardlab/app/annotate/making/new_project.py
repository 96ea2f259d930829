"""From a file to a project: what is read of it, which checks are planted, in which order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Engine

from rewardlab.app.annotate.making.ordering import Order, places_of
from rewardlab.app.annotate.making.planning import (
    content_of,
    count_kinds,
    planned_pairs,
    with_answer,
)
from rewardlab.app.annotate.store.contents import LEASE_S, Content, Pair, Project, checked_name
from rewardlab.app.annotate.store.projects import create_project, find_project, require_number
from rewardlab.errors import InputError
from rewardlab.preferences.pair_pool import ToJudge
from rewardlab.preferences.to_judge import read_to_judge
from rewardlab.types import RewardFn

KNOWN_EVERY = 15
"""About every so many pairs, one with a known answer, where there are such."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a new project is to be like.

    Attributes:
        overlap: How many people judge each pair.
        guidelines: In Markdown.
        lease_s: Seconds that a fetched pair stays with whoever fetched it.
        known_every: About every so many pairs, one with a known answer is asked.
        repeat_share: Share of the pairs asked once more of whoever judged them.
        order: See ``ordering.places_of``.
        pairs_per_prompt: See ``read_to_judge``.
        columns: See ``read_to_judge``.
        seed: Of all randomness.
    """

    overlap: int = 1
    guidelines: str = ""
    lease_s: int = LEASE_S
    known_every: int = KNOWN_EVERY
    repeat_share: float = 0.05
    order: Order = "random"
    pairs_per_prompt: int | None = None
    columns: Mapping[str, str] | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """A project's pairs, before it is made.

    Attributes:
        read: What the file holds.
        known: What the file of pairs with a known answer holds; None without one.
        pairs: Numbered from 0.
    """

    read: ToJudge
    known: ToJudge | None
    pairs: list[Pair]

    def sentences(self, overlap: int) -> list[str]:
        """How the file was read, what is left out, and how much there is to do."""
        kinds = count_kinds(self.pairs)
        said = [f"Read as {self.read.sentence}.", *_left_out(self.read)]
        if self.known is not None:
            n_answered = len(with_answer(self.known))
            n_unanswered = len(self.known.pairs) - n_answered
            said.append(f"Known answers: read as {self.known.sentence}.")
            said += _left_out(self.known)
            if n_unanswered:
                said.append(f"Left out {n_unanswered:,}: no answer, or as many votes for another.")
            if n_answered > kinds["known"]:
                said.append(
                    f"Drew {kinds['known']:,} of {n_answered:,} with an answer: as many as anybody "
                    "who judges every pair is asked."
                )
        planted = [
            (kinds["repeat"], "of them once more to whoever judged them"),
            (kinds["known"], "with a known answer beside them"),
        ]
        people = "person" if overlap == 1 else "people"
        n = kinds["pair"]
        said.append(
            f"{n:,} pair{'s' * (n != 1)}, each for {overlap:,} {people}: "
            f"{n * overlap:,} judgement{'s' * (n * overlap != 1)} wanted"
            + "".join(f"; {k:,} {words}" for k, words in planted if k)
            + "."
        )
        return said


def plan_project(
    path: Path, plan: Plan, *, known: Path | None = None, rewards: Sequence[RewardFn] = ()
) -> Planned:
    """Read a file of what is to be judged, and lay out a project of it.

    Args:
        path: See ``read_to_judge``.
        plan: What the project is to be like.
        known: File of pairs with a known answer.
        rewards: For an order by what rewards cannot decide.

    Raises:
        InputError: A file holds nothing to judge, the order does not suit it, or the seed is none.
    """
    require_number("seed", plan.seed)
    rng = np.random.default_rng(plan.seed)
    read = read_to_judge(
        path, rng=rng, pairs_per_prompt=plan.pairs_per_prompt, columns=plan.columns
    )
    answered = read_to_judge(known, rng=rng) if known is not None else None
    contents: list[Content] = [content_of(pair) for pair in read.pairs]
    places = places_of(contents, plan.order, rewards=rewards, rng=rng)
    pairs = planned_pairs(
        read,
        rng=rng,
        places=places,
        repeat_share=plan.repeat_share,
        known=answered,
        most_known=math.ceil(len(read.pairs) / max(1, plan.known_every)),
    )
    return Planned(read, answered, pairs)


def make_project(engine: Engine, name: str, planned: Planned, plan: Plan) -> Project:
    """Make the project; see ``create_project``."""
    return create_project(
        engine,
        name,
        planned.pairs,
        overlap=plan.overlap,
        guidelines=plan.guidelines,
        lease_s=plan.lease_s,
        known_every=plan.known_every if planned.known is not None else 0,
        seed=plan.seed,
        about=_about(planned, plan),
    )


def require_new(engine: Engine, name: str) -> None:
    """Refuse a name that is none or is taken, before a long file is read.

    Raises:
        InputError: It is.
    """
    if find_project(engine, checked_name(name)) is not None:
        raise InputError(f"project: there is a project {name!r} already; choose another name")


def _about(planned: Planned, plan: Plan) -> dict[str, Any]:
    """Where the pairs came from, as JSON; names of files without their folders."""
    read = planned.read
    return {
        "source": Path(read.source).name,
        "kind": read.kind,
        "sentence": read.sentence,
        "chosen": read.chosen,
        "settled": list(read.settled),
        "n_rows": read.n_rows,
        "n_votes": read.n_votes,
        "left_out": {left.reason: left.count for left in read.left_out},
        "known": Path(planned.known.source).name if planned.known is not None else None,
        "order": plan.order,
    }


def _left_out(read: ToJudge) -> list[str]:
    return [
        f"Left out {left.count:,}: {left.reason} (first at {left.examples[0]})."
        for left in read.left_out
    ]
