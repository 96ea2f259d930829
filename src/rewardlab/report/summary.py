"""The verdict in plain sentences, for the page and the terminal alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rewardlab.audit.curve_result import CurveResult
from rewardlab.audit.payments import MOSTLY_LENGTH, Payment, Payments
from rewardlab.audit.result import AuditResult
from rewardlab.plots.text import listed, share, signed
from rewardlab.rewards.text_features import title_of
from rewardlab.types import Finding, Status

_URGENCY = (Status.FAIL, Status.WARN, Status.CANNOT_SAY, Status.PASS)

N_NAMED = 3
"""Features named in the sentence on what is paid for, in each direction."""

_IN_LOGITS = (
    ", in logits for one standard deviation more (+0.1 turns even odds into 52.5%, +1 into 73%)"
)


def by_urgency(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings with fail first, then warn, cannot say and pass; otherwise in their order."""
    return tuple(sorted(findings, key=lambda f: _URGENCY.index(f.status)))


def summary_sentences(result: AuditResult) -> tuple[str, ...]:
    """What the audit found, in three to five sentences or short paragraphs.

    They say, in order: how good the reward is and what a better one could reach, what is paid
    for, the worst fault of the data, and what optimising against the reward does.
    """
    return (
        _accuracy(result),
        _ceiling(result),
        _paid_for(result),
        _data(result.doctor),
        _curve(result),
    )


def _accuracy(result: AuditResult) -> str:
    overall, longest = result.accuracy.overall, result.accuracy.longest
    said = f"The reward agrees with people on {share(overall.value)} of {overall.n:,} decided votes"
    if not math.isnan(overall.low):
        said += f" (95% interval {share(overall.low)} to {share(overall.high)})"
    beside = f"a coin would reach 50% and picking the longer response {share(longest.value)}"
    if overall.high < 0.5:
        return f"{said}: it prefers what people reject; {beside}."
    if not overall.low > 0.5:
        return f"{said}, which these votes do not tell apart from a coin; {beside}."
    return f"{said}; {beside}."


def _ceiling(result: AuditResult) -> str:
    ceiling = result.ceiling
    if ceiling is None:
        return (
            "How far any reward could go on these votes cannot be said: too few pairs have votes "
            "of two people."
        )
    said = (
        f"Two people who vote on the same pair agree {share(ceiling.agreement.value, decimals=0)} "
        f"of the time, so even a perfect reward would stop at "
        f"{share(ceiling.low, decimals=0)} to {share(ceiling.high, decimals=0)}"
    )
    if ceiling.n_votes < ceiling.n_decided:
        said += f" on such pairs, where this one reaches {share(ceiling.accuracy.value)}"
    verdicts = {
        Status.WARN: ": a better reward can still gain here.",
        Status.CANNOT_SAY: "; whether a better reward could still gain, these votes do not tell.",
        Status.PASS: ": this one is about as good as these votes allow.",
        Status.FAIL: ": this one is above that, which points to a leak.",
    }
    status = next((f.status for f in result.findings if f.name == "ceiling"), None)
    return said + verdicts[status or Status.CANNOT_SAY]


def _paid_for(result: AuditResult) -> str:
    told = next((f for f in result.findings if f.name == "votes-pay-for"), None)
    if result.raters_pay is None or (told and told.status is Status.CANNOT_SAY):
        said = "What people's votes pay for cannot be said; the section on it says what is missing."
    else:
        pays = _pays("people's votes", result.raters_pay, verbs=("pay for", "mark down"))
        said = f"Other features held fixed, {pays}{_IN_LOGITS if result.raters_pay.named else ''}."
    length = result.length_alone
    if not math.isnan(length.accuracy.value):
        said += f" {length.rule} reaches {share(length.accuracy.value)}."
    if length.share_of_reward >= MOSTLY_LENGTH:
        said += f" Length explains {share(length.share_of_reward, decimals=0)} of the reward."
    if result.overpaid is not None and result.overpaid.named:
        verbs = ("overpays for", "underpays for")
        said += f" {_pays('Beside the votes, the reward', result.overpaid, verbs=verbs)}."
    return said


def _pays(who: str, payments: Payments, *, verbs: tuple[str, str]) -> str:
    """A clause; the verbs say what a positive and what a negative weight means."""
    for_it = [row for row in payments.named if row.weight > 0]
    against = [row for row in payments.named if row.weight < 0]
    parts = [
        f"{v} {_features(rows)}" for v, rows in zip(verbs, (for_it, against), strict=True) if rows
    ]
    if not parts:
        return f"{who} clearly {verbs[0]} none of {len(payments.rows)} text features"
    return f"{who} {' and '.join(parts)}"


def _features(rows: Sequence[Payment]) -> str:
    heaviest = sorted(rows, key=lambda row: -abs(row.weight))
    named = [f"{title_of(r.feature).lower()} ({signed(r.weight)})" for r in heaviest[:N_NAMED]]
    if len(rows) > N_NAMED:
        named.append(f"{len(rows) - N_NAMED} more")
    return listed(named)


def _data(doctor: Sequence[Finding]) -> str:
    if not doctor:
        return "The data were not checked."
    n_failed = sum(f.status is Status.FAIL for f in doctor)
    n_warned = sum(f.status is Status.WARN for f in doctor)
    n_silent = sum(f.status is Status.CANNOT_SAY for f in doctor)
    unsaid = f" {n_silent} of {len(doctor)} checks cannot say." if n_silent else ""
    if not n_failed + n_warned:
        n_passed = len(doctor) - n_silent
        return f"The checks of the data found nothing wrong ({n_passed} passed).{unsaid}"
    worst = _worst(doctor)
    counted = f"{n_failed} of {len(doctor)} checks of the data failed and {n_warned} warn"
    return f"{counted}; the worst: “{worst.title.rstrip('.')}”.{unsaid}"


def _worst(doctor: Sequence[Finding]) -> Finding:
    """The failed (or else warning) check that touches the largest share of rows."""
    first = by_urgency(doctor)[0].status
    return max((f for f in doctor if f.status is first), key=lambda f: f.share or 0.0)


def _inside_sentence(title: str) -> str:
    title = title.rstrip(".")
    is_word = len(title) > 1 and title[1].islower()
    return title[0].lower() + title[1:] if is_word else title


def _curve(result: AuditResult) -> str:
    if not result.curves:
        return (
            "What optimising against this reward does cannot be said: no samples were given "
            "(--samples FILE)."
        )
    return " ".join(curve_sentence(curve) for curve in result.curves)


def curve_sentence(curve: CurveResult) -> str:
    """The verdict on one curve, named by its proxy, with its remedy."""
    verdict = curve.verdict
    said = f"Picking the best of n by {curve.proxy_name}: {_inside_sentence(verdict.sentence)}."
    return f"{said} {verdict.remedy}".strip()
