"""Each annotator in figures: agreement, sides, time, known pairs, repeats; and who stands out.

Figures here describe; whether one is remarkable is asked in ``annotator_findings``, for all
annotators at once. How often each one flips is estimated in ``reliability``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rewardlab.audit.annotator_findings import Check, Counts, checked, known_and_right
from rewardlab.audit.ceiling import CeilingRange, ceiling_range
from rewardlab.audit.judgements import SKIPPED, Asked, Judgements
from rewardlab.errors import InputError
from rewardlab.stats.agreement import agreement_with_others, krippendorff_alpha
from rewardlab.stats.intervals import Estimate, cluster_proportion
from rewardlab.types import BoolArray, Finding, FloatArray, IntArray, Outcome


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long judgements took, in seconds.

    Attributes:
        lower: The first quartile.
        median: Half took longer.
        upper: The third quartile.
        n: Judgements with a time; skips do not count.
    """

    lower: float
    median: float
    upper: float
    n: int


@dataclass(frozen=True, slots=True)
class AnnotatorFigures:
    """One annotator, or all together. An estimate is None where there is nothing to measure it on.

    Attributes:
        annotator: Name; "" for all together.
        n: Judgements, skips among them.
        n_pairs: Of these, on ordinary pairs (neither repeats nor known).
        n_tie: Ties.
        n_both_bad: Both bad.
        n_skip: Skipped.
        agreement: Chance that another person's judgement of the same pair is the same; tie and
            both bad are answers like others. Ordinary pairs only; skips do not count.
        agreement_decided: The same among judgements that prefer a side.
        left: Share of the side shown first among judgements that prefer one.
        seconds: Time per judgement.
        known: Share of known pairs judged rightly.
        repeats: Share of repeats judged as the first time.
        flags: Names of the findings that name this annotator.
    """

    annotator: str
    n: int
    n_pairs: int
    n_tie: int
    n_both_bad: int
    n_skip: int
    agreement: Estimate | None
    agreement_decided: Estimate | None
    left: Estimate | None
    seconds: Seconds | None
    known: Estimate | None
    repeats: Estimate | None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnotatorReport:
    """What judgements say of those who made them.

    Attributes:
        overall: All together.
        annotators: One by one, as they are named in the judgements.
        alpha: Krippendorff's alpha, nominal, tie and both bad as categories and the sides as
            exchangeable; None where no two people judged the same pair.
        alpha_decided: The same among judgements that prefer a side.
        ceiling: What the agreement of decided judgements implies for any reward.
        findings: What stands out; ``details["annotators"]`` names who.
        n_unnamed: Judgements of nobody in particular, left out of everything here.
        settings: Level, family-wise error rate.
    """

    overall: AnnotatorFigures
    annotators: tuple[AnnotatorFigures, ...]
    alpha: Estimate | None
    alpha_decided: Estimate | None
    ceiling: CeilingRange | None
    findings: tuple[Finding, ...]
    n_unnamed: int
    settings: dict[str, float] = field(default_factory=dict)


def measure_annotators(
    judgements: Judgements, *, level: float = 0.95, false_alarms: float = 0.05
) -> AnnotatorReport:
    """Figures and findings of all annotators.

    Args:
        judgements: That stand. Those without an annotator are left out and counted.
        level: Confidence level of each interval.
        false_alarms: Chance that any annotator at all is wrongly named by any finding.

    Raises:
        InputError: A rate is outside (0, 1).
    """
    _require_rate("level", level)
    _require_rate("false_alarms", false_alarms)
    named = judgements.take(judgements.annotator >= 0)
    rows = _Rows.of(named)
    found = checked(_counts(named, rows), false_alarms=false_alarms)
    people = tuple(
        _figures(named, rows, named.annotator == k, name, level=level, flags=_flags(found, k))
        for k, name in enumerate(named.annotators)
    )
    overall = _figures(named, rows, np.ones(len(named), dtype=bool), "", level=level)
    decided = overall.agreement_decided
    return AnnotatorReport(
        overall=overall,
        annotators=people,
        alpha=_alpha_of(named.take(rows.ordinary), level),
        alpha_decided=_alpha_of(named.take(rows.ordinary & named.decided), level),
        ceiling=None if decided is None else ceiling_range(decided),
        findings=tuple(check.finding for check in found),
        n_unnamed=len(judgements) - len(named),
        settings={"level": level, "false_alarms": false_alarms},
    )


