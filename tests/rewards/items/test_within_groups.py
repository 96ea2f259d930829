"""What is told within groups of linked items."""

from __future__ import annotations

import numpy as np

from rewardlab.rewards.items.within_groups import about_group_means, pin_shifts, ranks_within


def test_ranks_count_the_stronger_of_the_group_and_equals_share_the_better() -> None:
    rng = np.random.default_rng(3)
    strength, group = rng.integers(5, size=60) / 7.0, rng.integers(4, size=60)
    stronger = (strength[None, :] > strength[:, None]) & (group[None, :] == group[:, None])
    assert np.array_equal(ranks_within(strength, group), 1 + stronger.sum(axis=1))


def test_strengths_about_their_means_sum_to_zero_in_each_group() -> None:
    strength, group = np.array([3.0, 1.0, 2.0, 7.0]), np.array([0, 1, 0, 1])
    assert about_group_means(strength, group).tolist() == [0.5, -3.0, -0.5, 3.0]


def test_pinning_leaves_differences_and_makes_shifts_as_curved_as_the_rest() -> None:
    hessian = np.array([[2.0, -2.0, 0.0], [-2.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    pinned = hessian.copy()
    pin_shifts(pinned, np.zeros(2, dtype=np.int64))
    apart, together = np.array([1.0, -1.0, 0.0]), np.array([1.0, 1.0, 0.0])
    assert np.array_equal(pinned @ apart, hessian @ apart)
    assert (pinned @ together).tolist() == [2.0, 2.0, 0.0]  # 2, the mean of the diagonal
    assert pinned[2, 2] == 5.0
