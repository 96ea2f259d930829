"""A strict reader of pages: every tag closed in order, every id unique, every link resolved."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "link", "input", "hr"}
SELF_CLOSED = {"circle", "path", "line", "rect"}


class PageReader(HTMLParser):
    """Reads a page and raises ``AssertionError`` where it is not well formed.

    Attributes:
        tags: Names of all elements, in order.
        text: All text outside styles, joined.
        attributes: All (tag, name, value).
        headings: Levels of h1 to h6, in order.
        ids: All ids.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self._open: list[str] = []
        self._text: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._text).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SELF_CLOSED, f"<{tag}/> is not closed by HTML"
        self._note(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1] == tag, f"</{tag}> closes {self._open[-3:]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self._text.append(data)

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")


def assert_sound(page: str) -> PageReader:
    """The page is well formed, closed to the outside, and in order; returns its reader."""
    page.encode("utf-8")
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'; style-src 'unsafe-inline'" in page
    read = PageReader(page)
    outside = {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "foreignobject",
    }
    assert not outside & set(read.tags)
    for tag, name, value in read.attributes:
        assert not name.startswith("on"), f"{name} on <{tag}>"
        assert name not in ("src", "srcset", "action", "style")
        if name == "href":
            assert value.startswith("#") and value[1:] in read.ids, f"{value} leads nowhere"
        if name not in ("content", "aria-label"):
            assert "http:" not in value and "https:" not in value
    assert len(read.ids) == len(set(read.ids))
    assert read.headings[0] == 1 and read.headings.count(1) == 1
    steps = zip(read.headings, read.headings[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps), read.headings
    styles = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in styles and "@import" not in styles and "http" not in styles
    return read
