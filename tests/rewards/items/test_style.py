"""Style as covariates: by hand, turned round, and refused."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.rewards.items.style import (
    STYLE_FEATURES,
    standardised,
    style_covariates,
    style_ratios,
)

LONG = "# Title\n\n- one **two** three\n- four"
SHORT = "one two"


def test_style_is_the_ratio_over_its_root_mean_square() -> None:
    style = style_covariates([LONG, SHORT, "a b c"], [SHORT, LONG, "a"])
    assert style.names == ("n_words", "headings", "list_items", "emphasis")
    # Words: five and two, two and five, three and one.
    words = np.array([3 / 7, -3 / 7, 2 / 4])
    np.testing.assert_allclose(style.values[:, 0], words / np.sqrt(np.mean(words**2)))
    np.testing.assert_allclose(style.values[:, 1], np.array([1, -1, 0]) / np.sqrt(2 / 3))


def test_turning_battles_round_negates_their_style() -> None:
    there = style_covariates([LONG, "a b c"], [SHORT, "a"])
    back = style_covariates([SHORT, "a"], [LONG, "a b c"])
    np.testing.assert_array_equal(there.values, -back.values)


def test_what_never_differs_is_left_out_and_said() -> None:
    style = style_covariates(["one two", "one"], ["one", "one two three"])
    assert style.names == ("n_words",)
    assert style.left_out == ("headings", "list_items", "emphasis")


def test_responses_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="response_b: expected length 1, got 2"):
        style_covariates(["a"], ["a", "b"])
    with pytest.raises(InputError, match="at least one battle"):
        style_covariates([], [])
    with pytest.raises(InputError, match="finite"):
        standardised(np.array([[np.nan]]), ("x",))


def test_a_stream_of_battles_has_the_style_of_all_at_once() -> None:
    a, b = [LONG, SHORT, "a b c"], [SHORT, LONG, "a"]
    parts = [style_ratios(a[:2], b[:2]), style_ratios(a[2:], b[2:])]
    streamed = standardised(np.concatenate(parts), STYLE_FEATURES)
    np.testing.assert_array_equal(streamed.values, style_covariates(a, b).values)
