"""Formulas as MathML, which browsers draw themselves; small builders, each one element.

A text among a builder's parts is read as a number, an operator or a name: ``row("r", "−", "1")``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

_OPERATORS = frozenset("=≠+−·/|:;,()[]{}≤≥≻←∇∑∏∫⁡×≈∼′")


@dataclass(frozen=True, slots=True)
class Node:
    """One element.

    Attributes:
        tag: Such as "mfrac".
        children: What is in it.
        text: Its text, if it has no children.
        attributes: Names and values.
    """

    tag: str
    children: tuple[Node, ...] = ()
    text: str = ""
    attributes: tuple[tuple[str, str], ...] = ()

    def markup(self) -> str:
        """The element as text, escaped."""
        said = "".join(f' {name}="{escape(value)}"' for name, value in self.attributes)
        inner = "".join(child.markup() for child in self.children) or escape(self.text)
        return f"<{self.tag}{said}>{inner}</{self.tag}>"

    def walk(self) -> Iterator[Node]:
        """The element and all in it."""
        yield self
        for child in self.children:
            yield from child.walk()


Part = Node | str


def node(part: Part) -> Node:
    """A text as a number, an operator or a name; an element as it is."""
    if isinstance(part, Node):
        return part
    if part[0].isdigit() or (part[0] == "." and len(part) > 1):
        return Node("mn", text=part)
    return Node("mo" if set(part) <= _OPERATORS else "mi", text=part)


def row(*parts: Part) -> Node:
    """Parts side by side."""
    return Node("mrow", tuple(node(part) for part in parts))


def frac(over: Part, under: Part) -> Node:
    """A fraction."""
    return Node("mfrac", (node(over), node(under)))


def sup(base: Part, power: Part) -> Node:
    """A power."""
    return Node("msup", (node(base), node(power)))


def sub(base: Part, index: Part) -> Node:
    """An index."""
    return Node("msub", (node(base), node(index)))


def under(base: Part, below: Part) -> Node:
    """Something below an operator, such as what a minimum is over."""
    return Node("munder", (node(base), node(below)))


def under_over(base: Part, below: Part, above: Part) -> Node:
    """Limits of a sum or product."""
    return Node("munderover", (node(base), node(below), node(above)))


def root(*parts: Part) -> Node:
    """A square root."""
    return Node("msqrt", (row(*parts),))


def lines(*rows: Part) -> Node:
    """Equations below each other."""
    cells = (Node("mtd", (node(one),), attributes=(("class", "line"),)) for one in rows)
    return Node("mtable", tuple(Node("mtr", (cell,)) for cell in cells))


def words(text: str) -> Node:
    """Words within a formula."""
    return Node("mtext", text=text)


def paren(*parts: Part) -> Node:
    """Parts in parentheses that grow with them."""
    return row("(", *parts, ")")


def bracket(*parts: Part) -> Node:
    """Parts in square brackets."""
    return row("[", *parts, "]")


def call(function: Part, *arguments: Part) -> Node:
    """A function of its arguments."""
    return row(function, "\u2061", paren(*arguments))


def term(key: str, *parts: Part) -> Node:
    """A part that is explained under ``key``."""
    found = tuple(node(part) for part in parts)
    return Node("mrow", found, attributes=(("data-term", key), ("class", "term")))


def block(inner: Node, reading: str) -> str:
    """A whole formula on a line of its own, with how it is read aloud."""
    named = (("display", "block"), ("alttext", reading), ("aria-label", reading))
    return Node("math", (inner,), attributes=named).markup()


def inline(inner: Node) -> str:
    """A small formula within text."""
    return Node("math", (inner,)).markup()
