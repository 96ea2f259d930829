"""Every expected figure comes out, and stops coming out when an input is perturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.checking import Expected, check, read_expected
from rewardlab.systems.controls import Choice, Control, Slider, Switch, Value
from rewardlab.systems.declaration import System

FOLDER = Path(__file__).parent / "expected"
SYSTEMS = all_systems()


def expected_figures(system: System) -> tuple[Expected, ...]:
    """The figures that the tests keep for one system."""
    return read_expected(FOLDER / f"{system.name}.toml")


def ends(control: Control) -> tuple[Value, ...]:
    """The lowest and highest value of a control, or all of its options."""
    match control:
        case Slider():
            return (control.low, control.high)
        case Choice():
            return tuple(control.options)
        case Switch():
            return (False, True)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_expected_figure_comes_out(system: System) -> None:
    expected = expected_figures(system)
    assert expected
    failed = [c for c in check(system, expected) if not c.passed]
    assert not failed


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_check_fails_when_an_input_is_perturbed(system: System) -> None:
    for one in expected_figures(system):
        assert bool(one.fails_with) != bool(one.always), f"{one.name}: expected one of the two"
        if one.fails_with:
            perturbed = {**one.settings, **one.fails_with}
            value = system.evaluate(perturbed, seed=one.seed).value(one.name)
            assert not one.low <= value <= one.high, f"{one.name} passes even with {perturbed}"


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_what_always_holds_holds_at_the_ends_of_every_control(system: System) -> None:
    for one in expected_figures(system):
        if not one.always:
            continue
        for control in system.controls:
            if control.name in one.settings:
                continue
            for value in ends(control):
                result = system.evaluate({**one.settings, control.name: value}, seed=one.seed)
                assert one.low <= result.value(one.name) <= one.high, f"{control.name} = {value}"


def test_no_file_of_expected_figures_is_without_its_system() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == {system.name for system in SYSTEMS}
