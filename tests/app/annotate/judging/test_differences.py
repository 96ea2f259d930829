"""Tests of the words that only one of two texts has."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from rewardlab.app.annotate.judging.differences import MOST_WORDS, Part, differences

TEXTS = st.text(st.sampled_from("ab \n\t."), max_size=60)


def test_words_that_differ_are_marked_on_both_sides() -> None:
    left, right = differences("Same line.\nIt is short.\n", "Same line.\nIt is long.\n")
    assert left == [Part("Same line.\nIt is ", False), Part("short.\n", True)]
    assert right == [Part("Same line.\nIt is ", False), Part("long.\n", True)]


@given(TEXTS, TEXTS)
def test_the_parts_joined_are_the_texts(one: str, other: str) -> None:
    left, right = differences(one, other)
    assert "".join(part.text for part in left) == one
    assert "".join(part.text for part in right) == other


@given(TEXTS, TEXTS)
def test_what_is_not_marked_has_the_same_words_on_both_sides(one: str, other: str) -> None:
    left, right = differences(one, other)
    common = [" ".join(p.text for p in side if not p.own).split() for side in (left, right)]
    assert common[0] == common[1]


@given(TEXTS)
def test_a_text_has_no_difference_from_itself(text: str) -> None:
    left, right = differences(text, text)
    assert not any(part.own for part in [*left, *right])


def test_a_long_stretch_without_lines_is_marked_as_a_whole() -> None:
    draw = random.Random(0)
    one, other = (" ".join(draw.choices("abc", k=MOST_WORDS + 1)) for _ in range(2))
    assert differences(one, other) == ([Part(one, True)], [Part(other, True)])
