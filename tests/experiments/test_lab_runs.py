"""Whole runs of the lab."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.experiments.lab_runs import lab_run
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import rater_utility

WORLD = lab_world()
HURRIED = rater_utility(WORLD, "hurried")


def test_without_a_penalty_the_learned_reward_never_falls() -> None:
    made = lab_run(WORLD, HURRIED, rng=np.random.default_rng(0))
    assert len(made.comparisons) == 100
    assert (np.diff(made.rl.proxy_reward) > -1e-12).all()
    assert (np.diff(made.best_of_n.proxy_reward) > -1e-12).all()
    assert made.rl.gold_reward[0] == pytest.approx(WORLD.ref_probs @ WORLD.gold)
