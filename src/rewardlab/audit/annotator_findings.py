"""Which annotators stand out: tests of all of them at once, with one bound on false alarms.

Each test allows for what honest people do: a lean to one side, ties on close pairs, some haste,
some errors. It asks whether someone is beyond that, and Holm's method is applied to all tests of
all annotators together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from rewardlab.audit.judgements import Asked, Judgements
from rewardlab.preferences.doctor.annotators import lopsided_p
from rewardlab.stats.multiple import holm
from rewardlab.types import BoolArray, Finding, FloatArray, IntArray, Status

SIDE_ALLOWED = 0.6
"""An honest annotator prefers neither side in more than this share of the pairs they decide."""

UNDECIDED_ALLOWED = 0.5
"""An honest annotator leaves at most this share undecided, or twice that of the others."""

MUCH_FASTER = 0.25
"""Someone is much faster whose typical time is less than this share of the others'."""

KNOWN_WANTED = 0.8
"""Who reads judges at least this share of known pairs rightly."""

CHANCE = 0.5

REPEATS_BEHIND = 0.1
"""Someone contradicts themself who turns round this much more often than two others differ."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What is tested; shape [k], one entry an annotator, unless said otherwise.

    Attributes:
        annotators: Names.
        n: Judgements, skips among them.
        n_decided: Those that prefer a side.
        n_left: Those that prefer the side shown first; None where sides are not recorded.
        n_known: Known pairs judged.
        n_right: Known pairs judged rightly.
        n_repeats: Repeats of which both judgements prefer a side, and so do those of two others on
            the pair.
        n_turned: Of these, the repeats on which the annotator alone differs: they turned round,
            and the two others agree.
        n_apart: Those on which the two others alone differ from each other.
        n_differ: Those on which the annotator turned round, whatever the others did.
        duration_s: Shape [n judgements], seconds.
        timed: Shape [n judgements]; True where there is a time to count.
        annotator: Shape [n judgements], codes.
    """

    annotators: tuple[str, ...]
    n: IntArray
    n_decided: IntArray
    n_left: IntArray | None
    n_known: IntArray
    n_right: IntArray
    n_repeats: IntArray
    n_turned: IntArray
    n_apart: IntArray
    n_differ: IntArray
    duration_s: FloatArray
    timed: BoolArray
    annotator: IntArray


@dataclass(frozen=True, slots=True)
class Check:
    """A finding, and the places of the annotators whom it names."""

    finding: Finding
    flagged: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Test:
    """A question that is put to every annotator.

    Attributes:
        name: Slug.
        p: Shape [k]; NaN where an annotator gave nothing to test.
        lines: Length k; each one's figure in a few words.
        clean: Title where nobody stands out.
        found: Title where somebody does, before a colon and their names.
        unknown: Title where nobody can be tested.
        meaning: Why it matters.
        action: What to do about those named.
        missing: What would make the test possible.
        status: Of a finding that names somebody.
    """

    name: str
    p: FloatArray
    lines: list[str]
    clean: str
    found: str
    unknown: str
    meaning: str
    action: str
    missing: str
    status: Status = Status.WARN


def known_and_right(judgements: Judgements) -> FloatArray:
    """1 where a known pair was judged rightly, 0 where not, NaN elsewhere; shape [n].

    A skipped pair was not judged.
    """
    asked = (judgements.asked == Asked.KNOWN) & judgements.judged
    return np.where(asked, judgements.outcome == judgements.known, np.nan)


def checked(counts: Counts, *, false_alarms: float) -> tuple[Check, ...]:
    """All findings, with Holm's adjustment over all tests of all annotators.

    Args:
        counts: What to test.
        false_alarms: Chance that any honest annotator is named by any of them.
    """
    tests = (
        _side(counts),
        _undecided(counts),
        _fast(counts),
        _known(counts),
        _below_chance(counts),
        _repeats(counts),
    )
    adjusted = holm(np.concatenate([test.p for test in tests]))
    k = len(counts.annotators)
    return tuple(
        _check(test, adjusted[i * k : (i + 1) * k], counts, false_alarms)
        for i, test in enumerate(tests)
    )


