"""Does optimising against the proxy still help? Four verdicts, each from the tests that fired.

- *peaked*: gold rises significantly from n = 1 to some n, falls significantly from some n to the
  end, and its highest point lies in between. Where gold only rises, only falls or does not
  move, one of the two tests must err for this call, so it happens in at most 1 - level of runs.
- *still rising*: gold has risen significantly, and is significantly higher at N than at N/2.
- *never helped*: neither, and a simultaneous upper bound on the gain at any n is below the smallest
  gain that matters.
- *cannot say*: none of these; the remedy says how many prompts, labels or samples would settle it.

All contrasts are means over prompts; critical values are for the largest of the correlated
statistics (max-t), so looking at many n costs no false calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rewardlab.audit.changes import Change, Changes, changes_of_gold
from rewardlab.audit.labelling import Labelling
from rewardlab.audit.peak import Peak, Where
from rewardlab.audit.prompt_curves import PromptCurves
from rewardlab.audit.remedies import Remedy, Wanted, settle

SMALLEST_GAIN_SHARE = 0.1
"""Default smallest gain that matters, in standard deviations of one sample's gold."""

_POWER_Z = 0.84
"""Normal quantile of the 80% power that remedies aim at."""

_JOINT_POWER_Z = 1.2
"""The same where bounds at all n must hold together, by simulation."""


