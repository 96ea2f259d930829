"""How findings are shown in the terminal: what failed first, what passed in one line each."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rewardlab.types import Finding, Status

if TYPE_CHECKING:
    from rich.console import Console

_ORDER = (Status.FAIL, Status.WARN, Status.CANNOT_SAY, Status.PASS)
_HEADINGS: Mapping[Status, str] = {
    Status.FAIL: "Failed",
    Status.WARN: "Worth looking at",
    Status.CANNOT_SAY: "Cannot say",
    Status.PASS: "Passed",
}
_STYLES: Mapping[Status, str] = {
    Status.FAIL: "bold red",
    Status.WARN: "bold yellow",
    Status.CANNOT_SAY: "bold blue",
    Status.PASS: "bold green",
}
_MARKS: Mapping[Status, str] = {
    Status.FAIL: "x",
    Status.WARN: "!",
    Status.CANNOT_SAY: "?",
    Status.PASS: "+",
}
WIDEST = 100


def stdout_console() -> Console:
    """A console for results; plain text where standard output is no terminal."""
    from rich.console import Console

    return Console(highlight=False)


def print_findings(
    findings: Sequence[Finding], console: Console, *, show_passed: bool = True
) -> None:
    """Print findings grouped by status, what failed first.

    Failures and warnings are told in full, passed checks by title and figure (or, without
    ``show_passed``, not at all). Findings that cannot say for want of the same thing are named
    together, with the remedy once.
    """
    for status in _ORDER:
        chosen = [finding for finding in findings if finding.status is status]
        if not chosen or (status is Status.PASS and not show_passed):
            continue
        console.print()
        console.print(f"{_HEADINGS[status]} ({len(chosen)})", style=_STYLES[status])
        if status is Status.CANNOT_SAY:
            _print_by_remedy(chosen, console)
            continue
        for finding in chosen:
            _print_title(finding, console)
            _print_figure(finding, console)
            if status is not Status.PASS:
                _print_facts(finding, console)


def print_summary(findings: Sequence[Finding], console: Console) -> None:
    """One line: how many findings of each status."""
    words = {
        Status.FAIL: "failed",
        Status.WARN: "worth looking at",
        Status.CANNOT_SAY: "cannot say",
        Status.PASS: "passed",
    }
    counts = {s: sum(finding.status is s for finding in findings) for s in _ORDER}
    said = [f"{counts[s]} {words[s]}" for s in _ORDER if counts[s]]
    console.print()
    console.print(f"{len(findings)} checks: {', '.join(said)}.")


def print_wrapped(text: str, console: Console, *, first: str = "", rest: str = "") -> None:
    """Print text wrapped to the console, at most ``WIDEST`` columns, with hanging indents."""
    width = min(console.width, WIDEST)
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _print_title(finding: Finding, console: Console) -> None:
    from rich.text import Text

    width = min(console.width, WIDEST)
    lines = textwrap.wrap(
        f"{finding.title}  [{finding.name}]",
        width,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    strong = "bold" if finding.status in (Status.FAIL, Status.WARN) else ""
    for i, line in enumerate(lines):
        mark = Text(f"  {_MARKS[finding.status]} ", style=_STYLES[finding.status])
        body = Text(line[4:], style=strong)
        body.highlight_regex(r"\[[a-z-]+\]$", style="not bold dim")
        console.print(mark + body if i == 0 else Text("    ") + body, soft_wrap=True)


def _print_figure(finding: Finding, console: Console) -> None:
    """The figure with its interval; one without says no more than the title."""
    from rewardlab.report.naming import figure_text

    figure = finding.figure
    if figure is not None and not math.isnan(figure.low):
        print_wrapped(figure_text(figure), console, first="      ", rest="      ")


def _print_facts(finding: Finding, console: Console) -> None:
    facts = detail_words(finding.details)
    if facts:
        print_wrapped(facts, console, first="      ", rest="      ")
    if finding.examples:
        text = "; ".join(finding.examples)
        print_wrapped(text, console, first="      see ", rest="          ")
    print_wrapped(finding.meaning, console, first="      why ", rest="          ")
    print_wrapped(finding.action, console, first="      do  ", rest="          ")


def _print_by_remedy(findings: Sequence[Finding], console: Console) -> None:
    remedies: dict[str, list[Finding]] = {}
    for finding in findings:
        remedies.setdefault(finding.action, []).append(finding)
    mark = f"  {_MARKS[Status.CANNOT_SAY]} "
    for remedy, together in remedies.items():
        if len(together) > 1:
            names = ", ".join(finding.name for finding in together)
            print_wrapped(f"{names}: {remedy}", console, first=mark, rest="    ")
        else:
            _print_title(together[0], console)
            _print_figure(together[0], console)
            print_wrapped(remedy, console, first="      remedy: ", rest="      ")


def detail_words(details: Mapping[str, Any]) -> str:
    """The details that say something, in a line: "blank won 71, blank tied 676".

    Counts of 0 and counts of pairs beside each part are left to the JSON.
    """
    words = []
    for name, value in details.items():
        said = _value_words(value)
        if said and not name.endswith("_pairs"):
            words.append(f"{name.replace('_', ' ')} {said}")
    return ", ".join(words)


def _value_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if value else ""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{k}: {_value_words(v) or 0}" for k, v in value.items()) + ")"
    return ""
