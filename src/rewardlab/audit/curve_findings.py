"""What a curve means for whoever optimises against the proxy, as findings."""

from __future__ import annotations

from rewardlab.audit.curve_result import CurveResult
from rewardlab.audit.peak import Peak, Where
from rewardlab.audit.verdict import Call, n_words, peak_interval
from rewardlab.stats.intervals import FEW_CLUSTERS
from rewardlab.types import Figure, Finding, Status

_STATUS = {
    Call.RISING: Status.PASS,
    Call.PEAKED: Status.WARN,
    Call.NEVER: Status.FAIL,
    Call.CANNOT_SAY: Status.CANNOT_SAY,
}
_MEANING = {
    Call.RISING: "Choosing by this proxy still buys gold at the largest n that was measured; what "
    "happens beyond it was not measured.",
    Call.PEAKED: "Up to its peak more optimisation buys gold; beyond it the proxy still goes up "
    "while gold goes down (over-optimisation).",
    Call.NEVER: "The proxy does not pick better samples: optimising against it buys no gold that "
    "matters, however far it goes.",
    Call.CANNOT_SAY: "The samples do not settle whether optimising against this proxy helps.",
}


def curve_findings(result: CurveResult) -> tuple[Finding, ...]:
    """The verdict on a curve as a finding, and what weakens it.

    "Peaked" warns (stop there), "never helped" fails, "still rising" passes.
    """
    found = [_verdict_finding(result)]
    if result.n_prompts < FEW_CLUSTERS:
        found.append(_few_prompts(result))
    return tuple(found)


def _verdict_finding(result: CurveResult) -> Finding:
    call = result.verdict.call
    last = len(result.n) - 1
    return Finding(
        name="optimisation-curve",
        status=_STATUS[call],
        title=f"{result.proxy_name}: {result.verdict.sentence}",
        meaning=_MEANING[call],
        action=_action(result),
        figure=_figure(result),
        details={
            "proxy": result.proxy_name,
            "prompts": result.n_prompts,
            "largest_n": int(result.n[last]),
            "largest_kl_nats": float(result.path.kl_nats[last]),
        },
    )


def _figure(result: CurveResult) -> Figure:
    """The peak's n where gold peaked (no bound at an open end), else the gain at the largest n."""
    peak, last, nan = result.peak, len(result.n) - 1, float("nan")
    if result.verdict.call is Call.PEAKED:
        return Figure(
            peak.n,
            nan if peak.reaches_start else peak.low,
            nan if peak.reaches_end else peak.high,
            "samples at the peak",
            peak.level,
            "where the gain of one more sample crosses zero, t over prompts",
        )
    return Figure(
        float(result.gain.mean[last]),
        float(result.gain.low[last]),
        float(result.gain.high[last]),
        f"gold gained at n = {result.n[last]}",
        peak.level,
        "best of n minus one sample, t over prompts",
    )


def _action(result: CurveResult) -> str:
    call, last = result.verdict.call, int(result.n[-1])
    if call is Call.CANNOT_SAY:
        return result.verdict.remedy
    if call is Call.PEAKED:
        return (
            f"Stop near n = {n_words(result.peak.n)} (KL of about {_kl(result):.2g} nats from the "
            "reference), and repair the proxy before going further: read what it picks there."
        )
    if call is Call.NEVER:
        return "Do not optimise against this proxy; read the samples it puts on top."
    return (
        f"Optimising as far as n = {last} is supported by the data; to go further, first draw "
        f"about {4 * last} samples a prompt and measure again."
    )


def _kl(result: CurveResult) -> float:
    n = result.peak.n
    nearest = int(abs(result.path.strength - n).argmin())
    return float(result.path.kl_nats[nearest])


def _few_prompts(result: CurveResult) -> Finding:
    return Finding(
        name="curve-prompts",
        status=Status.WARN,
        title=f"{result.proxy_name}: the curve rests on only {result.n_prompts} prompts",
        meaning="Prompts are what varies from one use to the next; from few of them intervals are "
        "rough, and wide.",
        action=f"Record samples of at least {FEW_CLUSTERS} prompts, better several hundred.",
        count=result.n_prompts,
        counted="prompts",
    )


def peak_words(peak: Peak) -> str:
    """A peak in words: where it is, with its interval, or that it is beyond the data."""
    if peak.where is Where.NOWHERE:
        return "none, gold does not change"
    if peak.where is Where.BEYOND:
        if peak.reaches_start:
            return "beyond the data, though no peak before is excluded"
        if peak.low >= peak.n:
            return f"beyond the data (n > {peak.n:.0f})"
        return f"beyond the data, at least n = {n_words(peak.low)}"
    if peak.where is Where.START:
        return f"none, gold falls from the start{_later_peak(peak)}"
    return f"n = {n_words(peak.n)} ({peak_interval(peak)})"


def _later_peak(peak: Peak) -> str:
    if peak.reaches_end:
        return ", though a later peak is not excluded"
    return f"; a peak up to n = {n_words(peak.high)} is not excluded" if peak.high > 1 else ""
