"""How often a reward prefers the side that people preferred: overall and by kind of pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.ceiling import MIN_REPEATED_PAIRS, CeilingRange, ceiling_range
from rewardlab.audit.pair_kinds import PairKind, last_of_each, pair_kinds
from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.stats.agreement import agreement_with_others
from rewardlab.stats.intervals import FEW_CLUSTERS, Estimate, cluster_proportion, widened
from rewardlab.types import Finding, FloatArray, Status

MIN_BUCKET_PROMPTS = 5
"""A bucket with fewer prompts is counted and shown without an interval."""


@dataclass(frozen=True, slots=True)
class BucketCeiling:
    """The best possible accuracy on a bucket's repeated votes, and the reward's on the same ones.

    Attributes:
        possible: The range, from how often voters of the bucket agree on a pair.
        accuracy: Of the reward on these votes.
        n_pairs: Pairs with at least two of the bucket's votes.
    """

    possible: CeilingRange
    accuracy: Estimate
    n_pairs: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """Accuracy on one kind of pair.

    Attributes:
        kind: What the pairs are divided by, such as "length".
        name: This bucket, such as "winner longer".
        n_votes: Decided votes in it.
        accuracy: None where the bucket is too small for an interval.
        ceiling: None where too few pairs have two votes that may be compared.
    """

    kind: str
    name: str
    n_votes: int
    accuracy: Estimate | None
    ceiling: BucketCeiling | None = None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy of a reward on decided votes.

    Attributes:
        overall: The accuracy; a tied reward counts one half.
        n_undecided: Votes left out because they prefer no side.
        n_reward_ties: Decided votes on which both sides have the same reward.
        buckets: By length relation, and by difficulty where the file tells it. A vote is in one
            bucket of each kind.
        longest: Accuracy of "pick the longer response" on the same votes.
        difficulty_note: How difficulty was told, or why it could not be.
    """

    overall: Estimate
    n_undecided: int
    n_reward_ties: int
    buckets: tuple[Bucket, ...]
    longest: Estimate
    difficulty_note: str


def measure_accuracy(votes: ScoredVotes, *, widening: float = 1.0) -> Accuracy:
    """Accuracy on decided votes, with prompt-clustered intervals.

    Args:
        votes: With the rewards of both sides.
        widening: Factor >= 1 by which its intervals are widened, where the reward was fitted
            on other folds of the same votes.

    Raises:
        InputError: No vote prefers a side.
    """
    decided = votes.take(votes.decided)
    if not len(decided):
        raise InputError("votes: expected at least one that prefers a side; all are ties")
    kinds, note = pair_kinds(decided)
    return Accuracy(
        overall=widened(cluster_proportion(decided.correct, decided.prompt), widening, highest=1.0),
        n_undecided=len(votes) - len(decided),
        n_reward_ties=int(np.sum(decided.reward_gap == 0)),
        buckets=tuple(_bucket(decided, kind, widening) for kind in kinds),
        longest=cluster_proportion(_picks_longest(decided), decided.prompt),
        difficulty_note=note,
    )


def _picks_longest(votes: ScoredVotes) -> FloatArray:
    side = np.sign(votes.label - 0.5)
    longer: FloatArray = 0.5 + 0.5 * np.sign(votes.n_words_a - votes.n_words_b) * side
    return longer


def _bucket(votes: ScoredVotes, kind: PairKind, widening: float) -> Bucket:
    correct, prompt = votes.correct[kind.mask], votes.prompt[kind.mask]
    n = len(correct)
    if len(np.unique(prompt)) < MIN_BUCKET_PROMPTS:
        return Bucket(kind.kind, kind.name, n, None)
    accuracy = widened(cluster_proportion(correct, prompt), widening, highest=1.0)
    return Bucket(kind.kind, kind.name, n, accuracy, _ceiling(votes, kind, widening))


def _ceiling(votes: ScoredVotes, kind: PairKind, widening: float) -> BucketCeiling | None:
    """From pairs of votes that are both in the bucket and did not sort each other."""
    rows = np.flatnonzero(kind.mask & (kind.repeats >= 0))
    rows = rows[last_of_each(kind.repeats[rows], votes.annotator[rows])]
    same = agreement_with_others(kind.repeats[rows], (votes.label[rows] > 0.5).astype(np.int64))
    rows, same = rows[~np.isnan(same)], same[~np.isnan(same)]
    n_pairs = len(np.unique(votes.pair[rows]))
    if n_pairs < MIN_REPEATED_PAIRS:
        return None
    accuracy = cluster_proportion(votes.correct[rows], votes.prompt[rows])
    return BucketCeiling(
        ceiling_range(cluster_proportion(same, votes.prompt[rows])),
        widened(accuracy, widening, highest=1.0),
        n_pairs,
    )


def accuracy_finding(accuracy: Accuracy, *, held_out: str, fitted_here: bool = False) -> Finding:
    """The accuracy as a finding: does the reward beat a coin, and the longer answer?

    Args:
        accuracy: From ``measure_accuracy``.
        held_out: Why these votes count as held out (or that they do not).
        fitted_here: True if the reward was fitted on other folds of the same votes. Where nothing
            is to be learned, such a reward falls *below* one half on average, because what one
            fold has in excess the others lack; that is no sign error.
    """
    overall, longest = accuracy.overall, accuracy.longest
    figure = overall.figure("share")
    said = f"{overall.value:.1%} of {overall.n:,} decided votes ({held_out})"
    details = {
        "n_undecided": accuracy.n_undecided,
        "n_reward_ties": accuracy.n_reward_ties,
    }
    meaning = (
        f"Over {overall.n_clusters:,} prompts; a coin reaches 50%, and picking the longer response "
        f"{longest.value:.1%}."
    )
    if np.isnan(overall.low) or overall.n_clusters < 2:
        status, action = (
            Status.CANNOT_SAY,
            "Add votes on at least 2 prompts; 40 for good intervals.",
        )
    elif overall.low > 0.5:
        status, action = Status.PASS, "Read it beside the ceiling: it is not out of 100%."
        if overall.n_clusters < FEW_CLUSTERS:
            status = Status.WARN
            action = (
                f"Add prompts: {overall.n_clusters} carry the interval, and below about "
                f"{FEW_CLUSTERS} it is rough."
            )
    elif accuracy.n_reward_ties == overall.n:
        status = Status.CANNOT_SAY
        action = "Give a reward that differs: it is the same for both responses of every pair."
    elif overall.high < 0.5 and not fitted_here:
        status = Status.FAIL
        action = "Check the sign: the reward prefers what people rejected."
    else:
        status = Status.CANNOT_SAY
        needed = _prompts_needed(overall)
        action = (
            f"Add votes on more prompts (about {needed:,} would settle a true accuracy of "
            f"{max(overall.value, 0.52):.0%}), or use a reward that knows more than these features."
        )
    return Finding(
        name="held-out-accuracy",
        status=status,
        title=f"The reward agrees with {said}",
        meaning=meaning,
        action=action,
        figure=figure,
        details=details,
    )


def _prompts_needed(estimate: Estimate) -> int:
    """Prompts at which the interval around the value (at least .52) would exclude a coin."""
    distance = max(estimate.value, 0.52) - 0.5
    half = (estimate.high - estimate.low) / 2
    return int(np.ceil(estimate.n_clusters * max(1.1, (half / distance) ** 2)))
