"""The length-quality world: its formulas against the same world as listed answers."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import closed_form
from rewardlab.policies.gaussian_mean import optimal_shift, shift_kl_nats
from rewardlab.worlds.length_quality import (
    LENGTH,
    QUALITY,
    LengthQuality,
    best_multiple,
    length_quality_grid,
    true_gain,
)


@pytest.mark.parametrize("correlation", [0.0, 0.4])
@pytest.mark.parametrize("drop_length", [False, True])
def test_the_grid_s_optimum_moves_by_covariance_times_gradient(
    correlation: float, drop_length: bool
) -> None:
    world, beta = LengthQuality(correlation=correlation), 0.8
    gradient = world.reward_gradient(drop_length=drop_length)
    grid = length_quality_grid(world)
    path = closed_form(grid, grid.features @ gradient, betas=[1e6, beta]).path
    moved = [float(path.tracked[name][1] - path.tracked[name][0]) for name in (LENGTH, QUALITY)]
    shift = optimal_shift(world.covariance, gradient, beta)
    np.testing.assert_allclose(moved, shift, atol=1e-4)
    assert path.kl_nats[1] == pytest.approx(shift_kl_nats(world.covariance, shift), abs=1e-4)
    gain = path.gold_reward[1] - path.gold_reward[0]
    assert gain == pytest.approx(float(true_gain(shift)), abs=1e-4)


def test_true_quality_is_highest_at_the_best_multiple() -> None:
    shift = np.array([1.0, 0.3])
    best = best_multiple(shift)
    around = true_gain(np.array([[best - 0.01], [best], [best + 0.01]]) * shift)
    assert np.argmax(around) == 1
    assert best_multiple(np.array([0.0, 0.3])) == float("inf")
    assert best_multiple(np.array([1.0, -0.5])) == 0.0


def test_impossible_spreads_are_refused() -> None:
    with pytest.raises(InputError, match="positive spreads"):
        LengthQuality(quality_sd=0.0)
    with pytest.raises(InputError, match="length_weight"):
        LengthQuality(length_weight=np.nan)
    with pytest.raises(InputError, match="correlation"):
        LengthQuality(correlation=1.0)
