"""The sets of 600 answers and their padding penalty."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.worlds.six_hundred import padded_reward, six_hundred, traits_of_all_sets


def test_padding_costs_nothing_up_to_its_point_and_then_six_times_its_square() -> None:
    traits = np.array([[1.75, 0.5], [2.75, 0.5], [-3.0, 0.0]])
    np.testing.assert_allclose(padded_reward(traits), [2.25, 3.25, -3.0])
    np.testing.assert_allclose(padded_reward(traits, 0.2), [2.25, 2.05, -3.0])
    np.testing.assert_allclose(padded_reward(traits, 1.0), [2.25, -2.75, -3.0])


def test_a_set_is_the_same_alone_and_among_all() -> None:
    world = six_hundred(7)
    np.testing.assert_array_equal(world.features, traits_of_all_sets()[7])
    np.testing.assert_array_equal(world.gold, padded_reward(world.features, 1.0))
    np.testing.assert_allclose(world.ref_probs, 1 / 600)


def test_sets_are_standard_normal_in_both_traits() -> None:
    traits = traits_of_all_sets().reshape(-1, 2)
    # 300,000 draws: standard errors of .0018 and .0026.
    np.testing.assert_allclose(traits.mean(axis=0), 0, atol=0.006)
    np.testing.assert_allclose(np.cov(traits.T), np.eye(2), atol=0.009)


def test_a_negative_set_is_refused() -> None:
    with pytest.raises(InputError, match="at least 0"):
        six_hundred(-1)
