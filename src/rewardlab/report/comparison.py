"""Two rewards compared, as one HTML file in the frame of the audit's page."""

from __future__ import annotations

import math

from rewardlab.audit.calibration import Calibration
from rewardlab.audit.compare import ComparisonResult, PairedBucket
from rewardlab.audit.curve_result import CurveResult
from rewardlab.audit.proxy_differences import ProxyDifference, difference_words
from rewardlab.plots.interval_chart import IntervalRow, Reference, interval_chart
from rewardlab.plots.text import interval, number, points, points_interval, share
from rewardlab.report.figures import Picture, calibration_picture, curve_picture, picture
from rewardlab.report.frame import file_names, numbered, render_page
from rewardlab.report.naming import difference_text
from rewardlab.stats.intervals import Estimate
from rewardlab.types import Finding

_CONTENTS = (
    ("findings", "Findings"),
    ("difference", "Where they differ"),
    ("calibration", "Calibration"),
    ("reading", "Read these"),
    ("curve", "Optimisation curves"),
    ("made", "How this was made"),
)


def render_comparison(result: ComparisonResult) -> str:
    """The comparison as one self-contained HTML page; texts are shown as text, as in the audit's.

    Args:
        result: From the comparison.

    Returns:
        HTML that can be saved as UTF-8.
    """
    shown = numbered(result.findings)
    named = (("A", result.calibration_a), ("B", result.calibration_b))
    curves = [("A", c) for c in result.curves_a] + [("B", c) for c in result.curves_b]
    return render_page(
        "comparison.jinja",
        result=result,
        version=result.version,
        heading=file_names(result.data.files),
        facts=_facts(result),
        sentences=comparison_sentences(result),
        shown=shown,
        contents=_CONTENTS,
        difference_picture=_difference_picture(result),
        calibrations=[(n, c, calibration_picture(c, name=n)) for n, c in named if c],
        unmeasured=[name for name, calibration in named if not calibration],
        curves=[(name, curve, curve_picture(curve)) for name, curve in curves],
    )


def comparison_sentences(result: ComparisonResult) -> tuple[str, ...]:
    """What the comparison found: which is better, where, how gaps read, and how far each goes."""
    return (
        _which(result),
        _where(result.buckets),
        _calibration(result.calibration_a, result.calibration_b),
        _curves(result.curves_a, result.curves_b),
        *_curve_differences(result.curve_differences),
    )


def _which(result: ComparisonResult) -> str:
    verdict = _verdict(result.findings)
    difference = result.difference
    said = (
        f"A agrees with people on {share(result.accuracy_a.value)} of {difference.n:,} decided "
        f"votes, B on {share(result.accuracy_b.value)}: {_lead(difference)}. They order "
        f"{result.n_disagreements:,} of these votes differently."
    )
    return f"{verdict} {said}".strip()


def _verdict(findings: tuple[Finding, ...]) -> str:
    """The finding's verdict without the figures that follow it, which the sentence repeats."""
    found = next((f for f in findings if f.name == "better-reward"), None)
    if found is None:
        return ""
    return found.title.split(":", 1)[0].rstrip(".") + "."


def _lead(difference: Estimate) -> str:
    """Who is ahead and by how much, so that both figures read upwards from zero."""
    ahead, by, low, high = "A", difference.value, difference.low, difference.high
    if by < 0:
        ahead, by, low, high = "B", -by, -high, -low
    ends = "no interval: one prompt only"
    if not math.isnan(low):
        ends = f"95% interval {points_interval(low, high)}"
    if by == 0:
        return f"the same ({ends})"
    return f"{ahead} is {_unsigned(by)} ahead ({ends})"


def _unsigned(difference: float) -> str:
    return points(abs(difference)).lstrip("+")


def _where(buckets: tuple[PairedBucket, ...]) -> str:
    told = [(b, b.difference) for b in buckets if b.difference is not None]
    ahead = [
        f"{'A' if d.value > 0 else 'B'} is {_unsigned(d.value)} ahead on pairs of kind “{b.name}”"
        for b, d in told
        if d.low > 0 or d.high < 0
    ]
    if not told:
        return "Too few prompts to say on which kinds of pairs they differ."
    if not ahead:
        return "On no kind of pair is the difference told apart from zero."
    return "; ".join(ahead) + ", each at 95%, not corrected for looking at several kinds."


def _calibration(a: Calibration | None, b: Calibration | None) -> str:
    def worth(calibration: Calibration | None) -> str:
        if calibration is None:
            return "an unknown number of logits"
        slope = calibration.slope
        return f"{number(slope.value)} logits ({interval(slope.low, slope.high)})"

    return (
        f"One unit of A is worth {worth(a)} of preference, one unit of B {worth(b)}; 1 logit turns "
        "even odds into 73%."
    )


def _curves(a: tuple[CurveResult, ...], b: tuple[CurveResult, ...]) -> str:
    if not (a or b):
        return (
            "Which can be optimised further cannot be said: no samples were given (--samples FILE)."
        )
    told = [("A", curve) for curve in a] + [("B", curve) for curve in b]
    return " ".join(
        f"Optimising against {name}: {curve.verdict.sentence} {curve.verdict.remedy}".strip()
        for name, curve in told
    )


def _curve_differences(found: tuple[ProxyDifference, ...]) -> tuple[str, ...]:
    if not found:
        return ()
    names = ("Gold of what A picks", "gold of what B picks")
    return (" ".join(f"{difference_words(one, names=names)}." for one in found),)


def _facts(result: ComparisonResult) -> list[tuple[str, str]]:
    return [
        (f"{result.data.n_votes:,}", "votes used"),
        (f"{result.data.n_prompts:,}", "prompts"),
        (share(result.accuracy_a.value), "A agrees with"),
        (share(result.accuracy_b.value), "B agrees with"),
        _ahead(result.difference.value),
    ]


def _ahead(difference: float) -> tuple[str, str]:
    return _unsigned(difference), f"{'A' if difference >= 0 else 'B'} is ahead"


def _difference_picture(result: ComparisonResult) -> Picture:
    rows = [_row("all pairs", "", result.difference, result.difference.n)]
    rows += [_row(b.name, f"By {b.kind}", b.difference, b.n_votes) for b in result.buckets]

    def draw(width: float) -> str:
        return interval_chart(
            rows,
            title="Accuracy of A minus accuracy of B",
            description="; ".join(f"{row.label}: {row.text}" for row in rows),
            x_label="accuracy of A minus accuracy of B, in percentage points",
            references=[Reference(0.0, "no difference")],
            width=width,
        )

    caption = "Right of the dotted line A agrees more with people, left of it B. Filled blue dots "
    return picture(draw, caption + "are told apart from zero at 95%; hollow grey ones are not.")


def _row(label: str, group: str, difference: Estimate | None, n_votes: int) -> IntervalRow:
    if difference is None:
        nan = float("nan")
        return IntervalRow(label, nan, nan, nan, f"too few ({n_votes:,})", group=group)
    clear = difference.low > 0 or difference.high < 0
    return IntervalRow(
        label,
        100 * difference.value,
        100 * difference.low,
        100 * difference.high,
        text=difference_text(difference),
        strong=clear,
        tone="proxy" if clear else "other",
        group=group,
    )
