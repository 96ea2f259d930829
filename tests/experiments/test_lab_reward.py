"""The lab's learned reward: its weights, their intervals, and how well it foretells."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rewardlab.errors import InputError
from rewardlab.experiments.lab_reward import L2, fit_reward, held_out_accuracy, weight_intervals
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons, rater_utility

WORLD = lab_world()


def labelled(n: int, *, seed: int = 0) -> Comparisons:
    """Pairs of the reference's answers, by the hurried rater."""
    utility = rater_utility(WORLD, "hurried")
    return draw_comparisons(utility, WORLD.ref_logprobs, n, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("n", [8, 100, 1000])
def test_weights_equal_an_independent_logistic_regression_without_intercept(n: int) -> None:
    made = labelled(n)
    used = ~made.held_out
    independent = LogisticRegression(
        C=1 / L2, fit_intercept=False, solver="newton-cholesky", tol=1e-12, max_iter=1000
    ).fit(made.differences(WORLD)[used], made.label[used])
    np.testing.assert_allclose(
        fit_reward(WORLD, made).weights, independent.coef_[0], rtol=0, atol=1e-8
    )


def test_a_refit_of_1000_labels_takes_few_newton_steps() -> None:
    # What makes it quick on any machine; milliseconds are in the benchmarks.
    assert fit_reward(WORLD, labelled(1000)).iterations <= 8


def test_known_weights_are_recovered_and_covered() -> None:
    true = np.array([2.0, -1.5, 0.5, 1.0, -0.3, 0.0])
    rng = np.random.default_rng(1)
    made = draw_comparisons(WORLD.features @ true, WORLD.ref_logprobs, 4000, rng=rng)
    low, high = weight_intervals(WORLD, made, level=0.999)
    assert ((low < true) & (true < high)).all()
    np.testing.assert_allclose(fit_reward(WORLD, made).weights, true, atol=0.5)


def test_with_few_labels_weights_exist_and_intervals_are_nan() -> None:
    made = labelled(8)
    assert np.isfinite(fit_reward(WORLD, made).weights).all()
    assert np.isnan(weight_intervals(WORLD, made)).all()


def test_held_out_accuracy_counts_only_what_was_held_back() -> None:
    # Ten times the same pair; a is preferred in all but the last, which is held back.
    pairs = np.tile([[575, 0]], (10, 1))
    made = Comparisons(pairs, np.array([1.0] * 9 + [0.0]))
    held = held_out_accuracy(WORLD, made, np.ones(6))
    assert (held.n, held.accuracy.value) == (2, 0.5)
    assert held_out_accuracy(WORLD, made, np.zeros(6)).accuracy.value == 0.5  # ties count half
    nothing = held_out_accuracy(WORLD, labelled(4), np.ones(6))
    assert nothing.n == 0
    assert np.isnan(nothing.accuracy.value)


def test_no_comparisons_are_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        fit_reward(WORLD, Comparisons(np.empty((0, 2), dtype=np.int64), np.empty(0)))
