"""C1, direct preference optimisation: one loss on pairs in place of a reward model and RL."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.direct import (
    CHOSEN,
    LOSS,
    REJECTED,
    PairLoss,
    dpo,
    implied_reward,
    ipo,
    ipo_target,
    learn_from_pairs,
)
from rewardlab.policies.distributions import total_variation
from rewardlab.policies.pairs import Pairs, population_pairs
from rewardlab.policies.recording import Optimised
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, gold_line, other_line, place
from rewardlab.types import FloatArray
from rewardlab.worlds.leash import NAMES, leash_reward, leash_world

_TASTE = leash_reward(nonsense_reward=0.0)
"""Bradley-Terry scores of raters who see through the nonsense."""
_WORLD = leash_world()
_PAIRS = population_pairs(_WORLD.ref_probs, _TASTE)
_STEPS, _STEP_SIZE = 240, 0.3


def run(
    beta: float = 0.1,
    steps: int = 160,
    chosen: float = 2.0,
    rejected: float = -1.0,
    method: str = "dpo",
    smoothing: float = 0.0,
) -> Result:
    """The loss of one pair, and training on every pair of five answers.

    Args:
        beta: Of DPO; tau of IPO.
        steps: Gradient steps.
        chosen: log(pi / ref) of the pair's chosen answer.
        rejected: log(pi / ref) of its rejected answer.
        method: "dpo" or "ipo".
        smoothing: Share of labels taken to be flipped.
    """
    loss = dpo(beta) if method == "dpo" else ipo(beta)
    pairs = _PAIRS.smoothed(smoothing)
    path = _trained(pairs, loss, _STEPS).path
    end = _trained(pairs, loss, steps)
    moved = {name: path.tracked[name] - path.tracked[name][0] for name in (CHOSEN, REJECTED)}
    up, down = float(moved[CHOSEN][steps]), float(moved[REJECTED][steps])
    margin = beta * (chosen - rejected)
    one = loss.terms(np.array([chosen - rejected, 0.0]), np.full(2, 1 - smoothing))[0]
    target = _optimum(loss, beta)
    gone = total_variation(end.logprobs, target)
    turning = _turning(method)
    implied = implied_reward(end.logprobs, _WORLD.ref_logprobs, beta)
    changes = (
        gold_line("chosen", path.strength, moved[CHOSEN], "solid"),
        Line("rejected", path.strength, moved[REJECTED], stroke="dashed"),
    )
    overall = other_line("loss", path.strength, path.tracked[LOSS], "solid")
    return Result(
        sentence=_sentence(margin, float(one[0]), float(one[1]), steps, up, down),
        quantities=(
            Quantity("start_loss", "the pair's loss at the start", float(one[1])),
            Quantity("margin", "margin, beta times the difference of log-ratios", margin),
            Quantity("preferred", "sigma(margin)", 1 / (1 + math.exp(-margin)), "share"),
            Quantity("pair_loss", "the pair's loss", float(one[0])),
            Quantity("distance", "total variation from the optimum for true labels", gone),
            Quantity("chosen_change", "change of chosen answers' log-probability", up, "nats"),
            Quantity("rejected_change", "change of rejected answers'", down, "nats"),
            Quantity("turning_beta", "beta below which the chosen fall too, true labels", turning),
        ),
        chart=LineChart(
            panels=(
                Panel("change of mean log-probability (nats)", changes),
                Panel("loss over all pairs", (overall,), height=90),
            ),
            x_label="gradient steps",
            mark=place(steps, f"step {steps}"),
        ),
        table=column_table(
            {
                "answer": NAMES,
                "reference": _WORLD.ref_probs,
                "policy": np.exp(end.logprobs),
                "optimum": np.exp(target),
                "raters' score": _TASTE - _TASTE[0],
                "implied reward": implied - implied[0],
            }
        ),
    )


def _trained(pairs: Pairs, loss: PairLoss, n_steps: int) -> Optimised:
    return learn_from_pairs(
        _WORLD, pairs, loss, reward=_TASTE, n_steps=n_steps, step_size=_STEP_SIZE
    )


def _optimum(loss: PairLoss, strength: float) -> FloatArray:
    """What the method converges to on unsmoothed labels, as log-probabilities."""
    if loss.name == "dpo":
        return gibbs(_WORLD.ref_logprobs, _TASTE, strength)
    return ipo_target(_WORLD.ref_logprobs, _WORLD.ref_probs, _TASTE, strength)


def _turning(method: str) -> float:
    """The beta at which chosen answers are as likely at the optimum as at the start."""
    loss = (dpo if method == "dpo" else ipo)(1.0)

    def rise(log_beta: float) -> float:
        optimum = _optimum(loss, math.exp(log_beta))
        return float(_PAIRS.chosen_share @ (optimum - _WORLD.ref_logprobs))

    return math.exp(brentq(rise, math.log(0.01), math.log(50.0)))


def _sentence(
    margin: float, loss: float, start: float, steps: int, chosen: float, rejected: float
) -> str:
    if max(chosen, rejected) < 0:
        more = "rejected" if rejected < chosen else "chosen"
        what = f"both fell, the {more} ones more"
    else:
        what = f"the chosen {_went(chosen)} and the rejected {_went(rejected)}"
    return (
        f"The pair's margin of {margin:.3g} brings its loss from {start:.4g} to {loss:.4g}. After "
        f"{steps} step{'s' * (steps != 1)} on all pairs the log-probability of chosen answers has "
        f"changed by {chosen:+z.2f} nats and of rejected ones by {rejected:+z.2f}: {what}."
    )


def _went(change: float) -> str:
    return "rose" if change >= 0.005 else "fell" if change <= -0.005 else "stayed"


def _chosen_answers() -> Answer:
    result = run()
    up, down = result.value("chosen_change"), result.value("rejected_change")
    choice = 0 if up > 0 else 1 if down < up else 2
    return Answer(
        choice,
        f"They change by {up:+.1f} nats, and rejected ones by {down:+.1f}. The loss sees only the "
        "difference; the probability goes to the few best answers, away from the average winner. "
        f"With beta above {result.value('turning_beta'):.2f} the chosen would rise.",
    )


SYSTEM = System(
    row="C1",
    name="dpo",
    title="Direct preference optimisation",
    sentence="DPO reaches the optimum of RL from pairs alone; chosen answers often get rarer too.",
    paragraph=(
        "Every policy implies a reward: beta times the log of how much likelier it makes an "
        "answer than the reference does. DPO puts this into the loss of a reward model, so that "
        "training on pairs needs no reward model and no sampling. On all pairs of five answers it "
        "ends where RL with a KL penalty would. Only differences count in the loss: while the gap "
        "grows, both log-probabilities may fall. IPO replaces the logistic loss by a square, so "
        "that sure labels do not push without end; smoothing says that some labels are wrong."
    ),
    controls=(
        Slider("beta", "beta (tau for IPO)", 0.1, 0.02, 5.0, log=True),
        Slider("steps", "gradient steps on all pairs", 160, 0, _STEPS, whole=True, plays=True),
        Slider("chosen", "one pair: log-ratio of the chosen answer", 2.0, -5.0, 5.0, step=0.1),
        Slider("rejected", "one pair: log-ratio of the rejected", -1.0, -5.0, 5.0, step=0.1),
        Choice("method", "loss", "dpo", {"dpo": "DPO (logistic)", "ipo": "IPO (square)"}),
        Slider("smoothing", "share of labels taken as flipped", 0.0, 0.0, 0.4, step=0.05),
    ),
    run=run,
    questions=(
        Question(
            "Training with beta 0.1 on all pairs: what happens to the answers that were chosen?",
            (
                "They become likelier on average",
                "They become rarer, the rejected ones more so",
                "They become rarer than the rejected ones",
            ),
            _chosen_answers,
        ),
    ),
    sources=(
        "Rafailov et al. (2023), arXiv:2305.18290",
        "Azar et al. (2023), arXiv:2310.12036",
        "Razin et al. (2024), arXiv:2410.08847",
    ),
)
