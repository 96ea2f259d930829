"""``rewardlab annotate status``: progress, agreement, and what stands out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from rewardlab.cli.annotate_options import Name, named_project
from rewardlab.cli.lab_database import Db, Folder, lab_engine

if TYPE_CHECKING:
    from rewardlab.app.annotate.admin.summary import Summary
    from rewardlab.audit.annotators import AnnotatorFigures
    from rewardlab.stats.intervals import Estimate


def status(name: Name, db: Db = "", folder: Folder = None) -> None:
    """Show how far a project is, by annotator, and how well people agree.

    Example: rewardlab annotate status helpfulness
    """
    from datetime import UTC, datetime

    from rewardlab.app.annotate.admin.summary import asked_pairs, summarised

    with lab_engine(db, folder) as engine:
        project, asked = named_project(engine, name), asked_pairs(engine, name)
        _print_status(summarised(engine, project, datetime.now(UTC), asked=asked))


def _print_status(summary: Summary) -> None:
    """Print how far a project is, by annotator, and how well people agree."""
    from rewardlab.app.annotate.admin import sentences
    from rewardlab.cli.showing import print_findings, stdout_console

    report = summary.report
    typer.echo(f"{summary.project.project}: {sentences.progress_sentence(summary.counts)}")
    typer.echo(sentences.when_sentence(summary.counts, summary.pace))
    aside = sentences.aside_sentence(summary)
    if aside:
        typer.echo(aside)
    if not report.annotators:
        return
    typer.echo(f"To export: {sentences.left_out_sentence(summary)}")
    typer.echo(f"Agreement of two people on a pair: {_said(report.overall.agreement)}")
    typer.echo(f"Where both prefer a side: {_said(report.overall.agreement_decided)}")
    typer.echo(f"Krippendorff's alpha: {_said(report.alpha, '.2f')}")
    typer.echo(sentences.ceiling_sentence(summary))
    typer.echo("By annotator, checks and skips included, with 95% intervals:")
    width = max(len(person.annotator) for person in report.annotators)
    for person in report.annotators:
        typer.echo(_line(person, width))
    print_findings(report.findings, stdout_console(), show_passed=False)


def _line(person: AnnotatorFigures, width: int) -> str:
    parts = [f"{person.n:,} judgement{'s' * (person.n != 1)}", f"agrees {_said(person.agreement)}"]
    if person.known is not None:
        parts.append(f"known pairs right {_said(person.known)}")
    if person.repeats is not None:
        parts.append(f"repeats the same {_said(person.repeats)}")
    return f"  {person.annotator:<{width}}  {', '.join(parts)}"


def _said(estimate: Estimate | None, form: str = ".0%") -> str:
    if estimate is None:
        return "cannot say yet"
    return f"{estimate.value:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"
