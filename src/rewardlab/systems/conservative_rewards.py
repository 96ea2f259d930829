"""E9, conservative rewards: where caution keeps gold, and where all members share the mistake."""

from __future__ import annotations

import numpy as np

from rewardlab.experiments.conservative_rewards import (
    Caution,
    Combination,
    Fits,
    fit_runs,
    gold_of_runs,
)
from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.stats.intervals import Estimate, cluster_mean
from rewardlab.systems.controls import Slider, Switch
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table
from rewardlab.systems.keeping import kept
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Rater, rater_utility

_N_RUNS = 24
_RATERS: tuple[Rater, ...] = ("careful", "hurried")
_COMBINATIONS = tuple(Combination)


def run(
    n_labels: int = 200,
    members: int = 5,
    kl_budget: float = 4.0,
    uwo_penalty: float = 2.0,
    caution: float = 2.0,
    own_labels: bool = False,
    *,
    rng: np.random.Generator,
) -> Result:
    """Final gold in the lab's world under six ways of scoring, for both raters, over 24 runs.

    Args:
        n_labels: Comparisons that the rater makes in each run.
        members: Rewards in the ensemble, each fitted to a resample of these comparisons.
        kl_budget: KL that the policy may spend, nats.
        uwo_penalty: Price of the members' variance.
        caution: Price of a standard deviation of exact uncertainty.
        own_labels: Give each member comparisons of its own instead.
        rng: Source of the comparisons and resamples.
    """
    world = lab_world()
    how = Caution(members, uwo_penalty, caution, own_labels)
    fitted = _kept_runs(rng, n_labels, members, own_labels)
    gold = {
        rater: gold_of_runs(world, runs, how=how, kl_nats=kl_budget)
        for rater, runs in fitted.items()
    }
    start = float(world.ref_probs @ world.gold)
    return Result(
        sentence=_sentence(gold, n_labels, kl_budget, start),
        quantities=(
            Quantity("gold_at_start", "gold before optimisation", start),
            *(q for rater in _RATERS for q in _quantities(rater, gold[rater])),
        ),
        chart=_chart(gold, start),
        table=column_table(
            {
                "optimised": [str(combination) for combination in _COMBINATIONS],
                **{
                    f"{rater}, {what}": of(gold[rater], axis=0)
                    for rater in _RATERS
                    for what, of in (("mean", np.mean), ("worst run", np.min))
                },
            }
        ),
    )


def _runs(
    rng: np.random.Generator, n_labels: int, members: int, own_labels: bool
) -> dict[Rater, tuple[Fits, ...]]:
    world, how = lab_world(), Caution(members, 0.0, 0.0, own_labels)
    return {
        rater: fit_runs(
            world,
            rater_utility(world, rater),
            n_labels=n_labels,
            how=how,
            n_runs=_N_RUNS,
            rng=rng,
        )
        for rater in _RATERS
    }


_kept_runs = kept(_runs, most=16)


def _quantities(rater: Rater, gold: FloatArray) -> tuple[Quantity, ...]:
    """Gold under each combination, and what each gains on one reward, paired by run."""
    found = []
    for j, combination in enumerate(_COMBINATIONS):
        slug, said = f"{combination.name.lower()}_{rater}", f"{combination}, {rater} rater"
        found.append(_with_interval(f"gold_{slug}", f"gold: {said}", gold[:, j]))
        if combination is not Combination.ONE:
            gained = gold[:, j] - gold[:, 0]
            found.append(_with_interval(f"gain_{slug}", f"gained on one reward: {said}", gained))
    weighted, mean = (_COMBINATIONS.index(c) for c in (Combination.WEIGHTED, Combination.MEAN))
    apart = float(np.abs(gold[:, weighted] - gold[:, mean]).max())
    label = f"most that a run's disagreement changes, {rater} rater"
    return (*found, Quantity(f"weighted_from_mean_{rater}", label, apart))


def _with_interval(name: str, label: str, values: FloatArray) -> Quantity:
    return Quantity.of(name, label, _mean(values).figure())


def _mean(values: FloatArray) -> Estimate:
    """Mean over runs, with its 95% interval."""
    return cluster_mean(values, np.arange(len(values)))


