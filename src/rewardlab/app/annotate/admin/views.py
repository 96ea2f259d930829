"""A project's summary as the admin's page gets it: sentences, figures with intervals, tables."""

from __future__ import annotations

import math
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np

from rewardlab.app.annotate.admin.fitted import FittedSoFar
from rewardlab.app.annotate.admin.sentences import (
    NONE,
    ago,
    aside_sentence,
    ceiling_sentence,
    has_ceiling,
    left_out_sentence,
    progress_sentence,
    when_sentence,
)
from rewardlab.app.annotate.admin.summary import Summary
from rewardlab.app.annotate.store.access import Link
from rewardlab.app.annotate.store.contents import Project
from rewardlab.audit.annotators import AnnotatorFigures, Seconds
from rewardlab.audit.labelling_pace import Throughput
from rewardlab.audit.reliability import AnnotatorReliability
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.plots.text import number, share, true_minus
from rewardlab.stats.intervals import Estimate
from rewardlab.types import Finding, Status

_ORDERS = (
    ("random", "Random", "Every pair alike: what is learned holds for all of them."),
    (
        "undecided",
        "Undecided first",
        "Pairs on which rewards fitted to the labels so far disagree most. It needs some labels, "
        "and asks hard pairs: agreement will look worse than it is on all.",
    ),
    (
        "curve",
        "For the curve",
        "Samples first that bear most on the best-of-n curve for which they were chosen.",
    ),
)

_FLAGS = {
    "goes-by-the-side": "prefers one side",
    "never-decides": "mostly undecided",
    "much-faster": "very fast",
    "misses-known-pairs": "misses known pairs",
    "wrong-on-known-pairs": "wrong on known pairs",
    "contradicts-themself": "contradicts themself",
}
"""What stands beside a name for each finding; the finding itself stands below in full."""

_STATUS = {
    Status.PASS: "pass",
    Status.WARN: "warn",
    Status.FAIL: "fail",
    Status.CANNOT_SAY: "cannot say",
}


def summary_view(summary: Summary, now: datetime) -> dict[str, Any]:
    """Everything that changes with the labels."""
    counts = summary.counts
    return {
        "n": len(summary.judgements),
        "progress": {
            "share": counts.made / counts.wanted if counts.wanted else 0.0,
            "sentence": progress_sentence(counts),
            "when": when_sentence(counts, summary.pace),
            "aside": aside_sentence(summary),
        },
        "facts": _facts(summary),
        "ceiling": ceiling_sentence(summary),
        "left_out": left_out_sentence(summary),
        "throughput": throughput_view(summary.throughput),
        "people": people_view(summary, now),
        "findings": [_finding(finding) for finding in summary.report.findings],
    }


def link_view(link: Link, summary: Summary | None, now: datetime) -> dict[str, Any]:
    """A link without its secret, which nobody has any more."""
    seen = summary.last_seen.get(link.annotator) if summary else None
    return {
        "link": link.link,
        "role": link.role,
        "annotator": link.annotator,
        "made": ago(link.made_at, now),
        "revoked": ago(link.revoked_at, now) if link.revoked_at else None,
        "seen": ago(seen, now) if seen and link.role == "annotator" else None,
    }


def fitted_view(fitted: FittedSoFar, summary: Summary) -> dict[str, Any]:
    """The reward so far beside what any could reach, and how often each annotator flips."""
    return {
        "n": fitted.n,
        "words": fitted.words,
        "because": fitted.because,
        "beside": _beside(summary) if fitted.words else "",
        "flips": {one.annotator: _flips(one) for one in fitted.reliability},
        "no_flips": fitted.no_reliability,
    }


def order_view(project: Project) -> dict[str, Any]:
    """The orders to choose from, and the present one."""
    choices = _ORDERS if project.about.get("chosen") else _ORDERS[:-1]
    return {
        "now": project.about.get("order", "random"),
        "choices": [{"key": k, "label": label, "about": about} for k, label, about in choices],
    }


def _beside(summary: Summary) -> str:
    ceiling = summary.report.ceiling if has_ceiling(summary) else None
    if ceiling is None:
        return "How much better any reward could be is not known yet: see Agreement."
    ends = f"{share(ceiling.outer_low, decimals=0)} to {share(ceiling.outer_high, decimals=0)}"
    return f"The best possible reward would agree with {ends} of such votes: see Agreement."


def _flips(one: AnnotatorReliability) -> dict[str, str]:
    if math.isnan(one.flip_rate):
        return {"text": NONE, "interval": "", "why": one.why_not}
    ends = f"{100 * one.low:.0f} to {100 * one.high:.0f}%"
    text = "cannot say" if one.why_not else share(one.flip_rate, decimals=0)
    return {"text": text, "interval": ends, "why": one.why_not}


