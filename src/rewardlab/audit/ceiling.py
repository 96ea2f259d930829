"""How good can any reward be on these votes? The ceiling that disagreement sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.scored import ScoredVotes
from rewardlab.stats.agreement import agreement_with_others
from rewardlab.stats.intervals import Estimate, cluster_proportion, widened
from rewardlab.types import Finding, FloatArray, IntArray, Status

LITTLE_LEFT = 0.05
"""A reward that cannot gain more than this is as good as the votes allow."""

MIN_REPEATED_PAIRS = 20
"""Fewer pairs with two decided votes give no useful agreement rate."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The best accuracy that any reward can reach against single votes on these pairs.

    With q the chance that a voter prefers the favourite of a pair, the ceiling is E[q], and two
    voters agree with chance a = E[q^2 + (1-q)^2]. Given a alone, E[q] lies in
    [a, (1 + sqrt(2a - 1))/2]: the upper end where all pairs are equally noisy, the lower where
    each pair is either settled or a coin.

    Attributes:
        agreement: Chance that two voters on the same pair agree, ties set aside.
        low: Lower end of the ceiling at the estimated agreement.
        high: Upper end at the estimated agreement.
        outer_low: Lower end with the sampling error of the agreement.
        outer_high: Upper end with the sampling error of the agreement.
        accuracy: Of the reward on the same votes.
        n_pairs: Pairs with at least two decided votes.
        n_votes: Their decided votes.
        n_decided: Decided votes in all; those on other pairs tell nothing of the ceiling.
        tie_share: Share of all votes that decide nothing; set aside in every figure here.
    """

    agreement: Estimate
    low: float
    high: float
    outer_low: float
    outer_high: float
    accuracy: Estimate
    n_pairs: int
    n_votes: int
    n_decided: int
    tie_share: float


@dataclass(frozen=True, slots=True)
class CeilingRange:
    """Between which accuracies on single votes the best possible reward lies; see ``Ceiling``.

    Attributes:
        low: Lower end at the estimated agreement.
        high: Upper end at the estimated agreement.
        outer_low: Lower end with the sampling error of the agreement.
        outer_high: Upper end with the sampling error of the agreement.
    """

    low: float
    high: float
    outer_low: float
    outer_high: float


def equal_noise_ceiling(agreement: FloatArray | float) -> FloatArray:
    """(1 + sqrt(2a - 1))/2: the ceiling if every pair is equally noisy; the upper bound of any.

    Args:
        agreement: Chance(s) in [0, 1] that two voters agree; below .5 (which two independent
            voters cannot have, but a sample can) counts as .5.

    Source: two voters who each flip a common preference with chance e agree with
    a = (1-e)^2 + e^2; Jensen's inequality makes it an upper bound in general.
    """
    return np.asarray((1 + np.sqrt(np.maximum(0.0, 2 * np.asarray(agreement) - 1))) / 2)


def ceiling_range(agreement: Estimate) -> CeilingRange:
    """Between which accuracies the best possible reward lies, given how often voters agree.

    Args:
        agreement: Chance that two voters on the same pair agree, ties set aside. Where it has no
            interval, the outer ends are 1/2 and 1.
    """
    known = not np.isnan(agreement.low)
    return CeilingRange(
        low=max(0.5, agreement.value),
        high=float(equal_noise_ceiling(agreement.value)),
        outer_low=max(0.5, agreement.low) if known else 0.5,
        outer_high=float(equal_noise_ceiling(min(1.0, agreement.high))) if known else 1.0,
    )


def measure_ceiling(votes: ScoredVotes, *, widening: float = 1.0) -> Ceiling | None:
    """The ceiling as an interval, or None where fewer than 20 pairs have two decided votes.

    Each pair counts by its number of votes, as it does in the accuracy. Votes of one annotator on
    one pair count once (the last one), and so do votes without an annotator: a repeated row is no
    second opinion.

    Args:
        votes: With rewards.
        widening: Factor >= 1 for the interval of the reward's accuracy.
    """
    decided = _one_vote_an_annotator(votes.take(votes.decided))
    same = agreement_with_others(decided.pair, (decided.label > 0.5).astype(np.int64))
    of_vote = ~np.isnan(same)
    n_pairs = len(np.unique(decided.pair[of_vote]))
    if n_pairs < MIN_REPEATED_PAIRS:
        return None
    agreement = cluster_proportion(same[of_vote], decided.prompt[of_vote])
    possible = ceiling_range(agreement)
    return Ceiling(
        agreement=agreement,
        low=possible.low,
        high=possible.high,
        outer_low=possible.outer_low,
        outer_high=possible.outer_high,
        accuracy=widened(
            cluster_proportion(decided.correct[of_vote], decided.prompt[of_vote]),
            widening,
            highest=1.0,
        ),
        n_pairs=n_pairs,
        n_votes=int(of_vote.sum()),
        n_decided=int(votes.decided.sum()),
        tie_share=float(1 - votes.decided.mean()),
    )


def _one_vote_an_annotator(votes: ScoredVotes) -> ScoredVotes:
    key: IntArray = votes.pair * (votes.annotator.max(initial=0) + 2) + votes.annotator + 1
    _, from_end = np.unique(key[::-1], return_index=True)
    keep = np.zeros(len(key), dtype=bool)
    keep[len(key) - 1 - from_end] = True
    return votes.take(keep)


def ceiling_finding(ceiling: Ceiling | None) -> Finding:
    """What the accuracy means beside the ceiling, both on pairs that two people voted on.

    Args:
        ceiling: From ``measure_ceiling``; None where it could not be measured.
    """
    name = "ceiling"
    if ceiling is None:
        return Finding(
            name=name,
            status=Status.CANNOT_SAY,
            title="How good any reward could be here is unknown",
            meaning="Disagreement between voters caps the accuracy of even a perfect reward; "
            f"fewer than {MIN_REPEATED_PAIRS} pairs have two decided votes to measure it on.",
            action="Collect a second vote, by another annotator, on at least 100 pairs, "
            "and name the annotators (--column annotator=COLUMN).",
        )
    status, action = _beside_the_ceiling(ceiling)
    return Finding(
        name,
        status,
        f"{ceiling.accuracy.value:.0%} where at best {ceiling.low:.0%} to {ceiling.high:.0%} is "
        "possible",
        f"Two voters agree on {ceiling.agreement.value:.1%} of {ceiling.n_pairs:,} pairs with "
        f"repeated votes; ties ({ceiling.tie_share:.0%} of votes) are set aside. With sampling "
        f"error the ceiling lies in {ceiling.outer_low:.0%} to {ceiling.outer_high:.0%}. The "
        f"accuracy is that on the same {ceiling.n_votes:,} of {ceiling.n_decided:,} decided votes.",
        action,
        count=ceiling.n_pairs,
        counted="pairs with repeated votes",
    )


def _beside_the_ceiling(ceiling: Ceiling) -> tuple[Status, str]:
    accuracy = ceiling.accuracy
    if np.isnan(ceiling.agreement.low) or np.isnan(accuracy.low):
        return Status.CANNOT_SAY, "Add prompts: one alone gives the agreement no interval."
    if accuracy.low > ceiling.outer_high:
        return Status.FAIL, (
            "Look for a leak: no reward can beat the ceiling on unseen votes. Check that prompts "
            "or pairs of the training set are not in this file."
        )
    if accuracy.high < ceiling.outer_low:
        return Status.WARN, (
            "There is room: a better reward can still gain accuracy on these votes before "
            "disagreement stops it."
        )
    left = max(0.0, ceiling.outer_high - accuracy.low)
    if left <= LITTLE_LEFT:
        return Status.PASS, (
            f"At most {100 * left:.0f} points are left; better labels (a majority of three votes) "
            "would tell more than a bigger model."
        )
    return Status.CANNOT_SAY, (
        f"Up to {100 * left:.0f} points may be left, or none. Try a reward that knows more "
        "('rewardlab compare'): if it gains, there was room. Second votes on more pairs narrow "
        "the ceiling."
    )
