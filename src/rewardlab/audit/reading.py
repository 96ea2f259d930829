"""What to read with your own eyes: confident errors, doubtful labels, extremes of the reward."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from rewardlab.audit.scored import ScoredVotes
from rewardlab.stats.intervals import Estimate, cluster_mean
from rewardlab.types import BoolArray, Finding, FloatArray, IntArray, Preferences, Status, as_text

N_SHOWN = 8
FLIPS_WORTH_SHOWING = 0.15
"""A count that only a larger share of flipped labels would raise says nothing."""
DOUBTFUL = 0.1
"""A label to which the calibrated reward gives less than this probability is doubtful."""


@dataclass(frozen=True, slots=True)
class VoteToRead:
    """One vote with its texts.

    Attributes:
        location: "FILE:LINE".
        prompt: The prompt's text.
        preferred: The response that the vote preferred.
        other: The other response.
        probability: What the reward, calibrated, gives the vote, in [0, 1].
        note: Why it is shown.
    """

    location: str
    prompt: str
    preferred: str
    other: str
    probability: float
    note: str


@dataclass(frozen=True, slots=True)
class TextToRead:
    """One response with its reward.

    Attributes:
        location: "FILE:LINE".
        prompt: The prompt's text.
        response: The response's text.
        reward: In the reward's own unit.
    """

    location: str
    prompt: str
    response: str
    reward: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What to read.

    Attributes:
        confident_errors: Votes against the widest reward gaps.
        doubtful_labels: Votes that other voters on the pair and the reward both contradict.
        n_unlikely: Decided votes to which the calibrated reward gives less than 10%.
        n_unlikely_expected: How many such votes a calibrated reward expects by chance alone.
        excess: The difference of the two as a share of decided votes, clustered by prompt; None
            where the reward is not calibrated, and so nothing is expected.
        flips_shown: About the least share of flipped labels that this count would show in four of
            five files; NaN where nothing is expected.
        top: Responses with the highest reward.
        bottom: Responses with the lowest.
    """

    confident_errors: tuple[VoteToRead, ...]
    doubtful_labels: tuple[VoteToRead, ...]
    n_unlikely: int
    n_unlikely_expected: float
    excess: Estimate | None
    flips_shown: float
    top: tuple[TextToRead, ...]
    bottom: tuple[TextToRead, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Positions (in the votes) of what is to be shown."""

    errors: IntArray
    doubtful: IntArray
    top: IntArray
    bottom: IntArray

    def all(self) -> IntArray:
        return np.unique(np.concatenate([self.errors, self.doubtful, self.top, self.bottom]))


def choose_reading(
    votes: ScoredVotes,
    chunks: Iterable[Preferences],
    *,
    slope: float | None,
    n_shown: int = N_SHOWN,
) -> Reading:
    """Pick what to read and fetch its texts in one more pass over the file.

    Args:
        votes: Shape [n].
        chunks: The same preferences again, with texts.
        slope: Logits per unit of reward, > 0, from the calibration; None if there is none.
        n_shown: How many of each kind.
    """
    spread = float(votes.reward_gap.std()) or 1.0
    probability = _probability_of_vote(votes, slope if slope is not None else 1 / spread)
    wanted = _choose(votes, probability, n_shown)
    rows = fetch_texts(votes, wanted.all(), chunks)
    unlikely = _unlikely(votes, slope) if slope is not None and votes.decided.any() else None
    errors = tuple(
        _vote(votes, rows[i], i, probability, "the reward is confident of the other side")
        for i in wanted.errors
    )
    doubtful = tuple(
        _vote(votes, rows[i], i, probability, "the other voters and the reward both disagree")
        for i in wanted.doubtful
    )
    return Reading(
        confident_errors=errors,
        doubtful_labels=doubtful,
        n_unlikely=unlikely[0] if unlikely else 0,
        n_unlikely_expected=unlikely[1] if unlikely else 0.0,
        excess=unlikely[2] if unlikely else None,
        flips_shown=unlikely[3] if unlikely else float("nan"),
        top=tuple(_extreme(votes, rows[i], i, highest=True) for i in wanted.top),
        bottom=tuple(_extreme(votes, rows[i], i, highest=False) for i in wanted.bottom),
    )


def _unlikely(votes: ScoredVotes, slope: float) -> tuple[int, float, Estimate, float]:
    """Unlikely votes, how many are expected, the excess as a share, and what flips would show.

    The slope is fitted on the same votes, and moves with them: to first order each vote adds
    D s / H to the excess, with s its score, H the information and D the change of the expected
    share as the slope grows.
    """
    logits, label = slope * votes.reward_gap[votes.decided], votes.label[votes.decided]
    p = expit(logits)
    # A pair that gives one side less than 10% expects that share of its votes to be unlikely.
    smaller = np.minimum(p, 1 - p)
    confident = smaller < DOUBTFUL
    unlikely = confident & ((label > 0.5) != (p > 0.5))
    expected = np.where(confident, smaller, 0.0)
    moves = np.mean(np.where(confident, smaller * (1 - smaller) * np.abs(logits), 0.0))
    information = np.mean(logits**2 * p * (1 - p))
    with_slope = unlikely - expected
    if information > 0:
        with_slope = with_slope + moves * logits * (label - p) / information
    excess = cluster_mean(with_slope, votes.prompt[votes.decided])
    # A share f of flipped labels adds f (1 - 2 m) unlikely votes to a pair with smaller side m.
    a_flip = float(np.mean(np.where(confident, 1 - 2 * smaller, 0.0)))
    shows = 2.8 * excess.std_error / a_flip if a_flip > 0 else float("inf")
    return int(unlikely.sum()), float(expected.sum()), excess, shows


def _probability_of_vote(votes: ScoredVotes, slope: float) -> FloatArray:
    side = np.where(votes.label >= 0.5, 1.0, -1.0)
    probability: FloatArray = expit(slope * votes.reward_gap * side)
    return probability


def _choose(votes: ScoredVotes, probability: FloatArray, n_shown: int) -> _Wanted:
    wrong = np.flatnonzero(votes.decided & (probability < 0.5))
    errors = _one_a_pair(votes, wrong[np.argsort(probability[wrong], kind="stable")])
    against = np.flatnonzero(_outvoted(votes) & (probability < 0.5))
    doubtful = _one_a_pair(votes, against[np.argsort(probability[against], kind="stable")])
    best = np.maximum(votes.reward_a, votes.reward_b)
    worst = np.minimum(votes.reward_a, votes.reward_b)
    return _Wanted(
        errors=errors[:n_shown],
        doubtful=doubtful[:n_shown],
        top=_one_a_pair(votes, np.argsort(-best, kind="stable"))[:n_shown],
        bottom=_one_a_pair(votes, np.argsort(worst, kind="stable"))[:n_shown],
    )


def _one_a_pair(votes: ScoredVotes, order: IntArray) -> IntArray:
    _, first = np.unique(votes.pair[order], return_index=True)
    return order[np.sort(first)]


def _outvoted(votes: ScoredVotes) -> BoolArray:
    """True where at least two other named annotators all prefer the other side of the pair."""
    _, pair = np.unique(votes.pair, return_inverse=True)
    named = votes.annotator >= 0
    for_a = np.bincount(pair, weights=named & (votes.label > 0.5))[pair]
    for_b = np.bincount(pair, weights=named & (votes.label < 0.5))[pair]
    alone = np.where(votes.label > 0.5, (for_a == 1) & (for_b >= 2), (for_b == 1) & (for_a >= 2))
    outvoted: BoolArray = alone & votes.decided & named
    return outvoted


@dataclass(frozen=True, slots=True)
class VoteTexts:
    """The texts of one vote; a and b as in ``ScoredVotes``."""

    prompt: str
    response_a: str
    response_b: str

    def by_preference(self, label: float) -> tuple[str, str]:
        """The preferred response and the other."""
        if label > 0.5:
            return self.response_a, self.response_b
        return self.response_b, self.response_a


def fetch_texts(
    votes: ScoredVotes, wanted: IntArray, chunks: Iterable[Preferences]
) -> dict[int, VoteTexts]:
    """The texts of the votes at positions ``wanted``, from one more pass over the file."""
    # One line of a file can hold many votes, so that only a vote's place in the pass names it.
    place = {int(votes.row[i]): int(i) for i in wanted}
    rows: dict[int, VoteTexts] = {}
    first = 0
    for chunk in chunks:
        for row in sorted(r for r in place if first <= r < first + len(chunk)):
            i, j = place[row], row - first
            sides = as_text(chunk.response_a[j]), as_text(chunk.response_b[j])
            a, b = sides[::-1] if votes.swapped[i] else sides
            rows[i] = VoteTexts(as_text(chunk.prompt[j]), a, b)
        first += len(chunk)
    return rows


def _vote(
    votes: ScoredVotes, row: VoteTexts, i: int, probability: FloatArray, note: str
) -> VoteToRead:
    preferred, other = row.by_preference(votes.label[i])
    return VoteToRead(votes.location(i), row.prompt, preferred, other, float(probability[i]), note)


def _extreme(votes: ScoredVotes, row: VoteTexts, i: int, *, highest: bool) -> TextToRead:
    a, b = float(votes.reward_a[i]), float(votes.reward_b[i])
    show_a = (a >= b) == highest
    response, reward = (row.response_a, a) if show_a else (row.response_b, b)
    return TextToRead(votes.location(i), row.prompt, response, reward)


def unlikely_labels_finding(reading: Reading) -> Finding:
    """Are there more unlikely labels than a calibrated reward expects by chance?"""
    name = "unlikely-labels"
    if reading.excess is None:
        return Finding(
            name,
            Status.CANNOT_SAY,
            "Which labels are unlikely cannot be told",
            "The reward does not predict these votes, so it cannot call one of them unlikely.",
            "Give votes that the reward predicts (see held-out-accuracy and calibration).",
        )
    found, expected = reading.n_unlikely, reading.n_unlikely_expected
    title = (
        f"{found:,} votes have less than 10% from the calibrated reward; {expected:,.0f} are "
        "expected by chance"
    )
    shown = f"{min(reading.flips_shown, 1.0):.0%}"
    if reading.excess.low > 0:
        status = Status.WARN
        action = "Read the confident errors; relabel those that are mistakes."
    elif reading.flips_shown > FLIPS_WORTH_SHOWING:
        status = Status.CANNOT_SAY
        action = (
            f"Only if {shown} of the labels or more were flipped would it show here: audit more "
            "votes, or a reward that is confident of more of them."
        )
    else:
        status = Status.PASS
        action = "Nothing; the confident errors are still worth reading."
    return Finding(
        name=name,
        status=status,
        title=title,
        meaning="A confident reward that is honest is still wrong sometimes; only the excess "
        "points to labels that are wrong, or to something that the reward misreads. Flips of "
        f"about {shown} would show here; those spread evenly over all pairs lower the slope of "
        "the calibration instead.",
        action=action,
        count=found,
        counted="votes",
        details={"expected": expected},
    )
