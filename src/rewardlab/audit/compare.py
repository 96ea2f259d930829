"""Which of two rewards is better on the same votes: paired, clustered by prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rewardlab import __version__
from rewardlab.audit.accuracy import MIN_BUCKET_PROMPTS
from rewardlab.audit.calibration import Calibration, measure_calibration
from rewardlab.audit.curves import CurveResult
from rewardlab.audit.pair_kinds import PairKind, pair_kinds
from rewardlab.audit.progress import Progress, show_nothing
from rewardlab.audit.proxy_differences import ProxyDifference
from rewardlab.audit.reading import fetch_texts
from rewardlab.audit.result import DataFacts, data_facts
from rewardlab.audit.reward_choice import RewardChoice
from rewardlab.audit.scored import ScoredVotes
from rewardlab.audit.scoring import score_votes
from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.formats import PreferenceReader
from rewardlab.stats.intervals import (
    FEW_CLUSTERS,
    Estimate,
    cluster_mean,
    cluster_proportion,
    widened,
)
from rewardlab.types import Finding, Preferences, Status

EQUIVALENT = 0.01
"""Two rewards whose accuracies differ by less than this are as good as each other."""


@dataclass(frozen=True, slots=True)
class PairedBucket:
    """Both accuracies on one kind of pair.

    Attributes:
        kind: What the pairs are divided by.
        name: This bucket.
        n_votes: Decided votes in it.
        accuracy_a: Share in [0, 1].
        accuracy_b: Share in [0, 1].
        difference: Accuracy of A minus accuracy of B; None where the bucket is too small.
    """

    kind: str
    name: str
    n_votes: int
    accuracy_a: float
    accuracy_b: float
    difference: Estimate | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A vote that the two rewards order differently.

    Attributes:
        location: "FILE:LINE".
        prompt: The prompt's text.
        preferred: The response that the vote preferred.
        other: The other response.
        right: "A" or "B": the reward that agrees with the vote.
        strength: How far apart the two are: the sum of both gaps, each over its own spread.
    """

    location: str
    prompt: str
    preferred: str
    other: str
    right: str
    strength: float


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """Two rewards on the same votes.

    Attributes:
        data: What was read.
        name_a: Reward A and how its scores were made.
        name_b: Reward B likewise.
        accuracy_a: Share of decided votes that A agrees with.
        accuracy_b: Likewise for B.
        difference: Accuracy of A minus accuracy of B, paired by vote, clustered by prompt.
        buckets: By length relation and difficulty.
        calibration_a: None where it could not be measured.
        calibration_b: Likewise.
        n_disagreements: Decided votes that the two order differently (a tie in one counts).
        disagreements: The strongest, to read.
        curves_a: Optimisation curve of A where samples were given.
        curves_b: Likewise for B.
        findings: The verdict first.
        curve_differences: Gold reached with A minus gold reached with B, on the same prompts.
        settings: Options and seed.
        version: Version of rewardlab.
    """

    data: DataFacts
    name_a: str
    name_b: str
    accuracy_a: Estimate
    accuracy_b: Estimate
    difference: Estimate
    buckets: tuple[PairedBucket, ...]
    calibration_a: Calibration | None
    calibration_b: Calibration | None
    n_disagreements: int
    disagreements: tuple[Disagreement, ...]
    curves_a: tuple[CurveResult, ...]
    curves_b: tuple[CurveResult, ...]
    findings: tuple[Finding, ...]
    curve_differences: tuple[ProxyDifference, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""


def compare_votes(
    votes_a: ScoredVotes, votes_b: ScoredVotes, *, widening: tuple[float, float] = (1.0, 1.0)
) -> tuple[Estimate, Estimate, Estimate, tuple[PairedBucket, ...]]:
    """Accuracy of A, of B, and A minus B, overall and by kind of pair.

    Args:
        votes_a: The votes with the rewards of A.
        votes_b: The same votes, in the same order, with the rewards of B.
        widening: Factors for the intervals of A and B, where they were fitted on other folds of
            these votes. The interval of the difference takes the larger.

    Raises:
        InputError: The votes are not the same, or none prefers a side.
    """
    if len(votes_a) != len(votes_b) or not np.array_equal(votes_a.row, votes_b.row):
        raise InputError("votes: A and B must have scored the same votes, in the same order")
    a, b = votes_a.take(votes_a.decided), votes_b.take(votes_b.decided)
    if not len(a):
        raise InputError("votes: expected at least one that prefers a side; all are ties")
    kinds, _ = pair_kinds(a)
    return (
        widened(cluster_proportion(a.correct, a.prompt), widening[0], highest=1.0),
        widened(cluster_proportion(b.correct, b.prompt), widening[1], highest=1.0),
        widened(cluster_mean(a.correct - b.correct, a.prompt), max(widening), lowest=-1.0),
        tuple(_paired(k, a, b, max(widening)) for k in kinds),
    )


def _paired(kind: PairKind, a: ScoredVotes, b: ScoredVotes, widening: float) -> PairedBucket:
    right_a, right_b = a.correct[kind.mask], b.correct[kind.mask]
    prompt = a.prompt[kind.mask]
    if not len(prompt):
        return PairedBucket(kind.kind, kind.name, 0, float("nan"), float("nan"), None)
    difference = None
    if len(np.unique(prompt)) >= MIN_BUCKET_PROMPTS:
        difference = widened(cluster_mean(right_a - right_b, prompt), widening, lowest=-1.0)
    means = float(right_a.mean()), float(right_b.mean())
    return PairedBucket(kind.kind, kind.name, len(prompt), *means, difference)


def choose_disagreements(
    a: ScoredVotes, b: ScoredVotes, chunks: Iterable[Preferences], *, n_shown: int = 8
) -> tuple[int, tuple[Disagreement, ...]]:
    """How many decided votes the two order differently, and the strongest with their texts.

    Args:
        a: The votes with the rewards of A.
        b: The same votes with the rewards of B.
        chunks: The same preferences again, with texts.
        n_shown: How many to fetch.
    """
    differ = a.decided & (a.correct != b.correct)
    strength = sum(np.abs(v.reward_gap) / (v.reward_gap.std() or 1.0) for v in (a, b))
    order = np.flatnonzero(differ)
    order = order[np.argsort(-np.asarray(strength)[order], kind="stable")]
    _, first = np.unique(a.pair[order], return_index=True)
    shown = order[np.sort(first)][:n_shown]
    rows = fetch_texts(a, shown, chunks)
    return int(differ.sum()), tuple(
        Disagreement(
            a.location(i),
            rows[i].prompt,
            *rows[i].by_preference(a.label[i]),
            "A" if a.correct[i] > b.correct[i] else "B",
            float(np.asarray(strength)[i]),
        )
        for i in map(int, shown)
    )


def calibration_or_none(votes: ScoredVotes) -> Calibration | None:
    """The calibration, or None where the votes do not allow one."""
    try:
        return measure_calibration(votes)
    except EstimationError:
        return None


def better_finding(
    difference: Estimate, accuracy_a: Estimate, accuracy_b: Estimate, n_disagreements: int
) -> Finding:
    """Which reward is better, that they are equivalent, or that these votes cannot say."""
    name = "better-reward"
    figure = difference.figure("points")
    both = f"A agrees with {accuracy_a.value:.1%} of votes, B with {accuracy_b.value:.1%}"
    meaning = (
        f"Paired by vote over {difference.n_clusters:,} prompts; the two order "
        f"{n_disagreements:,} of {difference.n:,} decided votes differently."
    )
    few = (
        f" Only {difference.n_clusters} prompts carry the interval; below about {FEW_CLUSTERS} it "
        "is rough."
        if difference.n_clusters < FEW_CLUSTERS
        else ""
    )
    if n_disagreements == 0:
        return Finding(
            name,
            Status.CANNOT_SAY,
            "A and B order every pair alike",
            "Votes on these pairs cannot tell them apart.",
            "Compare on pairs that the two order differently, or on samples (--samples FILE).",
            figure,
        )
    if np.isnan(difference.low):
        status, title = Status.CANNOT_SAY, f"One prompt cannot tell: {both}"
        action = "Add votes on at least 2 prompts; 40 for good intervals."
    elif difference.low > 0 or difference.high < 0:
        winner = "A" if difference.low > 0 else "B"
        status, title = Status.PASS, f"{winner} is better: {both}"
        action = f"Use {winner} on data like these; read where the other one is right."
    elif max(-difference.low, difference.high) < EQUIVALENT and not few:
        status, title = Status.PASS, f"A and B are equally good to within a point: {both}"
        action = "Choose by cost, calibration, or how each behaves under optimisation."
    else:
        status, title = Status.CANNOT_SAY, f"These votes do not tell which is better: {both}"
        needed = _prompts_to_tell(difference)
        action = (
            f"Add votes on more prompts: about {needed:,} would settle a difference of this size "
            f"(there are {difference.n_clusters:,}); pairs on which the two disagree tell most."
        )
    if few and status is Status.PASS:
        status = Status.WARN
    return Finding(
        name,
        status,
        title,
        meaning + few,
        action,
        figure,
        n_disagreements,
        counted="votes ordered differently",
    )


def _prompts_to_tell(difference: Estimate) -> int:
    """Prompts at which a true difference of this size (at least a point) has 80% power."""
    size = max(abs(difference.value), EQUIVALENT)
    # (z_.975 + z_.80)^2 = 7.85 standard errors squared.
    times = 7.85 * (difference.std_error / size) ** 2
    return int(np.ceil(difference.n_clusters * max(1.1, times)))


def compare(
    reader: PreferenceReader,
    a: RewardChoice,
    b: RewardChoice,
    *,
    names: tuple[str, str] = ("A", "B"),
    seed: int = 0,
    curves_a: Sequence[CurveResult] = (),
    curves_b: Sequence[CurveResult] = (),
    curve_differences: Sequence[ProxyDifference] = (),
    settings: Mapping[str, Any] | None = None,
    progress: Progress = show_nothing,
) -> ComparisonResult:
    """Compare two rewards on the votes that both can score.

    Args:
        reader: The preferences, with texts; read twice.
        a: Reward A.
        b: Reward B.
        names: What to call them.
        seed: Of the folds on which text features are fitted.
        curves_a: Optimisation curves of A, if samples were given.
        curves_b: Likewise for B.
        curve_differences: Gold reached with A minus gold reached with B, likewise.
        settings: Further settings to record.
        progress: Shows the share done of each pass over the file.

    Raises:
        InputError: A file cannot be read, or no vote that both score prefers a side.
    """
    with progress("Scoring the votes") as on_progress:
        scored_a, scored_b = score_votes(reader, [a, b], seed, on_progress=on_progress)
    votes_a, votes_b = scored_a.votes, scored_b.votes
    accuracy_a, accuracy_b, difference, buckets = compare_votes(
        votes_a, votes_b, widening=(scored_a.widening, scored_b.widening)
    )
    n_disagreements, shown = choose_disagreements(votes_a, votes_b, reader.chunks())
    return ComparisonResult(
        data=data_facts(reader.report, votes_a, left_out=(*scored_a.left_out, *scored_b.left_out)),
        name_a=f"{names[0]}: {scored_a.reward}",
        name_b=f"{names[1]}: {scored_b.reward}",
        accuracy_a=accuracy_a,
        accuracy_b=accuracy_b,
        difference=difference,
        buckets=buckets,
        calibration_a=calibration_or_none(votes_a),
        calibration_b=calibration_or_none(votes_b),
        n_disagreements=n_disagreements,
        disagreements=shown,
        curves_a=tuple(curves_a),
        curves_b=tuple(curves_b),
        curve_differences=tuple(curve_differences),
        findings=(better_finding(difference, accuracy_a, accuracy_b, n_disagreements),),
        settings={"seed": seed, **(settings or {})},
        version=__version__,
    )
