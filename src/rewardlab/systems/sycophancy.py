"""D5, sycophancy: a loose leash turns the raters' mild taste into a habit."""

from __future__ import annotations

import math

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.closed_form import closed_form, gibbs
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import LEASH, column_table, other_line, place
from rewardlab.worlds.sycophancy import AGREES, NAMES, sycophancy_world, taste_reward

_SWEEP = tuple(np.geomspace(4.0, 0.05, 121).tolist())


def run(taste: float = 0.6, beta: float = 0.1, start: float = 0.5) -> Result:
    """How often the optimal policy agrees, at one beta and over all of them.

    Args:
        taste: Share of raters who pick the agreeable one of two otherwise equal answers.
        beta: Price of a nat of KL.
        start: Share of agreeable answers before training.
    """
    world, reward = sycophancy_world(start), taste_reward(taste)
    policy = np.exp(gibbs(world.ref_logprobs, reward, beta))
    sweep = closed_form(world, reward, betas=_SWEEP).path
    agrees = float(policy[0])
    factor = math.exp(float(reward[0] - reward[1]) / beta)
    quantities = (
        Quantity("reward_gap", "reward of agreeing over holding one's ground", float(reward[0])),
        Quantity("factor", "by which the odds of agreeing are multiplied", factor),
        Quantity("odds", "odds of agreeing, to 1", float(policy[0] / policy[1])),
        Quantity("agrees", "answers that agree", agrees, "share"),
        Quantity("moved", "answers that agree beyond the raters' taste", agrees - taste, "share"),
        Quantity("right", "answers that correct the reader", float(policy @ world.gold), "share"),
    )
    return Result(
        sentence=_sentence(taste, beta, start, agrees),
        quantities=quantities,
        chart=LineChart(
            panels=(
                Panel(
                    "answers that agree",
                    (
                        Line("the policy", sweep.strength, sweep.tracked[AGREES]),
                        other_line("the raters", sweep.strength, np.full(len(_SWEEP), taste)),
                    ),
                    percent=True,
                ),
            ),
            x_label=LEASH,
            log_x=True,
            mark=place(1 / beta, f"beta {beta:.3g}"),
        ),
        table=column_table(
            {
                "answer": NAMES,
                "raters who pick it": (taste, 1 - taste),
                "before": world.ref_probs,
                "after": policy,
                "reward": reward,
                "right": world.gold == 1,
            }
        ),
    )


def _sentence(taste: float, beta: float, start: float, agrees: float) -> str:
    return (
        f"Raters pick the agreeable answer {taste:.0%} of the time; optimised for that at beta "
        f"{beta:.3g}, a model that agreed {start:.0%} of the time comes to agree {agrees:.1%} of "
        "the time."
    )


def _tenth() -> Answer:
    tight, loose = (run(beta=beta) for beta in (1.0, 0.1))
    share = loose.value("agrees")
    choice = 0 if share < 0.65 else (1 if share < 0.9 else 2)
    return Answer(
        choice,
        "The odds of agreeing are multiplied by 1.5 ^ (1 / beta). At beta 1 that is "
        f"{tight.value('factor'):.3g} and gives the raters' own {tight.value('agrees'):.0%}; at "
        f"beta 0.1 it is {loose.value('factor'):.3g} and gives {share:.1%}.",
    )


SYSTEM = System(
    row="D5",
    name="sycophancy",
    title="Telling people what they want to hear",
    sentence="A 60:40 taste for being agreed with becomes near certainty when the leash is loose.",
    paragraph=(
        "Someone asks about a thing that they have wrong. Two answers are equally well written: "
        "one agrees, one corrects them. Raters pick the agreeable one a little more often. A "
        "reward model fitted to their choices gives it a lead of log(taste / (1 - taste)), and the "
        "policy that maximises this reward minus beta times the KL divergence multiplies its odds "
        "of agreeing by exp(lead / beta). From even odds, at beta 1 it copies the raters' taste; "
        "below that it agrees more often than they asked for, although no label was wrong."
    ),
    controls=(
        Slider("taste", "raters who pick the agreeable answer", 0.6, 0.05, 0.95, step=0.01),
        Slider("beta", "beta, the price of a nat of KL", 0.1, 0.05, 4.0, log=True),
        Slider("start", "agreeable answers before training", 0.5, 0.01, 0.99, step=0.01),
    ),
    run=run,
    questions=(
        Question(
            "Six raters in ten prefer to be agreed with. A model that agrees half the time is "
            "optimised against them at beta 0.1. How often does it agree?",
            ("About 60% of the time", "About 80%", "Above 90%"),
            _tenth,
        ),
    ),
    sources=(
        "Sharma et al. (2023), arXiv:2310.13548",
        "Bradley and Terry (1952), doi:10.2307/2334029",
    ),
)
