"""A formula with its terms in words and one worked figure."""

from __future__ import annotations

from dataclasses import dataclass

from rewardlab.lessons.computed import Computed
from rewardlab.lessons.mathml import Node, block, inline


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a formula, explained.

    Attributes:
        symbol: As it stands in the formula; made by ``mathml.term``.
        words: What it is.
    """

    symbol: Node
    words: str

    @property
    def key(self) -> str:
        """Name that ties the explanation to the places in the formula."""
        return dict(self.symbol.attributes)["data-term"]

    @property
    def markup(self) -> str:
        """The symbol as MathML."""
        return inline(self.symbol)


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula.

    Attributes:
        name: Slug, unique among formulas.
        title: A few words.
        math: The formula.
        reading: How it is read aloud.
        terms: Its parts in words, in order of appearance.
        worked: One figure, by the library's function.
        source: Where it comes from.
    """

    name: str
    title: str
    math: Node
    reading: str
    terms: tuple[Term, ...]
    worked: Computed
    source: str

    @property
    def markup(self) -> str:
        """The formula as MathML."""
        return block(self.math, self.reading)
