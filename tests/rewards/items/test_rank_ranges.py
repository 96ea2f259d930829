"""Simultaneous ranges of ranks: against a plain twin, their edges, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.rewards.items.covariance import ItemCovariance
from rewardlab.rewards.items.rank_ranges import RankRanges, rank_ranges
from rewardlab.types import FloatArray, IntArray

SEED = 5


def known(matrix: FloatArray, dof: float = np.inf) -> ItemCovariance:
    p = len(matrix)
    none = np.zeros(p, dtype=bool)
    return ItemCovariance(matrix, np.full(p, dof), 0, "hessian", "given", none)


def one_group(m: int) -> IntArray:
    return np.zeros(m, dtype=np.int64)


def ranges(
    strength: FloatArray, covariance: ItemCovariance, *, level: float = 0.95, n_draws: int = 2000
) -> RankRanges:
    rng = np.random.default_rng(SEED)
    return rank_ranges(
        strength, covariance, one_group(len(strength)), level=level, rng=rng, n_draws=n_draws
    )


def test_items_far_apart_have_one_rank_each() -> None:
    told = ranges(np.array([0.0, 20.0, 10.0]), known(np.eye(3)))
    assert told.rank.tolist() == told.low.tolist() == told.high.tolist() == [3, 1, 2]
    assert told.may_be_first.tolist() == [1]


def test_equal_items_may_have_any_rank() -> None:
    told = ranges(np.zeros(4), known(np.eye(4)))
    assert told.rank.tolist() == [1] * 4
    assert told.low.tolist() == [1] * 4 and told.high.tolist() == [4] * 4


def test_one_pair_is_told_apart_by_its_two_sided_quantile() -> None:
    told = ranges(np.array([0.0, 1.0]), known(np.eye(2)), n_draws=40_000)
    # 1.96, with a simulation error of .01 and float32.
    assert told.critical == pytest.approx(1.96, abs=0.04)


def test_the_critical_number_is_that_of_all_pairs_looked_at_plainly() -> None:
    rng = np.random.default_rng(SEED)
    root = rng.normal(size=(50, 50)) * np.exp(rng.normal(size=50))[:, None]
    c = root @ root.T
    told = ranges(np.zeros(50), known(c), n_draws=8_000)
    z = rng.multivariate_normal(np.zeros(50), c, size=8_000)
    own = np.diag(c)
    error = np.sqrt(own[:, None] + own - 2 * c + np.eye(50))
    peaks = [np.max(np.abs(one[:, None] - one) / error) for one in z]
    # Two quantiles of 8,000 draws each, simulation error near .015.
    assert told.critical == pytest.approx(np.quantile(peaks, 0.95), abs=0.06)


def test_steps_down_tell_more_apart_than_one_step() -> None:
    strength = np.array([0.0] * 10 + [50.0, 53.3])
    told = ranges(strength, known(np.eye(12) / 2), n_draws=20_000)
    equal = ranges(np.zeros(12), known(np.eye(12) / 2), n_draws=20_000)
    # The two above are told from all others at once; the ten left are fewer pairs.
    # Both read the same draws, so that any difference is the steps'.
    assert told.critical < equal.critical - 0.02


def test_fewer_degrees_of_freedom_tell_less_apart() -> None:
    strength: FloatArray = np.linspace(0.0, 15.0, 6)
    many, few = ranges(strength, known(np.eye(6))), ranges(strength, known(np.eye(6), 3.0))
    assert (few.high - few.low).sum() > (many.high - many.low).sum()


def test_a_level_next_to_1_tells_nothing_apart_and_needs_no_number_beyond_rounding() -> None:
    near_1 = 1 - 2.0**-53
    told = ranges(np.arange(20.0), known(np.eye(20), 3.0), level=near_1)
    assert np.isfinite(told.critical) and told.critical > 8
    assert set(told.low) == {1} and set(told.high) == {20}


def test_an_item_that_cannot_be_told_may_have_any_rank_and_blurs_the_others() -> None:
    c = np.eye(3)
    c[2], c[:, 2] = np.nan, np.nan
    dof = np.array([np.inf, np.inf, np.nan])
    unknown = np.array([False, False, True])
    covariance = ItemCovariance(c, dof, 0, "sandwich", "given", unknown)
    told = ranges(np.array([30.0, 0.0, 60.0]), covariance)
    assert told.low.tolist() == [1, 2, 1] and told.high.tolist() == [2, 3, 3]


def test_ranks_are_those_within_the_group() -> None:
    group = np.array([0, 1, 0, 1])
    rng = np.random.default_rng(SEED)
    told = rank_ranges(np.array([0.0, 50, 20, 30]), known(np.eye(4)), group, rng=rng)
    assert told.rank.tolist() == told.low.tolist() == told.high.tolist() == [2, 1, 1, 2]


def test_the_same_seed_gives_the_same_ranges_and_effects_are_not_read() -> None:
    rng = np.random.default_rng(SEED)
    strength, c = rng.normal(size=8), np.eye(9) * 0.1
    first, second = ranges(strength, known(c)), ranges(strength, known(c[:8, :8]))
    assert first.critical == second.critical
    assert np.array_equal(first.low, second.low)


def test_wrong_shapes_and_levels_are_refused() -> None:
    with pytest.raises(InputError, match="expected a covariance"):
        ranges(np.zeros(3), known(np.eye(2)))
    with pytest.raises(InputError, match="level"):
        ranges(np.zeros(3), known(np.eye(3)), level=1.0)
