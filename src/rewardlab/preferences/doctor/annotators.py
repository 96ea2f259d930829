"""Annotators who go by the side, who never decide, or who voted too little to be judged."""

from __future__ import annotations

import numpy as np
from scipy import special

from rewardlab.preferences.doctor.bias import KEEP_ORDER
from rewardlab.preferences.doctor.ledger import Ledger
from rewardlab.preferences.doctor.tally import NAME_ANNOTATORS, cannot_say, percent
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.stats.multiple import holm
from rewardlab.types import Finding, FloatArray, IntArray, Outcome, Status

_ONE_SIDED = "one-sided-annotators"
_FEW = "annotator-votes"
_ONE_SIDED_MEANING = (
    "Someone who picks the same side (or a tie) almost every time is not reading. These votes are "
    "noise, and few such annotators are enough to bend a small file."
)
_FEW_MEANING = (
    "How careful an annotator is can be told only from a number of votes; agreement and bias of "
    "those with few remain unknown."
)


def check_annotators(ledger: Ledger, thresholds: Thresholds) -> list[Finding]:
    """One-sided annotators and annotators with few votes."""
    if not ledger.annotators:
        title = "No annotators are named"
        return [
            cannot_say(
                _ONE_SIDED,
                title + ", so nobody can be seen to go by the side",
                _ONE_SIDED_MEANING,
                NAME_ANNOTATORS,
            ),
            cannot_say(
                _FEW, title + ", so nobody's votes can be counted", _FEW_MEANING, NAME_ANNOTATORS
            ),
        ]
    return [_one_sided(ledger, thresholds), _few_votes(ledger, thresholds)]


def lopsided_p(n_a: IntArray, n: IntArray, share_a: float) -> FloatArray:
    """Chance of a split at least as lopsided, if each vote were a with probability ``share_a``.

    Twice the smaller exact binomial tail, at most 1. Shape [k]; NaN where ``n`` is 0.

    Args:
        n_a: Shape [k], votes for a.
        n: Shape [k], decided votes.
        share_a: The share of a among all annotators' votes.
    """
    at_most = special.bdtr(n_a.astype(float), n, share_a)
    at_least = np.where(n_a > 0, special.bdtrc(np.maximum(n_a - 1, 0).astype(float), n, share_a), 1)
    p = np.minimum(1.0, 2 * np.minimum(at_most, at_least))
    return np.where(n > 0, p, np.nan)


def _one_sided(ledger: Ledger, thresholds: Thresholds) -> Finding:
    columns = ledger.columns
    named = columns.annotator >= 0
    k = len(ledger.annotators)
    who = columns.annotator[named]
    outcome = columns.outcome[named]
    votes = np.bincount(who, minlength=k)
    n_a = np.bincount(who[outcome == Outcome.A], minlength=k)
    n_b = np.bincount(who[outcome == Outcome.B], minlength=k)
    if not ledger.sides_recorded:
        return cannot_say(
            _ONE_SIDED,
            "Which side was shown first is not recorded, so nobody can be seen to go by it",
            _ONE_SIDED_MEANING,
            KEEP_ORDER,
        )
    n = n_a + n_b
    if not n.sum():
        return cannot_say(
            _ONE_SIDED,
            "No named annotator decided any pair",
            _ONE_SIDED_MEANING,
            "Give decided votes.",
        )
    # Against the file's own share, so that a bias of all is not laid at one annotator's door.
    # Half a vote more for either side keeps the share off 0 and 1.
    share_a = float((n_a.sum() + 0.5) / (n.sum() + 1))
    tie_share = float((votes.sum() - n.sum() + 0.5) / (votes.sum() + 1))
    p_side = lopsided_p(n_a, n, share_a)
    p_tie = np.where(n == 0, tie_share**votes, 1.0)
    adjusted = holm(np.concatenate([p_side, np.where(votes > 0, p_tie, np.nan)]))
    with np.errstate(invalid="ignore"):
        top_share = np.maximum(n_a, n_b) / np.maximum(n, 1)
    by_side = (adjusted[:k] < thresholds.annotator_alpha) & (
        top_share >= thresholds.one_sided_share
    )
    by_tie = (n == 0) & (adjusted[k:] < thresholds.annotator_alpha)
    guilty = np.flatnonzero(by_side | by_tie)
    return _one_sided_finding(ledger, thresholds, guilty, votes, n_a, n_b)


def _one_sided_finding(
    ledger: Ledger,
    thresholds: Thresholds,
    guilty: IntArray,
    votes: IntArray,
    n_a: IntArray,
    n_b: IntArray,
) -> Finding:
    guilty = guilty[np.argsort(-votes[guilty], kind="stable")]
    lines = [
        f"{ledger.annotators[i]}: a {n_a[i]}, b {n_b[i]}, undecided {votes[i] - n_a[i] - n_b[i]}"
        for i in guilty
    ]
    k, n_votes = len(ledger.annotators), int(votes[guilty].sum())
    title = f"None of {k:,} annotators picks one side improbably often"
    action = "Nothing to do."
    if len(guilty):
        share = percent(n_votes / int(votes.sum()))
        title = "Annotators who nearly always say the same: "
        title += f"{len(guilty):,} of {k:,} ({share} of votes)"
        action = "Read some of their votes; leave those annotators out if they did not read."
    return Finding(
        _ONE_SIDED,
        Status.WARN if len(guilty) else Status.PASS,
        title,
        _ONE_SIDED_MEANING,
        action,
        count=n_votes,
        total=int(votes.sum()),
        examples=tuple(lines[: thresholds.examples]),
        details={"annotators": [ledger.annotators[i] for i in guilty]},
    )


def _few_votes(ledger: Ledger, thresholds: Thresholds) -> Finding:
    who = ledger.columns.annotator
    votes = np.bincount(who[who >= 0], minlength=len(ledger.annotators))
    few = votes < thresholds.few_votes
    n_few, n = int(votes[few].sum()), int(votes.sum())
    share = n_few / n
    title = (
        f"{int(few.sum()):,} of {len(votes):,} annotators gave fewer than {thresholds.few_votes} "
        f"votes ({percent(share)} of votes); the median is {np.median(votes):,.0f}"
    )
    warn = share > thresholds.few_votes_share
    return Finding(
        _FEW,
        Status.WARN if warn else Status.PASS,
        title,
        _FEW_MEANING,
        "Ask fewer annotators for more votes each, or do not judge them one by one."
        if warn
        else "Nothing to do.",
        count=n_few,
        total=n,
        details={
            "annotators": len(votes),
            "median_votes": float(np.median(votes)),
            "most_votes": int(votes.max()),
        },
    )
