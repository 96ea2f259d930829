"""Tests of Markdown as nodes: what people see of it, and that nothing in it can become markup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.app.annotate.judging.markdown import (
    DEEPEST,
    LONGEST,
    TAGS,
    TOO_DEEP,
    TOO_LONG,
    markdown_tree,
)


def nodes(text: str) -> list[Any]:
    found, note = markdown_tree(text)
    assert note == ""
    assert found is not None
    return found


def flat(found: list[Any]) -> Iterator[Any]:
    for node in found:
        yield node
        if not isinstance(node, str):
            yield from flat(node[1])


def test_paragraphs_lists_and_emphasis_become_nodes() -> None:
    assert nodes("# Hi\n\n2. *a*\n   - **b**") == [
        ["h", ["Hi"], {"level": "1"}],
        ["ol", [["li", [["em", ["a"]], ["ul", [["li", [["strong", ["b"]]]]]]]]], {"start": "2"}],
    ]


def test_a_table_keeps_the_alignment_of_its_columns() -> None:
    (table,) = nodes("|a|b|\n|:-|-:|\n|1|2|")
    assert table[1][1] == [
        "tbody",
        [["tr", [["td", ["1"], {"align": "left"}], ["td", ["2"], {"align": "right"}]]]],
    ]


def test_a_fence_keeps_its_language_and_every_character_of_its_code() -> None:
    code = "def f(x):\n\n    return 'a'  # why\n\n"
    (pre,) = nodes(f"```python title\n{code}```")
    assert pre[2] == {"language": "python"}
    assert "".join(node for node in flat(pre[1]) if isinstance(node, str)) == code[:-1]


def test_a_text_without_markdown_has_no_nodes() -> None:
    assert markdown_tree("Two lines\nof text.\n\nAnd a paragraph.") == (None, "")


@pytest.mark.parametrize(
    "text",
    [
        "**x** <script>alert(1)</script>",
        "**x** <img src=x onerror=alert(1)>",
        "**x** <svg/onload=alert(1)>",
        "**x**\n\n<iframe srcdoc='<script>'></iframe>",
        "**x** &lt;script&gt;",
    ],
)
def test_html_stays_the_text_that_it_is(text: str) -> None:
    found = nodes(text)
    assert {node[0] for node in flat(found) if not isinstance(node, str)} <= {"p", "strong"}
    assert "<" in "".join(node for node in flat(found) if isinstance(node, str))


@pytest.mark.parametrize("scheme", ["javascript:alert(1)", "data:text/html,x", "vbscript:x"])
def test_a_link_that_would_run_something_is_no_link(scheme: str) -> None:
    found = nodes(f"**x** [click]({scheme}) <{scheme}>")
    assert "a" not in [node[0] for node in flat(found) if not isinstance(node, str)]


@pytest.mark.parametrize(
    ("address", "followed"),
    [
        ("https://example.org/a", True),
        ("/annotate/other", False),
        ("//example.org", False),
        ("mailto:a@example.org", False),
        ("https://", False),
    ],
)
def test_only_links_to_other_sites_can_be_followed(address: str, followed: bool) -> None:
    links = [node for node in flat(nodes(f"**x** [here]({address})")) if node[0] == "a"]
    assert [("follow" in link[2]) for link in links] == [followed]


def test_an_image_is_its_description_and_its_address() -> None:
    assert nodes("![a chart](https://example.org/c.png)") == [
        ["p", [["img", ["a chart"], {"address": "https://example.org/c.png"}]]]
    ]


def test_what_is_too_long_or_too_deep_is_left_as_written_and_says_so() -> None:
    assert markdown_tree("*a* " * LONGEST) == (None, TOO_LONG)
    assert markdown_tree(">" * (DEEPEST + 1) + " a") == (None, TOO_DEEP)
    assert markdown_tree("> " * 10_000) == (None, TOO_DEEP)


def test_nesting_of_emphasis_and_lists_is_counted_together() -> None:
    deep = "".join("  " * k + "- a\n" for k in range(40))
    assert markdown_tree(deep) == (None, TOO_DEEP)


@pytest.mark.parametrize(
    "text",
    ["[" * 40_000, "*a **a " * 5_000, "[a](" * 10_000, "`" * 40_000, "|a" * 20_000, "![" * 20_000],
)
def test_hostile_texts_are_read_to_their_end(text: str) -> None:
    found, _ = markdown_tree(text)
    assert found is None or found


@given(st.text(st.sampled_from("ab*_`[]()!<>&#-|~ \n\t\\:1.\u202e\u2066\x00"), max_size=200))
def test_every_node_is_one_of_the_few_kinds(text: str) -> None:
    found, _ = markdown_tree(text)
    for node in flat(found or []):
        if not isinstance(node, str):
            assert node[0] in TAGS
            assert all(isinstance(value, str) for value in (node[2] if len(node) > 2 else {}))
