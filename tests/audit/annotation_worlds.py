"""Made-up annotation: pairs with margins, people who flip, known pairs and repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from scipy.special import expit

from rewardlab.audit.judgements import Asked, Judgements
from rewardlab.types import FloatArray, IntArray, Outcome


@dataclass(frozen=True)
class Habits:
    """How somebody judges.

    Attributes:
        flip: Share of answers turned round.
        left: Share of answers that go to the left, unread.
        undecided: Share of ties.
        seconds: Typical time a judgement.
    """

    flip: float = 0.1
    left: float = 0.0
    undecided: float = 0.08
    seconds: float = 20.0


def annotation(
    rng: np.random.Generator,
    *,
    n_people: int = 6,
    n_pairs: int = 60,
    overlap: int = 3,
    n_known: int = 10,
    n_repeats: int = 6,
    scale: float = 1.5,
    in_turn: bool = False,
    odd: Mapping[int, Habits] | None = None,
) -> Judgements:
    """Judgements of people who are alike and honest but for those in ``odd``.

    Args:
        rng: Source of randomness.
        n_people: How many people.
        n_pairs: Ordinary pairs.
        overlap: People on each.
        n_known: Known pairs, for everybody.
        n_repeats: Repeats for each person, of pairs that they had.
        scale: Typical margin in logits: small where pairs are close.
        in_turn: True where the closest pairs come first and people come one after the other.
        odd: Who is otherwise -> how.
    """
    margin = rng.normal(0, scale, n_pairs)
    if in_turn:
        margin = margin[np.argsort(np.abs(margin))]
    habits = [
        (odd or {}).get(k, Habits(seconds=20 * np.exp(rng.normal(0, 0.3)))) for k in range(n_people)
    ]
    on_pair = _assigned(rng, n_people, n_pairs, overlap, in_turn=in_turn)
    on_repeat = [
        rng.permutation(np.flatnonzero((on_pair == k).any(axis=1)))[:n_repeats]
        for k in range(n_people)
    ]
    repeated, people = np.concatenate(on_repeat), np.arange(n_people)
    sizes = on_pair.size, n_people * n_known, len(repeated)
    pair = np.repeat(np.arange(n_pairs), overlap)
    known_pair = n_pairs + np.tile(np.arange(n_known), n_people)
    who = [
        on_pair.ravel(),
        np.repeat(people, n_known),
        np.repeat(people, list(map(len, on_repeat))),
    ]
    truth = expit(margin)
    return _judged(
        rng,
        habits,
        person=np.concatenate(who),
        chance=np.concatenate([truth[pair], np.ones(sizes[1]), truth[repeated]]),
        pair=np.concatenate([pair, known_pair, n_pairs + n_known + repeated]),
        asked=np.repeat([Asked.PAIR, Asked.KNOWN, Asked.REPEAT], sizes),
        of=np.concatenate([np.full(sizes[0] + sizes[1], -1), repeated]),
    )


def _assigned(
    rng: np.random.Generator, n_people: int, n_pairs: int, overlap: int, *, in_turn: bool
) -> IntArray:
    """The people on each pair, shape [n_pairs, overlap]: drawn one by one, those near likelier."""
    weight = np.ones((n_pairs, n_people))
    if in_turn:
        turn = n_people * np.arange(n_pairs)[:, None] / n_pairs
        away = np.arange(n_people) + 0.5 - turn
        weight = np.exp(-((away / 0.8) ** 2) / 2) + 1e-6
    # The largest of log weights with Gumbel noise are a draw without replacement.
    keys = np.log(weight) + rng.gumbel(size=weight.shape)
    return np.argsort(-keys, axis=1)[:, :overlap]


def _judged(
    rng: np.random.Generator,
    habits: Sequence[Habits],
    *,
    person: IntArray,
    chance: FloatArray,
    pair: IntArray,
    asked: IntArray,
    of: IntArray,
) -> Judgements:
    """Everybody's answers by their habits, where a is right with the given chance."""
    flip, left, undecided, seconds = np.array([astuple(mine) for mine in habits]).T
    n = len(person)
    a_first = rng.random(n) < 0.5
    wants_a = (rng.random(n) < chance) ^ (rng.random(n) < flip[person])
    wants_a = np.where(rng.random(n) < left[person], a_first, wants_a)
    tie = rng.random(n) < undecided[person] / np.where(asked == Asked.PAIR, 1, 4)
    return Judgements(
        pair=pair,
        prompt=pair,
        annotator=person,
        annotators=tuple(f"person {k}" for k in range(len(habits))),
        outcome=np.where(tie, Outcome.TIE, np.where(wants_a, Outcome.A, Outcome.B)),
        a_first=a_first,
        sides_recorded=True,
        duration_s=seconds[person] * np.exp(rng.normal(0, 0.6, n)),
        asked=asked,
        of=of,
        known=np.where(asked == Asked.KNOWN, Outcome.A, -1),
    )