def _chart(gold: dict[Rater, FloatArray], start: float) -> BarChart:
    bars = [Bar("before optimisation", start, tone="other")]
    for rater in _RATERS:
        for j, combination in enumerate(_COMBINATIONS):
            mean, group = _mean(gold[rater][:, j]), f"{rater} rater"
            bars.append(
                Bar(str(combination), mean.value, mean.low, mean.high, tone="gold", group=group)
            )
    return BarChart(tuple(bars), x_label="gold of the optimised policy (mean of 24 runs, 95%)")


def _sentence(gold: dict[Rater, FloatArray], n_labels: int, kl: float, start: float) -> str:
    shown = (Combination.ONE, Combination.WORST, Combination.EXACT)
    careful, hurried = (
        [gold[rater][:, _COMBINATIONS.index(one)].mean() for one in shown] for rater in _RATERS
    )
    return (
        f"With {n_labels} labels and {kl:.3g} nats, gold of {start:.2f} becomes {careful[0]:.2f} "
        f"under one reward, {careful[1]:.2f} under the worst case and {careful[2]:.2f} under exact "
        f"uncertainty with a careful rater; with a hurried one it becomes {hurried[0]:.2f}, "
        f"{hurried[1]:.2f} and {hurried[2]:.2f}."
    )


def _mean_alone() -> Answer:
    result = run(rng=np.random.default_rng(0))
    gain = result.quantity("gain_mean_careful")
    worst = result.value("gain_worst_careful")
    choice = 0 if gain.low > 0 else (2 if gain.high < 0 else 1)
    return Answer(
        choice,
        f"The mean changes gold by {gain.value:+.2f} ({gain.low:+.2f} to {gain.high:+.2f}), the "
        f"worst case by {worst:+.2f}. A mean has no doubt: where members disagree it follows the "
        "optimistic as much as the cautious.",
    )


def _shared() -> Answer:
    result = run(rng=np.random.default_rng(0))
    start = result.value("gold_at_start")
    best = max(result.value(f"gold_{c.name.lower()}_hurried") for c in Combination)
    choice = 0 if best > start + 0.5 else (1 if best > start else 2)
    return Answer(
        choice,
        f"The best of them ends at {best:.2f}; the start is {start:.2f}. All labels come from a "
        "rater who likes length, so every member agrees that longer is better, and there is no "
        "doubt left to be cautious about.",
    )


SYSTEM = System(
    row="E9",
    name="conservative-rewards",
    title="Conservative rewards",
    sentence="Caution saves gold where rewards are unsure; where all are sure and wrong it cannot.",
    paragraph=(
        "A reward is fitted to a rater's comparisons of mostly short answers; optimising it drifts "
        "to long ones of which it knows little. Remedies: fit several members to resampled (or "
        "more) comparisons and take their mean, their lowest score, or their mean less a price on "
        "their variance; average their weights, which for linear rewards is the mean again; or "
        "subtract the reward's exact standard deviation, which grows away from what was compared. "
        "Each is optimised within the same KL. The careful rater goes by the true rubric, the "
        "hurried one also likes length, a confident tone and compliments."
    ),
    controls=(
        Slider("n_labels", "labels in each run", 200, 10, 400, log=True, whole=True),
        Slider("members", "members of the ensemble", 5, 2, 8, whole=True),
        Slider("kl_budget", "KL that the policy may spend (nats)", 4.0, 0.5, 10.0, step=0.5),
        Slider("uwo_penalty", "price of the members' variance", 2.0, 0.0, 5.0, step=0.5),
        Slider("caution", "price of exact standard deviations", 2.0, 0.0, 4.0, step=0.25),
        Switch("own_labels", "each member has labels of its own", False),
    ),
    run=run,
    questions=(
        Question(
            "The mean of five rewards replaces a single one. The rater is careful, but most "
            "compared answers are short. Does the mean keep more gold?",
            ("Yes, clearly", "It makes next to no difference", "It does harm"),
            _mean_alone,
        ),
        Question(
            "The rater is hurried and likes length. Which conservative reward brings gold well "
            "above where it started?",
            ("At least one of them", "They just keep it above the start", "None of them"),
            _shared,
        ),
    ),
    sources=(
        "Coste et al. (2023), arXiv:2310.02743",
        "Eisenstein et al. (2023), arXiv:2312.09244",
        "Ramé et al. (2024), arXiv:2401.12187",
    ),
)
