"""Scales and ticks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.plots.scales import Scale, linear_scale, log_scale, tick_labels, ticks

any_floats = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6)


def test_ticks_are_steps_of_one_two_or_five() -> None:
    assert ticks(Scale(0.0, 1.0, 0, 100), 5) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(Scale(-0.43, 0.55, 0, 100), 4) == pytest.approx([-0.4, -0.2, 0.0, 0.2, 0.4])
    assert ticks(Scale(0.0, 1234.0, 0, 100), 6) == [0, 200, 400, 600, 800, 1000, 1200]


def test_logarithmic_ticks_double_and_are_thinned_evenly() -> None:
    assert ticks(Scale(1.0, 64.0, 0, 100, log=True), 7) == [1, 2, 4, 8, 16, 32, 64]
    assert ticks(Scale(1.0, 64.0, 0, 100, log=True), 4) == [1, 4, 16, 64]
    assert ticks(Scale(5.0, 7.0, 0, 100, log=True), 4) == pytest.approx([math.sqrt(35)])


def test_logarithmic_ticks_below_a_tenth_are_read_in_tens() -> None:
    few = ticks(Scale(0.002, 0.5, 0, 100, log=True), 7)
    assert few == pytest.approx([0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
    assert tick_labels(few)[:3] == ["0.002", "0.005", "0.01"]
    assert ticks(Scale(1e-6, 1.0, 0, 100, log=True), 4) == pytest.approx([1e-6, 1e-4, 1e-2, 1])


def test_unevenly_spaced_labels_have_the_decimals_they_need() -> None:
    assert tick_labels([0.25, 0.5, 1.0, 2.0, 1024.0]) == ["0.25", "0.5", "1", "2", "1,024"]


def test_labels_of_one_axis_share_their_decimals() -> None:
    assert tick_labels([0.0, 0.5, 1.0]) == ["0.0", "0.5", "1.0"]
    assert tick_labels([-0.05, 0.0]) == ["−0.05", "0.00"]
    assert tick_labels([0.5, 0.6], percent=True) == ["50%", "60%"]
    assert tick_labels([0.0, 2e9]) == ["0", "2e9"]
    assert tick_labels([300.0]) == ["300"]
    assert tick_labels([]) == []


def test_a_scale_maps_its_ends_to_its_pixels() -> None:
    scale = Scale(2.0, 4.0, 10.0, 110.0)
    assert (scale(2.0), scale(3.0), scale(4.0)) == (10.0, 60.0, 110.0)
    log = Scale(1.0, 100.0, 0.0, 200.0, log=True)
    assert log(10.0) == pytest.approx(100.0, abs=1e-9)


@given(any_floats, any_floats, st.integers(1, 12))
def test_any_values_give_a_usable_linear_axis(
    values: list[float], include: list[float], n_wanted: int
) -> None:
    scale = linear_scale(values, start=0.0, end=100.0, include=include)
    assert scale.low < scale.high
    for value in (*values, *include):
        if abs(value) <= 1e300:  # Beyond it values may lie past the edge.
            assert -1e-6 <= scale(value) <= 100.0 + 1e-6
    found = ticks(scale, n_wanted)
    assert len(found) <= 4 * n_wanted + 2
    assert all(math.isfinite(scale(v)) for v in found)
    assert len(tick_labels(found)) == len(found)


@given(any_floats)
def test_any_values_give_a_usable_logarithmic_axis(values: list[float]) -> None:
    scale = log_scale(values, start=0.0, end=100.0)
    assert 0 < scale.low < scale.high
    found = ticks(scale, 6)
    assert 1 <= len(found) <= 7
    assert all(math.isfinite(scale(v)) for v in found)
