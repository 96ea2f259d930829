"""A system's figures beside those that are expected, from files that only the tests keep.

A file NAME.toml holds the expected figures of one system, each as a table::

    [[figure]]
    name = "crossover_beta"
    value = 0.240
    tolerance = 5e-4
    settings = { beta = 1.0 }                     # optional: the defaults
    seed = 0                                      # optional
    fails_with = { nonsense_reward = 2.7 }        # settings under which the check must fail

with ``low`` and ``high`` in place of ``value`` and ``tolerance`` where a range is expected, and
``always = "why"`` in place of ``fails_with`` where no setting can make it fail.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.errors import InputError
from rewardlab.systems.controls import Value
from rewardlab.systems.declaration import Result, System

_RANGE = {"value", "tolerance", "low", "high"}
_KEYS = {"name", "settings", "seed", "fails_with", "always"} | _RANGE


@dataclass(frozen=True, slots=True)
class Expected:
    """A figure that a system should show.

    Attributes:
        name: The quantity.
        low: Smallest value that passes.
        high: Largest value that passes.
        said: The expectation as text, such as "0.24 +- 0.0005".
        settings: Values of controls, by name.
        seed: Seed of all randomness.
        fails_with: Further settings under which the figure must not pass.
        always: Why it passes at all settings; "" where some make it fail.
    """

    name: str
    low: float
    high: float
    said: str
    settings: Mapping[str, Value]
    seed: int
    fails_with: Mapping[str, Value]
    always: str


@dataclass(frozen=True, slots=True)
class Checked:
    """An expected figure beside what the system gave.

    Attributes:
        expected: What was expected.
        value: What came.
        passed: True if it is in the expected range.
    """

    expected: Expected
    value: float
    passed: bool


def read_expected(path: Path) -> tuple[Expected, ...]:
    """The expected figures of one file.

    Raises:
        InputError: The file is missing or not laid out as the module says.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["figure"]
        return tuple(_expected(table) for table in tables)
    except (OSError, KeyError, TypeError, tomllib.TOMLDecodeError, InputError) as error:
        raise InputError(f"{path}: cannot be read as expected figures: {error}") from None


def _expected(table: dict[str, Any]) -> Expected:
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise InputError(f"unknown key {unknown[0]!r} of figure {table.get('name')!r}")
    if "value" in table:
        value, tolerance = float(table["value"]), float(table["tolerance"])
        low, high, said = value - tolerance, value + tolerance, f"{value:g} ± {tolerance:g}"
    elif {"low", "high"} & set(table):
        low, high = float(table.get("low", "-inf")), float(table.get("high", "inf"))
        said = _range(low, high)
    else:
        raise InputError(f"expected value or low or high for figure {table.get('name')!r}")
    return Expected(
        name=table["name"],
        low=low,
        high=high,
        said=said,
        settings=table.get("settings", {}),
        seed=table.get("seed", 0),
        fails_with=table.get("fails_with", {}),
        always=table.get("always", ""),
    )


def _range(low: float, high: float) -> str:
    if math.isinf(low):
        return f"at most {high:g}"
    return f"at least {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def check(system: System, expected: tuple[Expected, ...]) -> Iterator[Checked]:
    """Each expected figure with what the system gives; settings shared by figures run once."""
    results: dict[tuple[Any, ...], Result] = {}
    for one in expected:
        key = (*sorted(one.settings.items()), one.seed)
        if key not in results:
            results[key] = system.evaluate(one.settings, seed=one.seed)
        value = results[key].value(one.name)
        yield Checked(one, value, one.low <= value <= one.high)
