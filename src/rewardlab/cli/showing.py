"""How findings are shown in the terminal: what failed first, what passed in one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rewardlab.types import Finding, Status

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_ORDER = (Status.FAIL, Status.WARN, Status.CANNOT_SAY)
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


def stdout_console() -> Console:
    """A console for results; plain text where standard output is no terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def print_findings(
    findings: Sequence[Finding], console: Console, *, show_passed: bool = True
) -> None:
    """Print findings grouped by status: fail, warn and cannot say in full, passed in a line each.

    Findings that cannot say for want of the same thing stand together, with the remedy once.
    """
    for status in _ORDER:
        chosen = [f for f in findings if f.status is status]
        if not chosen:
            continue
        _heading(console, status, len(chosen))
        if status is Status.CANNOT_SAY:
            _by_remedy(console, chosen)
        else:
            for finding in chosen:
                _in_full(console, finding)
    passed = [f for f in findings if f.status is Status.PASS]
    if passed and show_passed:
        _heading(console, Status.PASS, len(passed))
        for finding in passed:
            console.print(_line(Status.PASS, finding.title, finding.name))


def print_summary(findings: Sequence[Finding], console: Console) -> None:
    """One line: how many findings of each status."""
    counts = [(sum(f.status is s for f in findings), s) for s in (*_ORDER, Status.PASS)]
    words = {Status.FAIL: "failed", Status.WARN: "to look at", Status.PASS: "passed"}
    said = [f"{n} {words.get(s, s.value)}" for n, s in counts if n]
    console.print()
    console.print(f"{len(findings)} checks: {', '.join(said)}.")


def _heading(console: Console, status: Status, count: int) -> None:
    from rich.text import Text

    console.print()
    console.print(Text(f"{_HEADINGS[status]} ({count})", style=_STYLES[status]))


def _line(status: Status, title: str, name: str) -> Text:
    from rich.text import Text

    line = Text(f"  {_MARKS[status]} ", style=_STYLES[status])
    line.append(title, style="bold" if status in (Status.FAIL, Status.WARN) else "not bold")
    line.append(f"  [{name}]", style="not bold dim")
    return line


def _in_full(console: Console, finding: Finding) -> None:
    console.print(_line(finding.status, finding.title, finding.name))
    facts = detail_words(finding.details)
    if facts:
        _indented(console, facts)
    if finding.examples:
        _indented(console, "see " + ", ".join(finding.examples))
    _indented(console, "why: " + finding.meaning)
    _indented(console, "do:  " + finding.action)


def _by_remedy(console: Console, findings: Sequence[Finding]) -> None:
    remedies: dict[str, list[Finding]] = {}
    for finding in findings:
        remedies.setdefault(finding.action, []).append(finding)
    for remedy, together in remedies.items():
        for finding in together:
            console.print(_line(Status.CANNOT_SAY, finding.title, finding.name))
        _indented(console, "remedy: " + remedy)


def _indented(console: Console, text: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console.print(Padding(Text(text, style="dim" if text.startswith("why") else ""), (0, 0, 0, 6)))


def detail_words(details: Mapping[str, Any]) -> str:
    """The details that say something, in a line: "blank won 71, blank tied 676"."""
    words = []
    for name, value in details.items():
        said = _value_words(value)
        if said:
            words.append(f"{name.replace('_', ' ')} {said}")
    return ", ".join(words)


def _value_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if value else ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{k}: {_value_words(v) or 0}" for k, v in value.items()) + ")"
    return ""
