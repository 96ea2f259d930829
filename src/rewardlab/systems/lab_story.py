"""What happened in a run of the lab, in a sentence with its figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.experiments.lab_policies import BetaSweep, RunSettings, n_points
from rewardlab.plots.chart import LineChart
from rewardlab.plots.text import number, true_minus
from rewardlab.systems.declaration import Table
from rewardlab.systems.drawing import LEASH, column_table, place, score_panel
from rewardlab.systems.lab_methods import method_of
from rewardlab.types import FloatArray, OptimizationPath

_VISIBLE = 0.05
"""A change in points that is worth a word."""

_UNMOVED = 0.01
"""A distance from the reference, in square root of KL, that is none."""

_OVERSHOOTS = 2.0
"""Step size times beta from which exact steps move away from the optimum or swing around it."""

_LITTLE = 0.25
"""A fall by less than this share of the rise is a little one."""

_LAST_PART = 0.1
"""Share of a path's points over which a rise that goes on is told from one that has ended."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Start, peak and end of a path.

    Attributes:
        peak: Position of the highest true quality, the first of equals.
        start_gold: True quality of the reference.
        peak_gold: At the peak.
        end_gold: At the end.
        sqrt_kl: Distance from the reference at the peak.
        moved: Largest distance from the reference.
    """

    peak: int
    start_gold: float
    peak_gold: float
    end_gold: float
    sqrt_kl: float
    moved: float

    @classmethod
    def of(cls, path: OptimizationPath) -> Ends:
        """Read them off a path."""
        gold, distance = path.gold_reward, np.sqrt(path.kl_nats)
        peak = int(np.argmax(gold))
        return cls(
            peak,
            float(gold[0]),
            float(gold[peak]),
            float(gold[-1]),
            float(distance[peak]),
            float(distance.max()),
        )


def run_sentence(path: OptimizationPath, settings: RunSettings) -> str:
    """What the learned reward and true quality did along a run.

    Args:
        path: The run.
        settings: Of the run.
    """
    ends = Ends.of(path)
    if ends.moved < _UNMOVED:
        return f"{_stopped(path, settings)}Nothing moved: the policy is still the reference."
    said = f"{_stopped(path, settings)}{_learned(path)}; {_true(path, ends, settings)}."
    product = settings.step_size * settings.beta
    if settings.method == "natural_gradient" and product >= _OVERSHOOTS:
        said += (
            f" The steps overshoot and never settle: step size times beta is {number(product)}, "
            "and must stay below 2."
        )
    return said


def _stopped(path: OptimizationPath, settings: RunSettings) -> str:
    if settings.stop is None or settings.stop >= n_points(settings) - 1:
        return ""
    return f"Stopped {_after(path, len(path.strength) - 1, settings)}. "


def _learned(path: OptimizationPath) -> str:
    first, last = float(path.proxy_reward[0]), float(path.proxy_reward[-1])
    verb = "stayed at" if abs(last - first) < _VISIBLE else "rose" if last > first else "fell"
    if verb == "stayed at":
        return f"The learned reward stayed at {_minus(last)}"
    return f"The learned reward {verb} from {_minus(first)} to {_minus(last)}"


def _true(path: OptimizationPath, ends: Ends, settings: RunSettings) -> str:
    start, end = _minus(ends.start_gold), _minus(ends.end_gold)
    rose, fell = ends.peak_gold - ends.start_gold, ends.peak_gold - ends.end_gold
    low = _low_on_the_way(path.gold_reward)
    dip = "" if low is None else f", having been as low as {_minus(low)} on the way"
    if rose < _VISIBLE and fell < _VISIBLE:
        stayed = f"true quality stayed at {end}"
        return f"true quality ended at {end}, where it started{dip}" if dip else stayed
    if rose < _VISIBLE:
        return f"true quality {'fell' if dip else 'only fell,'} from {start} to {end}{dip}"
    if fell < _VISIBLE:
        held = "" if dip else " and held"
        and_then = " and is still rising" if _still_rising(path) else held
        return f"true quality rose from {start} to {end}{dip}{and_then}"
    when = f"{_after(path, ends.peak, settings)} (√KL {ends.sqrt_kl:.2f})"
    peaked = f"true quality rose from {start} to a peak of {_minus(ends.peak_gold)} {when}"
    return f"{peaked}{_after_peak(ends, end)}{dip}"


def _low_on_the_way(gold: FloatArray) -> float | None:
    """The bottom of the deepest fall that was made up for by the end; None if none is worth a word.

    How deep a fall and its making up are is the lesser of the two.
    """
    depth = np.minimum(np.maximum.accumulate(gold), gold[-1]) - gold
    deepest = int(np.argmax(depth))
    worth_a_word = max(_VISIBLE, _LITTLE * float(np.ptp(gold)))
    return float(gold[deepest]) if depth[deepest] >= worth_a_word else None


def _after_peak(ends: Ends, end: str) -> str:
    if ends.end_gold < ends.start_gold - _VISIBLE:
        return f", then fell to {end}, below where it started"
    if ends.end_gold < ends.start_gold + _VISIBLE:
        return f", then fell back to {end}, where it started"
    if ends.peak_gold - ends.end_gold < _LITTLE * (ends.peak_gold - ends.start_gold):
        return f" and fell a little, to {end}"
    return f", then fell to {end}, still above its start"


def _still_rising(path: OptimizationPath) -> bool:
    """True if a visible share of the gain came over the last tenth of the points."""
    gold = path.gold_reward
    before = gold[int((1 - _LAST_PART) * (len(gold) - 1))]
    return bool(gold[-1] - before > max(0.02 * (gold[-1] - gold[0]), 1e-3))


def _after(path: OptimizationPath, point: int, settings: RunSettings) -> str:
    strength = float(path.strength[point])
    match method_of(settings.method).strength_label:
        case "n":
            return f"at n = {strength:,.0f}"
        case "1 / beta":
            return f"at beta {1 / strength:.3g}" if strength else "at the reference"
    return f"after {strength:,.0f} step{'s' * (strength != 1)}"


def _minus(value: float) -> str:
    said = f"{value:.2f}"
    return true_minus(said) if said != "-0.00" else "0.00"


@dataclass(frozen=True, slots=True)
class SweepShown:
    """A sweep over beta to look at.

    Attributes:
        sentence: What it shows.
        chart: Learned reward and true quality over 1 / beta.
        table: The same in rows.
        best_beta: The beta with the highest true quality.
    """

    sentence: str
    chart: LineChart
    table: Table
    best_beta: float


def sweep_shown(sweep: BetaSweep) -> SweepShown:
    """A sweep over beta as a sentence, a chart and a table."""
    path, best = sweep.path, float(sweep.betas[sweep.best])
    at = np.unique(np.linspace(0, len(sweep.betas) - 1, 13).round().astype(int))
    return SweepShown(
        sentence=_sweep_sentence(sweep),
        chart=LineChart(
            panels=(score_panel(path),),
            x_label=LEASH,
            log_x=True,
            mark=place(1 / best, f"best beta {best:.3g}"),
        ),
        table=column_table(
            {
                "beta": sweep.betas[at],
                "KL (nats)": path.kl_nats[at],
                "learned reward": path.proxy_reward[at],
                "true quality": path.gold_reward[at],
            }
        ),
        best_beta=best,
    )


def _sweep_sentence(sweep: BetaSweep) -> str:
    gold, proxy, best = sweep.path.gold_reward, sweep.path.proxy_reward, sweep.best
    ends = f"at beta {sweep.betas[-1]:.3g}"
    learned = f"the learned reward is highest, {_minus(float(proxy[-1]))}"
    if best == len(gold) - 1:
        return (
            f"The looser the leash the better: {ends} true quality is highest, "
            f"{_minus(float(gold[-1]))}, and so is the learned reward."
        )
    if best == 0:
        return (
            f"No beta helps here: true quality is highest, {_minus(float(gold[0]))}, on the "
            f"tightest leash; {ends} {learned}, and true quality is {_minus(float(gold[-1]))}."
        )
    return (
        f"True quality ends highest, at {_minus(float(gold[best]))}, with beta "
        f"{sweep.betas[best]:.3g}; {ends} {learned}, but true quality is only "
        f"{_minus(float(gold[-1]))}."
    )
