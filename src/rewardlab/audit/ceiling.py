"""How good can any reward be on these votes? The ceiling that disagreement sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import EstimationError, InputError
from rewardlab.stats.agreement import agreement_with_others
from rewardlab.stats.intervals import Estimate, cluster_proportion, widened
from rewardlab.stats.vote_counts import VoteCounts, count_votes
from rewardlab.stats.vote_range import vote_range
from rewardlab.types import Finding, FloatArray, IntArray, Status

LITTLE_LEFT = 0.05
"""A reward that cannot gain more than this is as good as the votes allow."""

COIN = 0.5
"""How often two voters agree who toss coins."""

MIN_REPEATED_PAIRS = 20
"""Fewer pairs with two decided votes give no useful agreement rate."""

MIN_RICH_PAIRS = 100
MIN_RICH_PROMPTS = 10
"""Least pairs with four votes, and prompts of such pairs, that narrow the range."""


@dataclass(frozen=True, slots=True)
class CeilingRange:
    """Between which accuracies on votes the best possible reward lies; see ``Ceiling``.

    Attributes:
        low: Lower end at what was measured.
        high: Upper end likewise.
        outer_low: Lower end with sampling error.
        outer_high: Upper end with sampling error.
        n_narrowing: Pairs with four or more votes that narrow the range; 0 where it is what the
            agreement alone allows.
    """

    low: float
    high: float
    outer_low: float
    outer_high: float
    n_narrowing: int = 0


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The best accuracy that any reward can reach against single votes on these pairs.

    With q the chance that a voter prefers the favourite of a pair, the ceiling is E[q], and two
    voters agree with chance a = E[q^2 + (1-q)^2]. Given a alone, E[q] lies in
    [a, (1 + sqrt(2a - 1))/2]: the upper end where all pairs are equally noisy, the lower where
    each pair is either settled or a coin. Pairs with four or more votes tell how uneven the noise
    is, and narrow the range without any model of it; see ``stats.vote_range``.

    Attributes:
        agreement: Chance that two voters on the same pair agree, ties set aside.
        low: Lower end of the ceiling at what was measured.
        high: Upper end at what was measured.
        outer_low: Lower end of the ceiling with sampling error.
        outer_high: Upper end with sampling error.
        accuracy: Of the reward on the same votes.
        n_pairs: Pairs with at least two decided votes.
        n_votes: Their decided votes.
        n_decided: Decided votes in all; those on other pairs tell nothing of the ceiling.
        tie_share: Share of all votes that decide nothing; set aside in every figure here.
        n_narrowing: Pairs with four or more decided votes that narrow the range; 0 where too few
            have, and the range is what the agreement alone allows.
        from_agreement: The range that the agreement alone allows.
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
    n_narrowing: int = 0
    from_agreement: CeilingRange | None = None


def equal_noise_ceiling(agreement: FloatArray | float) -> FloatArray:
    """(1 + sqrt(2a - 1))/2: the ceiling if every pair is equally noisy; the upper bound of any.

    Args:
        agreement: Chance(s) in [0, 1] that two voters agree; below .5 (which two independent
            voters cannot have, but a sample can) counts as .5.

    Source: two voters who each flip a common preference with chance e agree with
    a = (1-e)^2 + e^2; Jensen's inequality makes it an upper bound in general.
    """
    return most_common_share(agreement, 2)


def most_common_share(agreement: FloatArray | float, n_answers: int) -> FloatArray:
    """(1 + sqrt((k - 1)(k a - 1)))/k: the largest mean share of the commonest of k answers.

    It is reached where every pair has the same shares, all but the commonest answer alike.

    Args:
        agreement: Chance(s) that two voters give the same answer, a = E[sum of squared shares];
            below 1/k (which a sample can have) counts as 1/k.
        n_answers: k >= 2; with 2 it is ``equal_noise_ceiling``.

    Raises:
        InputError: ``n_answers`` is below 2.

    Source: for one pair by Lagrange; concave in a, so that Jensen's inequality holds it for all.
    """
    if n_answers < 2:
        raise InputError(f"n_answers: expected at least 2, got {n_answers}")
    k = n_answers
    return np.asarray((1 + np.sqrt(np.maximum(0.0, (k - 1) * (k * np.asarray(agreement) - 1)))) / k)


def ceiling_range(agreement: Estimate, *, n_answers: int = 2) -> CeilingRange:
    """Between which accuracies the best possible reward lies, given how often voters agree.

    Args:
        agreement: Chance that two voters on the same pair agree; with two answers, ties set aside.
            Where it has no interval, the outer ends are 1/2 (one over the answers) and 1.
        n_answers: How many answers there are; 3 where a tie is one.
    """
    known, least = not np.isnan(agreement.low), 1 / n_answers

    def top(a: float) -> float:
        return float(most_common_share(min(1.0, a), n_answers))

    return CeilingRange(
        low=max(least, agreement.value),
        high=top(agreement.value),
        outer_low=max(least, agreement.low) if known else least,
        outer_high=top(agreement.high) if known else 1.0,
    )


def narrowed_range(counts: VoteCounts, agreement: Estimate) -> CeilingRange:
    """The range that the votes allow: narrower than ``ceiling_range`` where many pairs have four.

    It takes 100 pairs with at least four votes, evenly split ones among them (20 for each number
    of votes), in 10 prompts or more, and an agreement that is told from a coin's: with less the
    narrowed interval's coverage has not been shown (of votes that are nearly coins it held 90%),
    and the range is what the agreement alone allows. So it is where no independent votes split as
    evenly as these.

    Args:
        counts: Votes on the pairs.
        agreement: Of the same votes.
    """
    wide, rich = ceiling_range(agreement), counts.n >= 4
    if not agreement.low > COIN:
        return wide
    if rich.sum() < MIN_RICH_PAIRS or len(np.unique(counts.cluster[rich])) < MIN_RICH_PROMPTS:
        return wide
    try:
        found = vote_range(counts, level=agreement.level)
    except EstimationError:
        return wide
    if found.n_rich < MIN_RICH_PAIRS:
        return wide
    # Both pairs of ends hold; where noise makes those of the votes the wider, the others stand.
    return CeilingRange(
        low=max(found.low, min(wide.low, found.high)),
        high=min(found.high, max(wide.high, found.low)),
        outer_low=found.outer_low,
        outer_high=found.outer_high,
        n_narrowing=found.n_rich,
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
    for_a = np.asarray(decided.label > 0.5)
    same = agreement_with_others(decided.pair, for_a.astype(np.int64))
    of_vote = ~np.isnan(same)
    n_pairs = len(np.unique(decided.pair[of_vote]))
    if n_pairs < MIN_REPEATED_PAIRS:
        return None
    agreement = cluster_proportion(same[of_vote], decided.prompt[of_vote])
    counts = count_votes(decided.pair, for_a.astype(np.float64), decided.prompt)
    possible = narrowed_range(counts, agreement)
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
        n_narrowing=possible.n_narrowing,
        from_agreement=ceiling_range(agreement),
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
    possible = CeilingRange(
        ceiling.low, ceiling.high, ceiling.outer_low, ceiling.outer_high, ceiling.n_narrowing
    )
    if np.isnan(ceiling.agreement.low):
        status, action = Status.CANNOT_SAY, _ONE_PROMPT
    else:
        status, action = beside_ceiling(ceiling.accuracy, possible)
    return Finding(
        name,
        status,
        verdict(ceiling.accuracy.value, possible),
        f"Two voters agree on {ceiling.agreement.value:.1%} of {ceiling.n_pairs:,} pairs with "
        f"repeated votes; ties ({ceiling.tie_share:.0%} of votes) are set aside."
        f"{_narrowing(ceiling)} With sampling error the ceiling lies in {ceiling.outer_low:.0%} to "
        f"{ceiling.outer_high:.0%}. The accuracy is that on the same {ceiling.n_votes:,} of "
        f"{ceiling.n_decided:,} decided votes.",
        action,
        count=ceiling.n_pairs,
        counted="pairs with repeated votes",
    )


_ONE_PROMPT = "Add prompts: one alone gives the agreement no interval."


def _narrowing(ceiling: Ceiling) -> str:
    """What narrowed the range; nothing where nothing did."""
    wide = ceiling.from_agreement
    if not ceiling.n_narrowing or wide is None:
        return ""
    return (
        f" That alone would allow {wide.low:.0%} to {wide.high:.0%}; "
        f"{ceiling.n_narrowing:,} pairs with four or more votes narrow it."
    )


def verdict(accuracy: float, possible: CeilingRange) -> str:
    """The accuracy beside what is possible: "69% where at best 70% to 82% is possible"."""
    return f"{accuracy:.0%} where at best {possible.low:.0%} to {possible.high:.0%} is possible"


def beside_ceiling(accuracy: Estimate, possible: CeilingRange) -> tuple[Status, str]:
    """What an accuracy means beside the ceiling of the same votes, and what to do.

    Args:
        accuracy: With its interval; one without (NaN) cannot be judged.
        possible: What the best reward reaches.

    Returns:
        Fail for an accuracy above the ceiling (a leak), warn where a better reward can still gain,
        pass where little is left, else cannot say.
    """
    if np.isnan(accuracy.low):
        return Status.CANNOT_SAY, _ONE_PROMPT
    if accuracy.low > possible.outer_high:
        return Status.FAIL, (
            "Look for a leak: no reward can beat the ceiling on unseen votes. Check that prompts "
            "or pairs of the training set are not in this file."
        )
    if accuracy.value > possible.outer_high:
        return Status.CANNOT_SAY, (
            "It stands above the ceiling, though its own sampling error could explain that. Look "
            "for a leak, or measure it on more votes."
        )
    if accuracy.high < possible.outer_low:
        return Status.WARN, (
            "There is room: a better reward can still gain accuracy on these votes before "
            "disagreement stops it."
        )
    left = max(0.0, possible.outer_high - accuracy.low)
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