def _check(test: _Test, adjusted: FloatArray, counts: Counts, false_alarms: float) -> Check:
    tested = ~np.isnan(adjusted)
    if not tested.any():
        cannot = Finding(test.name, Status.CANNOT_SAY, test.unknown, test.meaning, test.missing)
        return Check(cannot, ())
    flagged = tuple(int(i) for i in np.flatnonzero(tested & (adjusted < false_alarms)))
    n_tested = int(tested.sum())
    names = [counts.annotators[i] for i in flagged]
    out_of = f"{n_tested:,} of {len(tested):,} annotators could be tested"
    finding = Finding(
        test.name,
        test.status if flagged else Status.PASS,
        f"{test.found}: {', '.join(names)}" if flagged else test.clean,
        f"{test.meaning} {out_of}; the chance of any false alarm is at most {false_alarms:.0%}.",
        test.action if flagged else "Nothing to do.",
        count=len(flagged),
        total=n_tested,
        examples=tuple(f"{counts.annotators[i]}: {test.lines[i]}" for i in flagged),
        details={"annotators": names},
        counted="annotators",
    )
    return Check(finding, flagged)


def _side(counts: Counts) -> _Test:
    n, left = counts.n_decided, counts.n_left
    k = len(n)
    p, lines = np.full(k, np.nan), [""] * k
    if left is not None:
        more = np.maximum(left, n - left)
        # Neither share above the one allowed: the likelier side's tail, for either side.
        p = lopsided_p(more, n, SIDE_ALLOWED)
        p = np.where(more <= SIDE_ALLOWED * n, np.where(n > 0, 1.0, np.nan), p)
        lines = [f"{a:,} left, {b:,} right" for a, b in zip(left, n - left, strict=True)]
    return _Test(
        "goes-by-the-side",
        p,
        lines,
        "Nobody goes by the side",
        "Prefers one side far more often than the other",
        "Nobody can be seen to go by the side",
        "Sides are drawn at random, so each should win about half of the time.",
        "Look at some of these judgements; leave the annotator out if they did not read.",
        "Record which response is shown first, and collect judgements that prefer one.",
    )


def _undecided(counts: Counts) -> _Test:
    undecided = counts.n - counts.n_decided
    others_n, others = counts.n.sum() - counts.n, undecided.sum() - undecided
    # The largest share that what the others left undecided makes likely; 1 where nobody else is.
    share = special.betaincinv(others + 1.0, np.maximum(others_n - others, 0.5), 0.95)
    allowed = np.minimum(0.95, np.maximum(UNDECIDED_ALLOWED, 2 * share))
    p = np.where(counts.n > 0, _at_least(undecided, counts.n, allowed), np.nan)
    return _Test(
        "never-decides",
        p,
        [f"{u:,} of {n:,} undecided" for u, n in zip(undecided, counts.n, strict=True)],
        "Everybody decides often enough",
        "Leaves most pairs undecided",
        "Nobody has judged anything yet",
        "Ties, both bad and skips teach a reward nothing; someone who chooses little else may "
        "be avoiding the work or may not know the subject.",
        "Ask what makes it hard; give clearer guidelines, or other pairs.",
        "Collect judgements.",
    )