def standing_out(judgements: Judgements, *, false_alarms: float = 0.05) -> tuple[Check, ...]:
    """The findings of ``measure_annotators`` alone, each with the places of those it names.

    Raises:
        InputError: The rate is outside (0, 1).
    """
    _require_rate("false_alarms", false_alarms)
    named = judgements.take(judgements.annotator >= 0)
    return checked(_counts(named, _Rows.of(named)), false_alarms=false_alarms)


def _require_rate(name: str, rate: float) -> None:
    if not 0 < rate < 1:
        raise InputError(f"{name}: expected a number between 0 and 1, got {rate:g}")


@dataclass(frozen=True, slots=True)
class _Rows:
    """What each judgement counts for; shape [n] each, NaN where it does not count.

    Attributes:
        ordinary: On an ordinary pair, not skipped.
        same: Share of the others who said the same.
        same_decided: The same among decided judgements.
        left: 1 where the side shown first is preferred, 0 where the other one.
        right: 1 where a known pair was judged rightly, 0 where not.
        again: 1 where a repeat was judged as the first time, 0 where not.
        turned: 1 where a repeat prefers the other side than the first time, 0 where the same one;
            only where two others prefer a side of the pair.
        apart: 1 where these two prefer different sides, 0 where the same one.
    """

    ordinary: BoolArray
    same: FloatArray
    same_decided: FloatArray
    left: FloatArray
    right: FloatArray
    again: FloatArray
    turned: FloatArray
    apart: FloatArray

    @staticmethod
    def of(judgements: Judgements) -> _Rows:
        ordinary = (judgements.asked == Asked.PAIR) & judgements.judged
        sided = judgements.decided & judgements.sides_recorded
        turned, apart = _beside_others(judgements)
        return _Rows(
            ordinary=ordinary,
            same=_shared(judgements, ordinary),
            same_decided=_shared(judgements, ordinary & judgements.decided),
            left=np.where(sided, judgements.left, np.nan),
            right=known_and_right(judgements),
            again=_again(judgements),
            turned=turned,
            apart=apart,
        )


def _shared(judgements: Judgements, used: BoolArray) -> FloatArray:
    same = np.full(len(judgements), np.nan)
    same[used] = agreement_with_others(judgements.pair[used], judgements.outcome[used])
    return same


def _again(judgements: Judgements) -> FloatArray:
    """Whether each repeat was judged as its pair was by the same annotator; shape [n]."""
    first = _first_of(judgements, judgements.judged)
    same = judgements.outcome[first] == judgements.outcome
    return np.where(first >= 0, same, np.nan)


def _beside_others(judgements: Judgements) -> tuple[FloatArray, FloatArray]:
    """``_Rows.turned`` and ``_Rows.apart``; of more than two others, the first two."""
    outcome, who = judgements.outcome, judgements.annotator
    turned, apart = np.full(len(who), np.nan), np.full(len(who), np.nan)
    first = _first_of(judgements, judgements.decided)
    again = np.flatnonzero(first >= 0)
    said = np.flatnonzero((judgements.asked == Asked.PAIR) & judgements.decided)
    if not len(said):
        return turned, apart
    said = said[np.argsort(judgements.pair[said], kind="stable")]
    start, end = (
        np.searchsorted(judgements.pair[said], judgements.of[again], side=side)
        for side in ("left", "right")
    )
    # Each repeat beside the first three on its pair, of whom one may be the annotator themself.
    place = start[:, None] + np.arange(3)
    other = said[np.minimum(place, len(said) - 1)]
    is_other = (place < end[:, None]) & (who[other] != who[again][:, None])
    enough = is_other.sum(axis=1) >= 2
    again, other, is_other = again[enough], other[enough], is_other[enough]
    order = np.argsort(~is_other, axis=1, kind="stable")
    two = outcome[np.take_along_axis(other, order[:, :2], axis=1)]
    turned[again] = outcome[again] != outcome[first[again]]
    apart[again] = two[:, 0] != two[:, 1]
    return turned, apart


