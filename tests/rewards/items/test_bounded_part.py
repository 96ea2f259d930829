"""The largest part with a fit, and about whose mean resamples stand."""

from __future__ import annotations

import numpy as np

from rewardlab.rewards.items.bounded_part import about_usual, fit_of_bounded_part, usually_bounded
from rewardlab.rewards.items.cells import Cells, cells_of_wins
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.solver import solve
from rewardlab.types import FloatArray

GROUP = np.array([0, 0, 0, 1, 1])


def solved(cells: Cells) -> FloatArray:
    return solve(cells, ItemModel(), tol=1e-10).theta


def test_each_group_is_fitted_within_its_largest_part() -> None:
    wins = np.zeros((5, 5))
    wins[0, 1], wins[1, 0], wins[2, 0] = 3, 1, 5  # 2 never lost
    wins[3, 4], wins[4, 3] = 1, 2
    found = fit_of_bounded_part(cells_of_wins(wins), GROUP, solved, ties_count=True)
    assert found is not None
    halves = np.array([np.log(3), -np.log(3), np.nan, -np.log(2), np.log(2)]) / 2
    np.testing.assert_allclose(found, halves, rtol=1e-6)


def test_no_part_of_two_has_no_fit() -> None:
    wins = np.zeros((5, 5))
    wins[0, 1] = wins[1, 2] = wins[3, 4] = 2
    assert fit_of_bounded_part(cells_of_wins(wins), GROUP, solved, ties_count=True) is None


def test_items_that_resamples_often_lack_are_not_what_others_stand_about() -> None:
    bounded = np.ones((400, 5), dtype=bool)
    bounded[:40, 2], bounded[:40, 3] = False, False
    # Of the second group one item would be left, about which nothing can stand but itself.
    assert usually_bounded(bounded, GROUP).tolist() == [True, True, False, True, True]


def test_resamples_stand_about_the_usual_items_and_keep_what_is_infinite() -> None:
    theta = np.array([[1.0, 0, -1, 2, -2], [np.nan, np.nan, np.inf, np.nan, np.nan]])
    part = np.array([[1.0, 0, -1, 2, -2], [3, -3, np.nan, 1, -1]])
    usual = np.array([True, True, False, True, True])
    expected = [[0.5, -0.5, -1.5, 2, -2], [3, -3, np.inf, 1, -1]]
    np.testing.assert_array_equal(about_usual(theta, part, GROUP, usual), expected)
