"""How often a reward prefers the side that people preferred: overall and by kind of pair."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.stats.intervals import FEW_CLUSTERS, Estimate, cluster_proportion, widened
from rewardlab.types import BoolArray, Finding, FloatArray, IntArray, Status

LENGTH_TOLERANCE = 0.1
"""Two responses are about equally long if their words differ by at most this share."""

MIN_BUCKET_PROMPTS = 5
"""A bucket with fewer prompts is counted and shown without an interval."""


@dataclass(frozen=True, slots=True)
class PairKind:
    """One kind of pair: what divides, which part, and a mask of shape [n] over the votes."""

    kind: str
    name: str
    mask: BoolArray


@dataclass(frozen=True, slots=True)
class Bucket:
    """Accuracy on one kind of pair.

    Attributes:
        kind: What the pairs are divided by, such as "length".
        name: This bucket, such as "winner longer".
        n_votes: Decided votes in it.
        accuracy: None where the bucket is too small for an interval.
    """

    kind: str
    name: str
    n_votes: int
    accuracy: Estimate | None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy of a reward on decided votes.

    Attributes:
        overall: The accuracy; a tied reward counts one half.
        n_undecided: Votes left out because they prefer no side.
        n_reward_ties: Decided votes on which both sides have the same reward.
        buckets: By length relation, and by difficulty where the file tells it.
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
    return Bucket(kind.kind, kind.name, n, accuracy)


def pair_kinds(decided: ScoredVotes) -> tuple[list[PairKind], str]:
    """The kinds of pair that accuracy is told apart by, and how difficulty was told.

    Args:
        decided: Votes that prefer a side.
    """
    by_difficulty, note = _difficulty(decided)
    named = [("length", b) for b in _length_relation(decided)]
    named += [("difficulty", b) for b in by_difficulty]
    return [PairKind(kind, name, mask) for kind, (name, mask) in named], note


def _length_relation(votes: ScoredVotes) -> list[tuple[str, BoolArray]]:
    a_won = votes.label > 0.5
    winner = np.where(a_won, votes.n_words_a, votes.n_words_b)
    loser = np.where(a_won, votes.n_words_b, votes.n_words_a)
    similar = np.abs(winner - loser) <= LENGTH_TOLERANCE * np.maximum(winner, loser)
    return [
        ("winner longer", ~similar & (winner > loser)),
        (f"within {LENGTH_TOLERANCE:.0%} of each other", similar),
        ("winner shorter", ~similar & (winner < loser)),
    ]


def _difficulty(votes: ScoredVotes) -> tuple[list[tuple[str, BoolArray]], str]:
    """Buckets from hard to easy by the file's margin, else by how far voters agreed."""
    known = np.isfinite(votes.margin)
    if known.mean() > 0.5 and len(np.unique(votes.margin[known])) > 1:
        cuts = np.unique(np.quantile(votes.margin[known], [1 / 3, 2 / 3]))
        level = np.searchsorted(cuts, votes.margin, side="left")
        names = _interval_names(cuts)
        buckets = [(name, known & (level == k)) for k, name in enumerate(names)]
        note = "by the file's margin, in thirds"
        if not known.all():
            buckets.append(("no margin", ~known))
        return buckets, note
    share, n_voters = _agreement_share(votes)
    several = n_voters >= 2
    if np.any(several):
        return [
            ("most votes agree", several & (share != 0.5) & (share > 0) & (share < 1)),
            ("all votes agree", several & ((share == 0) | (share == 1))),
            ("one vote only", ~several),
        ], _agreement_note(int(np.sum(several & (share == 0.5))))
    return [], (
        f"cannot say: {known.mean():.0%} of votes have a margin, and no pair has votes of several "
        "named annotators; add margins to most votes, or a second annotator's vote on some pairs"
    )


def _agreement_note(n_even: int) -> str:
    note = "by how far the voters on a pair agree (ties set aside)"
    if n_even:
        note += f"; {n_even:,} votes on evenly split pairs are left out of it, since any reward is "
        note += "right on half of them"
    return note


def _interval_names(cuts: FloatArray) -> list[str]:
    edges = [f"{c:g}" for c in cuts]
    inner = [f"margin {lo} to {hi}" for lo, hi in pairwise(edges)]
    return [f"margin up to {edges[0]}", *inner, f"margin above {edges[-1]}"]


def _agreement_share(votes: ScoredVotes) -> tuple[FloatArray, IntArray]:
    """Per vote: share of its pair's decided votes for a, and by how many named annotators.

    Votes without an annotator may be one opinion copied, so they count as no voter.
    """
    _, pair = np.unique(votes.pair, return_inverse=True)
    for_a = np.bincount(pair, weights=votes.label > 0.5) / np.bincount(pair)
    named = votes.annotator >= 0
    voters = np.unique(np.column_stack([pair[named], votes.annotator[named]]), axis=0)
    n_voters: IntArray = np.bincount(voters[:, 0], minlength=len(for_a))
    return for_a[pair], n_voters[pair]


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
