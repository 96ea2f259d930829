"""The lab's guided experiments: each runs its settings over several seeds and shows medians."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rewardlab.experiments.lab_runs import LabRun
from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart, Chart, LineChart
from rewardlab.plots.series import Line, Panel, Tone
from rewardlab.policies.closed_form import closed_form
from rewardlab.systems.declaration import Quantity, Result, Table
from rewardlab.systems.drawing import LEASH, place, row_table
from rewardlab.systems.lab_repeats import MANY_LABELS, Courses, Relabelled, Setup, reward_of
from rewardlab.types import BoolArray, FloatArray, OptimizationPath
from rewardlab.worlds.lab import FEATURE_NAMES, lab_world
from rewardlab.worlds.lab_raters import Rater

_BETAS = tuple(np.geomspace(4.0, 0.05, 60).tolist())
_BADLY = 3.0
"""A fall in true quality by about half of what the hurried rater costs."""
_SQRT_KL = "distance from the reference, square root of KL in nats"
_FEW_AND_MANY: tuple[Tone, Tone] = ("proxy", "other")


def hacked(setup: Setup) -> Result:
    """Experiment 1: the hurried rater, 100 pairs, no penalty."""
    at = Courses.of([run.rl for run in setup.runs("hurried")])
    # At its end the path gains less than rounding loses.
    rises = (np.diff(at.proxy, axis=1) > -1e-12).all(axis=1)
    early = at.gold.argmax(axis=1) / setup.n_steps
    first, last = at.gold[:, 0], at.gold[:, -1]
    start, peak, final = _mid(first), _mid(at.peak), _mid(last)
    if _mid(early) < 1:
        went = (
            f"goes from {start:.2f} to {peak:.2f}, after {_mid(early):.0%} of the steps, and ends "
            f"at {final:.2f}"
        )
    else:
        went = f"is still rising after {setup.n_steps} steps, from {start:.2f} to {final:.2f}"
    climbs = float(rises.mean())
    return Result(
        sentence=(
            f"The learned reward climbs in {climbs:.0%} of the runs, while true quality {went} "
            "(medians)."
        ),
        quantities=(
            Quantity("rises", "runs whose learned reward never falls", climbs, "share"),
            Quantity("peak_after", "steps until the true peak", _mid(early), "share"),
            Quantity("start", "true quality at the start", start),
            Quantity("peak", "true quality at its peak", peak),
            Quantity("final", "true quality at the end", final),
            Quantity("net", "change in a run from start to end", _mid(last - first)),
            _holding(rises & (early < 0.25) & (last < first)),
        ),
        chart=_over_distance(
            at.line("learned reward", "proxy", of="proxy", stroke="solid"),
            at.line("true quality", stroke="dashed"),
        ),
        table=_run_table(setup, ("start", "peak", "end"), first, at.peak, last),
    )


def rescued(setup: Setup) -> Result:
    """Experiment 2: the same data under a penalty."""
    world = lab_world()
    free = Courses.of([run.rl for run in setup.runs("hurried")])
    leashed_runs = setup.runs("hurried", beta=setup.beta)
    leashed = Courses.of([run.rl for run in leashed_runs])
    start, final = free.gold[:, 0], leashed.gold[:, -1]
    kept = (final - start) / (free.peak - start)
    sweeps = [closed_form(world, reward_of(world, run), betas=_BETAS).path for run in leashed_runs]
    best = np.array([_BETAS[int(np.argmax(sweep.gold_reward))] for sweep in sweeps])
    return Result(
        sentence=(
            f"With beta {setup.beta:.3g} the runs end at {_mid(final):.2f} and keep "
            f"{f'{_mid(kept):.0%}' if _mid(kept) > 0 else 'nothing'} of what could be gained, at "
            f"the true peak of the same runs without a penalty; those end at "
            f"{_mid(free.gold[:, -1]):.2f} (medians)."
        ),
        quantities=(
            Quantity("kept", "gain kept, of that at the true peak", _mid(kept), "share"),
            Quantity("final", "true quality at the end", _mid(final)),
            Quantity("peak", "true peak without a penalty", _mid(free.peak)),
            Quantity("free_final", "true quality without a penalty", _mid(free.gold[:, -1])),
            Quantity("best_beta", "beta with the best end", _mid(best)),
            _holding(kept >= 0.9),
        ),
        chart=_over_beta(sweeps, setup.beta),
        table=_run_table(setup, ("peak", "end", "kept", "best beta"), free.peak, final, kept, best),
    )


def honest(setup: Setup) -> Result:
    """Experiment 3: the careful rater beside the hurried one, both ways of optimising."""
    runs: dict[Rater, list[LabRun]] = {r: setup.runs(r) for r in ("careful", "hurried")}
    rl = {rater: Courses.of([run.rl for run in made]) for rater, made in runs.items()}
    best = {rater: Courses.of([run.best_of_n for run in made]) for rater, made in runs.items()}
    careful, hurried = rl["careful"].fall, rl["hurried"].fall
    fall = best["careful"].fall
    length = np.array([run.weights[FEATURE_NAMES.index("length")] for run in runs["careful"]])
    badly = careful > _BADLY
    low, high = np.quantile(careful, (0.25, 0.75))
    return Result(
        sentence=(
            f"RL costs {_mid(careful):.2f} points from the true peak under the careful rater and "
            f"{_mid(hurried):.2f} under the hurried one, and more than {_BADLY:g} in "
            f"{badly.mean():.0%} of the careful rater's runs too; there best-of-{setup.n_max} "
            f"falls {_mid(fall):.2f} from its peak (medians)."
        ),
        quantities=(
            Quantity(
                "damage",
                "fall of RL, careful rater (and the middle half of the runs)",
                _mid(careful),
                low=float(low),
                high=float(high),
            ),
            Quantity("badly", f"its runs that fall by more than {_BADLY:g}", badly.mean(), "share"),
            Quantity("damage_hurried", "fall of RL, hurried rater", _mid(hurried)),
            Quantity("saved", "damage that a run is spared", _mid(hurried - careful)),
            Quantity("best_of_n_fall", "fall of best-of-n, careful rater", _mid(fall)),
            Quantity("length_weight", "careful rater's weight of length", _mid(length)),
            Quantity("length_sign", "runs that reward length", float((length > 0).mean()), "share"),
            _holding((careful < hurried) & (fall > 0)),
        ),
        chart=LineChart(
            panels=tuple(
                Panel(
                    f"true quality, {how}",
                    (
                        at["careful"].line("careful", stroke="solid"),
                        at["hurried"].line("hurried", "other", stroke="dashed"),
                    ),
                    height=140,
                )
                for how, at in (("RL", rl), ("best-of-n", best))
            ),
            x_label=_SQRT_KL,
        ),
        table=_run_table(
            setup,
            ("careful: damage", "hurried: damage", "best-of-n falls", "weight of length"),
            careful,
            hurried,
            fall,
            length,
        ),
    )


def both_methods(setup: Setup) -> Result:
    """Experiment 5: best-of-n and RL against the same learned rewards."""
    runs = setup.runs("hurried")
    rl = Courses.of([run.rl for run in runs])
    best = Courses.of([run.best_of_n for run in runs])
    later = best.peak_at - rl.peak_at
    return Result(
        sentence=(
            f"On the same data the true peak of RL lies at {_mid(rl.peak_at):.2f} and that of "
            f"best-of-n at {_mid(best.peak_at):.2f} on the square root of KL; from there RL falls "
            f"by {_mid(rl.fall):.2f} and best-of-{setup.n_max} by {_mid(best.fall):.2f} (medians)."
        ),
        quantities=(
            Quantity("rl_peak_at", "RL's true peak, square root of KL", _mid(rl.peak_at)),
            Quantity("best_of_n_peak_at", "that of best-of-n", _mid(best.peak_at)),
            Quantity("later", "by which best-of-n peaks later", _mid(later)),
            Quantity("rl_peak", "true quality at RL's peak", _mid(rl.peak)),
            Quantity("best_of_n_peak", "true quality at best-of-n's", _mid(best.peak)),
            Quantity("rl_fall", "fall of RL from its peak", _mid(rl.fall)),
            Quantity("best_of_n_fall", "fall of best-of-n from its peak", _mid(best.fall)),
            _holding((rl.fall > 0) & (best.fall > 0) & (later > 0)),
        ),
        chart=_over_distance(
            rl.line("RL", "other", stroke="dashed"), best.line("best-of-n", stroke="solid")
        ),
        table=_run_table(
            setup,
            ("RL peaks at", "RL's quality", "best-of-n peaks at", "its quality"),
            rl.peak_at,
            rl.peak,
            best.peak_at,
            best.peak,
        ),
    )


def small_data(setup: Setup) -> Result:
    """Experiment 6: a handful of labels beside a hundred."""
    few, many = (Relabelled.of(setup, n) for n in (setup.few_labels, MANY_LABELS))
    n = setup.few_labels
    return Result(
        sentence=(
            f"From one set of {n} labels to the next, held-out accuracy varies by "
            f"{100 * few.spread:.0f} points (one standard deviation) and two learned rewards "
            f"correlate at {few.alike:.2f}; with {MANY_LABELS} labels by {100 * many.spread:.0f} "
            f"points and at {many.alike:.2f}."
        ),
        quantities=(
            Quantity("spread_few", f"spread of accuracy, {n} labels", few.spread, "share"),
            Quantity("spread_many", f"spread of accuracy, {MANY_LABELS}", many.spread, "share"),
            Quantity("alike_few", f"correlation of two rewards, {n} labels", few.alike),
            Quantity("alike_many", f"correlation of two rewards, {MANY_LABELS}", many.alike),
            Quantity("swing_few", f"swing of the main weight, {n} labels", few.swing, "share"),
            Quantity("swing_many", f"swing of the main weight, {MANY_LABELS}", many.swing, "share"),
            Quantity("held_out_few", f"held back, of {n}", n // 5),
        ),
        chart=BarChart(
            bars=tuple(
                Bar(f"{labels} labels", value, tone=tone, group=group)
                for group, values in (
                    ("spread of held-out accuracy", (few.spread, many.spread)),
                    ("swing of the weight of correctness", (few.swing, many.swing)),
                    ("what two learned rewards do not share", (1 - few.alike, 1 - many.alike)),
                )
                for labels, value, tone in zip(
                    (f"{n}", f"{MANY_LABELS}"), values, _FEW_AND_MANY, strict=True
                )
            ),
            x_label="from one set of labels to the next",
            percent=True,
        ),
        table=_run_table(
            setup,
            ("accuracy, few", "accuracy, many", "correct, few", "correct, many"),
            few.accuracy,
            many.accuracy,
            few.weights[:, 0],
            many.weights[:, 0],
        ),
    )


def _mid(values: FloatArray) -> float:
    return float(np.median(values))


def _holding(holds: BoolArray) -> Quantity:
    return Quantity("holds", "runs in which all of it holds", float(holds.mean()), "share")


def _over_distance(*lines: Line) -> Chart:
    return LineChart((Panel("score, median of the runs", lines),), x_label=_SQRT_KL)


def _over_beta(sweeps: Sequence[OptimizationPath], beta: float) -> Chart:
    """Where the runs end at each beta, with one marked."""
    gold = np.array([sweep.gold_reward for sweep in sweeps])
    low, mid, high = np.quantile(gold, (0.25, 0.5, 0.75), axis=0)
    line = Line("true quality", sweeps[0].strength, mid, low, high, tone="gold")
    return LineChart(
        (Panel("true quality at the end, median of the runs", (line,)),),
        x_label=LEASH,
        log_x=True,
        mark=place(1 / beta, f"beta {beta:.3g}"),
    )


def _run_table(setup: Setup, headings: tuple[str, ...], *columns: FloatArray) -> Table:
    """A row a run."""
    return row_table(("run", *headings), zip(range(1, len(setup.seeds) + 1), *columns, strict=True))


EXPERIMENTS: dict[str, tuple[str, Callable[[Setup], Result]]] = {
    "1": ("1: watch a reward get hacked", hacked),
    "2": ("2: rescue it with a penalty", rescued),
    "3": ("3: honest labels are not enough", honest),
    "5": ("5: best-of-n beside RL", both_methods),
    "6": ("6: small data, wild weights", small_data),
}
"""Number -> title and what computes it; experiment 4 is labelling by hand."""
