"""Private scales: comparisons never notice them, averages over different raters do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.worlds.rating_scales import RatingScale, scales, shared_out


@given(
    low=st.floats(-10, 10),
    width=st.floats(0.1, 20),
    bend=st.floats(0.2, 5),
    better=st.integers(1, 100),
    by=st.integers(1, 100),
)
def test_any_increasing_scale_keeps_the_order_of_a_comparison(
    low: float, width: float, bend: float, better: int, by: int
) -> None:
    worse = max(better - by, 0) / 100
    scale = RatingScale("any", low, low + width, bend)
    a, b = scale.rating(np.array([better / 100, worse]))
    assert a > b or a == pytest.approx(b, abs=1e-12)  # equal only through rounding


def test_a_harsh_half_sinks_the_better_response() -> None:
    # Two raters: ratings of a are 3 and 9, of b 2 and 8. Whoever rates a, the other rates b.
    np.testing.assert_allclose(shared_out(np.array([[3.0, 2.0], [9.0, 8.0]])), [3 - 8, 9 - 2])


def test_one_scale_for_all_is_the_widest() -> None:
    assert {(s.low, s.high, s.bend) for s in scales(0)} == {(1.0, 10.0, 1.0)}
    with pytest.raises(InputError, match="r even"):
        shared_out(np.ones((3, 2)))
    with pytest.raises(InputError, match="privacy"):
        scales(2)
