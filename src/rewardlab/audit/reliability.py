"""Flip rates of annotators from their judgements: what counts as a vote, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.annotator_findings import known_and_right
from rewardlab.audit.judgements import Asked, Judgements
from rewardlab.errors import InputError
from rewardlab.rewards.annotator_reliability import ReliabilityFit, fit_reliability
from rewardlab.types import FloatArray, Outcome


@dataclass(frozen=True, slots=True)
class AnnotatorReliability:
    """How often one annotator says the opposite of what the others' votes lead one to expect.

    Somebody of another taste looks like somebody who errs, but for known pairs.

    Attributes:
        annotator: Name.
        flip_rate: In [0, 1]; .5 is a coin. NaN where somebody decided nothing.
        low: Lower end of the interval.
        high: Upper end.
        n_votes: Decided votes on ordinary pairs.
        n_known: Answers on known pairs.
        why_not: Why nothing useful can be said, "" where it can.
    """

    annotator: str
    flip_rate: float
    low: float
    high: float
    n_votes: int
    n_known: int
    why_not: str


@dataclass(frozen=True, slots=True)
class Reliability:
    """Flip rates of all annotators, estimated with the rewards.

    Attributes:
        annotators: In the order of the judgements' ``annotators``.
        fit: The estimates as arrays: chance that each pair's a is better, weights, scale.
        n_undecided: Ties and both bad, and answers to known pairs that have no better side; they
            say as little of who flips as of what is better, and are left out.
        n_skipped: Skips; left out.
        n_repeats: Repeats; left out: the second judgement remembers the first.
        n_unnamed: Judgements of nobody in particular; left out. With these four, votes and known
            answers add up to all judgements.
    """

    annotators: tuple[AnnotatorReliability, ...]
    fit: ReliabilityFit
    n_undecided: int
    n_skipped: int
    n_repeats: int
    n_unnamed: int


def measure_reliability(
    judgements: Judgements,
    *,
    features: FloatArray | None = None,
    l2: float = 1.0,
    level: float = 0.95,
) -> Reliability:
    """Flip rates from decided judgements on ordinary pairs and on known ones.

    Args:
        judgements: That stand.
        features: Shape [P, d], a row for each pair code 0..P-1; features of a less features of b.
            None for none.
        l2: See ``fit_reliability``.
        level: Confidence level.

    Raises:
        InputError: Nobody who is named decided an ordinary pair, or the features do not fit.
        ConvergenceError: The likelihood was not maximised.
    """
    n_pairs = int(judgements.pair.max(initial=-1)) + 1
    if features is not None and (features.ndim != 2 or len(features) < n_pairs):
        raise InputError(f"features: expected a row for {n_pairs} pairs, got {features.shape}")
    named = judgements.take(judgements.annotator >= 0)
    ordinary = named.asked == Asked.PAIR
    votes = named.take(ordinary & named.decided)
    if not len(votes):
        raise InputError("judgements: expected one at least that prefers a side, got none")
    k = len(named.annotators)
    right = known_and_right(named)
    sided = np.isin(named.known, (Outcome.A, Outcome.B)) & named.decided
    asked_once, used = named.asked != Asked.REPEAT, (ordinary & named.decided) | sided
    fit = fit_reliability(
        votes.pair,
        votes.annotator,
        votes.outcome == Outcome.A,
        n_annotators=k,
        n_pairs=n_pairs if features is None else len(features),
        features=features,
        n_known=np.bincount(named.annotator[sided], minlength=k),
        n_right=np.bincount(named.annotator[sided & (right == 1)], minlength=k),
        l2=l2,
        level=level,
    )
    return Reliability(
        annotators=tuple(_of(fit, i, name) for i, name in enumerate(named.annotators)),
        fit=fit,
        n_undecided=int((asked_once & named.judged & ~used).sum()),
        n_skipped=int((asked_once & ~named.judged).sum()),
        n_repeats=int((~asked_once).sum()),
        n_unnamed=len(judgements) - len(named),
    )


def _of(fit: ReliabilityFit, i: int, name: str) -> AnnotatorReliability:
    return AnnotatorReliability(
        annotator=name,
        flip_rate=float(fit.flip_rate[i]),
        low=float(fit.low[i]),
        high=float(fit.high[i]),
        n_votes=int(fit.n_votes[i]),
        n_known=int(fit.n_known[i]),
        why_not=fit.why_not[i],
    )
