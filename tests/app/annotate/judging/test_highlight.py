"""Tests of the kinds of code's parts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.app.annotate.judging.highlight import LANGUAGES, LONGEST_CODE, highlighted


def test_keywords_texts_numbers_and_comments_are_told_apart() -> None:
    kinds = {text.strip(): kind for kind, text in highlighted("if 1: 'a' # b", "Python")}
    assert kinds == {"if": "keyword", "1": "number", ":": "", "'a'": "string", "# b": "comment"}


@settings(deadline=None)  # making a language's lexer takes a tenth of a second and more
@given(st.text(max_size=80), st.sampled_from(sorted(LANGUAGES)))
def test_the_parts_joined_are_the_code(code: str, language: str) -> None:
    assert "".join(text for _, text in highlighted(code, language)) == code


def test_an_unknown_language_and_long_code_are_one_part() -> None:
    assert highlighted("if x", "nonsense") == [("", "if x")]
    assert len(highlighted("if x\n" * LONGEST_CODE, "python")) == 1
