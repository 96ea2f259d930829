"""A page in Markdown for each system, and an index of all, from the declarations alone."""

from __future__ import annotations

from collections.abc import Sequence

from rewardlab.systems.controls import Value
from rewardlab.systems.declaration import System
from rewardlab.systems.words import LETTERS, answer_text, range_text, setting_text

_LINE = 88


def page_text(system: System, printed: str) -> str:
    """What the system shows, its plot, the command with its output, the question and the sources.

    Args:
        system: The system.
        printed: What ``rewardlab reproduce NAME`` prints, without the introduction, controls and
            question, which the page has in a form of its own.
    """
    head, figures = printed.strip().split("\n\n", 1)
    parts = [
        f"# {system.title}",
        f"*{system.row} · `{system.name}`* — {system.sentence}",
        system.paragraph,
        f"![{system.title}]({system.name}.svg)",
        f"```\n$ rewardlab reproduce {system.name}\n{head}\n...\n{figures}\n...\n```",
        _controls(system),
        *_questions(system),
        _python(system),
        "Sources: " + "; ".join(system.sources) + ".",
        "[All systems](README.md)",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def index_text(systems: Sequence[System]) -> str:
    """Every system in teaching order, a row each."""
    rows = [f"| {s.row} | [{s.title}]({s.name}.md) | {s.sentence} |" for s in systems]
    return "\n".join(
        [
            "# The exact laboratory",
            "",
            "Small worlds in which every answer is listed and the real goal is known, in the order "
            "in which they build on each other. Each runs in the terminal "
            "(`rewardlab reproduce NAME`), at any settings (`--set control=value`), as a table, "
            "as `--json` or with `--plot FILE`; `rewardlab reproduce all --check` compares every "
            "figure with its published or derived value. These pages are written by `make pages`.",
            "",
            "| | system | what it shows |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _controls(system: System) -> str:
    if not system.controls:
        return ""
    rows = [
        f"| `{c.name}` | {c.label} | {setting_text(c.default)} | {range_text(c)} |"
        for c in system.controls
    ]
    seeded = "\n\nRatings, samples or labels are drawn anew with `--seed`." if system.draws else ""
    head = "| `--set` | what it is | default | range |\n| --- | --- | --- | --- |\n"
    return head + "\n".join(rows) + seeded


def _questions(system: System) -> list[str]:
    parts = ["## Predict first"]
    for question in system.questions:
        choices = zip(LETTERS, question.choices, strict=False)
        listed = "\n".join(f"- {letter}) {choice}" for letter, choice in choices)
        answer = f"<details><summary>Answer</summary>\n\n{answer_text(question)}\n\n</details>"
        parts += [question.text, listed, answer]
    return parts


def _python(system: System) -> str:
    arguments = [f"{name}={_literal(value)}" for name, value in system.settings().items()]
    arguments += ["rng=np.random.default_rng(0)"] * system.draws
    call = f"result = run({', '.join(arguments)})"
    if len(call) > _LINE:
        call = "result = run(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
    first = "import numpy as np\n\n" if system.draws else ""
    return (
        f"The same in Python:\n\n```python\n{first}from {system.module} import run\n\n{call}\n"
        "print(result.sentence)\n```"
    )


def _literal(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
