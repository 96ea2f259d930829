"""Biases of the whole file: towards one side, and towards the longer or shorter answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.preferences.doctor.ledger import Ledger
from rewardlab.preferences.doctor.tally import NO_TEXTS, cannot_say, percent
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.stats.intervals import Estimate, cluster_proportion
from rewardlab.types import BoolArray, Finding, Outcome, Status

_SIDE = "side-bias"
_LENGTH = "length-bias"
_SIDE_MEANING = (
    "Where the order of the two answers was random, each side should win about half of the decided "
    "votes. A rater (or judge model) who leans to one side adds errors that no reward can learn."
)
_LENGTH_MEANING = (
    "How far a reward gets that looks at length alone. Where that is far from one half, a model "
    "trained on this file learns length first, and an accuracy means little beside this figure."
)
KEEP_ORDER = "Give a file that keeps the order shown: two response columns and a winner column."
"""The remedy where only the winner's column is known."""


@dataclass(frozen=True, slots=True)
class LengthFacts:
    """Lengths in characters, over rows with texts.

    Attributes:
        median_prompt: Median length of a prompt.
        median_winner: Median length of the winning responses; NaN without decided rows.
        median_loser: The same of the losing ones.
        longest: Longest prompt with its longer response.
        n_decided: Decided rows with texts.
        n_longer_won: Of these, the winner is the longer.
        n_shorter_won: The winner is the shorter.
        n_equal: Both are equally long.
    """

    median_prompt: float
    median_winner: float
    median_loser: float
    longest: int
    n_decided: int
    n_longer_won: int
    n_shorter_won: int
    n_equal: int


def length_facts(ledger: Ledger) -> LengthFacts | None:
    """Lengths of prompts, winners and losers; None if no row holds texts."""
    columns = ledger.columns
    if not columns.has_texts.any():
        return None
    used = columns.has_texts & ledger.decided
    won_a = columns.outcome[used] == Outcome.A
    a, b = columns.a_chars[used], columns.b_chars[used]
    winner, loser = np.where(won_a, a, b), np.where(won_a, b, a)
    longest = columns.prompt_chars + np.maximum(columns.a_chars, columns.b_chars)
    return LengthFacts(
        median_prompt=float(np.median(columns.prompt_chars)),
        median_winner=float(np.median(winner)) if len(winner) else float("nan"),
        median_loser=float(np.median(loser)) if len(loser) else float("nan"),
        longest=int(longest.max()),
        n_decided=len(winner),
        n_longer_won=int(np.count_nonzero(winner > loser)),
        n_shorter_won=int(np.count_nonzero(winner < loser)),
        n_equal=int(np.count_nonzero(winner == loser)),
    )


def check_side_bias(ledger: Ledger, thresholds: Thresholds) -> Finding:
    """Share of decided votes for side a, against one half."""
    if not ledger.sides_recorded:
        return cannot_say(
            _SIDE,
            "Which side was shown first is not recorded",
            _SIDE_MEANING,
            KEEP_ORDER,
        )
    estimate = _proportion(ledger, ledger.decided, ledger.columns.outcome == Outcome.A, thresholds)
    if estimate is None or np.isnan(estimate.low):
        return _too_few(_SIDE, _SIDE_MEANING, "decided votes")
    count = int(np.count_nonzero(ledger.columns.outcome == Outcome.A))
    title = f"Side a wins {percent(estimate.value)} of {estimate.n:,} decided votes"
    return judged(
        _SIDE,
        title,
        _SIDE_MEANING,
        estimate,
        thresholds,
        margin=thresholds.side_margin,
        count=count,
        action="Show pairs in random order, or each in both orders; for a judge model, average "
        "the two. Until then do not read the side's share as quality: check first that the same "
        "sources stand equally often on both sides.",
    )


def check_length_bias(ledger: Ledger, thresholds: Thresholds) -> Finding:
    """Accuracy of picking the longer response, among decided rows of unequal lengths."""
    facts = length_facts(ledger)
    if facts is None:
        return cannot_say(_LENGTH, "No row holds texts to measure", _LENGTH_MEANING, NO_TEXTS)
    columns = ledger.columns
    used = columns.has_texts & ledger.decided & (columns.a_chars != columns.b_chars)
    longer_won = (columns.a_chars > columns.b_chars) == (columns.outcome == Outcome.A)
    estimate = _proportion(ledger, used, longer_won, thresholds)
    if estimate is None or np.isnan(estimate.low):
        return _too_few(_LENGTH, _LENGTH_MEANING, "decided votes on answers of unequal length")
    title = (
        f"Picking the longer answer is right in {percent(estimate.value)} of {estimate.n:,} votes, "
        f"the shorter in {percent(1 - estimate.value)}"
    )
    if facts.n_equal:
        title += f"; equally long: {facts.n_equal:,}"
    return judged(
        _LENGTH,
        title,
        _LENGTH_MEANING,
        estimate,
        thresholds,
        margin=thresholds.length_margin,
        count=facts.n_longer_won,
        reach=estimate.n / facts.n_decided,
        action="Report accuracy apart for pairs where the longer and where the shorter answer won; "
        "balance the pairs by length, or fit with length as a feature and look at what is left.",
        longer_won=facts.n_longer_won,
        shorter_won=facts.n_shorter_won,
        equally_long=facts.n_equal,
    )


def _proportion(
    ledger: Ledger, used: BoolArray, hit: BoolArray, thresholds: Thresholds
) -> Estimate | None:
    if not used.any():
        return None
    return cluster_proportion(
        hit[used].astype(np.float64), ledger.clusters[used], level=thresholds.level
    )


def judged(
    name: str,
    title: str,
    meaning: str,
    estimate: Estimate,
    thresholds: Thresholds,
    *,
    margin: float,
    count: int,
    action: str,
    reach: float = 1.0,
    **details: float,
) -> Finding:
    """Warn where the interval leaves out 1/2; pass where it is narrow enough to clear the file.

    Args:
        name: Slug of the finding.
        title: What was measured; the figure beside it gives the interval.
        meaning: Why it matters.
        estimate: The share, to be compared with 1/2.
        thresholds: Limits.
        margin: Least distance from 1/2, over the whole file, that is worth a warning.
        count: Rows behind the share.
        action: What to do about a bias.
        reach: Share of the decided votes that the estimate is about, in (0, 1]; the rest counts
            as one half.
        details: Further figures.
    """
    outside = not estimate.low <= 0.5 <= estimate.high
    half_width = reach * (estimate.high - estimate.low) / 2
    status = Status.PASS
    if outside and reach * abs(estimate.value - 0.5) >= margin:
        status = Status.WARN
    elif not outside and half_width > thresholds.widest_interval:
        status = Status.CANNOT_SAY
        needed = estimate.n * (half_width / thresholds.widest_interval) ** 2
        title += ": too few to tell from one half"
        action = (
            f"Give more votes, on more prompts: about {needed:,.0f} would narrow the interval to "
            f"{100 * thresholds.widest_interval:.0f} points to either side (now "
            f"{100 * half_width:.0f})."
        )
    else:
        action = "Nothing to do."
    return Finding(
        name,
        status,
        title,
        meaning,
        action,
        figure=estimate.figure("share"),
        count=count,
        total=estimate.n,
        details={"prompts": estimate.n_clusters, **details},
    )


def _too_few(name: str, meaning: str, what: str) -> Finding:
    return cannot_say(
        name,
        f"Too few {what}: an interval needs at least two prompts that have some",
        meaning,
        f"Give more {what}, on at least two prompts.",
    )
