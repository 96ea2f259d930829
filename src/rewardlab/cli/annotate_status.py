"""What ``rewardlab annotate status`` prints: progress, agreement, and what stands out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rewardlab.app.annotate.admin.summary import Summary
    from rewardlab.audit.annotators import AnnotatorFigures
    from rewardlab.stats.intervals import Estimate


def print_status(summary: Summary) -> None:
    """Print how far a project is, by annotator, and how well people agree."""
    from rewardlab.cli.showing import print_findings, stdout_console

    counts, report = summary.counts, summary.report
    typer.echo(
        f"{summary.project.project}: {counts.made:,} of {counts.wanted:,} judgements "
        f"({counts.complete:,} of {counts.n_pairs:,} pairs complete), {counts.lent:,} pairs lent."
    )
    if counts.beyond:
        typer.echo(f"{counts.beyond:,} judgements more than wanted came late; they are kept.")
    if not report.annotators:
        typer.echo("Nobody has judged yet.")
        return
    typer.echo(f"Agreement of two people on a pair: {_said(report.overall.agreement)}")
    typer.echo(f"Where both prefer a side: {_said(report.overall.agreement_decided)}")
    typer.echo(f"Krippendorff's alpha: {_said(report.alpha)}")
    if report.ceiling is not None:
        low, high = report.ceiling.low, report.ceiling.high
        typer.echo(f"A reward can agree with such votes in {low:.1%} to {high:.1%} of them.")
    width = max(len(person.annotator) for person in report.annotators)
    for person in report.annotators:
        typer.echo(_line(person, width))
    print_findings(report.findings, stdout_console(), show_passed=False)


def _line(person: AnnotatorFigures, width: int) -> str:
    parts = [f"{person.n:,} judgements", f"agrees {_said(person.agreement)}"]
    if person.known is not None:
        parts.append(f"known pairs right {_said(person.known)}")
    if person.repeats is not None:
        parts.append(f"repeats the same {_said(person.repeats)}")
    return f"  {person.annotator:<{width}}  {', '.join(parts)}"


def _said(estimate: Estimate | None) -> str:
    if estimate is None:
        return "cannot say yet"
    return f"{estimate.value:.3g} [{estimate.low:.3g}, {estimate.high:.3g}]"
