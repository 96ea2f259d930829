"""The grid of lengths and substances, against the Gaussian that it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import closed_form
from rewardlab.worlds.gaussian_grid import LENGTH, SUBSTANCE, gaussian_grid, grid_reward


@settings(max_examples=25, deadline=None)
@given(beta=st.floats(0.6, 4.0), learned=st.floats(0.0, 1.0))
def test_the_optimum_is_the_tilted_gaussian(beta: float, learned: float) -> None:
    """exp(-(l^2 + s^2) / 2 + (l + s - c (l^2 - 1)) / beta) has closed moments without a grid."""
    world = gaussian_grid()
    path = closed_form(world, grid_reward(world.features, learned), betas=[beta]).path
    variance = 1 / (1 + 2 * learned / beta)
    length = variance / beta
    kl_length = (variance + length**2 - 1 - np.log(variance)) / 2
    gold = length + 1 / beta - (length**2 + variance - 1)
    # The grid ends at 6: at beta .6 that is 4.3 standard deviations from the mean.
    assert path.tracked[LENGTH][0] == pytest.approx(length, abs=2e-4)
    assert path.tracked[SUBSTANCE][0] == pytest.approx(1 / beta, abs=2e-4)
    assert path.kl_nats[0] == pytest.approx(kl_length + 1 / (2 * beta**2), abs=5e-4)
    assert path.gold_reward[0] == pytest.approx(gold, abs=1e-3)


def test_a_reward_that_has_learned_the_whole_penalty_is_the_gold() -> None:
    world = gaussian_grid(9)
    np.testing.assert_array_equal(grid_reward(world.features, 1.0), world.gold)


def test_texts_are_written_when_read_and_name_both_traits() -> None:
    world = gaussian_grid(3)
    assert len(world.texts) == 9
    assert world.texts[0] == "An answer of length -6.00 and substance -6.00."
    assert list(world.texts[7:]) == [world.texts[7], world.texts[8]]
    assert len(set(world.texts)) == 9


def test_a_grid_of_one_point_is_refused() -> None:
    with pytest.raises(InputError, match="at least 2"):
        gaussian_grid(1)
