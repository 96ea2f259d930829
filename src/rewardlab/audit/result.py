"""What an audit found, as plain data: the page, the JSON and the terminal all read this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab.audit.accuracy import Accuracy
from rewardlab.audit.calibration import Calibration
from rewardlab.audit.ceiling import Ceiling
from rewardlab.audit.curves import CurveResult
from rewardlab.audit.payments import Payments
from rewardlab.audit.reading import Reading
from rewardlab.types import Finding


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What was read.

    Attributes:
        files: Names of the files.
        layout: How the file was recognised, in a sentence.
        n_rows: Rows in the files.
        n_votes: Votes used.
        n_pairs: Distinct pairs of responses.
        n_prompts: Distinct prompts.
        n_annotators: Named annotators; 0 where the file names none.
        left_out: One sentence for each reason for which rows were left out, with the count.
    """

    files: tuple[str, ...]
    layout: str
    n_rows: int
    n_votes: int
    n_pairs: int
    n_prompts: int
    n_annotators: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Everything an audit found.

    Attributes:
        data: What was read.
        reward: Which reward was audited and how its scores were made, in a sentence.
        doctor: Findings about the data.
        findings: Findings about the reward, the most important first.
        accuracy: Accuracy on held-out votes.
        ceiling: What disagreement allows; None where it could not be measured.
        calibration: None where it could not be measured.
        raters_pay: What the votes reward, from an unpenalised fit; None where refused.
        reward_pays: What the reward pays for beyond what the votes do; None where the reward is
            the text-feature reward itself, or where refused.
        reading: Votes and texts to read.
        curves: One for each proxy, where samples were given.
        settings: Options and seed.
        version: Version of rewardlab.
    """

    data: DataFacts
    reward: str
    doctor: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    accuracy: Accuracy
    ceiling: Ceiling | None
    calibration: Calibration | None
    raters_pay: Payments | None
    reward_pays: Payments | None
    reading: Reading
    curves: tuple[CurveResult, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
