"""Defences measured against a known gold: what must hold whatever was rated."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.experiments.defences import DefendedWorld, measure_defences
from rewardlab.experiments.goodhart_rewards import Rewards
from rewardlab.worlds.goodhart import goodhart_world

WORLD = goodhart_world("extremal").answers


def measured(*, leash: float = 1.0, n_repeats: int = 3) -> DefendedWorld:
    """Gold as the edited reward, the reverse of gold as the worst case, length as all others."""
    gold, length = (np.tile(row, (n_repeats, 1)) for row in (WORLD.gold, WORLD.feature("length")))
    rewards = Rewards(single=length, average=length, worst_case=-gold, edited=gold)
    return measure_defences("extremal", WORLD, rewards, pressure=4.0, leash=leash, along=True)


def test_gold_itself_gains_the_best_possible_and_its_reverse_loses() -> None:
    found = measured()
    np.testing.assert_allclose(found.gained["edited"], 1.0, atol=1e-9)
    np.testing.assert_allclose(found.path["best"][-1], found.best, atol=1e-9)
    assert found.effect("edited") == 1
    assert found.effect("worst_case") == -1
    assert found.effect("average") == 0
    assert 0 < found.peak < len(found.budgets) - 1
    assert found.fall > 0


def test_a_leash_as_long_as_the_pressure_changes_nothing() -> None:
    found = measured(leash=9.0)
    np.testing.assert_array_equal(found.gained["leash"], found.gained["none"])


def test_one_repeat_cannot_tell_an_effect_from_chance() -> None:
    with pytest.raises(InputError, match="at least two repeats"):
        measured(n_repeats=1)
