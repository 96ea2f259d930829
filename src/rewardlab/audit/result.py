"""What an audit found, as plain data: the page, the JSON and the terminal all read this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rewardlab.audit.accuracy import Accuracy
from rewardlab.audit.calibration import Calibration
from rewardlab.audit.ceiling import Ceiling
from rewardlab.audit.curves import CurveResult
from rewardlab.audit.difficulty import Contrast
from rewardlab.audit.payments import LengthAlone, Payments
from rewardlab.audit.reading import Reading
from rewardlab.audit.scored import ScoredVotes
from rewardlab.preferences.formats import ReadReport
from rewardlab.types import Finding


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What was read.

    Attributes:
        files: Names of the files.
        layout: How the file was recognised, in a sentence.
        n_rows: Rows in the files.
        n_votes: Votes used.
        n_pairs: Pairs of responses.
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


def data_facts(
    report: ReadReport,
    votes: ScoredVotes,
    *,
    left_out: Sequence[str] = (),
    n_pairs: int | None = None,
) -> DataFacts:
    """The facts of votes that were read and scored.

    Args:
        report: Of the pass that read them.
        votes: Those that were scored.
        left_out: Why rewards scored fewer votes, a sentence for each reason.
        n_pairs: Pairs as the file names them; distinct pairs of texts if not given.
    """
    rows = [f"{x.count:,} rows: {x.reason}" for x in report.left_out]
    return DataFacts(
        files=tuple(dict.fromkeys(votes.source)),
        layout=report.layout.sentence,
        n_rows=report.n_rows,
        n_votes=len(votes),
        n_pairs=len(np.unique(votes.pair)) if n_pairs is None else n_pairs,
        n_prompts=len(np.unique(votes.prompt)),
        n_annotators=len(np.unique(votes.annotator[votes.annotator >= 0])),
        left_out=(*rows, *dict.fromkeys(left_out)),
    )


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
        raters_pay: What the votes pay for, in logits; None where refused.
        fitted_here: True if the reward is text features fitted on other folds of these votes; it
            then pays as they do.
        reward_pays: What the reward pays for, in its own standard deviations; None where refused,
            or where it was fitted here.
        overpaid: What the reward pays for beyond what the votes do, in logits; None where refused,
            or where it was fitted here.
        length_alone: What length alone reaches.
        reading: Votes and texts to read.
        curves: One for each proxy, where samples were given.
        by_difficulty: Accuracy on the clearest votes beside the hardest, for each way to tell.
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
    fitted_here: bool
    reward_pays: Payments | None
    overpaid: Payments | None
    length_alone: LengthAlone
    reading: Reading
    curves: tuple[CurveResult, ...] = ()
    by_difficulty: tuple[Contrast, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
