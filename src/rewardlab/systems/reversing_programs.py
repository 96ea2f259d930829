"""D1, reversing programs: learning from passed tests alone, round by round."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.advantages import group_advantages, signal_probability
from rewardlab.policies.distributions import total_variation
from rewardlab.policies.group_rounds import after_round, expected_after_round, sampled_rounds
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import gold_line, other_line, place, row_table
from rewardlab.types import FloatArray, IntArray
from rewardlab.worlds.answer_set import normalised
from rewardlab.worlds.reversing import NAMES, reversing_world

_GROUP, _STEP, _LAST = 3, 2 / 3, 60
_SCRIPT = ((0, 1, 2), (1, 1, 1))
"""The first two rounds: one of each program, then B three times. Later rounds are drawn."""


def run(round: int = 1, *, rng: np.random.Generator) -> Result:
    """One round of a run of 60: what was written, and how the shares moved.

    Args:
        round: Which round, from 1.
        rng: Draws the attempts from the third round on.
    """
    path, attempts = _rounds(rng)
    world = reversing_world()
    before, after, wrote = path[round - 1], path[round], attempts[round - 1]
    advantages = group_advantages(world.gold[wrote])
    shares = np.exp(after)
    rises = np.array([_expected_rise(logprobs) for logprobs in path])
    moved = total_variation(before, after)
    signal = float(signal_probability(shares[:1], _GROUP)[0])
    quantities = (
        *(
            Quantity(f"advantage_{i + 1}", f"advantage of attempt {i + 1} ({NAMES[k]})", float(a))
            for i, (k, a) in enumerate(zip(wrote, advantages, strict=True))
        ),
        *(
            Quantity(f"share_{name.lower()}", f"share of {name} after the round", float(p), "share")
            for name, p in zip(NAMES, shares, strict=False)
        ),
        Quantity("moved", "probability that this round moved", moved, "share"),
        Quantity("signal", "chance that the next round has any signal", signal, "share"),
        Quantity(
            "next_rise", "rise of A to expect of the next round", float(rises[round]), "share"
        ),
        Quantity("rise_at_50", "the same where A has 50%", _rise_at(0.5), "share"),
        Quantity("rise_at_95", "the same where A has 95%", _rise_at(0.95), "share"),
    )
    return Result(
        sentence=_sentence(round, wrote, advantages, shares),
        quantities=quantities,
        chart=_chart(np.exp(path), rises, round),
        table=row_table(
            ("round", "written", *NAMES[:3]),
            ((t + 1, _written(attempts[t]), *np.exp(path[t + 1])) for t in range(round)),
        ),
    )


def _rounds(rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Log-probabilities before each round and after the last, [61, 3]; the attempts, [60, 3]."""
    world = reversing_world()
    script = np.array(_SCRIPT)
    path = [world.ref_logprobs]
    for wrote in script:
        path.append(after_round(path[-1], wrote, world.gold, step_size=_STEP))
    later, drawn = sampled_rounds(
        path[-1],
        world.gold,
        n_rounds=_LAST - len(script),
        n_runs=1,
        group_size=_GROUP,
        step_size=_STEP,
        rng=rng,
    )
    return np.concatenate([path[:-1], later[:, 0]]), np.concatenate([script, drawn[:, 0]])


def _expected_rise(logprobs: FloatArray) -> float:
    """By how much the next round raises A's share on average."""
    reward = reversing_world().gold
    after = expected_after_round(logprobs, reward, group_size=_GROUP, step_size=_STEP)
    return float(after[0] - np.exp(logprobs[0]))


@cache
def _rise_at(success: float) -> float:
    """The expected rise where A has this share and the others keep their first proportions."""
    start = reversing_world().ref_logprobs
    others = normalised(start[1:]) + math.log(1 - success)
    return _expected_rise(np.array([math.log(success), *others]))


def _written(wrote: IntArray) -> str:
    return ", ".join(NAMES[k] for k in wrote)


def _sentence(round: int, wrote: IntArray, advantages: FloatArray, shares: FloatArray) -> str:
    now = ", ".join(f"{name} {p:.0%}" for name, p in zip(NAMES, shares, strict=False))
    if not advantages.any():
        return (
            f"Round {round} wrote {_written(wrote)}, all scored alike: every advantage is 0 and "
            f"nothing moves ({now})."
        )
    said = ", ".join(f"{a:+.2f}" for a in advantages)
    return f"Round {round} wrote {_written(wrote)}: advantages {said}; the shares become {now}."


def _chart(shares: FloatArray, rises: FloatArray, round: int) -> LineChart:
    rounds = np.arange(len(shares), dtype=float)
    lines = (
        gold_line("A, correct", rounds, shares[:, 0], "solid"),
        Line("B, sorts", rounds, shares[:, 1], stroke="dashed"),
        other_line("C, stops short", rounds, shares[:, 2], "dotted"),
    )
    rise = gold_line("expected", rounds, rises, "solid")
    return LineChart(
        panels=(
            Panel("share of each program", lines, percent=True),
            Panel("rise of A to expect of the next round", (rise,), percent=True, height=90),
        ),
        x_label="rounds so far",
        mark=place(round, f"round {round}"),
    )


def _nothing_right() -> Answer:
    moved = run(2, rng=np.random.default_rng(0)).value("moved")
    return Answer(
        0 if moved == 0 else 1,
        f"All three score 0, so does their mean, and every advantage is 0: {moved:.0%} of the "
        "probability moves. Equal scores say nothing about which way is better.",
    )


def _slows() -> Answer:
    half, late = _rise_at(0.5), _rise_at(0.95)
    return Answer(
        0 if late < half / 2 else (1 if late < 2 * half else 2),
        f"A round is expected to raise A by {100 * half:.1f} points at 50% and by "
        f"{100 * late:.1f} at 95%, where most rounds write A three times.",
    )


SYSTEM = System(
    row="D1",
    name="reversing-programs",
    title="Three programs that reverse a string",
    sentence="A policy learns which program is right from passed unit tests alone, ever slower.",
    paragraph=(
        "Asked to reverse a string, a model writes one of three programs: A is right, B sorts the "
        "letters backwards, C stops one character short. A round writes three programs and really "
        "runs each on six unit tests; one that passes all of them scores 1, any other 0. Each "
        "attempt's advantage is its score minus the mean of the three, and its program's logit "
        "moves by two thirds of that. Nobody says which program is right. A round in which all "
        "score alike teaches nothing, so learning slows as success nears certainty."
    ),
    controls=(Slider("round", "round", 1, 1, _LAST, step=1, whole=True, plays=True),),
    run=run,
    questions=(
        Question(
            "The second round writes B, B, B, and all fail the tests. What happens to B's share?",
            ("It stays where it is", "It falls"),
            _nothing_right,
        ),
        Question(
            "How much does a round teach when A already has 95%, compared with 50%?",
            ("Much less", "About as much", "Much more"),
            _slows,
        ),
    ),
    sources=("Williams (1992), Machine Learning 8:229", "Shao et al. (2024), arXiv:2402.03300"),
)
