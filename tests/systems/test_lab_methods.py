"""Methods of the lab, declared."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from rewardlab.errors import InputError
from rewardlab.experiments.lab_policies import RunSettings, n_points, optimised
from rewardlab.systems.lab_methods import METHODS, Method, checked_run, default_run, method_of
from rewardlab.worlds.lab import lab_world

each_method = pytest.mark.parametrize("method", METHODS, ids=[m.key for m in METHODS])


def changed(method: Method, **values: Any) -> RunSettings:
    """A method's default run with some other settings."""
    return replace(default_run(method.key), **values)


@each_method
def test_controls_are_settings_and_their_defaults_are_allowed(method: Method) -> None:
    names = {field.name for field in fields(RunSettings)}
    assert {control.name for control in method.controls} <= names
    checked_run(default_run(method.key))


@each_method
def test_a_setting_outside_its_range_is_refused(method: Method) -> None:
    for control in method.controls:
        beyond = 2 * control.high + 1
        value = int(beyond) if control.whole else beyond
        with pytest.raises(InputError, match=control.name):
            checked_run(changed(method, **{control.name: value}))


@each_method
def test_what_a_method_does_not_use_is_not_checked(method: Method) -> None:
    used = {control.name for control in method.controls}
    unused = {"beta": -1.0, "step_size": -1.0, "n_steps": -1, "n_max": -1}
    left = {name: value for name, value in unused.items() if name not in used}
    assert checked_run(changed(method, **left))


@each_method
def test_all_ends_of_all_controls_give_a_path_or_say_why_not(method: Method) -> None:
    world = lab_world()
    reward = world.features @ [2.7, 2.2, -0.1, 1.2, 0.5, 1.2]
    for control in method.controls:
        for end in (control.low, control.high):
            value = int(end) if control.whole else end
            settings = checked_run(changed(method, **{control.name: value}))
            assert len(optimised(world, reward, settings).path.strength) == n_points(settings)


@each_method
def test_the_largest_of_all_settings_together_give_a_path(method: Method) -> None:
    world = lab_world()
    reward = world.features @ [9.0, 9.0, -9.0, 9.0, 9.0, 9.0]
    largest = {c.name: int(c.high) if c.whole else c.high for c in method.controls}
    run = optimised(world, reward, checked_run(changed(method, **largest)))
    assert (run.path.kl_nats >= 0).all()


def test_a_seed_has_bounds_and_a_method_a_name() -> None:
    with pytest.raises(InputError, match="seed"):
        checked_run(RunSettings(seed=-1))
    with pytest.raises(InputError, match="method"):
        method_of("magic")
