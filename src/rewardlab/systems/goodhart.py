"""E11, Goodhart's four kinds, each met with the same four defences."""

from __future__ import annotations

import numpy as np

from rewardlab.experiments.defences import DefendedWorld, measure_defences
from rewardlab.experiments.goodhart_rewards import train
from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart, Chart, LineChart
from rewardlab.plots.series import Line, Panel, Stroke, Tone
from rewardlab.plots.text import listed
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.systems.drawing import place, row_table
from rewardlab.worlds.goodhart import KINDS, goodhart_world

_REPEATS = 40
_DEFENCES = {
    "average": "averaging models",
    "leash": "a short leash",
    "worst_case": "the worst case",
    "edited": "rating edited answers",
}
_ALL = {"none": "no defence", **_DEFENCES}


def run(
    kind: str = "all",
    pressure: float = 5.0,
    leash: float = 1.5,
    members: int = 8,
    ratings: int = 64,
    shared: float = 0.9,
    *,
    rng: np.random.Generator,
) -> Result:
    """Gold that is left under each defence in each world, over repeats of collecting ratings.

    Args:
        kind: "all" for the matrix, or one kind for gold along the way.
        pressure: KL in nats up to which a reward is optimised.
        leash: KL in nats at which the short leash stops.
        members: Reward models averaged, and in the worst case.
        ratings: Ratings that each reward model is fitted to.
        shared: Chance that a trick fools all of them alike.
        rng: Source of ratings and blind spots.
    """
    outcomes = []
    for one in KINDS:
        world = goodhart_world(one)
        rewards = train(
            world, n_members=members, n_ratings=ratings, shared=shared, n_repeats=_REPEATS, rng=rng
        )
        outcomes.append(
            measure_defences(
                one, world.answers, rewards, pressure=pressure, leash=leash, along=one == kind
            )
        )
    chosen = next((o for o in outcomes if o.kind == kind), None)
    return Result(
        sentence=_all_said(outcomes, pressure) if chosen is None else _one_said(chosen, pressure),
        quantities=_quantities(outcomes),
        chart=_matrix(outcomes) if chosen is None else _curves(chosen, leash),
        table=_table(outcomes),
    )


def _quantities(outcomes: list[DefendedWorld]) -> tuple[Quantity, ...]:
    found = []
    for outcome in outcomes:
        kind = outcome.kind
        for name, words in _ALL.items():
            label = f"{kind}: gold kept, {words}"
            found.append(Quantity.of(f"{kind}_{name}", label, outcome.mean(name).figure("share")))
        at = float(outcome.budgets[outcome.peak])
        found.append(Quantity(f"{kind}_peak", f"{kind}: gold is highest at", at, "nats"))
        label = f"{kind}: of that gain, lost again (over 100%: all, and more)"
        found.append(Quantity(f"{kind}_fall", label, outcome.fall, "share"))
    return tuple(found)


def _matrix(outcomes: list[DefendedWorld]) -> BarChart:
    bars = []
    for outcome in outcomes:
        for name, words in _ALL.items():
            kept = outcome.mean(name)
            tone: Tone = "other" if name == "none" else "gold"
            bars.append(Bar(words, kept.value, kept.low, kept.high, tone=tone, group=outcome.kind))
    return BarChart(tuple(bars), "gold gained, as a share of the best at this KL", percent=True)


def _curves(outcome: DefendedWorld, leash: float) -> Chart:
    strokes: dict[str, tuple[str, Tone, Stroke]] = {
        "best": ("best possible", "gold", "dashed"),
        "none": ("no defence", "proxy", "solid"),
        "average": ("average", "proxy", "dotted"),
        "worst_case": ("worst case", "other", "solid"),
        "edited": ("edited answers", "other", "dashed"),
    }
    x = np.concatenate([[0.0], outcome.budgets])
    lines = tuple(
        Line(label, x, np.concatenate([[0.0], outcome.path[name]]), tone=tone, stroke=stroke)
        for name, (label, tone, stroke) in strokes.items()
    )
    mark = place(leash, f"leash {leash:g}") if leash <= x[-1] else None
    return LineChart((Panel("gold gained", lines),), "KL from the reference (nats)", mark=mark)


