"""The few SVG elements that figures are made of, as escaped text."""

from __future__ import annotations

import math
from html import escape

from rewardlab.plots.style import FIGURE_CSS
from rewardlab.plots.text import visible

_NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'


def element(name: str, /, *children: str, **attributes: str | float | None) -> str:
    """One element. Children are markup; attribute values are escaped.

    Args:
        name: Tag name.
        children: Finished markup, joined as it is.
        attributes: ``class_`` is class, ``_`` becomes ``-``, None is left out; numbers are
            rounded to a hundredth of a pixel.

    Raises:
        ValueError: A number is not finite; figures decide what to do with those before drawing.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        written = value if isinstance(value, str) else _coordinate(value)
        attribute = key.rstrip("_").replace("_", "-")
        parts.append(f'{attribute}="{escape(visible(written))}"')
    opening = " ".join(parts)
    return f"<{opening}>{''.join(children)}</{name}>" if children else f"<{opening}/>"


def _coordinate(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"SVG attribute: expected a finite number, got {value}")
    rounded = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if rounded == "-0" else rounded


def text(x: float, y: float, content: str, *, class_: str = "", anchor: str = "start") -> str:
    """A line of text whose baseline starts, centres or ends at (x, y)."""
    shown = escape(visible(content).replace("\n", " "), quote=False)
    return element("text", shown, x=x, y=y, class_=class_ or None, text_anchor=_anchor(anchor))


def _anchor(anchor: str) -> str | None:
    return None if anchor == "start" else anchor


def line(x1: float, y1: float, x2: float, y2: float, *, class_: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def box(x: float, y: float, width: float, height: float, *, class_: str, radius: float = 0) -> str:
    """A rectangle."""
    corner = radius or None
    return element(
        "rect", x=x, y=y, width=max(width, 0.0), height=max(height, 0.0), rx=corner, class_=class_
    )


def text_width(content: str, *, size: float = 13) -> float:
    """About how wide a line of text is in a system font, in the figure's units.

    Real fonts differ by some 10%, so layouts leave that much room.
    """
    narrow, wide = "ijlItf.,:;|!'()[] ", "mwMW%@—→"
    widths = (0.3 if c in narrow else 0.88 if c in wide else _plain_width(c) for c in content)
    return size * sum(widths)


def _plain_width(c: str) -> float:
    if ord(c) > 0x2E80:
        return 1.0
    return 0.66 if c.isupper() else 0.56


def shortened(content: str, room: float, *, size: float = 13) -> str:
    """The text, cut with "…" if it would be wider than ``room``."""
    content = " ".join(visible(content).split())
    if text_width(content, size=size) <= room:
        return content
    kept = content[: max(1, int(room / (0.3 * size)))]
    while len(kept) > 1 and text_width(kept + "…", size=size) > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def caption(x: float, y: float, content: str, *, room: float) -> list[str]:
    """An axis label centred at x in lines no wider than ``room``, 16 px apart; at most three."""
    lines = [""]
    for word in " ".join(visible(content).split()).split(" "):
        joined = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(joined) * 1.1 > room and len(lines) < 3:
            lines.append(word)
        else:
            lines[-1] = joined
    shown = [shortened(one, room / 1.1) for one in lines]
    return [text(x, y + 16 * k, one, anchor="middle") for k, one in enumerate(shown)]


def figure(body: list[str], *, width: float, height: float, title: str, description: str) -> str:
    """A whole inline figure: scales with its box, and is read aloud as title and description.

    Args:
        body: Finished elements, back to front.
        width: Width of the drawing, in its own units; 1 unit is 1 px at natural size.
        height: Height likewise.
        title: Short name of the figure.
        description: What it shows, in a sentence or two that hold its main figures.
    """
    label = escape(visible(title))
    return (
        f'<svg class="rl-figure" viewBox="0 0 {_coordinate(width)} '
        f'{_coordinate(height)}" role="img" aria-label="{label}">'
        f"<title>{escape(visible(title), quote=False)}</title>"
        f"<desc>{escape(visible(description), quote=False)}</desc>"
        f"{''.join(body)}</svg>"
    )


def standalone(inline: str) -> str:
    """The figure as the text of an .svg file: with its own styles and a plain background."""
    head, body = inline.split(">", 1)
    size = head.split('viewBox="0 0 ', 1)[1].split('"', 1)[0].split()
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'{head} {_NAMESPACE} width="{size[0]}" height="{size[1]}">'
        f"<style>{FIGURE_CSS}.rl-figure{{background:var(--rl-ground)}}</style>{body}\n"
    )


def nothing_to_draw(*, width: float, title: str, reason: str) -> str:
    """A figure that says why it is empty."""
    height = 72.0
    body = [
        box(0.5, 0.5, width - 1, height - 1, class_="rl-empty", radius=6),
        text(width / 2, height / 2 + 5, shortened(reason, width - 24), anchor="middle"),
    ]
    return figure(body, width=width, height=height, title=title, description=reason)
