"""What a set of preferences holds, looked at chunk by chunk before it is written."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import LABEL_OF_OUTCOME, Outcome, Preferences

Held = Literal[
    "margin", "annotator", "split", "item", "own label", "b wins", "messages", "plain text"
]


class Survey:
    """What the chunks seen so far hold.

    Attributes:
        n: Rows.
        n_ties: Rows that are ties or both bad.
        first_tie: Where the first of them stands.
        n_soft: Rows won by a side, with a label other than 1 or 0.
        n_without_text: Rows that lack a response's text.
        first_without_text: Where the first of them stands.
        holds: What some row has; "own label" is one that its outcome does not stand for.
        sides_recorded: As in the preferences.
        extra: Names of all extra columns, in order of appearance.
    """

    def __init__(self) -> None:
        self.n = self.n_ties = self.n_soft = self.n_without_text = 0
        self.first_tie = self.first_without_text = ""
        self.holds: set[Held] = set()
        self.sides_recorded = False
        self.extra: dict[str, None] = {}

    @property
    def is_mixed(self) -> bool:
        """Whether some prompts or responses are messages and others plain text."""
        return {"messages", "plain text"} <= self.holds

    def add(self, chunk: Preferences) -> None:
        """Look at one more chunk.

        Raises:
            InputError: A margin is infinite, or only some chunks recorded sides.
        """
        if np.isinf(chunk.margin).any():
            at = chunk.location(int(np.flatnonzero(np.isinf(chunk.margin))[0]))
            raise InputError(f"{at}: the margin is infinite; expected a finite number or none")
        if self.n and chunk.sides_recorded != self.sides_recorded:
            raise InputError("some chunks recorded sides and some did not; write them apart")
        self.sides_recorded = chunk.sides_recorded
        tied = chunk.outcome >= Outcome.TIE
        unlike = chunk.label != LABEL_OF_OUTCOME[chunk.outcome]
        responses = zip(chunk.response_a, chunk.response_b, strict=True)
        lacking = np.array([a is None or b is None for a, b in responses], dtype=bool)
        if not self.n_ties and tied.any():
            self.first_tie = chunk.location(int(np.flatnonzero(tied)[0]))
        if not self.n_without_text and lacking.any():
            self.first_without_text = chunk.location(int(np.flatnonzero(lacking)[0]))
        self.n += len(chunk)
        self.n_ties += int(tied.sum())
        self.n_without_text += int(lacking.sum())
        self.n_soft += int((unlike & ~tied).sum())
        self.extra.update(dict.fromkeys(chunk.extra))
        texts = {type(x) for x in (*chunk.prompt, *chunk.response_a, *chunk.response_b)}
        found: dict[Held, bool] = {
            "margin": not np.isnan(chunk.margin).all(),
            "annotator": any(name is not None for name in chunk.annotator),
            "split": any(name is not None for name in chunk.split),
            "item": any(item is not None for item in (*chunk.item_a, *chunk.item_b)),
            "own label": bool(unlike.any()),
            "b wins": bool((chunk.outcome == Outcome.B).any()),
            "messages": list in texts,
            "plain text": str in texts,
        }
        self.holds.update(name for name, is_held in found.items() if is_held)