def _fast(counts: Counts) -> _Test:
    k = len(counts.annotators)
    times = [counts.duration_s[counts.timed & (counts.annotator == i)] for i in range(k)]
    medians = np.array([np.median(t) if len(t) else np.nan for t in times])
    p, lines = np.full(k, np.nan), [""] * k
    for i in range(k):
        others = np.delete(medians, i)
        others = others[~np.isnan(others)]
        if len(times[i]) and len(others):
            usual = float(np.median(others))
            n_fast = int((times[i] < MUCH_FASTER * usual).sum())
            # A sign test: were the median above, half at most would lie below.
            p[i] = _at_least(np.array([n_fast]), np.array([len(times[i])]), np.array([0.5]))[0]
            lines[i] = f"{medians[i]:.1f} s a judgement, where others take {usual:.1f} s"
    return _Test(
        "much-faster",
        p,
        lines,
        "Nobody is much faster than the others",
        "Less than a quarter of the time that others take",
        "Nobody's time can be compared",
        "Someone who takes a small part of the others' time may not be reading.",
        "Look at their agreement and their known pairs: if those are good, nothing is wrong.",
        "Record times of at least two annotators.",
    )


def _known(counts: Counts) -> _Test:
    n, right = counts.n_known, counts.n_right
    p = np.where(n > 0, special.bdtr(right.astype(float), n, KNOWN_WANTED), np.nan)
    return _known_test(
        counts,
        "misses-known-pairs",
        p,
        f"Nobody is shown to judge fewer than {KNOWN_WANTED:.0%} of known pairs rightly",
        f"Fewer than {KNOWN_WANTED:.0%} of known pairs judged rightly",
        Status.WARN,
    )


def _below_chance(counts: Counts) -> _Test:
    n, right = counts.n_known, counts.n_right
    # Where a tie is among the answers, guessing is right less than half of the time; half it is
    # here, so that someone below is wrong more often than right.
    p = np.where(n > 0, special.bdtr(right.astype(float), n, CHANCE), np.nan)
    return _known_test(
        counts,
        "wrong-on-known-pairs",
        p,
        "Nobody is shown to be wrong on most known pairs",
        "Wrong on most known pairs",
        Status.FAIL,
    )


def _known_test(
    counts: Counts, name: str, p: FloatArray, clean: str, found: str, status: Status
) -> _Test:
    n, right = counts.n_known, counts.n_right
    return _Test(
        name,
        p,
        [f"{r:,} of {m:,} right" for r, m in zip(right, n, strict=True)],
        clean,
        found,
        "No known pairs were judged",
        "Known pairs have an answer that is beyond doubt; a tie or both bad is wrong unless it "
        "is that answer.",
        "First check the known answers that most people miss. Then show the annotator those "
        "pairs: the guidelines may be misread.",
        "Give pairs with a known answer when the next project is made.",
        status,
    )


def _repeats(counts: Counts) -> _Test:
    n, turned, apart = counts.n_repeats, counts.n_turned, counts.n_apart
    # A sign test on the same pairs, so that hard pairs weigh on both sides alike: people differ
    # from each other at least as often as from themselves.
    p = _at_least(turned, turned + apart, np.full(len(n), 0.5))
    near = turned - apart <= REPEATS_BEHIND * n
    p = np.where(n > 0, np.where(near, 1.0, p), np.nan)
    others = counts.n_differ - turned + apart
    return _Test(
        "contradicts-themself",
        p,
        [
            f"turned round on {d:,} of {m:,} repeats, where two others differ on {o:,}"
            for d, m, o in zip(counts.n_differ, n, others, strict=True)
        ],
        "Nobody contradicts themself more often than others contradict each other",
        "Contradicts themself more often than two others contradict each other",
        "No repeats can be compared",
        "Someone who turns round on pairs that others agree on is guessing, or goes by the side. "
        "Close pairs make everybody do so at times.",
        "Look at the pairs on which they changed their mind; a second opinion helps there.",
        "Plant repeats when the next project is made, and have three people at least judge each "
        "pair.",
    )


def _at_least(n_hit: IntArray, n: IntArray, chance: FloatArray) -> FloatArray:
    """P(Binomial(n, chance) >= n_hit); shape [k]."""
    tail = special.bdtrc(np.maximum(n_hit - 1, 0).astype(float), n, chance)
    return np.where(n_hit > 0, tail, 1.0)