class Call(StrEnum):
    """The verdict."""

    RISING = "still rising"
    PEAKED = "peaked"
    NEVER = "never helped"
    CANNOT_SAY = "cannot say"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the curve says about optimising further, with its evidence.

    Attributes:
        call: One of the four verdicts.
        sentence: The verdict in words, made from the tests that fired.
        remedy: What would settle it; "" unless the call is "cannot say".
        rise: The telling rise from n = 1; None where nothing could be tested.
        fall: The telling fall to the end; None likewise.
        last_stretch: Change from about N/2 to N; None likewise.
        gain_at_most: Simultaneous upper bound on the gain at any n; NaN likewise.
        smallest_gain: The smallest gain in gold that matters.
        prompts_needed: About how many prompts would settle it with 80% power; None where more
            prompts are not the remedy or none is needed.
        labels_needed: About how many more labels of the same samples would; None likewise.
        level: Confidence level of each test.
    """

    call: Call
    sentence: str
    remedy: str
    rise: Change | None
    fall: Change | None
    last_stretch: Change | None
    gain_at_most: float
    smallest_gain: float
    prompts_needed: int | None
    labels_needed: int | None
    level: float


@dataclass(frozen=True, slots=True)
class _Evidence:
    changes: Changes
    smallest_gain: float
    n_prompts: int
    labelling: Labelling | None
    n_last: int
    level: float


def verdict(
    curves: PromptCurves,
    peak: Peak,
    *,
    smallest_gain: float | None = None,
    level: float = 0.95,
    rng: np.random.Generator,
) -> Verdict:
    """The verdict on a curve.

    Args:
        curves: Curves of at least two prompts.
        peak: ``measured_peak`` of the same curves.
        smallest_gain: Smallest gain in gold that matters; by default a tenth of the standard
            deviation of one sample's gold.
        level: Confidence level of each test.
        rng: Source of randomness (critical values).
    """
    matters = SMALLEST_GAIN_SHARE * curves.gold_sd if smallest_gain is None else smallest_gain
    reason = _nothing_to_choose(curves)
    if reason is not None:
        nan = float("nan")
        return Verdict(Call.CANNOT_SAY, *reason, None, None, None, nan, matters, None, None, level)
    changes = changes_of_gold(curves, level=level, rng=rng)
    evidence = _Evidence(changes, matters, len(curves), curves.labelling, int(curves.n[-1]), level)
    call = _decide(evidence, peak)
    remedy = _remedy(evidence) if call is Call.CANNOT_SAY else Remedy("")
    return Verdict(
        call=call,
        sentence=_sentence(call, evidence, peak),
        remedy=remedy.words,
        rise=changes.rise,
        fall=changes.fall,
        last_stretch=changes.last_stretch,
        gain_at_most=changes.gain_at_most,
        smallest_gain=matters,
        prompts_needed=remedy.prompts,
        labels_needed=remedy.labels,
        level=level,
    )


def _nothing_to_choose(curves: PromptCurves) -> tuple[str, str] | None:
    """Sentence and remedy where picking by proxy cannot change gold at all."""
    if not curves.gold_varies:
        every = curves.n_labelled == curves.n_samples
        same = (
            "every prompt gives all its samples the same gold"
            if every
            else "no prompt has two labelled samples whose gold differs"
        )
        return (
            f"Cannot say: {same}, so no choice among them can change it.",
            "Use a gold score that tells the samples of a prompt apart, or draw more varied "
            "samples.",
        )
    if not curves.proxy_varies:
        return (
            "Cannot say: the proxy gives all samples of a prompt the same reward, so its best "
            "of n is a random sample.",
            "Use a proxy that tells the samples of a prompt apart.",
        )
    return None


def _decide(evidence: _Evidence, peak: Peak) -> Call:
    changes = evidence.changes
    rose = changes.rise.significant
    if rose and changes.fall.significant and peak.where is Where.INSIDE:
        return Call.PEAKED
    if rose and changes.last_stretch.significant:
        return Call.RISING
    if changes.gain_at_most < evidence.smallest_gain:
        return Call.NEVER
    return Call.CANNOT_SAY


def _sentence(call: Call, e: _Evidence, peak: Peak) -> str:
    rise, fall, last = e.changes.rise, e.changes.fall, e.changes.last_stretch
    at_most = e.changes.gain_at_most
    if call is Call.PEAKED:
        return (
            f"Peaked at n = {n_words(peak.n)} ({peak_interval(peak)}): gold rises by "
            f"{_amount(rise)} and then falls by {_amount(fall)}."
        )
    if call is Call.RISING:
        return (
            f"Still rising at n = {e.n_last}: gold rises by {_amount(rise)}, and by "
            f"{_amount(last)}."
        )
    if call is Call.NEVER:
        fell = f"; it falls by {_amount(fall)}" if fall.significant else ""
        gain = (
            f"at no n up to {e.n_last} does gold gain more than {at_most:.3g}, less than the "
            f"{e.smallest_gain:.3g} that matters"
            if at_most > 0
            else f"at every n from 2 to {e.n_last} gold is below that of a single sample"
        )
        return f"Never helped: {gain} ({e.level:.0%} bound over all n){fell}."
    if not rise.significant:
        return (
            f"Cannot say: no rise of gold is significant, but a gain of up to {at_most:.3g} is "
            f"not excluded (a gain of {e.smallest_gain:.3g} matters)."
        )
    return (
        f"Cannot say whether gold goes on rising: it rises by {_amount(rise)}, but its change from "
        f"n = {last.n_from} to {last.n_to} is {last.change:+.3g} (between {last.low:+.3g} and "
        f"{last.high:+.3g}), and no fall is significant."
    )


def _amount(change: Change) -> str:
    at_least = max(0.0, change.low if change.change > 0 else -change.high)
    return (
        f"{abs(change.change):.3g} (at least {at_least:.3g}) from n = {change.n_from} to "
        f"{change.n_to}"
    )


def peak_interval(peak: Peak) -> str:
    """The interval of a peak in words, its open ends named."""
    low = "the start" if peak.reaches_start else n_words(peak.low)
    high = "the end of the data or beyond" if peak.reaches_end else n_words(peak.high)
    return f"{peak.level:.0%} interval {low} to {high}"


def n_words(n: float) -> str:
    """An n that need not be whole, with the digits that can matter."""
    return f"{n:.1f}" if n < 20 else f"{n:,.0f}"


def _remedy(e: _Evidence) -> Remedy:
    """More labels or prompts for 80% power, or a larger n where neither will help."""
    rise, last = e.changes.rise, e.changes.last_stretch
    if not rise.significant:
        wanted = Wanted(
            what=f"show or exclude a gain of {e.smallest_gain:.3g}",
            n_from=1,
            n_to=e.changes.widest_n,
            std_error=e.changes.widest_error,
            reach=(rise.critical + _JOINT_POWER_Z) * e.changes.widest_error / e.smallest_gain,
        )
        return settle(
            wanted, e.n_prompts, e.labelling, otherwise="say that only a larger gain matters"
        )
    further = f"draw about {4 * e.n_last:,} samples a prompt"
    if max(abs(last.low), abs(last.high)) < e.smallest_gain:
        return Remedy(
            f"Gold has levelled off by n = {e.n_last}, and more prompts would change little: "
            f"{further} to see whether it falls at larger n."
        )
    size = max(abs(last.change), e.smallest_gain)
    wanted = Wanted(
        what=f"show a change of {size:.3g} at the end",
        n_from=last.n_from,
        n_to=last.n_to,
        std_error=last.std_error,
        reach=(e.changes.fall.critical + _POWER_Z) * last.std_error / size,
    )
    return settle(wanted, e.n_prompts, e.labelling, otherwise=f"{further}, to see what lies beyond")
