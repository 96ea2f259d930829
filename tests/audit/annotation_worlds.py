"""Made-up annotation: pairs with margins, people who flip, known pairs and repeats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from rewardlab.audit.judgements import Judgements, judgements_of


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


@dataclass
class _Rows:
    pair: list[str] = field(default_factory=list)
    annotator: list[str | None] = field(default_factory=list)
    outcome: list[str] = field(default_factory=list)
    a_first: list[bool] = field(default_factory=list)
    duration_s: list[float | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    of: list[str | None] = field(default_factory=list)
    known: list[str | None] = field(default_factory=list)


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
    rows = _Rows()
    margin = rng.normal(0, scale, n_pairs)
    if in_turn:
        margin = margin[np.argsort(np.abs(margin))]
    habits = [
        (odd or {}).get(k, Habits(seconds=20 * np.exp(rng.normal(0, 0.3)))) for k in range(n_people)
    ]

    def judge(name: str, k: int, chance: float, asked: str, of: str | None = None) -> None:
        mine, a_first = habits[k], bool(rng.random() < 0.5)
        wants_a = bool(rng.random() < chance) ^ bool(rng.random() < mine.flip)
        if rng.random() < mine.left:
            wants_a = a_first
        tie = rng.random() < (mine.undecided if asked == "pair" else mine.undecided / 4)
        rows.pair.append(name)
        rows.annotator.append(f"person {k}")
        rows.outcome.append("tie" if tie else "a" if wants_a else "b")
        rows.a_first.append(a_first)
        rows.duration_s.append(float(mine.seconds * np.exp(rng.normal(0, 0.6))))
        rows.asked.append(asked)
        rows.of.append(of)
        rows.known.append("a" if asked == "known" else None)

    had: list[list[int]] = [[] for _ in range(n_people)]
    for p in range(n_pairs):
        away = np.arange(n_people) + 0.5 - (n_people * p / n_pairs if in_turn else 0)
        chance = np.exp(-((away / 0.8) ** 2) / 2) + 1e-6 if in_turn else np.ones(n_people)
        for k in rng.choice(n_people, overlap, replace=False, p=chance / chance.sum()):
            judge(f"pair {p}", int(k), float(expit(margin[p])), "pair")
            had[k].append(p)
    for k in range(n_people):
        for j in range(n_known):
            judge(f"known {j}", k, 1.0, "known")
        for p in rng.permutation(had[k])[:n_repeats]:
            judge(f"repeat {p}", k, float(expit(margin[p])), "repeat", f"pair {p}")
    return judgements_of(
        pair=rows.pair,
        annotator=rows.annotator,
        outcome=rows.outcome,
        a_first=rows.a_first,
        duration_s=rows.duration_s,
        asked=rows.asked,
        of=rows.of,
        known=rows.known,
    )
