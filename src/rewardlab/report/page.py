"""The audit as one HTML file that opens without network or scripts."""

from __future__ import annotations

from collections.abc import Sequence

from rewardlab.audit.payments import Payments
from rewardlab.audit.result import AuditResult
from rewardlab.report.figures import (
    Picture,
    accuracy_picture,
    calibration_picture,
    ceiling_picture,
    curve_picture,
    payments_picture,
)
from rewardlab.report.frame import Shown, file_names, numbered, render_page
from rewardlab.report.priorities import ranked, to_do
from rewardlab.report.summary import summary_sentences
from rewardlab.types import Finding, Status

_CONTENTS = (
    ("accuracy", "Accuracy"),
    ("ceiling", "Ceiling"),
    ("calibration", "Calibration"),
    ("pays", "What is paid for"),
    ("curve", "Optimisation curve"),
    ("reading", "Read these"),
    ("data", "Data"),
)
"""The verdict's evidence first, then the texts behind it, then the many checks of the file."""

N_URGENT = 8
"""Things to do that are shown at once; the rest is folded."""

_SECTION_OF = {
    "held-out-accuracy": "accuracy",
    "accuracy-by-difficulty": "accuracy",
    "ceiling": "ceiling",
    "calibration": "calibration",
    "unlikely-labels": "reading",
    "votes-pay-for": "pays",
    "reward-overpays": "pays",
    "reward-beyond-features": "pays",
    "length-alone": "pays",
    "optimisation-curve": "curve",
    "curve-prompts": "curve",
}


def render(result: AuditResult) -> str:
    """The audit as one self-contained HTML page.

    Texts of prompts and responses are shown as text whatever they hold: markup is escaped,
    control characters are written out, long texts are shortened with the whole one at hand.

    Args:
        result: From the audit.

    Returns:
        HTML that can be saved as UTF-8.
    """
    shown = numbered((*result.doctor, *result.findings))
    data, reward = shown[: len(result.doctor)], shown[len(result.doctor) :]
    of = _by_section(data, reward)
    urgent = to_do(ranked(data, reward), Status.FAIL, Status.WARN)
    other = [("other", "Other findings")] if of["other"] else []
    return render_page(
        "audit.jinja",
        result=result,
        version=result.version,
        heading=file_names(result.data.files),
        facts=_facts(result),
        sentences=summary_sentences(result),
        shown=shown,
        urgent=urgent[:N_URGENT],
        less_urgent=urgent[N_URGENT:],
        unsaid=to_do(ranked(data, reward), Status.CANNOT_SAY),
        contents=[*_CONTENTS, *other, ("made", "How this was made")],
        of=of,
        accuracy_picture=accuracy_picture(result.accuracy, result.ceiling),
        ceiling_picture=ceiling_picture(result.accuracy, result.ceiling),
        calibration_picture=calibration_picture(result.calibration) if result.calibration else None,
        pays=_pays(result),
        curves=[(curve, curve_picture(curve)) for curve in result.curves],
    )


def section_of(finding: Finding) -> str:
    """The section of the page to which a finding about the reward belongs."""
    return _SECTION_OF.get(finding.name, "other")


def _by_section(doctor: Sequence[Shown], reward: Sequence[Shown]) -> dict[str, list[Shown]]:
    of: dict[str, list[Shown]] = {name: [] for name, _ in (*_CONTENTS, ("other", ""))}
    of["data"] = ranked(doctor, ())
    for one in reward:
        of[section_of(one.finding)].append(one)
    return of


def _facts(result: AuditResult) -> list[tuple[str, str]]:
    data = result.data
    facts = [
        (f"{data.n_rows:,}", "rows"),
        (f"{data.n_votes:,}", "votes used"),
        (f"{data.n_pairs:,}", "pairs"),
        (f"{data.n_prompts:,}", "prompts"),
    ]
    return [*facts, (f"{data.n_annotators:,}" if data.n_annotators else "not named", "annotators")]


def _pays(result: AuditResult) -> list[tuple[str, Payments, Picture]]:
    told = (
        ("What people's votes pay for", result.raters_pay),
        ("What the reward pays for", result.reward_pays),
        ("What the reward pays for beyond the votes", result.overpaid),
    )
    return [
        (name, payments, payments_picture(payments, title=name))
        for name, payments in told
        if payments is not None and payments.rows
    ]
