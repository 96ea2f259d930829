"""What raters said of pairs of the lab's answers, people included: also that neither is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.preferences.assembly import digest
from rewardlab.types import IntArray, Outcome, Preferences
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Comparisons

Said = Literal["a", "b", "tie", "both_bad", "skip"]
SAID: tuple[Said, ...] = get_args(Said)
"""What can be said of a pair; the position is the code, for the first four that of ``Outcome``."""

_LABEL = np.array([1.0, 0.0, 0.5])
_TIE, _SKIP = 2, 4


@dataclass(frozen=True, slots=True)
class Votes:
    """Pairs of answers and what was said of them, in the order in which it was said.

    Attributes:
        prompt: Length n; subjects of ``lab_prompts.PROMPTS``.
        pairs: Shape [n, 2], int64; positions of answers a and b.
        said: Shape [n], int8; positions in ``SAID``.
        by: Length n; who said it.
    """

    prompt: tuple[str, ...]
    pairs: IntArray
    said: NDArray[np.int8]
    by: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.said)

    def counts(self) -> dict[Said, int]:
        """How often each thing was said."""
        n = np.bincount(self.said, minlength=len(SAID)).tolist()
        return dict(zip(SAID, n, strict=True))

    def comparisons(self) -> Comparisons:
        """Those that a reward can be fitted to: a, b and ties.

        That both are bad, or nothing, says of neither that it is better, and does not enter.
        """
        used = self.said <= _TIE
        return Comparisons(self.pairs[used], _LABEL[self.said[used]])


def no_votes() -> Votes:
    """Nothing said yet."""
    return Votes((), np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int8), ())


def gathered(parts: Sequence[Votes]) -> Votes:
    """The votes of all parts, in order."""
    parts = [no_votes(), *parts]
    return Votes(
        tuple(prompt for part in parts for prompt in part.prompt),
        np.concatenate([part.pairs for part in parts]),
        np.concatenate([part.said for part in parts]),
        tuple(by for part in parts for by in part.by),
    )


def votes_of(prompt: str, comparisons: Comparisons, *, by: str) -> Votes:
    """Comparisons of answers to one prompt as votes.

    Args:
        prompt: A subject of ``lab_prompts.PROMPTS``.
        comparisons: The pairs and labels.
        by: Who made them.
    """
    n = len(comparisons)
    said = np.select([comparisons.label == 1, comparisons.label == 0], [0, 1], _TIE)
    return Votes((prompt,) * n, comparisons.pairs, said.astype(np.int8), (by,) * n)


def as_preferences(votes: Votes) -> Preferences:
    """The votes with their texts, as every other part of the library reads them.

    Skipped pairs say nothing and are left out. What is held back from the lab's fit is in the split
    "test", the rest in "train".

    Raises:
        InputError: Every pair was skipped, or there is none.
    """
    rows = np.flatnonzero(votes.said != _SKIP)
    if not len(rows):
        raise InputError("votes: expected at least one pair that was not skipped, got none")
    worlds = {prompt: lab_world(prompt) for prompt in set(votes.prompt)}
    prompts = [votes.prompt[i] for i in rows]
    a, b = (
        [worlds[p].texts[i] for p, i in zip(prompts, column, strict=True)]
        for column in votes.pairs[rows].T.tolist()
    )
    outcome = votes.said[rows]
    n = len(rows)
    return Preferences(
        prompt=[worlds[p].prompt for p in prompts],
        response_a=list(a),
        response_b=list(b),
        outcome=outcome,
        label=np.where(outcome == Outcome.A, 1.0, np.where(outcome == Outcome.B, 0.0, 0.5)),
        margin=np.full(n, np.nan),
        annotator=[votes.by[i] for i in rows],
        id=[str(i) for i in rows],
        prompt_id=[digest(worlds[p].prompt) for p in prompts],
        split=_splits(votes, rows),
        item_a=[None] * n,
        item_b=[None] * n,
        line=np.arange(1, n + 1),
        source=["lab"] * n,
        sides_recorded=True,
    )


def _splits(votes: Votes, rows: IntArray) -> list[str | None]:
    held = np.zeros(len(votes), dtype=bool)
    held[np.flatnonzero(votes.said <= _TIE)] = votes.comparisons().held_out
    return ["test" if held[i] else "train" for i in rows]
