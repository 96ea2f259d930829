"""Texts shortened for reading."""

from hypothesis import given
from hypothesis import strategies as st

from rewardlab.report.excerpt import LONGEST, PREVIEW, excerpt

WORDS = "one two three four five " * 200


def test_short_texts_are_shown_whole() -> None:
    shown = excerpt("  Hello,\nworld.  ")
    assert (shown.preview, shown.whole, shown.n_left_out) == ("Hello,\nworld.", "", 0)


def test_long_texts_are_cut_at_a_blank_and_kept_whole_beside() -> None:
    shown = excerpt(WORDS)
    assert shown.preview.endswith(" …") and len(shown.preview) <= PREVIEW + 2
    assert shown.preview[:-2].split()[-1] in WORDS.split()
    assert shown.whole == WORDS and shown.n_characters == len(WORDS)


def test_white_space_alone_is_told_from_nothing() -> None:
    assert excerpt("").preview == "(empty)"
    assert excerpt(" \n\t ").preview == "(white space only)"


def test_prompts_are_shown_by_their_end() -> None:
    shown = excerpt(WORDS + "What now?", from_end=True)
    assert shown.preview.startswith("… ") and shown.preview.endswith("What now?")


def test_what_a_report_does_not_hold_is_counted() -> None:
    text = "x" * (LONGEST + 123)
    for from_end in (False, True):
        shown = excerpt(text, from_end=from_end)
        assert shown.n_left_out == 123 and len(shown.whole) == LONGEST


@given(st.text(st.characters(exclude_categories=()), max_size=1500), st.booleans())
def test_any_text_can_be_shown_and_saved(text: str, from_end: bool) -> None:
    shown = excerpt(text, from_end=from_end, preview=40)
    (shown.preview + shown.whole).encode("utf-8")
    assert len(shown.preview) < 60 or "⟨U+" in shown.preview