def throughput_view(made: Throughput) -> dict[str, Any]:
    """Judgements over time: a chart, its sentence and its figures."""
    line = Line("judgements", made.start, made.count.astype(np.float64))
    panel = Panel(f"judgements each {made.unit}", (line,), height=150.0)
    chart = LineChart((panel,), f"{made.unit}s from now")
    total, most = int(made.count.sum()), int(made.count.max(initial=0))
    before = f" {made.n_before:,} earlier ones are not drawn." if made.n_before else ""
    sentence = (
        f"{total:,} judgements in the last {len(made.count):,} {made.unit}s, "
        f"at most {most:,} in one {made.unit}.{before}"
    )
    rows = [
        [f"{-int(start):,} {made.unit}{'' if start == -1 else 's'} ago", f"{n:,}"]
        for start, n in zip(made.start.tolist(), made.count.tolist(), strict=True)
    ]
    return {
        "sentence": sentence,
        "chart": {"kind": "LineChart", **asdict(chart)},
        "table": {"columns": ["Since", "Judgements"], "numeric": [False, True], "rows": rows[::-1]},
    }


def people_view(summary: Summary, now: datetime) -> dict[str, Any]:
    """The table of annotators, all of them at its end."""
    rows = [_person(one, summary, now) for one in summary.report.annotators]
    rows.sort(key=lambda row: -row["n"])
    return {"rows": rows, "all": _person(summary.report.overall, summary, now)}


def _person(one: AnnotatorFigures, summary: Summary, now: datetime) -> dict[str, Any]:
    seen = summary.last_seen.get(one.annotator)
    return {
        "name": one.annotator,
        "n": one.n,
        "agreement": _figure(one.agreement),
        "left": _figure(one.left),
        "undecided": f"{one.n_tie:,} / {one.n_both_bad:,} / {one.n_skip:,}",
        "known": _figure(one.known),
        "repeats": _figure(one.repeats),
        "time": _time(one.seconds),
        "seen": ago(seen, now) if seen else NONE,
        "flags": [_FLAGS.get(name, name) for name in one.flags],
    }


def _figure(estimate: Estimate | None) -> dict[str, str]:
    """A share and its interval; ``of`` says on how many judgements it rests."""
    if estimate is None:
        return {"text": NONE, "interval": "", "of": ""}
    known = not math.isnan(estimate.low)
    ends = f"{100 * estimate.low:.0f} to {100 * estimate.high:.0f}%" if known else ""
    return {
        "text": share(estimate.value, decimals=0),
        "interval": ends,
        "of": f"{estimate.n:,}",
    }


def _time(seconds: Seconds | None) -> dict[str, str]:
    if seconds is None:
        return {"text": NONE, "interval": "", "of": ""}
    ends = f"{number(seconds.lower, digits=2)} to {number(seconds.upper, digits=2)} s"
    return {
        "text": f"{number(seconds.median, digits=2)} s",
        "interval": ends,
        "of": f"{seconds.n:,}",
    }


def _facts(summary: Summary) -> list[dict[str, str]]:
    """The figures of all people together, each with what it means."""
    overall, alpha = summary.report.overall, summary.report.alpha
    return [
        _fact("Two people say the same", overall.agreement, "ties and both bad as answers too"),
        _fact("… where both prefer a side", overall.agreement_decided, "a coin would reach 50%"),
        {
            "label": "Krippendorff's alpha",
            "text": _decimals(alpha.value) if alpha else NONE,
            "interval": _alpha_interval(alpha, overall.agreement),
            "about": "0 is chance, 1 is perfect",
        },
        _fact("Left side preferred", overall.left, "about 50% where people read"),
        _fact("Same answer to a repeat", overall.repeats, "the same pair, sides exchanged"),
        _fact("Known pairs right", overall.known, "pairs whose answer is beyond doubt"),
        {"label": "Time a judgement", **_plain(_time(overall.seconds)), "about": "the middle half"},
        {
            "label": "Ties, both bad, skipped",
            "text": f"{overall.n_tie:,}, {overall.n_both_bad:,}, {overall.n_skip:,}",
            "interval": f"of {overall.n:,} judgements",
            "about": "they teach a reward little or nothing",
        },
    ]


def _fact(label: str, estimate: Estimate | None, about: str) -> dict[str, str]:
    figure = _figure(estimate)
    ends = figure["interval"] or "no interval from one prompt"
    of = f"{ends} · {figure['of']} judgements" if estimate else "none to measure it on"
    return {"label": label, "text": figure["text"], "interval": of, "about": about}


def _alpha_interval(alpha: Estimate | None, agreement: Estimate | None) -> str:
    if alpha is None:
        return "everybody says the same" if agreement else "no pair judged twice"
    if math.isnan(alpha.low):
        return "no interval"
    return f"{_decimals(alpha.low)} to {_decimals(alpha.high)}"


def _decimals(value: float) -> str:
    return true_minus(f"{value:.2f}")


def _plain(figure: dict[str, str]) -> dict[str, str]:
    return {"text": figure["text"], "interval": figure["interval"] or "no times yet"}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "status": _STATUS[finding.status],
        "title": finding.title,
        "meaning": finding.meaning,
        "action": finding.action,
        "examples": list(finding.examples),
    }
