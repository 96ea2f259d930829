"""Style as covariates: by hand, turned round, and refused."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.rewards.items.style import column_covariates, style_covariates

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


def test_columns_are_differences_in_their_own_units() -> None:
    made = column_covariates({"price": (np.array([3.0, 1.0]), np.array([1.0, 1.5]))})
    assert made.names == ("price",)
    np.testing.assert_array_equal(made.values, [[2.0], [-0.5]])


def test_columns_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="price, side b: expected finite numbers, got 1"):
        column_covariates({"price": (np.zeros(2), np.array([1.0, np.nan]))})
    with pytest.raises(InputError, match="at least one pair"):
        column_covariates({})
    with pytest.raises(InputError, match="response_b: expected length 1, got 2"):
        style_covariates(["a"], ["a", "b"])
