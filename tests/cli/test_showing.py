"""Findings in the terminal: figures once, refusals together."""

from __future__ import annotations

import io

from rich.console import Console

from rewardlab.cli.showing import print_findings
from rewardlab.types import Figure, Finding, Status

SPLITS = "Name the splits (--column split=COLUMN)."


def shown(*findings: Finding) -> list[str]:
    """The lines printed, 100 columns wide, without the blank ones."""
    file = io.StringIO()
    print_findings(findings, Console(file=file, width=100, highlight=False))
    return [line for line in file.getvalue().splitlines() if line]


def test_a_passed_check_shows_its_figure_with_the_interval_below_its_title() -> None:
    figure = Figure(0.49, 0.442, 0.537, "share", level=0.99)
    passed = Finding("side-bias", Status.PASS, "Side a wins 49.0%", "m", "a", figure=figure)
    assert shown(passed) == [
        "Passed (1)",
        "  + Side a wins 49.0%  [side-bias]",
        "      49.0% (99% interval 44.2% to 53.7%)",
    ]


def test_a_figure_without_an_interval_is_left_to_the_title() -> None:
    figure = Figure(0.9, unit="share")
    passed = Finding("verdicts", Status.PASS, "9 of 10 votes are decided", "m", "a", figure=figure)
    assert shown(passed)[1:] == ["  + 9 of 10 votes are decided  [verdicts]"]


def test_checks_that_lack_the_same_thing_are_named_in_one_line_with_the_remedy_once() -> None:
    lacking = [
        Finding(name, Status.CANNOT_SAY, f"No {name} known", "m", SPLITS)
        for name in ("shared-pairs", "shared-prompts")
    ]
    alone = Finding("side-bias", Status.CANNOT_SAY, "No side is recorded", "m", "Record it.")
    assert shown(*lacking, alone) == [
        "Cannot say (3)",
        f"  ? shared-pairs, shared-prompts: {SPLITS}",
        "  ? No side is recorded  [side-bias]",
        "      remedy: Record it.",
    ]
