"""The pace of labelling, and when the rest is there."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.audit.labelling_pace import HOUR_S, count_over_time, measure_pace
from rewardlab.errors import InputError

NOW_S = 1_000_000.0


def test_an_even_pace_ends_when_the_rest_divided_by_it_says() -> None:
    made = NOW_S - (np.arange(240) + 0.5) * HOUR_S / 10
    pace = measure_pace(made, now_s=NOW_S, n_left=50)
    assert pace.per_hour is not None
    assert pace.per_hour.value == pytest.approx(10, rel=0.01)
    assert pace.hours_left == pytest.approx(5, rel=0.01)
    assert pace.low <= pace.hours_left <= pace.high


def test_labels_from_before_the_last_day_do_not_change_the_pace() -> None:
    made = NOW_S - (np.arange(240) + 0.5) * HOUR_S / 10
    old = NOW_S - 500 * HOUR_S + np.arange(10_000)
    recent = measure_pace(made, now_s=NOW_S, n_left=50)
    both = measure_pace(np.concatenate([old, made]), now_s=NOW_S, n_left=50)
    assert both.hours_left == pytest.approx(recent.hours_left, rel=0.01)


def test_one_short_stretch_leaves_the_end_open() -> None:
    made = np.concatenate([[NOW_S - 24 * HOUR_S], NOW_S - np.arange(100.0)])
    pace = measure_pace(made, now_s=NOW_S, n_left=1_000)
    assert np.isfinite(pace.hours_left)
    assert pace.high == np.inf


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (np.zeros(0), "half an hour"),
        (NOW_S - np.arange(100.0), "half an hour"),
        (NOW_S - np.arange(5) * HOUR_S, "fewer than 20"),
    ],
)
def test_too_little_to_go_by_cannot_say(made: np.ndarray, said: str) -> None:
    pace = measure_pace(made, now_s=NOW_S, n_left=1_000)
    assert pace.per_hour is None
    assert said in pace.reason


def test_nothing_left_takes_no_time() -> None:
    made = NOW_S - (np.arange(240) + 0.5) * HOUR_S / 10
    assert measure_pace(made, now_s=NOW_S, n_left=0).hours_left == 0


def test_every_label_is_counted_by_the_hour_or_before() -> None:
    made = NOW_S - np.array([0.0, 0.5, 1.5, 3.2]) * HOUR_S
    counted = count_over_time(made, now_s=NOW_S)
    assert counted.unit == "hour"
    assert counted.count.tolist() == [1, 0, 1, 2]
    assert counted.start.tolist() == [-4, -3, -2, -1]


def test_a_long_time_is_counted_by_the_day_and_its_beginning_in_one() -> None:
    made = NOW_S - np.array([0.0, 30.0, 24 * 100.0]) * HOUR_S
    counted = count_over_time(made, now_s=NOW_S)
    assert counted.unit == "day"
    assert counted.count.sum() == 2
    assert counted.n_before == 1


def test_a_clock_ahead_of_ours_counts_as_now() -> None:
    assert count_over_time(np.array([NOW_S + 60]), now_s=NOW_S).count.tolist() == [1]


def test_times_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="made_at_s"):
        count_over_time(np.array([np.nan]), now_s=NOW_S)
