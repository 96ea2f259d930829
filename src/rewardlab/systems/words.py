"""Systems in words and as plain data: the same in the terminal, in JSON and on pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from rewardlab.plots.chart import Chart
from rewardlab.plots.text import MISSING, number
from rewardlab.systems.controls import Choice, Control, Slider, Value
from rewardlab.systems.declaration import (
    YES_NO,
    Cell,
    Quantity,
    Question,
    Result,
    System,
    Table,
)

DIGITS = 4
"""Significant digits of a figure."""

_ROUNDING = 1e-13
"""A figure below this in size is rounding, and is said to be 0."""

LETTERS = "abcd"
"""Names of a question's choices."""


def setting_text(value: Value) -> str:
    """A control's value as --set takes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def range_text(control: Control) -> str:
    """What a control can be set to: "0.05 to 4", "on or off", "careful, hurried"."""
    match control:
        case Slider():
            return f"{control.low:g} to {control.high:g}"
        case Choice():
            return ", ".join(control.options)
    return "on or off"


def answer_text(question: Question) -> str:
    """The computed answer with its reason: "c) It collapses. From beta 0.5 to 0.1 ..."."""
    found = question.answer()
    choice = question.choices[found.choice].rstrip(".")
    return f"{LETTERS[found.choice]}) {choice}. {found.because}"


def all_words(system: System) -> str:
    """Everything that a declaration says, to search in."""
    asked = [text for q in system.questions for text in (q.text, *q.choices)]
    named = [f"{control.label} {range_text(control)}" for control in system.controls]
    said = (system.row, system.name, system.title, system.sentence, system.paragraph)
    return "\n".join([*said, *named, *asked, *system.sources])


def described(system: System, *, answer: bool = False) -> dict[str, Any]:
    """A declaration as plain data.

    Args:
        system: The system.
        answer: Add the computed answers, which hold for the default settings and seed.
    """
    questions = [
        {"text": q.text, "choices": q.choices, **({"answer": q.answer()} if answer else {})}
        for q in system.questions
    ]
    kinds = {control.name: type(control).__name__.lower() for control in system.controls}
    return {
        **{name: getattr(system, name) for name in ("row", "name", "title", "sources")},
        "about": system.sentence,
        "paragraph": system.paragraph,
        "controls": [{"kind": kinds[c.name], **asdict(c)} for c in system.controls],
        "questions": questions,
        "function": f"{system.module}.run",
        "draws": system.draws,
    }


def code_for(system: System, settings: Mapping[str, Value], seed: int = 0) -> str:
    """Three lines of Python that reproduce a result."""
    changed = {c.name: settings[c.name] for c in system.controls if settings[c.name] != c.default}
    given = [repr(changed)] if changed else []
    given += [f"seed={seed}"] if system.draws else []
    return (
        f"from {system.module} import SYSTEM\n"
        f"result = SYSTEM.evaluate({', '.join(given)})\n"
        "print(result.sentence)"
    )


def shown(result: Result) -> dict[str, Any]:
    """A result as plain data; each figure also as text, which tells an infinite one from none."""
    return {
        "sentence": result.sentence,
        "quantities": [{**_fields(q), "text": figure_text(q)} for q in result.quantities],
        "table": result.table,
        "chart": {"kind": type(result.chart).__name__, **_fields(result.chart)},
    }


def _fields(value: Quantity | Chart) -> dict[str, Any]:
    """Fields by name; unlike ``asdict`` it copies nothing."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def figure_text(quantity: Quantity) -> str:
    """A figure with its interval and unit: "2.77 (1.2 to 3.1) nats"."""
    if quantity.unit == YES_NO and not math.isnan(quantity.value):
        return "yes" if quantity.value else "no"
    percent = quantity.unit == "share"
    said = _measured(quantity.value, percent=percent)
    if not (math.isnan(quantity.low) or math.isnan(quantity.high)):
        ends = (_measured(end, percent=percent) for end in (quantity.low, quantity.high))
        said += f" ({' to '.join(ends)})"
    if percent or not quantity.unit:
        return said
    return f"{said} {quantity.unit[:-1] if said == '1' else quantity.unit}"


def _measured(value: float, *, percent: bool) -> str:
    value = 0.0 if abs(value) < _ROUNDING else value
    if percent:
        said = number(100 * value, digits=3)
        return said if said == MISSING else f"{said}%"
    return trimmed(number(value, digits=DIGITS))


def trimmed(said: str) -> str:
    """Without the zeros at the end of its decimals: "2.800" is 2.8, "1.000" is 1."""
    return said.rstrip("0").rstrip(".") if "." in said and "e" not in said else said


def table_texts(table: Table) -> dict[str, Any]:
    """A table as it is read: columns, rows of texts, and which columns are numbers."""
    columns = [[row[j] for row in table.rows] for j in range(len(table.columns))]
    written = [column_texts(column) for column in columns]
    return {
        "columns": table.columns,
        "rows": list(zip(*written, strict=True)),
        "numeric": [is_numeric(column) for column in columns],
    }


def is_numeric(cells: Sequence[Cell]) -> bool:
    """True for a column of numbers, which stands at the right."""
    return not any(isinstance(cell, str | bool) for cell in cells)


def column_texts(cells: Sequence[Cell]) -> list[str]:
    """A column's cells as text; its decimal numbers share their decimals."""
    values = [cell for cell in cells if isinstance(cell, float) and math.isfinite(cell)]
    decimals = _decimals(values)
    return [_cell_text(cell, decimals) for cell in cells]


def _decimals(values: Sequence[float]) -> int:
    """Decimals that give the largest value its digits, and as few as say the same of all."""
    largest = max((abs(value) for value in values), default=0.0)
    if not 1e-3 <= largest < 1e6:
        return 0
    decimals = max(0, DIGITS - 1 - math.floor(math.log10(largest)))
    while decimals and all(
        f"{value:.{decimals}f}".endswith("0") for value in values
    ):  # Zeros at every end say nothing.
        decimals -= 1
    return decimals


def _cell_text(cell: Cell, decimals: int) -> str:
    if cell is None:
        return MISSING
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not isinstance(cell, float):
        return str(cell)
    said = f"{abs(cell):,.{decimals}f}"
    if not math.isfinite(cell) or abs(float(said.replace(",", "")) - abs(cell)) > 0.05 * abs(cell):
        return trimmed(number(cell, digits=3))  # Too small for the column's decimals.
    return f"−{said}" if cell < 0 else said
