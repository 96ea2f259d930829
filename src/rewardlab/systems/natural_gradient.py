"""A4, RL with a KL penalty by exact natural-gradient steps: what the step size and beta do."""

from __future__ import annotations

import numpy as np

from rewardlab.experiments.lab_reward import learned_reward
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.plots.text import number
from rewardlab.policies.closed_form import closed_form, gibbs, objective
from rewardlab.policies.distributions import total_variation
from rewardlab.policies.natural_gradient import natural_gradient, natural_gradient_step
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import other_line, place, row_table, score_panel
from rewardlab.systems.lab_controls import rater_choice
from rewardlab.types import FloatArray, OptimizationPath
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Rater

_BETAS = tuple(np.geomspace(10.0, 0.05, 81).tolist())
_MOST_STEPS = 400
_ROUNDING = 1e-10
"""What rounding alone may take from J or add to a ratio."""

_VISIBLE = 0.01
"""A fall of true quality after its peak that is worth a mark."""


def run(
    eta_beta: float = 0.2,
    beta: float = 0.25,
    steps: int = 120,
    scale: float = 1.0,
    rater: Rater = "hurried",
    *,
    rng: np.random.Generator,
) -> Result:
    """A path of exact steps against a learned reward, beside the optimum in closed form.

    Args:
        eta_beta: Step size times beta.
        beta: Price of a nat of KL.
        steps: How many.
        scale: The learned reward is multiplied by this.
        rater: Whose 100 comparisons the reward was fitted to.
        rng: Draws the comparisons.
    """
    world = lab_world()
    reward = scale * learned_reward(world, rater, 100, rng=rng)
    end = natural_gradient(world, reward, beta=beta, step_size=eta_beta / beta, n_steps=steps)
    optimum = gibbs(world.ref_logprobs, reward, beta)
    j = end.path.proxy_reward - beta * end.path.kl_nats
    j_best = objective(optimum, world.ref_logprobs, reward, beta)
    sweep = closed_form(world, reward, betas=_BETAS).path
    best = int(np.argmax(sweep.gold_reward))
    kept = _kept(world, reward, optimum, beta, eta_beta)
    gone = total_variation(end.logprobs, optimum)
    falls = int((np.diff(j) < -_ROUNDING).sum())
    path, gold = end.path, float(end.path.gold_reward[-1])
    shown = np.unique(np.linspace(0, steps, 12).round().astype(int))
    return Result(
        sentence=_sentence(kept, gone, falls, j, gold, _BETAS[best]),
        quantities=(
            Quantity("kept", "share of the distance that a step leaves", kept),
            Quantity("distance", "total variation from the optimum at the end", gone),
            Quantity("falls", "steps at which J fell", falls),
            Quantity(
                "diverges", "steps lead away from the optimum", float(kept > 1 + _ROUNDING), YES_NO
            ),
            Quantity("objective", "J at the end", float(j[-1])),
            Quantity("best_objective", "J of the optimum", j_best),
            Quantity("kl", "KL at the end", float(path.kl_nats[-1]), "nats"),
            Quantity("gold", "true quality at the end", gold),
            Quantity("same_beta", "beta that does the same to the unscaled reward", beta / scale),
            Quantity("best_beta", "best beta for true quality, from 10 to 0.05", _BETAS[best]),
            Quantity("best_gold", "true quality there", float(sweep.gold_reward[best])),
        ),
        chart=_chart(path, j, j_best),
        table=row_table(
            ("step", "KL (nats)", "learned reward", "true quality", "J"),
            zip(
                shown,
                *(v[shown] for v in (path.kl_nats, path.proxy_reward, path.gold_reward, j)),
                strict=True,
            ),
        ),
    )


