"""What a set of preferences holds, looked at chunk by chunk before it is written."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import LABEL_OF_OUTCOME, Outcome, Preferences


class Survey:
    """What the chunks seen so far hold.

    Attributes:
        n: Rows.
        n_ties: Rows that are ties or both bad.
        first_tie: Where the first of them stands.
        n_b_wins: Rows won by side b.
        n_soft: Rows won by a side, with a label other than 1 or 0.
        n_unlike_outcome: Rows whose label is not the one their outcome stands for.
        n_without_text: Rows that lack a response's text.
        first_without_text: Where the first of them stands.
        has_messages: Some prompt or response is a list of messages.
        has_plain_text: Some prompt or response is text.
        has_margin: Some row has a margin.
        has_annotator: Some row has an annotator.
        has_split: Some row has a split.
        has_items: Some row has an item.
        sides_recorded: As in the preferences.
        extra: Names of all extra columns, in order of appearance.
    """

    def __init__(self) -> None:
        self.n = self.n_ties = self.n_b_wins = self.n_soft = 0
        self.n_unlike_outcome = self.n_without_text = 0
        self.first_tie = self.first_without_text = ""
        self.has_messages = self.has_plain_text = False
        self.has_margin = self.has_annotator = self.has_split = self.has_items = False
        self.sides_recorded = False
        self.extra: dict[str, None] = {}

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
        self._count_labels(chunk)
        self._look_at_texts(chunk)
        self.n += len(chunk)
        self.sides_recorded = chunk.sides_recorded
        self.has_margin |= not bool(np.isnan(chunk.margin).all())
        self.has_annotator |= any(name is not None for name in chunk.annotator)
        self.has_split |= any(name is not None for name in chunk.split)
        items = (*chunk.item_a, *chunk.item_b)
        self.has_items |= any(item is not None for item in items)
        self.extra.update(dict.fromkeys(chunk.extra))

    def _count_labels(self, chunk: Preferences) -> None:
        tied = chunk.outcome >= Outcome.TIE
        unlike = chunk.label != LABEL_OF_OUTCOME[chunk.outcome]
        if tied.any() and not self.n_ties:
            self.first_tie = chunk.location(int(np.flatnonzero(tied)[0]))
        self.n_ties += int(tied.sum())
        self.n_b_wins += int((chunk.outcome == Outcome.B).sum())
        self.n_unlike_outcome += int(unlike.sum())
        self.n_soft += int((unlike & ~tied).sum())

    def _look_at_texts(self, chunk: Preferences) -> None:
        for column in (chunk.prompt, chunk.response_a, chunk.response_b):
            self.has_messages |= any(isinstance(text, list) for text in column)
            self.has_plain_text |= any(isinstance(text, str) for text in column)
        for i, (a, b) in enumerate(zip(chunk.response_a, chunk.response_b, strict=True)):
            if a is None or b is None:
                if not self.n_without_text:
                    self.first_without_text = chunk.location(i)
                self.n_without_text += 1
