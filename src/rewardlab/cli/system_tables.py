"""How systems are shown in the terminal: the list, a result, figures beside what is expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from rewardlab.cli.showing import WIDEST, print_wrapped, stdout_console
from rewardlab.plots.text import number
from rewardlab.systems.words import (
    LETTERS,
    answer_text,
    column_texts,
    figure_text,
    is_numeric,
    range_text,
    setting_text,
    trimmed,
)

if TYPE_CHECKING:
    from rich.console import Console

    from rewardlab.systems.checking import Checked, Expected
    from rewardlab.systems.controls import Value
    from rewardlab.systems.declaration import Quantity, Result, System, Table

_MOST_ROWS = 40
_LONGEST_CELL = 160


def print_list(systems: Sequence[System]) -> None:
    """One line a system: row, name, sentence; never wrapped, so that it can be searched."""
    rows = max(len(system.row) for system in systems)
    names = max(len(system.name) for system in systems)
    for system in systems:
        typer.echo(f"{system.row:<{rows}}  {system.name:<{names}}  {system.sentence}")


def print_result(
    system: System, result: Result, settings: Mapping[str, Value], *, introduce: bool, answer: bool,
    console: Console | None = None,
) -> None:  # fmt: skip
    """What happened, the figures and the table behind the chart.

    Args:
        system: The system.
        result: What it showed.
        settings: Every control's value.
        introduce: Say also what it is about, what to predict first, and what can be changed.
        answer: Print the question with its answer.
        console: Where to print; None for standard output.
    """
    console = console or stdout_console()
    console.print(f"{system.title} ({system.row})", style="bold", soft_wrap=True)
    said = "  ".join(f"{name}={setting_text(value)}" for name, value in settings.items())
    print_wrapped(said, console)
    console.print()
    if introduce:
        print_wrapped(system.paragraph, console)
        if not answer:
            _print_questions(system, console, answer=False)
        console.print()
    print_wrapped(result.sentence, console)
    console.print()
    _print_figures(result.quantities, console)
    console.print()
    _print_table(result.table, console)
    if introduce:
        _print_controls(system, settings, console)
    if answer:
        _print_questions(system, console, answer=True)


def _print_figures(quantities: Sequence[Quantity], console: Console) -> None:
    """Labels, and values with their decimal points in one column."""
    said = [figure_text(quantity) for quantity in quantities]
    whole = [_whole(text) for text in said]
    widest = max(whole, default=0)
    rows = [
        (quantity.label, " " * (widest - before) + text)
        for quantity, text, before in zip(quantities, said, whole, strict=True)
    ]
    _print_grid(None, rows, [False, False], console)


def _whole(text: str) -> int:
    """Characters before the decimal point, or before what follows a whole number."""
    return next((i for i, c in enumerate(text) if c not in "0123456789,−∞–"), len(text))


def _print_table(table: Table, console: Console) -> None:
    shown = table.rows[:_MOST_ROWS]
    columns = [[row[j] for row in shown] for j in range(len(table.columns))]
    numeric = [is_numeric(column) for column in columns]
    written = [[_shortened(said) for said in column_texts(column)] for column in columns]
    _print_grid(table.columns, list(zip(*written, strict=True)), numeric, console)
    left = len(table.rows) - _MOST_ROWS
    if left > 0:
        console.print(f"and {left} more {'row' if left == 1 else 'rows'}; --json holds all")
    elif any(isinstance(cell, str) and len(cell) > _LONGEST_CELL for row in shown for cell in row):
        console.print("long texts are cut; --json holds all")


def _print_grid(
    heads: Sequence[str] | None, rows: Iterable[Sequence[str]], right: Sequence[bool],
    console: Console,
) -> None:  # fmt: skip
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, pad_edge=False, show_header=heads is not None, padding=(0, 2, 0, 0))
    for j, at_right in enumerate(right):
        grid.add_column(heads[j] if heads else "", justify="right" if at_right else "left")
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    with console.capture() as captured:
        console.print(grid, width=min(console.width, WIDEST))
    # Rich pads every line to the table's width, which pages and pipes would carry along.
    for line in captured.get().splitlines():
        console.print(line.rstrip(), markup=False, soft_wrap=True)


def _print_controls(system: System, settings: Mapping[str, Value], console: Console) -> None:
    if not system.controls:
        return
    console.print()
    console.print("Change it with --set:", style="bold")
    said = [f"  {name}={setting_text(value)}" for name, value in settings.items()]
    room = max(len(text) for text in said) + 2
    for text, control in zip(said, system.controls, strict=True):
        about = f"{control.label}: {range_text(control)}"
        print_wrapped(about, console, first=text.ljust(room), rest=" " * room)


def _print_questions(system: System, console: Console, *, answer: bool) -> None:
    for question in system.questions:
        console.print()
        print_wrapped(question.text, console)
        for letter, choice in zip(LETTERS, question.choices, strict=False):
            print_wrapped(f"{letter}) {choice}", console, first="  ", rest="     ")
        if answer:
            print_wrapped(f"Answer: {answer_text(question)}", console)
    if answer:
        print_wrapped("(What a question leaves open is at its default, seed 0.)", console)
    else:
        console.print(f"(answer: rewardlab reproduce {system.name} --answer)", soft_wrap=True)


class CheckTable:
    """Figures beside their expectations, a line each as they come, and a summary."""

    def __init__(self, wanted: Sequence[tuple[System, Sequence[Expected]]]) -> None:
        self._systems = max(len(system.name) for system, _ in wanted)
        names = [len(_place(one)) for _, expected in wanted for one in expected]
        self._names = min(max(names, default=0), WIDEST - self._systems - 42)
        self.n_checked = 0
        self.failed: list[str] = []

    def add(self, system: System, checked: Checked) -> None:
        """Print one figure."""
        if not self.n_checked:
            heads = f"{'system':<{self._systems}}  {'figure':<{self._names}}  {'value':>8}"
            typer.echo(f"      {heads}       expected")
        self.n_checked += 1
        one = checked.expected
        said = trimmed(number(checked.value, digits=5))
        value = (" " * (6 - _whole(said)) + said).ljust(13)
        line = f"{system.name:<{self._systems}}  {_place(one):<{self._names}}  {value}  {one.said}"
        if not checked.passed:
            self.failed.append(line)
        # Each line leaves at once, also into a pipe.
        typer.echo(f"{'ok' if checked.passed else 'FAIL':<6}{line}")

    def finish(self) -> None:
        """Print how many passed, and again those that did not."""
        for line in self.failed:
            typer.echo(f"not as expected: {' '.join(line.split())}")
        passed = self.n_checked - len(self.failed)
        typer.echo(f"{passed} of {self.n_checked} figures are as expected.")


def _place(one: Expected) -> str:
    settings = " ".join(f"{name}={setting_text(value)}" for name, value in one.settings.items())
    seed = f" seed {one.seed}" if one.seed else ""
    return f"{one.name}{f' at {settings}' if settings else ''}{seed}"


def _shortened(said: str) -> str:
    return said if len(said) <= _LONGEST_CELL else said[: _LONGEST_CELL - 1].rstrip() + "…"