def _kept(
    world: AnswerSet, reward: FloatArray, optimum: FloatArray, beta: float, eta_beta: float
) -> float:
    """By what the first step multiplies the spread of log(pi / optimum); |1 - eta beta|."""
    ref = world.ref_logprobs
    one = natural_gradient_step(ref, ref, reward, beta=beta, step_size=eta_beta / beta)
    return float(np.ptp(one - optimum) / np.ptp(ref - optimum))


def _chart(path: OptimizationPath, j: FloatArray, j_best: float) -> LineChart:
    x, peak = path.strength, int(np.argmax(path.gold_reward))
    past = peak > 0 and path.gold_reward[peak] - path.gold_reward[-1] > _VISIBLE
    objectives = (other_line("best", x, np.full_like(x, j_best)), Line("J", x, j))
    return LineChart(
        panels=(score_panel(path), Panel("J = reward - beta x KL", objectives, height=110)),
        x_label="natural-gradient steps",
        mark=place(peak, "true quality peaks") if past else None,
    )


def _sentence(
    kept: float, gone: float, falls: int, j: FloatArray, gold: float, best_beta: float
) -> str:
    rose = f"J fell {falls} time{'s' * (falls > 1)}" if falls else "J never fell"
    steps = len(j) - 1
    if kept > 1 - _ROUNDING:
        how = "ever further" if kept > 1 + _ROUNDING else "to and fro for ever"
        return (
            f"Each step multiplies the distance to the optimum by {kept:.3g}, so the policy "
            f"swings {how}: {rose}, and J goes from {j[0]:z.2f} to {j[-1]:z.2f}."
        )
    if kept < _ROUNDING:
        lead = "A single step lands on the optimum"
    else:
        lead = f"Each step leaves {kept:.3g} of the distance to the optimum"
    return (
        f"{lead}; after {steps} step{'s' * (steps > 1)} the total variation from it is "
        f"{number(gone, digits=2)}, {rose}, and true quality ends at {gold:z.2f}. Of all optima "
        f"the one at beta {best_beta:.2g} is truly best."
    )


def _too_large() -> Answer:
    result = SYSTEM.evaluate({"eta_beta": 2.2})
    fell = result.value("falls")
    choice = 2 if result.value("diverges") else 1 if fell else 0
    return Answer(
        choice,
        f"Each step multiplies the distance by {result.value('kept'):.2g}. J ends at "
        f"{result.value('objective'):.2f}, where the optimum has "
        f"{result.value('best_objective'):.2f}.",
    )


SYSTEM = System(
    row="A4",
    name="natural-gradient",
    title="RL with a KL penalty",
    sentence="Exact RL steps close in on one known optimum, or diverge if they are too large.",
    paragraph=(
        "The policy maximises J, the learned reward less beta times its KL divergence from the "
        "reference. It is a softmax over 576 answers, so the natural-gradient step is exact: each "
        "logit moves by eta (f - mean f), with f = reward - beta log(policy / reference). In "
        "log-probabilities a step shrinks the distance to the optimum by the factor 1 - eta beta: "
        "at 1 it lands there at once, below 1 J never falls, above 2 the steps diverge. Doubling "
        "the reward and beta changes nothing; nor does a constant added to a prompt's rewards."
    ),
    controls=(
        Slider("eta_beta", "step size times beta", 0.2, 0.05, 3.0, step=0.05),
        Slider("beta", "beta, the price of a nat of KL", 0.25, 0.05, 10.0, log=True),
        Slider("steps", "steps", 120, 1, _MOST_STEPS, whole=True, plays=True),
        Slider("scale", "the reward is multiplied by", 1.0, 0.25, 4.0, log=True),
        rater_choice("hurried"),
    ),
    run=run,
    questions=(
        Question(
            "The step size is raised to 2.2 / beta. What happens?",
            (
                "It reaches the optimum sooner",
                "It swings around the optimum and settles",
                "It swings ever further away",
            ),
            _too_large,
        ),
    ),
    sources=("Kakade (2001), A natural policy gradient", "Ziegler et al. (2019), arXiv:1909.08593"),
)
