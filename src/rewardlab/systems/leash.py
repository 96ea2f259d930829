"""D3, the leash: how beta sets what a reward model's blind spot costs."""

from __future__ import annotations

import math

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Panel
from rewardlab.plots.text import number
from rewardlab.policies.closed_form import closed_form, gibbs
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import LEASH, column_table, other_line, place, score_panel
from rewardlab.worlds.leash import BEST_FIX, NAMES, NONSENSE, leash_reward, leash_world

_FIX, _NONSENSE = NAMES.index(BEST_FIX), NAMES.index(NONSENSE)
_SWEEP = tuple(np.geomspace(4.0, 0.05, 241).tolist())


def run(beta: float = 0.5, nonsense_reward: float = 2.8) -> Result:
    """The optimal policy at one beta, and true quality over all of them.

    Args:
        beta: Price of a nat of KL.
        nonsense_reward: What the reward model gives to the nonsense; the best fix gets 2.
    """
    world, reward = leash_world(), leash_reward(nonsense_reward)
    chosen = np.exp(gibbs(world.ref_logprobs, reward, beta))
    sweep = closed_form(world, reward, betas=_SWEEP).path
    best = int(np.argmax(sweep.gold_reward))
    odds = float(chosen[_FIX] / chosen[_NONSENSE])
    lead = float(reward[_NONSENSE] - reward[_FIX])
    head_start = float(world.ref_logprobs[_FIX] - world.ref_logprobs[_NONSENSE])
    quality = float(chosen @ world.gold)
    nonsense = sweep.tracked[NONSENSE]
    return Result(
        sentence=_sentence(beta, float(chosen[_FIX]), float(chosen[_NONSENSE]), quality),
        quantities=(
            Quantity("odds_of_fix", "how many times likelier the best fix is than nonsense", odds),
            Quantity("nonsense", "probability of nonsense", float(chosen[_NONSENSE]), "share"),
            Quantity("true_quality", "true quality", quality),
            Quantity("proxy_reward", "reward model's score", float(chosen @ reward)),
            Quantity(
                "crossover_beta",
                "beta at which both are as likely",
                lead / head_start if lead > 0 else math.nan,
            ),
            Quantity("peak_beta", "best beta for true quality, from 4 to 0.05", _SWEEP[best]),
            Quantity("peak_quality", "true quality there", float(sweep.gold_reward[best])),
            Quantity(
                "peak_nonsense", "probability of nonsense there", float(nonsense[best]), "share"
            ),
            Quantity("cost_of_20", "charge for an answer 20 times likelier", beta * math.log(20)),
            Quantity("cost_of_200", "charge for one 200 times likelier", beta * math.log(200)),
        ),
        chart=LineChart(
            panels=(
                score_panel(sweep, proxy="reward model"),
                Panel(
                    "probability of nonsense",
                    (other_line("nonsense", sweep.strength, nonsense, "solid"),),
                    percent=True,
                    height=90,
                ),
            ),
            x_label=LEASH,
            log_x=True,
            mark=place(1 / beta, f"beta {beta:.3g}"),
        ),
        table=column_table(
            {
                "answer": NAMES,
                "reference": world.ref_probs,
                "policy": chosen,
                "reward": reward,
                "true quality": world.gold,
            }
        ),
    )


def _sentence(beta: float, fix: float, nonsense: float, quality: float) -> str:
    likelier, other = ("best fix", "nonsense") if fix >= nonsense else ("nonsense", "best fix")
    odds = max(fix, nonsense) / min(fix, nonsense)
    return (
        f"At beta {beta:.3g} the {likelier} is {number(odds, digits=4)} times likelier than the "
        f"{other}, which is written {min(fix, nonsense):.1%} of the time; true quality is "
        f"{quality:.2f}."
    )


def _loosened() -> Answer:
    tight, loose = run(beta=0.5), run(beta=0.1)
    rise = loose.value("proxy_reward") - tight.value("proxy_reward")
    fall = loose.value("true_quality") - tight.value("true_quality")
    return Answer(
        0 if fall > 0.1 else 1 if fall > -0.1 else 2,
        f"From beta 0.5 to 0.1 the reward model's score moves by {rise:+.2f} and true quality by "
        f"{fall:+.2f}: the nonsense takes {loose.value('nonsense'):.0%} of the answers.",
    )


SYSTEM = System(
    row="D3",
    name="leash",
    title="The leash",
    sentence="A KL penalty holds a policy back from its reward model's blind spot, up to a point.",
    paragraph=(
        "A model answers a debugging question in one of five ways. The reward model scores one of "
        "them, long and flattering nonsense, above every honest answer. The policy maximises that "
        "score minus beta times its KL divergence from where it started. The optimum is known "
        "exactly: each answer's probability is multiplied by exp(reward / beta). The charge for "
        "drifting grows only with the logarithm of how much likelier an answer has become, so a "
        "large enough lead in reward outbids it."
    ),
    controls=(
        Slider("beta", "beta, the price of a nat of KL", 0.5, 0.05, 4.0, log=True),
        Slider("nonsense_reward", "reward of the nonsense", 2.8, 1.0, 4.0, step=0.1),
    ),
    run=run,
    questions=(
        Question(
            "The leash is loosened from beta 0.5 to beta 0.1. What happens to true quality?",
            ("It rises with the score", "It stays about the same", "It collapses"),
            _loosened,
        ),
    ),
    sources=("Gao, Schulman and Hilton (2022), arXiv:2210.10760",),
)
