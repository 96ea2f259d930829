"""The whole audit: from a reader (and a reward, and samples) to one result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import __version__
from rewardlab.audit.accuracy import accuracy_finding, measure_accuracy
from rewardlab.audit.calibration import Calibration, calibration_finding, measure_calibration
from rewardlab.audit.ceiling import ceiling_finding, measure_ceiling
from rewardlab.audit.curves import CurveResult, curve_findings
from rewardlab.audit.difficulty import difficulty_finding, measure_contrasts
from rewardlab.audit.payment_findings import (
    beyond_features_finding,
    length_finding,
    overpaid_finding,
    refused,
    votes_finding,
)
from rewardlab.audit.payments import (
    Payments,
    length_alone,
    model_beyond_votes,
    reward_beyond_votes,
    reward_pays_for,
    votes_pay_for,
)
from rewardlab.audit.progress import Progress, show_nothing
from rewardlab.audit.reading import choose_reading, unlikely_labels_finding
from rewardlab.audit.result import AuditResult, data_facts
from rewardlab.audit.reward_choice import FittedHere, RewardChoice
from rewardlab.audit.scoring import Scored, score_votes
from rewardlab.errors import EstimationError
from rewardlab.preferences.doctor import Thresholds, examine
from rewardlab.preferences.formats import PreferenceReader
from rewardlab.types import Finding, Status

Tell = Callable[[str], None]
"""Told what each step found, in a sentence, so that a first result comes early."""


def _tell_nobody(_sentence: str) -> None:
    pass


def audit(
    reader: PreferenceReader,
    *,
    seed: int = 0,
    reward: RewardChoice | None = None,
    features: Sequence[str] = (),
    curves: Sequence[CurveResult] = (),
    thresholds: Thresholds | None = None,
    settings: Mapping[str, Any] | None = None,
    tell: Tell = _tell_nobody,
    progress: Progress = show_nothing,
) -> AuditResult:
    """Audit preferences and a reward on them.

    Args:
        reader: The preferences, with texts; read three times.
        seed: Of the folds.
        reward: The reward; text features fitted here on grouped folds if not given.
        features: Text features whose payments are tested; where empty, those that the reward is
            made of, or all of them.
        curves: Optimisation curves made from samples, to be shown and judged beside.
        thresholds: The doctor's limits.
        settings: Further settings to record in the result.
        tell: Called after each step with what it found.
        progress: Shows the share done of each pass over the file.

    Raises:
        InputError: A file cannot be read, holds no texts, or its votes are all ties.
    """
    with progress("Examining the data") as on_progress:
        diagnosis = examine(reader, thresholds=thresholds or Thresholds(), on_progress=on_progress)
    for sentence in diagnosis.report.sentences[1:]:  # the first is the layout
        tell(sentence)
    to_look_at = sum(f.status in (Status.FAIL, Status.WARN) for f in diagnosis.findings)
    tell(f"Data: {len(diagnosis.findings)} checks, {to_look_at} to look at.")
    with progress("Scoring the votes") as on_progress:
        (scored,) = score_votes(
            reader, [reward or FittedHere()], seed, features=features, on_progress=on_progress
        )
    tell(f"Reward: {scored.reward}.")
    votes = scored.votes
    accuracy = measure_accuracy(votes, widening=scored.widening)
    ceiling = measure_ceiling(votes, widening=scored.widening)
    found = [
        accuracy_finding(accuracy, held_out=scored.held_out, fitted_here=scored.fitted_here),
        ceiling_finding(ceiling),
    ]
    contrasts = measure_contrasts(votes, accuracy, widening=scored.widening)
    by_difficulty = difficulty_finding(
        contrasts, accuracy, room_is_told=found[1].status is Status.WARN
    )
    found += [by_difficulty] if by_difficulty else []
    for finding in found:
        tell(f"{finding.title}.")
    calibration, calibrated = _calibration(scored, predicts=accuracy.overall.low > 0.5)
    paid = _payments(scored)
    length = length_alone(votes, widening=scored.widening)
    predicts = accuracy.overall.low > 0.5 and calibration is not None and calibration.slope.low > 0
    slope = calibration.slope.value if calibration is not None and predicts else None
    with progress("Fetching what to read") as on_progress:
        reading = choose_reading(votes, reader.chunks(on_progress=on_progress), slope=slope)
    rest = [
        *paid.findings,
        length_finding(length, accuracy.overall),
        calibrated,
        unlikely_labels_finding(reading),
    ]
    optimisation = _optimisation(curves)
    return AuditResult(
        data=data_facts(
            diagnosis.report, votes, left_out=scored.left_out, n_pairs=diagnosis.n_pairs
        ),
        reward=scored.reward,
        doctor=diagnosis.findings,
        findings=(*found, *optimisation, *rest),
        accuracy=accuracy,
        by_difficulty=contrasts,
        ceiling=ceiling,
        calibration=calibration,
        raters_pay=paid.votes,
        fitted_here=scored.fitted_here,
        reward_pays=paid.reward,
        overpaid=paid.overpaid,
        length_alone=length,
        reading=reading,
        curves=tuple(curves),
        settings={"seed": seed, **(settings or {})},
        version=__version__,
    )


def _calibration(scored: Scored, *, predicts: bool) -> tuple[Calibration | None, Finding]:
    try:
        calibration = measure_calibration(scored.votes, is_logit=scored.is_logit)
    except EstimationError as error:
        title = "What a reward gap is worth in preference is unknown"
        return None, refused("calibration", title, error)
    return calibration, calibration_finding(
        calibration, is_logit=scored.is_logit, predicts=predicts
    )


@dataclass(frozen=True, slots=True)
class _Paid:
    """What votes pay, what the reward pays, what it overpays (None where refused)."""

    votes: Payments | None
    reward: Payments | None
    overpaid: Payments | None
    findings: tuple[Finding, ...]


def _payments(scored: Scored) -> _Paid:
    votes = scored.votes
    findings: list[Finding] = []
    by_votes = by_reward = overpaid = None
    try:
        by_votes = votes_pay_for(votes)
        findings.append(votes_finding(by_votes))
    except EstimationError as error:
        findings.append(refused("votes-pay-for", "What the votes pay for is unknown", error))
    if scored.fitted_here:
        return _Paid(by_votes, None, None, tuple(findings))
    try:
        by_reward = reward_pays_for(votes)
        beyond = model_beyond_votes(votes) if scored.features else reward_beyond_votes(votes)
        overpaid = beyond.overpaid
        if beyond.reward is not None:
            findings.append(beyond_features_finding(beyond.reward, overpaid.n_prompts))
        findings.append(overpaid_finding(beyond))
    except EstimationError as error:
        title = "What the reward overpays for is unknown"
        findings.append(refused("reward-overpays", title, error))
    return _Paid(by_votes, by_reward, overpaid, tuple(findings))


def _optimisation(curves: Sequence[CurveResult]) -> tuple[Finding, ...]:
    if curves:
        return tuple(finding for curve in curves for finding in curve_findings(curve))
    return (
        Finding(
            "optimisation-curve",
            Status.CANNOT_SAY,
            "How far one may optimise against this reward is unknown",
            "Accuracy on pairs does not tell when more optimisation stops helping.",
            "Give samples, several a prompt, with their reward and gold (--samples FILE --group "
            "COL --proxy COL --gold COL); 'rewardlab curve --choose K' names those worth judging.",
        ),
    )
