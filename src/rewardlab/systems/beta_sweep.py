"""B1, the beta sweep: more reward at every step, more quality only at first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Panel
from rewardlab.policies.closed_form import closed_form
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import LEASH, column_table, other_line, place, score_panel
from rewardlab.types import OptimizationPath
from rewardlab.worlds.gaussian_grid import LENGTH, SUBSTANCE, gaussian_grid, grid_reward

_SWEEP = tuple(np.geomspace(4.0, 0.25, 97).tolist())


def run(beta: float = 0.4, learned: float = 0.0) -> Result:
    """The optimal policy at one beta, and what optimisation gains over all of them.

    Args:
        beta: Price of a nat of KL.
        learned: Share of the padding penalty that the reward model has learned.
    """
    chosen, sweep = _gains((beta,), learned), _gains(_SWEEP, learned)
    best = int(np.argmax(sweep.gold_reward))
    quantities = (
        Quantity("kl", "distance from the base model", float(chosen.kl_nats[0]), "nats"),
        Quantity("reward_gain", "gain in reward", float(chosen.proxy_reward[0])),
        Quantity("true_gain", "gain in true quality", float(chosen.gold_reward[0])),
        Quantity("length", "mean length", float(chosen.tracked[LENGTH][0])),
        Quantity("substance", "mean substance", float(chosen.tracked[SUBSTANCE][0])),
        Quantity("peak_beta", "best beta for true quality, from 4 to 0.25", _SWEEP[best]),
        Quantity("peak_gain", "gain in true quality there", float(sweep.gold_reward[best])),
    )
    return Result(
        sentence=_sentence(beta, chosen),
        quantities=quantities,
        chart=LineChart(
            panels=(
                score_panel(sweep, "gain over the base model", proxy="reward model"),
                Panel(
                    "mean length",
                    (other_line("length", sweep.strength, sweep.tracked[LENGTH], "solid"),),
                    height=90,
                ),
            ),
            x_label=LEASH,
            log_x=True,
            mark=place(1 / beta, f"beta {beta:.3g}"),
        ),
        table=column_table(
            {
                "beta": 1 / sweep.strength[::12],
                "KL (nats)": sweep.kl_nats[::12],
                "gain in reward": sweep.proxy_reward[::12],
                "gain in true quality": sweep.gold_reward[::12],
                "mean length": sweep.tracked[LENGTH][::12],
            }
        ),
    )


def _gains(betas: tuple[float, ...], learned: float) -> OptimizationPath:
    """The optimum at each beta; reward and gold as gains over the base model."""
    world = gaussian_grid()
    reward = grid_reward(world.features, learned)
    path = closed_form(world, reward, betas=betas).path
    base = world.ref_probs
    return replace(
        path,
        proxy_reward=path.proxy_reward - base @ reward,
        gold_reward=path.gold_reward - base @ world.gold,
    )


def _sentence(beta: float, chosen: OptimizationPath) -> str:
    gain, true = float(chosen.proxy_reward[0]), float(chosen.gold_reward[0])
    way = "risen" if true > 0 else "fallen"
    return (
        f"At beta {beta:.3g}, {float(chosen.kl_nats[0]):.2f} nats from the base model, the reward "
        f"model's score has risen by {gain:.2f} and true quality has {way} by {abs(true):.2f}; the "
        f"mean length is {float(chosen.tracked[LENGTH][0]):.2f}."
    )


def _loosened() -> Answer:
    tight, loose = run(beta=1.0), run(beta=0.3)
    change = loose.value("true_gain") - tight.value("true_gain")
    return Answer(
        0 if change > 0 else 1 if loose.value("true_gain") > 0 else 2,
        f"The gain in reward goes from {tight.value('reward_gain'):+.2f} to "
        f"{loose.value('reward_gain'):+.2f}, that in true quality from "
        f"{tight.value('true_gain'):+.2f} to {loose.value('true_gain'):+.2f}: the mean length has "
        f"moved to {loose.value('length'):.2f}, far beyond what the raters ever compared.",
    )


def _fifth() -> Answer:
    blind, taught = run(beta=0.3), run(beta=0.3, learned=0.2)
    gain = taught.value("true_gain")
    return Answer(
        0 if gain < blind.value("true_gain") else 1 if gain < 0 else 2,
        f"True quality ends {gain:+.2f} from the base model in place of "
        f"{blind.value('true_gain'):+.2f}: a little of the penalty outweighs the reward of ever "
        "more length, since it grows with the square.",
    )


SYSTEM = System(
    row="B1",
    name="beta-sweep",
    title="The beta sweep",
    sentence="As beta falls the reward only rises; true quality turns and ends below its start.",
    paragraph=(
        "An answer has two traits, length and substance, in standard units: the base model writes "
        "most answers near zero in both. What we want is substance and a moderate length; beyond "
        "that, length is padding. The reward model was taught on typical answers, among which the "
        "longer were mostly better, and so pays for length without end. For each beta the best "
        "policy is computed exactly over 58,081 answers on a grid. Reducing beta lets it go "
        "further from the base model, to answers for which the reward model was never right."
    ),
    controls=(
        Slider("beta", "beta, the price of a nat of KL", 0.4, 0.25, 4.0, log=True),
        Slider("learned", "share of the padding penalty learned", 0.0, 0.0, 1.0, step=0.05),
    ),
    run=run,
    questions=(
        Question(
            "At beta 1 both scores are above their start. Beta is lowered to 0.3. What becomes of "
            "true quality?",
            ("It rises further", "It falls, but stays above its start", "It falls below its start"),
            _loosened,
        ),
        Question(
            "The reward model now knows one fifth of the penalty for padding. At beta 0.3, where "
            "does true quality end?",
            ("Lower than before", "Higher, but below its start", "Above its start"),
            _fifth,
        ),
    ),
    sources=(
        "Gao, Schulman and Hilton (2022), arXiv:2210.10760",
        "Singhal et al. (2023), arXiv:2310.03716",
    ),
)
