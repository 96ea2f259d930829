"""How many of 20 runs hold what the guided experiments say."""

from __future__ import annotations

import pytest

from rewardlab.systems.guided_experiments import SYSTEM


@pytest.mark.parametrize("experiment", ["1", "2", "3", "5"])
def test_each_experiment_holds_in_most_of_20_runs(experiment: str) -> None:
    result = SYSTEM.evaluate({"experiment": experiment, "n_seeds": 20}, seed=1)
    assert result.value("holds") >= 0.75


def test_the_best_beta_is_neither_the_tightest_nor_the_loosest_leash() -> None:
    best = SYSTEM.evaluate({"experiment": "2"}).value("best_beta")
    assert 0.5 < best < 1.5
