"""Files of expected figures: what passes, what fails, what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewardlab.errors import InputError
from rewardlab.systems.checking import check, read_expected
from rewardlab.systems.leash import SYSTEM


def written(folder: Path, text: str) -> Path:
    """A file of expected figures."""
    path = folder / "leash.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_figures_pass_within_their_range_and_fail_outside(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        figure = [
          { name = "crossover_beta", value = 0.24, tolerance = 0.001 },
          { name = "crossover_beta", value = 0.25, tolerance = 0.001 },
          { name = "nonsense", low = 0.9, settings = { beta = 0.1 } },
        ]
        """,
    )
    first, second, third = check(SYSTEM, read_expected(path))
    assert (first.passed, second.passed, third.passed) == (True, False, True)
    assert first.expected.said == "0.24 ± 0.001"
    assert third.value == pytest.approx(0.99, abs=0.01)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("figure = [{ name = 'x', valve = 1 }]", "unknown key 'valve'"),
        ("figure = [{ name = 'x', value = 1 }]", "tolerance"),
        ("figure = [{ name = 'x' }]", "value or low or high"),
        ("figures = []", "figure"),
        ("figure =", "cannot be read as expected figures"),
    ],
)
def test_a_file_laid_out_otherwise_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_expected(written(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"leash\.toml: cannot be read"):
        read_expected(tmp_path / "leash.toml")


def test_a_figure_that_the_system_does_not_show_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "figure = [{ name = 'luck', low = 0 }]")
    with pytest.raises(InputError, match="expected one of odds_of_fix"):
        list(check(SYSTEM, read_expected(path)))
