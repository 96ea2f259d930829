"""Answers that return from prompt to prompt, such as "(A)" and "(B)", and which of them wins."""

from __future__ import annotations

import numpy as np

from rewardlab.preferences.doctor.bias import judged
from rewardlab.preferences.doctor.ledger import Ledger, mixed
from rewardlab.preferences.doctor.tally import NO_TEXTS, cannot_say, percent
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.stats.intervals import cluster_codes, cluster_proportion
from rewardlab.types import Finding, IntArray, Outcome, Status

NAME = "fixed-answers"
LEAST_PROMPTS = 10
LEAST_SHARE = 0.1
"""Prompts, and share of decided votes, from which a pair of answers counts as returning."""

_MEANING = (
    "Where the same two answers stand against each other under many prompts (as in multiple "
    "choice), a reward that always prefers one of them looks better than it is."
)


def check_fixed_answers(ledger: Ledger, thresholds: Thresholds) -> Finding:
    """Which of the two answers that most often stand against each other wins, against one half."""
    columns = ledger.columns
    if not columns.has_texts.any():
        return cannot_say(NAME, "No texts tell whether answers return", _MEANING, NO_TEXTS)
    used = np.flatnonzero(columns.has_texts & ledger.decided & (columns.a != columns.b))
    rows = _most_frequent(ledger, used)
    clusters, n_clusters = cluster_codes(ledger.clusters[rows])
    if n_clusters < LEAST_PROMPTS or len(rows) < LEAST_SHARE * len(used):
        title = "Answers differ from prompt to prompt: no two stand against each other again and "
        return Finding(NAME, Status.PASS, title + "again", _MEANING, "Nothing to do.")
    low = np.minimum(columns.a, columns.b)[rows]
    low_won = (columns.a[rows] == low) == (columns.outcome[rows] == Outcome.A)
    favourite_won = low_won if low_won.mean() >= 0.5 else ~low_won
    estimate = cluster_proportion(
        favourite_won.astype(np.float64), clusters, level=thresholds.level
    )
    winner, loser = _names(ledger, rows, favourite_won)
    n_won = int(favourite_won.sum())
    return judged(
        NAME,
        f"{winner} beats {loser} in {percent(n_won / len(rows))} of {len(rows):,} votes",
        _MEANING,
        estimate,
        thresholds,
        margin=thresholds.length_margin,
        reach=len(rows) / len(used),
        count=n_won,
        action="Balance which answer is right (swap the letters in half of the prompts), or "
        "report accuracy apart for each right answer.",
    )


def _most_frequent(ledger: Ledger, used: IntArray) -> IntArray:
    """The rows among ``used`` that show the most frequent pair of answers, whatever the prompt."""
    if not len(used):
        return used
    a, b = ledger.columns.a[used], ledger.columns.b[used]
    pair = mixed(np.minimum(a, b), np.maximum(a, b))
    pairs, counts = np.unique(pair, return_counts=True)
    hit: IntArray = used[pair == pairs[np.argmax(counts)]]
    return hit


def _names(
    ledger: Ledger, rows: IntArray, favourite_won: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[str, str]:
    """The two answers in quotes, or where they stand if they are too long to keep."""
    columns = ledger.columns
    row = int(rows[np.argmax(favourite_won)])
    place = ledger.places(np.array([row]), 1)[0]
    a_won = columns.outcome[row] == Outcome.A
    sides = [
        repr(ledger.short_texts[int(digest)])
        if int(digest) in ledger.short_texts
        else f"response {name} of {place}"
        for digest, name in ((columns.a[row], "a"), (columns.b[row], "b"))
    ]
    return (sides[0], sides[1]) if a_won else (sides[1], sides[0])
