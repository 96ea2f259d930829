"""Tables of NumPy values, and marked places."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rewardlab.systems.drawing import column_table, place


def test_columns_become_rows_of_plain_values_with_a_dash_for_nan() -> None:
    table = column_table(
        {"n": np.array([1, 2]), "share": np.array([0.5, np.nan]), "said": ("yes", None)}
    )
    assert table.columns == ("n", "share", "said")
    assert table.rows == ((1, 0.5, "yes"), (2, None, None))
    assert [type(cell) for cell in table.rows[0]] == [int, float, str]


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        column_table({"a": (1, 2), "b": (1,)})


def test_a_place_has_no_interval() -> None:
    mark = place(2.0, "here")
    assert mark.x == 2.0
    assert math.isnan(mark.low)
    assert math.isnan(mark.high)
