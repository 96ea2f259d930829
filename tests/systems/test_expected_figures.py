"""Every expected figure comes out, and stops coming out when an input is perturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.checking import Expected, check, read_expected
from rewardlab.systems.declaration import System

FOLDER = Path(__file__).parent / "expected"
SYSTEMS = all_systems()


def expected_figures(system: System) -> tuple[Expected, ...]:
    """The figures that the tests keep for one system."""
    return read_expected(FOLDER / f"{system.name}.toml")


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_expected_figure_comes_out(system: System) -> None:
    expected = expected_figures(system)
    assert expected
    failed = [c for c in check(system, expected) if not c.passed]
    assert not failed


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_check_fails_when_an_input_is_perturbed(system: System) -> None:
    for one in expected_figures(system):
        assert one.fails_with, f"{one.name}: expected settings under which it fails"
        perturbed = {**one.settings, **one.fails_with}
        value = system.evaluate(perturbed, seed=one.seed).value(one.name)
        assert not one.low <= value <= one.high, f"{one.name} passes even with {perturbed}"


def test_no_file_of_expected_figures_is_without_its_system() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == {system.name for system in SYSTEMS}
