"""How systems are shown in the terminal: the list, a result, figures beside what is expected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from rewardlab.cli.showing import stdout_console
from rewardlab.plots.text import number

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from rewardlab.systems.checking import Checked
    from rewardlab.systems.controls import Value
    from rewardlab.systems.declaration import Cell, Quantity, Result, System

_MOST_ROWS = 40


def print_list(systems: tuple[System, ...]) -> None:
    """One line a system: row, name, sentence; never wrapped, so that it can be searched."""
    width = max(len(system.name) for system in systems)
    for system in systems:
        typer.echo(f"{system.row:<4} {system.name:<{width}}  {system.sentence}")


def print_result(system: System, result: Result, settings: Mapping[str, Value]) -> None:
    """The title, the settings, the sentence, the figures and the table behind the chart."""
    console = stdout_console()
    typer.echo(f"{system.title} ({system.row}, {system.name})")
    typer.echo("  ".join(f"{name}={_setting(value)}" for name, value in settings.items()))
    console.print()
    console.print(result.sentence, markup=False, highlight=False)
    console.print()
    figures = _table("", "")
    figures.columns[1].justify = "right"
    for quantity in result.quantities:
        figures.add_row(quantity.label, _figure(quantity))
    console.print(figures)
    console.print()
    table = _table(*result.table.columns)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in result.table.rows[:_MOST_ROWS]:
        table.add_row(*(_cell(cell) for cell in row))
    console.print(table)
    left = len(result.table.rows) - _MOST_ROWS
    if left > 0:
        typer.echo(f"and {left} rows more; --json holds all")


class CheckTable:
    """Figures beside their expectations, a line each as they come, and a summary."""

    def __init__(self) -> None:
        self.n_checked = 0
        self.n_failed = 0

    def add(self, system: System, checked: Checked) -> None:
        """Print one figure."""
        if not self.n_checked:
            typer.echo(f"{'':6}{'system':<21}{'figure':<34}{'value':>12}  expected")
        self.n_checked += 1
        self.n_failed += not checked.passed
        mark = "ok" if checked.passed else "FAIL"
        one = checked.expected
        at = "  ".join(f"{name}={_setting(value)}" for name, value in one.settings.items())
        typer.echo(
            f"{mark:<6}{system.name:<21}{one.name:<34}{number(checked.value, digits=5):>12}  "
            f"{one.said}{f'  at {at}' if at else ''}"
        )

    def finish(self) -> None:
        """Print how many passed."""
        passed = self.n_checked - self.n_failed
        typer.echo(f"{passed} of {self.n_checked} figures are as expected.")


def _table(*columns: str) -> RichTable:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=any(columns))
    for column in columns:
        table.add_column(column)
    return table


def _setting(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _figure(quantity: Quantity) -> str:
    percent = quantity.unit == "share"
    said = _measured(quantity.value, percent=percent)
    if not (math.isnan(quantity.low) or math.isnan(quantity.high)):
        ends = (_measured(end, percent=percent) for end in (quantity.low, quantity.high))
        said += f" ({' to '.join(ends)})"
    return said if percent or not quantity.unit else f"{said} {quantity.unit}"


def _measured(value: float, *, percent: bool) -> str:
    return f"{100 * value:.3g}%" if percent else number(value, digits=4)


def _cell(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return number(cell, digits=4) if isinstance(cell, float) else str(cell)
