"""Text and numbers as shown."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.plots.text import (
    interval,
    listed,
    number,
    points,
    points_interval,
    share,
    signed,
    signed_interval,
    true_minus,
    visible,
)

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1234.5, "1,234"),
        (0.8104, "0.810"),
        (-3.2, "−3.20"),
        (1.0e12, "1e12"),
        (1.234e-7, "1.23e-7"),
        (INF, "∞"),
        (-INF, "−∞"),
        (NAN, "–"),
    ],
)
def test_numbers_keep_three_digits_at_every_size(value: float, shown: str) -> None:
    assert number(value) == shown


def test_shares_are_percentages_and_unknown_ones_a_dash() -> None:
    assert share(0.6212) == "62.1%"
    assert share(0.6212, decimals=0) == "62%"
    assert share(-0.01) == "−1.0%"
    assert share(NAN) == "–"
    assert share(INF) == "∞%"


def test_signed_numbers_say_their_sign_at_fixed_decimals() -> None:
    assert signed(0.314) == "+0.31"
    assert signed(-0.2) == "−0.20"
    assert signed(0.0) == "0.00"
    assert signed(-0.0) == "0.00"
    assert signed(0.0001) == "0.00" and signed(-0.0001, decimals=4) == "−0.0001"
    assert signed(-1e9) == "−1e9"
    assert signed(NAN) == "–"


def test_differences_of_shares_are_in_points() -> None:
    assert points(0.053) == "+5.3 points"
    assert points(-0.001) == "−0.1 points"
    assert points(NAN) == "–"


def test_intervals_of_differences_name_the_unit_once_and_every_sign() -> None:
    assert points_interval(0.002, 0.063) == "+0.2 to +6.3 points"
    assert points_interval(-0.012, 0.03) == "−1.2 to +3.0 points"
    assert points_interval(NAN, 0.03) == "no interval"


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.2, 0.42, "+0.20 to +0.42"),
        (0.00331, 0.24, "+0.003 to +0.240"),
        (-0.24, -0.00447, "−0.240 to −0.004"),
        (-0.00447, 0.24, "0.00 to +0.24"),
        (0.00004, 0.1, "+0.00004 to +0.10000"),
        (NAN, 0.1, "no interval"),
        (-INF, INF, "−∞ to +∞"),
    ],
)
def test_an_end_beside_zero_is_never_rounded_onto_it(low: float, high: float, shown: str) -> None:
    assert signed_interval(low, high) == shown


def test_an_interval_with_an_unknown_end_is_called_none() -> None:
    assert interval(0.1, 0.2) == "0.100 to 0.200"
    assert interval(0.613, 0.654, percent=True) == "61.3% to 65.4%"
    assert interval(NAN, 0.2) == "no interval"
    assert interval(-INF, INF) == "−∞ to ∞"


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_every_float_has_a_short_text(value: float) -> None:
    for shown in (number(value), share(value), signed(value), interval(value, value)):
        assert 0 < len(shown) <= 40
        assert "nan" not in shown and "inf" not in shown


def test_control_direction_and_surrogate_characters_are_written_out() -> None:
    assert visible("a\x00\x1b[0m") == "a⟨U+0000⟩⟨U+001B⟩[0m"
    assert visible("\u202eabc\u200b\ud800\ufffe\u2028") == (
        "⟨U+202E⟩abc⟨U+200B⟩⟨U+D800⟩⟨U+FFFE⟩⟨U+2028⟩"
    )


def test_ordinary_text_of_any_script_is_left_alone() -> None:
    for text in ("plain\n\ttext", "Größe", "你好", "مرحبا", "👩‍👩‍👧", "<b>&amp;</b>", ""):
        assert visible(text) == text
    assert visible("two\r\nlines") == "two\nlines"


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_shown_can_always_be_saved_and_is_stable(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert visible(shown) == shown


@pytest.mark.parametrize(("names", "said"), [("A", "A"), ("AB", "A and B"), ("ABC", "A, B and C")])
def test_names_stand_in_a_row(names: str, said: str) -> None:
    assert listed(list(names)) == said


def test_only_a_hyphen_before_a_number_becomes_a_minus() -> None:
    said = true_minus("from -0.78 (-4 to -.5): gpt-4, 1-5, k-3, (n)-1, best-of-n")
    assert said == "from −0.78 (−4 to -.5): gpt-4, 1-5, k-3, (n)-1, best-of-n"
