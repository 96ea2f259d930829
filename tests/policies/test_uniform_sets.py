"""Many sets at once, against the exact policies on each set alone."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import closed_form
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.policies.uniform_sets import best_of_n_means, gibbs_means, peak_and_return
from rewardlab.worlds.six_hundred import padded_reward, six_hundred, traits_of_all_sets

N = np.array([1, 2, 3, 49, 590, 1000])
BETAS = (4.0, 1.0, 0.3, 0.05)


def test_every_set_gets_what_the_exact_policies_give_it_alone() -> None:
    traits = traits_of_all_sets()[:7]
    reward, gold = padded_reward(traits, 0.1), padded_reward(traits, 1.0)
    best, tilted = best_of_n_means(reward, gold, N), gibbs_means(reward, gold, BETAS)
    for number in range(7):
        world = six_hundred(number)
        slow_best = best_of_n(world, reward[number], n=N).path.gold_reward
        slow_tilted = closed_form(world, reward[number], betas=BETAS).path.gold_reward
        np.testing.assert_allclose(best[number], slow_best, atol=1e-11)
        np.testing.assert_allclose(tilted[number], slow_tilted, atol=1e-11)


def test_the_best_of_two_of_two_answers_by_hand() -> None:
    reward, values = np.array([[1.0, 0.0]]), np.array([[8.0, 4.0]])
    np.testing.assert_allclose(best_of_n_means(reward, values, np.array([1, 2])), [[6.0, 7.0]])


def test_peak_and_return_by_hand() -> None:
    curves = np.array([[0, 2, 1, -1, 3], [0, 1, 2, 3, 4], [0, 3, 1, 0, -1], [0, -1, -2, -3, -4.0]])
    peak, back = peak_and_return(np.array([1, 2, 4, 8, 16]), curves, np.zeros(4))
    np.testing.assert_array_equal(peak, [16, 16, 2, 1])
    np.testing.assert_array_equal(back, [np.inf, np.inf, 8, 2])


def test_ties_and_strengths_out_of_range_are_refused() -> None:
    one = np.array([[1.0, 1.0]])
    with pytest.raises(InputError, match="same reward"):
        best_of_n_means(one, one, np.array([1]))
    with pytest.raises(InputError, match="at least 1"):
        best_of_n_means(one, one, np.array([0]))
    with pytest.raises(InputError, match="positive"):
        gibbs_means(one, one, [0.0])
