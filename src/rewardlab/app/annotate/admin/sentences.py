"""What an admin reads of a project: each figure in a sentence that holds."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np

from rewardlab.app.annotate.admin.summary import Counts, Summary
from rewardlab.audit.judgements import Asked
from rewardlab.audit.labelling_pace import Pace
from rewardlab.plots.text import number, share

NONE = "–"

MIN_VOTES = 40
"""Fewer votes on pairs that two people decided imply no ceiling worth reading."""

_CHECKS = {Asked.REPEAT: "of planted repeats", Asked.KNOWN: "of known pairs"}


def progress_sentence(counts: Counts) -> str:
    """How far it is."""
    done = share(counts.made / counts.wanted, decimals=0) if counts.wanted else NONE
    return (
        f"{counts.made:,} of {counts.wanted:,} judgements are made ({done}); "
        f"{counts.complete:,} of {counts.n_pairs:,} pairs have all they need."
    )


def when_sentence(counts: Counts, pace: Pace) -> str:
    """When it is done, if it goes on as in the last day."""
    if counts.made >= counts.wanted:
        return "All judgements are in."
    if counts.made == 0:
        return "No judgement is made yet. Invite somebody with a personal link."
    if pace.per_hour is None:
        return f"When it is done cannot be said yet: {pace.reason}."
    rate = f"At {number(pace.per_hour.value, digits=2)} judgements an hour, as of late,"
    about = f"the rest takes about {span(pace.hours_left)}"
    if math.isinf(pace.high):
        return f"{rate} {about}; the pace varies too much to say how long at most."
    return f"{rate} {about} ({span(pace.low)} to {span(pace.high)})."


def ceiling_sentence(summary: Summary) -> str:
    """What the agreement implies for any reward, in plain words."""
    decided, ceiling = summary.report.overall.agreement_decided, summary.report.ceiling
    if summary.project.overlap < 2 and decided is None:
        return (
            "How good any reward could be cannot be said: each pair is judged by one person. "
            "An overlap of 2 shows how often people agree."
        )
    n = decided.n if decided else 0
    if ceiling is None or not has_ceiling(summary):
        return (
            f"How good any reward could be cannot be said yet: {n:,} votes prefer a side on pairs "
            f"where somebody else did, and it takes {MIN_VOTES}."
        )
    return (
        f"A reward can agree with single labels at best {_ends(ceiling.low, ceiling.high)} of the "
        "time, because people agree with each other only so often; with sampling error, "
        f"{_ends(ceiling.outer_low, ceiling.outer_high)}. Ties are set aside."
    )


def _ends(low: float, high: float) -> str:
    ends = [share(low, decimals=0), share(high, decimals=0)]
    return " to ".join(dict.fromkeys(ends))


def left_out_sentence(summary: Summary) -> str:
    """Which judgements are not among the labels to take along, counted as the export does."""
    judged, asked = summary.judgements.judged, summary.judgements.asked
    checks = {word: int(np.sum(judged & (asked == code))) for code, word in _CHECKS.items()}
    skips = {"skipped": int(np.sum(~judged))}
    said = [f"{n:,} {what}" for what, n in {**skips, **checks}.items() if n]
    n = int(np.sum(judged & (asked == Asked.PAIR)))
    return f"{n:,} judgement{'' if n == 1 else 's'}; left out: {', '.join(said) or 'none'}."


def aside_sentence(summary: Summary) -> str:
    """What counts in no other figure, so that nothing is left out unsaid."""
    counts = summary.counts
    said = (
        (counts.lent, "pair is with somebody now", "pairs are with somebody now"),
        (counts.beyond, "judgement beyond what is wanted", "judgements beyond what is wanted"),
        (summary.n_undone, "judgement was taken back", "judgements were taken back"),
    )
    parts = [f"{n:,} {one if n == 1 else many}" for n, one, many in said if n]
    return f"{'; '.join(parts)}." if parts else ""


def has_ceiling(summary: Summary) -> bool:
    """True if enough pairs were decided by two people to say how good any reward could be."""
    decided = summary.report.overall.agreement_decided
    return decided is not None and decided.n >= MIN_VOTES


def span(hours: float) -> str:
    """A time in words, as exact as such a forecast is."""
    for unit, size in (("day", 24.0), ("hour", 1.0), ("minute", 1 / 60)):
        n = round(hours / size)
        if hours >= 2 * size or (unit == "minute"):
            return f"{max(1, n):,} {unit}{'' if max(1, n) == 1 else 's'}"
    return NONE


def ago(moment: datetime, now: datetime) -> str:
    """How long ago something was."""
    hours = (now - moment.astimezone(UTC)).total_seconds() / 3_600
    return "just now" if hours < 2 / 60 else f"{span(hours)} ago"
