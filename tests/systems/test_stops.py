"""The states that a copy keeps: within the budget, the default and the ends among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.systems.catalogue import all_systems, find_system
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import System
from rewardlab.systems.stops import stops_within

SYSTEMS = all_systems()
each_system = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


@each_system
@pytest.mark.parametrize("n_states", [1, 4, 150, 1000])
def test_the_budget_holds_and_the_default_is_kept(system: System, n_states: int) -> None:
    grid = stops_within(system, n_states)
    states = list(grid.states())
    assert len(states) == grid.n_states <= n_states
    assert system.settings() in states
    assert len({tuple(state.values()) for state in states}) == len(states)
    for state in states:
        assert system.settings(state) == state


@each_system
def test_a_slider_that_moves_reaches_its_ends(system: System) -> None:
    grid = stops_within(system, 150)
    for control in system.controls:
        values = grid.values[control.name]
        if isinstance(control, Slider) and len(values) > 1:
            assert (values[0], values[-1]) == (control.low, control.high)
            assert list(values) == sorted(values)
        assert (control.name in grid.fixed) == (len(values) == 1)


def test_a_larger_budget_keeps_what_a_smaller_one_had() -> None:
    leash = find_system("leash")
    small, large = (stops_within(leash, n).values for n in (30, 150))
    assert all(set(small[name]) <= set(large[name]) for name in small)


def test_a_logarithmic_slider_is_halved_on_its_own_scale() -> None:
    values = stops_within(find_system("best-of-n"), 150).values["n"]
    assert values == (1, 8, 64, 512, 4096)


def test_stages_of_a_short_play_are_kept_whole() -> None:
    values = stops_within(find_system("the-loop"), 150).values
    assert values["stage"] == tuple(range(1, 19))
    assert values["method"] == ("rlhf", "dpo", "rlaif", "rlvr")


def test_too_many_options_leave_some_choices_at_their_defaults() -> None:
    grid = stops_within(find_system("answer-world"), 150)
    assert "flattery" in grid.fixed
    assert len(grid.values["words"]) == 3


@given(st.integers(1, 3000))
def test_more_room_is_never_less_used(n_states: int) -> None:
    leash = find_system("leash")
    assert stops_within(leash, n_states).n_states <= stops_within(leash, n_states + 1).n_states


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="states: expected at least 1, got 0"):
        stops_within(SYSTEMS[0], 0)
