"""The audit's numbers as figures, each drawn for wide and for narrow screens."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from rewardlab.audit.accuracy import Accuracy
from rewardlab.audit.calibration import Calibration
from rewardlab.audit.ceiling import Ceiling
from rewardlab.audit.curve_result import CurveResult
from rewardlab.audit.payments import Payment, Payments
from rewardlab.audit.peak import Where
from rewardlab.audit.scaling_laws import Law
from rewardlab.audit.verdict import Call
from rewardlab.plots.calibration_chart import CalibrationPoint, calibration_chart
from rewardlab.plots.ceiling_bar import CeilingBar, ceiling_bar
from rewardlab.plots.interval_chart import Band, IntervalRow, Reference, interval_chart
from rewardlab.plots.line_chart import line_chart
from rewardlab.plots.series import Line, Mark, Panel, TickNote
from rewardlab.plots.text import number, share
from rewardlab.policies.best_of_n import kl_bound
from rewardlab.report.naming import weight_text
from rewardlab.rewards.text_features import title_of

WIDE, NARROW = 680.0, 340.0

N_WEIGHTS = 8
"""Features drawn: all that are named, and others up to this many; the table holds all."""

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Picture:
    """One figure at two widths; the page shows the one that fits.

    Attributes:
        wide: Inline SVG for 560 px and more.
        narrow: Inline SVG for less.
        caption: What to look for, in a sentence.
    """

    wide: Markup
    narrow: Markup
    caption: str


def picture(draw: Callable[[float], str], caption: str) -> Picture:
    """Both widths of a figure.

    Args:
        draw: From a width in px to inline SVG; its text is escaped by the figure functions.
        caption: What to look for.
    """
    return Picture(Markup(draw(WIDE)), Markup(draw(NARROW)), caption)


def accuracy_picture(accuracy: Accuracy, ceiling: Ceiling | None) -> Picture:
    """Accuracy by kind of pair beside the coin, the overall accuracy and the ceiling."""
    rows = [
        IntervalRow(
            label=bucket.name,
            value=bucket.accuracy.value if bucket.accuracy else _NAN,
            low=bucket.accuracy.low if bucket.accuracy else _NAN,
            high=bucket.accuracy.high if bucket.accuracy else _NAN,
            text=f"{share(bucket.accuracy.value)} of {bucket.n_votes:,}"
            if bucket.accuracy
            else f"too few ({bucket.n_votes:,})",
            group=f"By {bucket.kind}",
        )
        for bucket in accuracy.buckets
    ]
    overall = accuracy.overall.value
    references = [Reference(0.5, "coin"), Reference(overall, f"overall {share(overall)}")]
    band = Band(ceiling.low, ceiling.high, "ceiling") if ceiling else None

    def draw(width: float) -> str:
        return interval_chart(
            rows,
            title="Accuracy by kind of pair",
            description=f"Overall {share(overall)}. "
            + "; ".join(f"{row.group.lower()}, {row.label}: {row.text}" for row in rows),
            x_label="accuracy on decided votes",
            references=references,
            band=band,
            percent=True,
            width=width,
        )

    caption = "Dots are accuracies, lines their 95% intervals, dotted lines a coin and the overall."
    return picture(draw, caption + (" Grey: the ceiling." if ceiling else ""))


def ceiling_picture(accuracy: Accuracy, ceiling: Ceiling | None) -> Picture:
    """Where the accuracy on the ceiling's own votes stands between a coin and the ceiling."""
    overall = ceiling.accuracy if ceiling else accuracy.overall
    all_votes = ceiling is None or ceiling.n_votes == ceiling.n_decided
    bar = CeilingBar(
        accuracy=overall.value,
        accuracy_low=overall.low,
        accuracy_high=overall.high,
        longest=accuracy.longest.value if all_votes else _NAN,
        ceiling_low=ceiling.low if ceiling else _NAN,
        ceiling_high=ceiling.high if ceiling else _NAN,
        outer_low=ceiling.outer_low if ceiling else _NAN,
        outer_high=ceiling.outer_high if ceiling else _NAN,
    )
    said = f"The reward reaches {share(overall.value)}"
    if ceiling:
        said += f"; at best {share(ceiling.low)} to {share(ceiling.high)} is possible"

    def draw(width: float) -> str:
        return ceiling_bar(bar, title="Accuracy and ceiling", description=said + ".", width=width)

    caption = "From a coin (50%) to never wrong (100%)."
    if ceiling:
        caption += " Dark grey: the best possible accuracy; light grey: with its sampling error."
    if ceiling and not all_votes:
        caption += (
            f" On the {ceiling.n_votes:,} of {ceiling.n_decided:,} decided votes whose pair two "
            "people voted on."
        )
    return picture(draw, caption)


