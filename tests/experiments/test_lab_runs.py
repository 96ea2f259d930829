"""Whole runs of the lab, once and in rounds."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.experiments.lab_runs import lab_run, labelling_rounds
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


def test_rounds_differ_only_in_whose_answers_are_compared_later() -> None:
    fresh, old = (
        labelling_rounds(
            WORLD,
            HURRIED,
            n_rounds=3,
            n_labels=20,
            beta=0.1,
            refresh=refresh,
            rng=np.random.default_rng(0),
        )
        for refresh in (True, False)
    )
    np.testing.assert_array_equal(fresh.comparisons.pairs[:20], old.comparisons.pairs[:20])
    assert fresh.gold[0] == old.gold[0]
    assert len(fresh.comparisons) == len(old.comparisons) == 60
    assert fresh.words[1] > old.words[1]  # the hurried rater's model writes longer answers
    with pytest.raises(InputError, match="n_rounds"):
        labelling_rounds(
            WORLD,
            HURRIED,
            n_rounds=0,
            n_labels=20,
            beta=0.1,
            refresh=True,
            rng=np.random.default_rng(0),
        )
