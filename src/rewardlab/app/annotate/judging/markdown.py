"""Markdown as a plain tree of nodes, so that no text of anybody's can become markup.

A node is a text or ``[tag, children]`` or ``[tag, children, attributes]``. The tags are those of
``TAGS`` alone, and the browser builds an element from each with its text set as text. HTML stays
the text that it is. Images are never loaded: their description and address are shown.
"""

from __future__ import annotations

from functools import cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rewardlab.app.annotate.judging.highlight import highlighted

Node = str | list["str | list[Node] | dict[str, str]"]

TAGS = frozenset(
    (
        *("p", "h", "ul", "ol", "li", "blockquote", "pre", "code"),
        *("hr", "br", "em", "strong", "s", "a", "img", "k"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    )
)
"""Of all nodes. ``h`` is a heading of any level, ``k`` a part of code of one kind."""

LONGEST = 40_000
"""Characters of a text that is shown as Markdown."""

DEEPEST = 60
"""Levels of nesting."""

TOO_LONG = f"Longer than {LONGEST:,} characters, so shown as written."
TOO_DEEP = f"Nested deeper than {DEEPEST} levels, so shown as written."

_SAME = {
    "paragraph_open": "p",
    "bullet_list_open": "ul",
    "ordered_list_open": "ol",
    "list_item_open": "li",
    "blockquote_open": "blockquote",
    "em_open": "em",
    "strong_open": "strong",
    "s_open": "s",
    "heading_open": "h",
    "link_open": "a",
    "table_open": "table",
    "thead_open": "thead",
    "tbody_open": "tbody",
    "tr_open": "tr",
    "th_open": "th",
    "td_open": "td",
}
_BARE = {"hr": "hr", "hardbreak": "br", "softbreak": "br"}


def markdown_tree(text: str) -> tuple[list[Node] | None, str]:
    """The nodes of a text; None where they would show no more than the text itself does.

    Args:
        text: In Markdown, by anybody.

    Returns:
        The nodes, and why there are none if there should be: ``TOO_LONG``, ``TOO_DEEP`` or "".
    """
    if len(text) > LONGEST:
        return None, TOO_LONG
    tokens = _parser().parse(text)
    if any(_depth(token) >= DEEPEST - 1 for token in tokens):
        return None, TOO_DEEP
    nodes = _grown(tokens)
    return (None, "") if all(_is_plain(node) for node in nodes) else (nodes, "")


@cache
def _parser() -> MarkdownIt:
    # What is nested deeper than the parser goes it would leave out, hence the check above.
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    return parser.enable(["table", "strikethrough"])


def _depth(token: Token) -> int:
    return token.level + max((child.level for child in token.children or ()), default=0)


def _grown(tokens: list[Token]) -> list[Node]:
    """Nested nodes of a flat list of tokens."""
    top: list[Node] = []
    open_lists = [top]
    for token in tokens:
        if token.nesting == -1:
            if not token.hidden:
                open_lists.pop()
        elif token.nesting == 1:
            if not token.hidden:
                children: list[Node] = []
                open_lists[-1].append(_node(_SAME[token.type], children, _attributes(token)))
                open_lists.append(children)
        else:
            open_lists[-1].extend(_leaf(token))
    return top


def _leaf(token: Token) -> list[Node]:
    if token.type == "inline":
        return _grown(token.children or [])
    if token.type in _BARE:
        return [_node(_BARE[token.type], [], {})]
    if token.type in ("fence", "code_block"):
        language = token.info.split()[0][:30] if token.info.split() else ""
        parts: list[Node] = [
            _node("k", [text], {"kind": kind}) if kind else text
            for kind, text in highlighted(token.content.removesuffix("\n"), language)
        ]
        return [_node("pre", parts, {"language": language} if language else {})]
    if token.type == "code_inline":
        return [_node("code", [token.content], {})]
    if token.type == "image":
        address = str(token.attrs.get("src", ""))
        return [_node("img", [token.content or "no description"], {"address": address})]
    return [token.content] if token.content else []


def _attributes(token: Token) -> dict[str, str]:
    if token.type == "heading_open":
        return {"level": token.tag[1:]}
    if token.type == "ordered_list_open" and "start" in token.attrs:
        return {"start": str(token.attrs["start"])}
    if token.type == "link_open":
        return _link(str(token.attrs.get("href", "")))
    if "style" in token.attrs:
        return {"align": str(token.attrs["style"]).removeprefix("text-align:")}
    return {}


def _link(address: str) -> dict[str, str]:
    """Only what leads to a site of its own can be followed; other addresses are shown."""
    try:
        parts = urlsplit(address)
        followed = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        followed = False
    return {"address": address, **({"follow": "1"} if followed else {})}


def _node(tag: str, children: list[Node], attributes: dict[str, str]) -> Node:
    return [tag, children, attributes] if attributes else [tag, children]


def _is_plain(node: Node) -> bool:
    """True for a paragraph of nothing but text and line breaks."""
    if isinstance(node, str) or node[0] != "p":
        return False
    return all(isinstance(child, str) or child[0] == "br" for child in node[1])
