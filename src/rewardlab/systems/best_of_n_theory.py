"""E8, best-of-n in theory: the usual formula for its KL is a bound, and how far it is off."""

from __future__ import annotations

import math

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.best_of_n import kl_bound, log_spaced_n
from rewardlab.policies.exact_best_of_n import Levels, levels
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, gold_line, other_line, place
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised

_N = log_spaced_n(4096, per_octave=4)
_SHOWN = tuple(2**k for k in range(13))


def ranked_answers(answers: int, tilt: float) -> Levels:
    """Answers of distinct rewards; the best is exp(tilt) times likelier than the worst at first."""
    rank = np.linspace(0.0, 1.0, answers)
    return levels(normalised(tilt * rank), rank)


def run(n: int = 16, answers: int = 8, tilt: float = 0.0) -> Result:
    """True KL, its bound, an estimate of it, and the win rate, for every n.

    Args:
        n: Samples of which the best is kept.
        answers: How many answers there are, each with its own reward.
        tilt: Log of how much likelier the reference writes the best answer than the worst.
    """
    world = ranked_answers(answers, tilt)
    bound = kl_bound(_N)
    true = np.array([world.kl_nats(int(i)) for i in _N])
    estimate = np.array([world.estimated_kl(int(i)) for i in _N])
    wins = np.array([world.win_rate(int(i)) for i in _N])
    kl, at_most, win = world.kl_nats(n), float(kl_bound(np.array(n))), world.win_rate(n)
    ceiling = -float(world.log_mass[-1])
    x = _N.astype(np.float64)
    kls = (
        other_line("bound", x, bound),
        gold_line("estimate", x, estimate, "dotted"),
        Line("true", x, true),
    )
    chances = (other_line("n / (n+1)", x, x / (x + 1)), Line("true", x, wins))
    return Result(
        sentence=(
            f"The best of {n:,} from {answers:,} answers is {kl:.3f} nats from the reference, "
            f"where the formula says {at_most:.3f}; it beats one sample {win:.1%} of the time. "
            f"However large n is, KL cannot exceed {ceiling:.2f} nats."
        ),
        quantities=(
            Quantity("bound", "log n - (n-1)/n, the bound on KL", at_most, "nats"),
            Quantity("kl", "true KL", kl, "nats"),
            Quantity("gap", "how far the bound is above it", at_most - kl, "nats"),
            Quantity(
                "gap_bound",
                "Beirami et al.'s bound on that, 2n(n-1)exp(-H2)",
                world.gap_bound(n),
                "nats",
            ),
            Quantity(
                "estimate", "KL estimated from the chosen answer", world.estimated_kl(n), "nats"
            ),
            Quantity(
                "estimate_error", "worst error of the estimate", _worst(estimate, true), "nats"
            ),
            Quantity("bound_error", "worst error of the bound", _worst(bound, true), "nats"),
            Quantity("largest_kl", "KL at the largest n, 4096", float(true[-1]), "nats"),
            Quantity("ceiling", "KL that no n exceeds, log(1 / P(best))", ceiling, "nats"),
            Quantity("win_rate", "chance to beat one sample, ties half", win, "share"),
            Quantity("win_bound", "n / (n+1), the most it can be", n / (n + 1), "share"),
        ),
        chart=LineChart(
            panels=(
                Panel("KL (nats)", kls),
                Panel("chance to beat one sample", chances, percent=True, height=110),
            ),
            x_label="n, samples of which the best is kept",
            log_x=True,
            mark=place(n, f"n = {n:,}"),
        ),
        table=column_table(
            {
                "n": _SHOWN,
                "true KL": [world.kl_nats(n) for n in _SHOWN],
                "estimate": [world.estimated_kl(n) for n in _SHOWN],
                "bound": kl_bound(np.array(_SHOWN)),
                "wins": [world.win_rate(n) for n in _SHOWN],
                "n / (n+1)": [n / (n + 1) for n in _SHOWN],
            }
        ),
    )


def _worst(estimate: FloatArray, true: FloatArray) -> float:
    return float(np.abs(estimate - true).max())


def _two_outcomes() -> Answer:
    two = run(n=4096, answers=2)
    largest = two.value("largest_kl")
    return Answer(
        0 if abs(largest - math.log(2)) < 1e-3 else 2 if largest > 2 else 1,
        f"At n = 4096 it is {largest:.3f} nats, where ln 2 is {math.log(2):.3f}: the better answer "
        "cannot become more than twice as likely. The formula says "
        f"{two.value('bound'):.2f} nats.",
    )


SYSTEM = System(
    row="E8",
    name="best-of-n-theory",
    title="Best-of-n in theory",
    sentence="The usual formula for best-of-n's KL is only a bound, and can be far too large.",
    paragraph=(
        "Write n answers, keep the one with the highest reward. How far has this moved from simply "
        "writing one? The usual formula, log n - (n-1)/n nats, holds when no answer ever comes up "
        "twice. With few answers, or a likely best one, the n samples repeat and the true distance "
        "is smaller: once the best answer is nearly always among them, a larger n changes nothing. "
        "A better estimate needs only the probability of the answer that was chosen. The chance to "
        "beat a single sample has a bound of its own, n / (n+1)."
    ),
    controls=(
        Slider("n", "n, samples of which the best is kept", 16, 1, 4096, log=True, whole=True),
        Slider("answers", "number of answers", 8, 2, 4096, log=True, whole=True),
        Slider(
            "tilt", "log of how much likelier the best is than the worst", 0.0, -6.0, 6.0, step=0.1
        ),
    ),
    run=run,
    questions=(
        Question(
            "There are only two answers, equally likely. How far does best-of-n get as n grows?",
            ("To ln 2 = 0.69 nats", "To 1 nat", "Without limit, like log n"),
            _two_outcomes,
        ),
    ),
    sources=("Stiennon et al. (2020), arXiv:2009.01325", "Beirami et al. (2024), arXiv:2401.01879"),
)
