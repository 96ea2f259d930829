"""Sentences whose figures a function of the library computes; no figure in them is typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Values = Callable[..., tuple[float, ...]]
"""Inputs to the figures of a sentence."""


class Shown(float):
    """A float that is written with a true minus sign."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        """As a float, but for the sign; zero has none."""
        said = super().__format__(spec)
        is_zero = not said.strip("+-0.%")
        return said.lstrip("+-") if is_zero else said.replace("-", "−")


def filled(words: str, values: tuple[float, ...]) -> str:
    """``words`` with values at {0}, {1} ..., each with its format."""
    return words.format(*(Shown(value) for value in values))


def import_path(function: Callable[..., object]) -> str:
    """Where a function is imported from, with its name."""
    return f"{function.__module__}.{function.__qualname__}"


@dataclass(frozen=True, slots=True)
class Computed:
    """A sentence with computed figures.

    Attributes:
        words: The sentence, with {0:.3f} where a figure goes.
        function: What computes it, to be named.
        values: Computes the figures, by ``function``.
    """

    words: str
    function: Callable[..., object]
    values: Values

    @property
    def text(self) -> str:
        """The sentence with its figures."""
        return filled(self.words, self.values())

    @property
    def path(self) -> str:
        """Import path of the function."""
        return import_path(self.function)
