"""The worked problem, its slips, and exact chances against enumeration and simulation."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.worlds.arithmetic import (
    ANSWER,
    LUCKY,
    MISTAKE,
    RIGHT,
    all_slips,
    arithmetic_world,
    completions,
    results,
    step_texts,
)


def test_the_right_answer_is_50_a_mistake_at_step_3_ends_at_72_a_lucky_one_at_50() -> None:
    assert [results(s)[-1] for s in (RIGHT, MISTAKE, LUCKY)] == [50, 72, 50]
    assert ANSWER == 50
    assert step_texts(MISTAKE)[2].endswith("30 / 6 = 6")


def test_every_solution_has_its_own_text_and_only_one_is_sound() -> None:
    world = arithmetic_world(0.2)
    assert len(set(world.texts)) == len(world) == 3**5
    assert world.gold.sum() == 1
    flawed = [s for s, f in zip(all_slips(), world.feature("flawed"), strict=True) if f]
    assert LUCKY in flawed
    assert RIGHT not in flawed


def test_the_chance_after_a_right_first_step_is_that_of_the_world_given_it() -> None:
    world = arithmetic_world(0.2)
    first = np.array([slips[0] == 0 for slips in all_slips()])
    given = world.ref_probs @ (first * world.feature("reaches")) / (world.ref_probs @ first)
    value = completions(RIGHT, 1, slip_rate=0.2, fixes=0.5).value
    assert value == pytest.approx(given, rel=1e-12)


def test_the_chance_after_the_mistake_by_hand() -> None:
    # Fixed: no slip in two steps. Not fixed: one multiple too few in the product, then no slip.
    by_hand = 0.08 * 0.8**2 + 0.92 * 0.1 * 0.8
    assert completions(MISTAKE, 3, slip_rate=0.2, fixes=0.08).value == pytest.approx(by_hand)


def test_sampled_completions_agree_with_the_exact_chance() -> None:
    ways = completions(MISTAKE, 3, slip_rate=0.2, fixes=0.08)
    drawn = np.random.default_rng(0).choice(ways.reaches, 40_000, p=ways.probability)
    # The standard error is .0017.
    assert drawn.mean() == pytest.approx(ways.value, abs=0.006)


def test_a_finished_solution_is_not_fixed() -> None:
    assert completions(MISTAKE, 5, slip_rate=0.2, fixes=1.0).value == 0
    assert completions(LUCKY, 5, slip_rate=0.2, fixes=0.0).value == 1


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match="slip_rate"):
        arithmetic_world(1.0)
    with pytest.raises(InputError, match="1 to 5 steps"):
        completions(RIGHT, 0, slip_rate=0.2, fixes=0.1)


def test_a_world_that_is_kept_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        arithmetic_world(0.2).gold[0] = 9.0