def _first_of(judgements: Judgements, used: BoolArray) -> IntArray:
    """For each repeat, the row in which the same annotator judged its pair; -1 elsewhere.

    Both judgements are among those where ``used`` (shape [n]) holds.
    """
    k = len(judgements.annotators)
    is_repeat = judgements.asked == Asked.REPEAT
    given, again = np.flatnonzero(used & ~is_repeat), np.flatnonzero(used & is_repeat)
    key = judgements.pair[given] * k + judgements.annotator[given]
    wanted = judgements.of[again] * k + judgements.annotator[again]
    first = np.full(len(judgements), -1)
    if len(given):
        order = np.argsort(key)
        place = np.minimum(np.searchsorted(key[order], wanted), len(given) - 1)
        found = given[order[place]]
        first[again] = np.where(key[order[place]] == wanted, found, -1)
    return first


def _counts(judgements: Judgements, rows: _Rows) -> Counts:
    """What the findings test, summed over each annotator's judgements."""
    who, k = judgements.annotator, len(judgements.annotators)

    def count(mask: BoolArray) -> IntArray:
        return np.bincount(who[mask], minlength=k)

    return Counts(
        annotators=judgements.annotators,
        n=count(np.ones(len(who), dtype=bool)),
        n_decided=count(judgements.decided),
        n_left=count(judgements.left) if judgements.sides_recorded else None,
        n_known=count(~np.isnan(rows.right)),
        n_right=count(rows.right == 1),
        n_repeats=count(~np.isnan(rows.turned)),
        n_turned=count((rows.turned == 1) & (rows.apart == 0)),
        n_apart=count((rows.turned == 0) & (rows.apart == 1)),
        n_differ=count(rows.turned == 1),
        duration_s=judgements.duration_s,
        timed=judgements.judged & ~np.isnan(judgements.duration_s),
        annotator=who,
    )


def _figures(
    judgements: Judgements,
    rows: _Rows,
    mine: BoolArray,
    name: str,
    *,
    level: float,
    flags: tuple[str, ...] = (),
) -> AnnotatorFigures:
    outcome = judgements.outcome[mine]

    def share(values: FloatArray) -> Estimate | None:
        used = mine & ~np.isnan(values)
        if not used.any():
            return None
        return cluster_proportion(values[used], judgements.prompt[used], level=level)

    return AnnotatorFigures(
        annotator=name,
        n=len(outcome),
        n_pairs=int((judgements.asked[mine] == Asked.PAIR).sum()),
        n_tie=int((outcome == Outcome.TIE).sum()),
        n_both_bad=int((outcome == Outcome.BOTH_BAD).sum()),
        n_skip=int((outcome == SKIPPED).sum()),
        agreement=share(rows.same),
        agreement_decided=share(rows.same_decided),
        left=share(rows.left),
        seconds=_seconds(judgements.duration_s[mine & judgements.judged]),
        known=share(rows.right),
        repeats=share(rows.again),
        flags=flags,
    )


def _seconds(durations: FloatArray) -> Seconds | None:
    known = durations[~np.isnan(durations)]
    if not len(known):
        return None
    lower, median, upper = (float(q) for q in np.quantile(known, [0.25, 0.5, 0.75]))
    return Seconds(lower, median, upper, len(known))


def _flags(found: tuple[Check, ...], k: int) -> tuple[str, ...]:
    return tuple(check.finding.name for check in found if k in check.flagged)


def _alpha_of(judgements: Judgements, level: float) -> Estimate | None:
    return krippendorff_alpha(
        judgements.pair,
        judgements.outcome,
        judgements.prompt,
        exchangeable=(int(Outcome.A), int(Outcome.B)),
        level=level,
    )
