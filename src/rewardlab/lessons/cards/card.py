"""A flashcard: a question, often with figures from a small set, and a computed answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rewardlab.errors import InputError
from rewardlab.lessons.computed import Values, filled, import_path


@dataclass(frozen=True, slots=True)
class Card:
    """A card whose answer a function of the library computes.

    Attributes:
        name: Slug, unique among cards.
        front: The question, with {0}, {1:g} ... where inputs go.
        back: The answer; its first places are for the computed figures.
        function: What computes it, to be named.
        values: Inputs to the figures of the answer, by ``function``.
        inputs: The sets of inputs that the card is asked with, in turn.
    """

    name: str
    front: str
    back: str
    function: Callable[..., object]
    values: Values
    inputs: tuple[tuple[float, ...], ...] = ((),)

    @property
    def path(self) -> str:
        """Import path of the function."""
        return import_path(self.function)

    @property
    def fronts(self) -> tuple[str, ...]:
        """The question with each set of inputs."""
        return tuple(filled(self.front, inputs) for inputs in self.inputs)

    def answer(self, variant: int) -> str:
        """The computed answer to a variant of the question.

        Raises:
            InputError: There is no such variant.
        """
        if not 0 <= variant < len(self.inputs):
            raise InputError(f"variant: expected 0 to {len(self.inputs) - 1}, got {variant}")
        return filled(self.back, self.values(*self.inputs[variant]))


@dataclass(frozen=True, slots=True)
class WordCard:
    """A card that asks for a word of the glossary.

    Attributes:
        name: Slug, unique among cards.
        front: The question.
        words: The answer.
    """

    name: str
    front: str
    words: str

    @property
    def path(self) -> str:
        """No function computes it."""
        return ""

    @property
    def fronts(self) -> tuple[str, ...]:
        """The one question."""
        return (self.front,)

    def answer(self, variant: int) -> str:
        """The answer.

        Raises:
            InputError: The variant is not 0.
        """
        if variant:
            raise InputError(f"variant: expected 0, got {variant}")
        return self.words


AnyCard = Card | WordCard
