"""Every way to optimise against the lab's learned reward."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.experiments.lab_policies import (
    RunSettings,
    beta_sweep,
    n_points,
    optimised,
)
from rewardlab.experiments.lab_reward import learned_reward
from rewardlab.experiments.lab_runs import lab_run
from rewardlab.policies.closed_form import gibbs
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import rater_utility

WORLD = lab_world()
REWARD = learned_reward(WORLD, "hurried", 100, rng=np.random.default_rng(3))

SHORT = {
    "natural_gradient": RunSettings(n_steps=40),
    "grpo": RunSettings("grpo", step_size=0.3, n_steps=40, beta=0.1, seed=5),
    "ppo": RunSettings("ppo", step_size=0.1, n_steps=40, beta=0.1, seed=5),
    "reinforce": RunSettings("reinforce", step_size=0.3, n_steps=40, beta=0.1, seed=5),
    "best_of_n": RunSettings("best_of_n", n_max=256),
    "closed_form": RunSettings("closed_form", beta=0.1),
}
each_method = pytest.mark.parametrize("settings", SHORT.values(), ids=SHORT)


def test_runs_equal_those_of_the_library_on_the_same_labels() -> None:
    utility = rater_utility(WORLD, "hurried")
    run = lab_run(WORLD, utility, rng=np.random.default_rng(3), n_steps=60)
    reward = WORLD.features @ run.weights
    rl = optimised(WORLD, reward, RunSettings(n_steps=60)).path
    best = optimised(WORLD, reward, RunSettings("best_of_n")).path
    np.testing.assert_array_equal(rl.gold_reward, run.rl.gold_reward)
    np.testing.assert_array_equal(best.gold_reward, run.best_of_n.gold_reward)


@each_method
def test_a_stopped_run_is_the_beginning_of_the_whole_one(settings: RunSettings) -> None:
    whole = optimised(WORLD, REWARD, settings)
    stopped = optimised(WORLD, REWARD, replace(settings, stop=17))
    assert len(whole.path.strength) == n_points(settings)
    assert len(stopped.path.strength) == 18
    np.testing.assert_array_equal(stopped.path.strength, whole.path.strength[:18])
    np.testing.assert_array_equal(stopped.path.gold_reward, whole.path.gold_reward[:18])
    np.testing.assert_array_equal(stopped.likeliest, whole.likeliest[:18])
    # The policy that is returned is the one at the point where the run was stopped.
    assert np.exp(stopped.logprobs) @ WORLD.gold == pytest.approx(whole.path.gold_reward[17])


@each_method
def test_a_run_starts_at_the_reference(settings: RunSettings) -> None:
    stopped = optimised(WORLD, REWARD, replace(settings, stop=0))
    np.testing.assert_allclose(stopped.logprobs, WORLD.ref_logprobs, atol=1e-9)


@each_method
def test_there_is_no_stop_beyond_the_end(settings: RunSettings) -> None:
    with pytest.raises(InputError, match="stop"):
        optimised(WORLD, REWARD, replace(settings, stop=n_points(settings)))
    with pytest.raises(InputError, match="stop"):
        optimised(WORLD, REWARD, replace(settings, stop=-1))


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    settings = SHORT["grpo"]
    one, same = (optimised(WORLD, REWARD, settings).logprobs for _ in range(2))
    other = optimised(WORLD, REWARD, replace(settings, seed=6)).logprobs
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_the_closed_form_ends_at_the_optimum_of_the_chosen_beta() -> None:
    run = optimised(WORLD, REWARD, RunSettings("closed_form", beta=0.3))
    np.testing.assert_allclose(run.logprobs, gibbs(WORLD.ref_logprobs, REWARD, 0.3), atol=1e-9)
    assert 1 / run.path.strength[-1] == pytest.approx(0.3)


def test_steps_that_grow_without_bound_are_refused_in_words() -> None:
    with pytest.raises(ConvergenceError, match="step size of 9 is too large for a beta of 2"):
        optimised(WORLD, REWARD, RunSettings(beta=2.0, step_size=9.0, n_steps=600))


def test_a_closed_form_needs_a_price() -> None:
    with pytest.raises(InputError, match="beta"):
        optimised(WORLD, REWARD, RunSettings("closed_form", beta=0.0))


def test_the_best_beta_is_the_highest_true_quality_of_the_sweep() -> None:
    sweep = beta_sweep(WORLD, REWARD)
    gold = [
        np.exp(gibbs(WORLD.ref_logprobs, REWARD, beta)) @ WORLD.gold
        for beta in sweep.betas.tolist()
    ]
    np.testing.assert_allclose(sweep.path.gold_reward, gold)
    assert sweep.best == int(np.argmax(gold))
    assert 0 < sweep.best < len(sweep.betas) - 1
