"""What is learned from votes."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.experiments.lab_learning import learned_from, reward_to_climb
from rewardlab.experiments.lab_reward import fit_reward, held_out_accuracy
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons, rater_utility

WORLD = lab_world()
UTILITY = rater_utility(WORLD, "hurried")


def drawn(n: int) -> Comparisons:
    """Comparisons of the reference's answers."""
    return draw_comparisons(UTILITY, WORLD.ref_logprobs, n, rng=np.random.default_rng(3))


def test_the_reward_is_that_of_the_fit() -> None:
    comparisons = drawn(100)
    learned = learned_from(comparisons)
    assert learned is not None
    weights = fit_reward(WORLD, comparisons).weights
    np.testing.assert_array_equal(learned.weights, weights)
    np.testing.assert_array_equal(reward_to_climb(learned), WORLD.features @ weights)
    assert (learned.n_fitted, learned.held.n) == (80, 20)
    assert (learned.low < learned.high).all()


def test_without_comparisons_there_is_no_reward() -> None:
    nothing = Comparisons(np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    assert learned_from(nothing) is None
    with pytest.raises(InputError, match="no label to learn from"):
        reward_to_climb(learned_from(nothing))


def test_ties_alone_teach_weights_of_zero_without_intervals() -> None:
    pairs = drawn(20).pairs
    learned = learned_from(Comparisons(pairs, np.full(20, 0.5)))
    assert learned is not None
    np.testing.assert_allclose(learned.weights, 0, atol=1e-9)
    assert np.isnan(learned.low).all()
    assert (learned.held.n, learned.held.n_ties) == (0, 4)
    assert np.isnan(learned.held.accuracy.value)


def test_a_tie_that_is_held_back_is_left_out_of_the_accuracy_and_counted() -> None:
    comparisons = drawn(50)
    weights = fit_reward(WORLD, comparisons).weights
    label = comparisons.label.copy()
    label[4] = 0.5
    held = held_out_accuracy(WORLD, Comparisons(comparisons.pairs, label), weights)
    others = comparisons.held_out & (np.arange(50) != 4)
    ahead = comparisons.differences(WORLD)[others] @ weights > 0
    assert (held.n, held.n_ties) == (9, 1)
    assert held.accuracy.value == np.mean(ahead == (comparisons.label[others] == 1))


def test_a_tie_pulls_two_answers_together_as_half_a_win_for_each() -> None:
    pair = np.array([[0, 575]])
    tied = Comparisons(np.repeat(pair, 4, axis=0), np.array([1.0, 0.5, 0.5, 0.0]))
    learned = learned_from(tied)
    assert learned is not None
    np.testing.assert_allclose(learned.weights, 0, atol=1e-9)
