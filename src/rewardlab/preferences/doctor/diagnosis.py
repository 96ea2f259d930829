"""One pass over preferences: every check, one diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rewardlab.preferences.doctor.annotators import check_annotators
from rewardlab.preferences.doctor.bias import (
    LengthFacts,
    check_length_bias,
    check_side_bias,
    length_facts,
)
from rewardlab.preferences.doctor.characters import character_checks
from rewardlab.preferences.doctor.cycles import check_cycles, check_items
from rewardlab.preferences.doctor.duplicates import check_duplicates
from rewardlab.preferences.doctor.fixed_answers import check_fixed_answers
from rewardlab.preferences.doctor.leakage import check_leakage
from rewardlab.preferences.doctor.ledger import Ledger, LedgerBuilder
from rewardlab.preferences.doctor.near_duplicates import PromptSketches
from rewardlab.preferences.doctor.prompt_counts import check_prompt_counts
from rewardlab.preferences.doctor.prompts import prompt_checks
from rewardlab.preferences.doctor.reading import check_reading, nothing_to_examine
from rewardlab.preferences.doctor.row_check import RowCheck
from rewardlab.preferences.doctor.sides import side_checks
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.truncation import truncation_checks
from rewardlab.preferences.doctor.turns import turn_checks
from rewardlab.preferences.doctor.verdicts import check_verdicts
from rewardlab.preferences.doctor.view import view
from rewardlab.types import Finding, Preferences, Status

if TYPE_CHECKING:
    from rewardlab.preferences.formats import ReadReport

Progress = Callable[[float], None]


class Reader(Protocol):
    """What the doctor needs of a reader: passes over chunks, and the report of the last one."""

    def chunks(self, *, on_progress: Progress | None = None) -> Iterator[Preferences]: ...

    @property
    def report(self) -> ReadReport: ...


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the doctor found.

    Attributes:
        findings: One for each check, in the order of the checks.
        report: What was read and what was left out.
        n_votes: Votes examined.
        n_pairs: Distinct pairs among them.
        n_prompts: Distinct prompts.
        n_annotators: Annotators named.
        splits: Names of the splits.
        lengths: Lengths of prompts and responses; None where no row holds texts.
        thresholds: The limits applied.
    """

    findings: tuple[Finding, ...]
    report: ReadReport
    n_votes: int
    n_pairs: int
    n_prompts: int
    n_annotators: int
    splits: tuple[str, ...]
    lengths: LengthFacts | None
    thresholds: Thresholds

    def with_status(self, status: Status) -> tuple[Finding, ...]:
        """The findings of one status."""
        return tuple(f for f in self.findings if f.status is status)

    @property
    def failed(self) -> bool:
        """True if any check failed."""
        return bool(self.with_status(Status.FAIL))

    def __getitem__(self, name: str) -> Finding:
        """The finding of that name."""
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise KeyError(name)


def examine(
    reader: Reader, *, thresholds: Thresholds | None = None, on_progress: Progress | None = None
) -> Diagnosis:
    """Run every check over the preferences of ``reader``, in one pass (two with near duplicates).

    No text is kept beyond its chunk: about 80 bytes a row remain, and 160 for each distinct prompt
    where splits are given.

    Args:
        reader: A ``PreferenceReader``, opened with ``on_bad="count"`` so that rows which cannot
            be read become a finding instead of an error.
        thresholds: Limits of the checks.
        on_progress: Called with the share of the work done, in [0, 1].

    Raises:
        RewardLabError: As the reader raises.
    """
    limits = thresholds or Thresholds()
    row_checks = _row_checks(limits)
    builder, sketches = LedgerBuilder(), PromptSketches(limits.near_duplicate)
    for rows in reader.chunks(on_progress=on_progress):
        chunk = view(rows)
        builder.see(chunk)
        sketches.see(chunk)
        for check in row_checks:
            check.see(chunk)
    report = reader.report
    findings = check_reading(report, limits)
    if not builder.n_rows:
        findings.append(nothing_to_examine(report))
        return Diagnosis(tuple(findings), report, 0, 0, 0, 0, (), None, limits)
    ledger = builder.build()
    findings += [finding for check in row_checks for finding in check.findings()]
    findings += check_duplicates(ledger, limits)
    findings += check_leakage(ledger, sketches, reader.chunks, limits)
    findings += _whole_file(ledger, limits)
    return _diagnosis(ledger, findings, report, limits)


def _row_checks(thresholds: Thresholds) -> list[RowCheck]:
    return [
        *side_checks(thresholds),
        *prompt_checks(thresholds),
        *turn_checks(thresholds),
        *character_checks(thresholds),
        *truncation_checks(thresholds),
    ]


def _whole_file(ledger: Ledger, thresholds: Thresholds) -> list[Finding]:
    return [
        *check_prompt_counts(ledger, thresholds),
        *check_verdicts(ledger, thresholds),
        check_side_bias(ledger, thresholds),
        check_length_bias(ledger, thresholds),
        check_fixed_answers(ledger, thresholds),
        *check_annotators(ledger, thresholds),
        check_cycles(ledger, thresholds),
        *check_items(ledger),
    ]


def _diagnosis(
    ledger: Ledger, findings: list[Finding], report: ReadReport, thresholds: Thresholds
) -> Diagnosis:
    columns = ledger.columns
    return Diagnosis(
        findings=tuple(findings),
        report=report,
        n_votes=len(ledger),
        n_pairs=len(np.unique(columns.pair)),
        n_prompts=len(np.unique(columns.prompt_id)),
        n_annotators=len(ledger.annotators),
        splits=tuple(ledger.splits),
        lengths=length_facts(ledger),
        thresholds=thresholds,
    )