def _table(outcomes: list[DefendedWorld]) -> Table:
    words = ("hurts", "unclear", "helps")
    rows = []
    for outcome in outcomes:
        without = outcome.mean("none").value
        for name, said in _DEFENCES.items():
            share = outcome.mean(name).value
            effect = words[outcome.effect(name) + 1]
            rows.append((outcome.kind, said, share * outcome.best, share, share - without, effect))
    return row_table(("kind", "defence", "gold gained", "of best", "over none", "effect"), rows)


def _all_said(outcomes: list[DefendedWorld], pressure: float) -> str:
    parts = []
    for name, words in _DEFENCES.items():
        helped = [o.kind for o in outcomes if o.effect(name) > 0]
        hurt = [o.kind for o in outcomes if o.effect(name) < 0]
        effects = [
            f"clearly {verb} in the {listed(kinds)} {'world' if len(kinds) == 1 else 'worlds'}"
            for verb, kinds in (("helps", helped), ("hurts", hurt))
            if kinds
        ]
        parts.append(f"{words} {' but '.join(effects) or 'changes nothing clearly'}")
    return f"At a KL of {pressure:g}, {'; '.join(parts)}."


def _one_said(outcome: DefendedWorld, pressure: float) -> str:
    gold = outcome.path["none"]
    if outcome.fall < 0.01:
        way = f"With no defence gold rises all the way to {gold[-1]:+.2f} at a KL of {pressure:g}"
    else:
        way = (
            f"With no defence gold peaks at a KL of {outcome.budgets[outcome.peak]:g} and falls "
            f"from {gold[outcome.peak]:+.2f} to {gold[-1]:+.2f} at {pressure:g}"
        )
    kept = {name: outcome.mean(name).value for name in _ALL}
    best = max(_DEFENCES, key=lambda name: kept[name])
    return (
        f"{way}, {kept['none']:.0%} of what was possible; {_DEFENCES[best]} keeps most, "
        f"{kept[best]:.0%}."
    )


def _averaging() -> Answer:
    result = run(rng=np.random.default_rng(0))
    kept = {kind: (result.value(f"{kind}_none"), result.value(f"{kind}_average")) for kind in KINDS}
    gain = {kind: after - before for kind, (before, after) in kept.items()}
    first = max(gain, key=lambda kind: gain[kind])
    others = ", ".join(f"{gain[kind]:+.0%} in {kind}" for kind in KINDS if kind != first)
    before, after = kept[first]
    return Answer(
        KINDS.index(first),
        f"There the gold kept rises from {before:.0%} to {after:.0%}; it changes by {others}. "
        "Only errors that the models do not share average out.",
    )


SYSTEM = System(
    row="E11",
    name="goodhart",
    title="Goodhart's four kinds",
    sentence="A reward fails in four ways under pressure, and no one defence helps against all.",
    paragraph=(
        "A reward model is fitted to a few noisy ratings, and a policy maximises it. In four small "
        "worlds it goes wrong for one reason each. Regressional: its errors are noise, and picking "
        "by score picks luck. Extremal: longer was better among usual answers, and is not far out. "
        "Causal: content made answers long, and padding makes length without content. Adversarial: "
        "a few answers are built to fool it. Each world is met with four defences: averaging "
        "several models, stopping early, trusting the lowest score of several, and spending half "
        "of the ratings on answers edited to be unusual. Gold kept is a share of what "
        "the same KL could have gained."
    ),
    controls=(
        Choice(
            "kind",
            "what is drawn",
            "all",
            {"all": "All kinds and defences", **{kind: kind.capitalize() for kind in KINDS}},
        ),
        Slider("pressure", "KL up to which the reward is optimised, in nats", 5.0, 0.5, 8.0, 0.5),
        Slider("leash", "KL at which the short leash stops, in nats", 1.5, 0.25, 4.0, 0.25),
        Slider("members", "reward models averaged, or in the worst case", 8, 1, 16, 1, whole=True),
        Slider("ratings", "ratings that each is fitted to", 64, 8, 512, log=True, whole=True),
        Slider("shared", "share of tricks that fool all models alike", 0.9, 0.0, 1.0, 0.05),
    ),
    run=run,
    questions=(
        Question(
            "Eight reward models are averaged. In which world does that save the most gold?",
            tuple(kind.capitalize() for kind in KINDS),
            _averaging,
        ),
    ),
    sources=(
        "Manheim and Garrabrant (2018), arXiv:1803.04585",
        "Gao, Schulman and Hilton (2022), arXiv:2210.10760",
        "Eisenstein et al. (2023), arXiv:2312.09244",
    ),
)