def calibration_picture(calibration: Calibration, *, name: str = "the reward") -> Picture:
    """Confidence against accuracy."""
    points = [
        CalibrationPoint(
            b.confidence, b.accuracy.value, b.accuracy.low, b.accuracy.high, b.accuracy.n
        )
        for b in calibration.bins
    ]
    pairs = ", ".join(f"{share(p.confidence)}: {share(p.accuracy)}" for p in points)

    def draw(width: float) -> str:
        return calibration_chart(
            points,
            title=f"Calibration of {name}",
            description=f"Claimed probability and how often people agree. {pairs}.",
            width=min(width, 480.0),
        )

    caption = "Each dot is a tenth or so of the votes, with its 95% interval; bigger is more votes."
    return picture(draw, caption + " On the dotted line, gaps mean what they claim.")


def payments_picture(payments: Payments, *, title: str) -> Picture:
    """The heaviest weights with their intervals around zero."""
    shown = _rows_to_draw(payments)
    rows = [
        IntervalRow(
            label=title_of(row.feature),
            value=row.weight,
            low=row.low,
            high=row.high,
            text=weight_text(row.weight, row.low, row.high),
            strong=row.named,
            tone="proxy" if row.named else "other",
        )
        for row in shown
    ]

    def draw(width: float) -> str:
        return interval_chart(
            rows,
            title=title,
            description="; ".join(f"{row.label} {row.text}" for row in rows),
            x_label=f"{payments.unit} for one standard deviation more",
            references=[Reference(0.0, "")],
            width=width,
        )

    n_other = len(payments.rows) - len(shown)
    caption = "Right of the dotted line it is paid for, left of it marked down. Filled dots are "
    caption += "told apart from zero after correction for many tests; hollow grey ones are not."
    return picture(
        draw, caption + (f" {n_other} lighter ones are in the table." if n_other else "")
    )


def _rows_to_draw(payments: Payments) -> Sequence[Payment]:
    by_weight = sorted(
        payments.rows, key=lambda r: (not r.named, -abs(r.weight) if math.isfinite(r.weight) else 0)
    )
    chosen = by_weight[: max(N_WEIGHTS, len(payments.named))]
    return sorted(chosen, key=lambda r: -r.weight if math.isfinite(r.weight) else 0.0)


def curve_figure(curve: CurveResult, *, width: float = WIDE) -> str:
    """Proxy and gold against n, with the peak where there is one, as inline SVG."""
    x = curve.path.strength
    gold = Line(
        "gold", x, curve.gold.mean, curve.gold.low_all, curve.gold.high_all, "gold", "dashed"
    )
    proxy = Line("reward", x, curve.proxy.mean, curve.proxy.low_all, curve.proxy.high_all)
    return line_chart(
        (
            Panel("gold: the real goal", (gold, *_law(curve))),
            Panel(f"reward: {curve.proxy_name}", (proxy,), height=120.0),
        ),
        title=f"Best of n by {curve.proxy_name}",
        description=f"{curve.verdict.sentence} {_ends(curve)}",
        x_label="n, sampled responses to pick from (KL: nats away from plain sampling)",
        log_x=True,
        x_note=TickNote("KL", lambda n: f"{float(kl_bound(np.array(n))):.2f}"),
        mark=_peak_mark(curve),
        width=width,
    )


def curve_picture(curve: CurveResult) -> Picture:
    """``curve_figure`` at both widths, with what to look for."""
    caption = f"{_ends(curve)} Shaded: a 95% band that holds at all n together."
    if curve.laws:
        caption += " Dotted: the fitted law d(a − bd), with d the root of the KL."
    return picture(lambda width: curve_figure(curve, width=width), caption)


def _ends(curve: CurveResult) -> str:
    gold, proxy = curve.gold.mean, curve.proxy.mean
    return (
        f"From n = 1 to {curve.n[-1]} the reward goes from {number(proxy[0])} to "
        f"{number(proxy[-1])}, and gold from {number(gold[0])} to {number(gold[-1])}."
    )


def _law(curve: CurveResult) -> tuple[Line, ...]:
    fits = [fit for fit in curve.laws if fit.law is Law.BEST_OF_N]
    if not fits:
        return ()
    start = float(curve.gold.mean[0])
    d = np.sqrt(curve.path.kl_nats[1:])
    gain = Law.BEST_OF_N.gain(fits[0].a.value, fits[0].b.value, d)
    y = start + np.concatenate([[0.0], gain])
    return (Line("law", curve.path.strength, y, tone="other", stroke="dotted"),)


def _peak_mark(curve: CurveResult) -> Mark | None:
    """The peak where the measured one lies inside the data; open ends reach the edge."""
    peak = curve.peak
    if peak.where is not Where.INSIDE:
        return None
    low = 0.0 if peak.reaches_start else peak.low
    high = math.inf if peak.reaches_end else peak.high
    ends = f"{'start' if peak.reaches_start else f'{peak.low:.1f}'} to "
    ends += "end or beyond" if peak.reaches_end else f"{peak.high:.1f}"
    certain = "gold peaks" if curve.verdict.call is Call.PEAKED else "highest measured"
    return Mark(peak.n, low, high, f"{certain} at n = {peak.n:.1f} ({ends})")
