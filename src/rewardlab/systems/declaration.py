"""What a system is: words, controls, a function from settings to a result, and a question."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.plots.chart import Chart
from rewardlab.plots.text import true_minus
from rewardlab.systems.controls import Control, Value
from rewardlab.types import Figure

YES_NO = "yes/no"
"""Unit of a figure that is 1 for yes and 0 for no."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure that the system shows, by name.

    Attributes:
        name: Stable slug, such as "crossover_beta".
        label: In words, such as "beta at which nonsense overtakes the best fix".
        value: The figure.
        unit: Such as "nats", "share", ``YES_NO``; "" for a bare number.
        low: Lower end of its interval; NaN where it has none.
        high: Upper end.
    """

    name: str
    label: str
    value: float
    unit: str = ""
    low: float = float("nan")
    high: float = float("nan")

    @classmethod
    def of(cls, name: str, label: str, figure: Figure) -> Quantity:
        """An estimate with its unit and interval."""
        return cls(name, label, figure.value, figure.unit, figure.low, figure.high)


Cell = str | int | float | bool | None
"""One entry of a table; None is a dash."""


@dataclass(frozen=True, slots=True)
class Table:
    """The figures behind the chart.

    Attributes:
        columns: Headings.
        rows: Rows, each as long as ``columns``.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InputError(f"Table: expected rows of {len(self.columns)}, got {len(row)}")


@dataclass(frozen=True, slots=True)
class Result:
    """What a system shows at given settings.

    Attributes:
        sentence: What happened, in one sentence that changes with the settings. Its negative
            numbers get a true minus sign.
        quantities: Its figures.
        chart: What is drawn.
        table: The figures behind the chart.
    """

    sentence: str
    quantities: tuple[Quantity, ...]
    chart: Chart
    table: Table

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence", true_minus(self.sentence))

    def value(self, name: str) -> float:
        """The value of a quantity; see ``quantity``."""
        return self.quantity(name).value

    def quantity(self, name: str) -> Quantity:
        """A quantity by its name.

        Raises:
            InputError: The system shows no such figure.
        """
        for quantity in self.quantities:
            if quantity.name == name:
                return quantity
        known = ", ".join(q.name for q in self.quantities)
        raise InputError(f"quantity: expected one of {known}, got {name!r}")


@dataclass(frozen=True, slots=True)
class Answer:
    """The computed answer to a question.

    Attributes:
        choice: Index into the question's choices.
        because: Why, with the figures, in a sentence or two. Its negative numbers get a true
            minus sign.
    """

    choice: int
    because: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "because", true_minus(self.because))


@dataclass(frozen=True, slots=True)
class Question:
    """Something to predict before dragging.

    Attributes:
        text: The question.
        choices: Two to four answers to pick from.
        answer: Computes the answer by the same functions as the system.
    """

    text: str
    choices: tuple[str, ...]
    answer: Callable[[], Answer]


@dataclass(frozen=True, slots=True)
class System:
    """One system of the laboratory.

    Attributes:
        row: Short id, such as "D3".
        name: Slug, such as "leash"; also its module, with underscores for dashes.
        title: A few words.
        sentence: One line: what it shows.
        paragraph: A paragraph in plain words, for someone new to it.
        controls: What can be set; the names are the keyword arguments of ``run``.
        run: Settings as keyword arguments (and ``rng`` where it draws at random) to a result.
        questions: To answer before dragging.
        sources: Papers and texts, as "Author (year), identifier".
    """

    row: str
    name: str
    title: str
    sentence: str
    paragraph: str
    controls: tuple[Control, ...]
    run: Callable[..., Result]
    questions: tuple[Question, ...]
    sources: tuple[str, ...]

    @property
    def draws(self) -> bool:
        """True if the result depends on a seed."""
        return _draws(self.run)

    @property
    def module(self) -> str:
        """Import path of the function behind the system."""
        return self.run.__module__

    def settings(self, chosen: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Every control's value: the chosen ones, checked, and defaults for the others.

        Raises:
            InputError: There is no such control, or its value is not allowed.
        """
        given = dict(chosen or {})
        by_name = {control.name: control for control in self.controls}
        for name in given:
            if name not in by_name:
                known = ", ".join(by_name)
                raise InputError(f"{self.name}: expected a control among {known}, got {name!r}")
        return {
            name: control.checked(given[name]) if name in given else control.default
            for name, control in by_name.items()
        }

    def evaluate(self, chosen: Mapping[str, Value] | None = None, *, seed: int = 0) -> Result:
        """The result at these settings.

        Args:
            chosen: Values of controls by name; the others stay at their defaults.
            seed: Seed of all randomness, for systems that draw.

        Raises:
            InputError: There is no such control, or its value is not allowed.
        """
        arguments: dict[str, Any] = dict(self.settings(chosen))
        if self.draws:
            arguments["rng"] = np.random.default_rng(seed)
        return self.run(**arguments)


@cache
def _draws(run: Callable[..., Result]) -> bool:
    return "rng" in inspect.signature(run).parameters
