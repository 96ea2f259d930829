"""A4b, RL from samples: REINFORCE, RLOO, GRPO and PPO beside the optimum they aim at."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rewardlab.experiments.lab_reward import learned_reward
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.closed_form import closed_form
from rewardlab.policies.policy_gradient import Training, grpo, policy_gradient, reinforce, rloo
from rewardlab.policies.ppo import PpoConfig, ppo
from rewardlab.policies.recording import record
from rewardlab.policies.targets import highest_reward
from rewardlab.systems.controls import Choice, Slider, Switch
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, other_line, place, score_panel
from rewardlab.systems.lab_controls import rater_choice
from rewardlab.types import FloatArray, OptimizationPath
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Rater

Method = Literal["reinforce", "rloo", "grpo", "ppo"]
_GROUP_METHODS = {"reinforce": reinforce, "rloo": rloo, "grpo": grpo}
_NAMES = {"reinforce": "REINFORCE", "rloo": "RLOO", "grpo": "GRPO", "ppo": "PPO"}
_GROUPS, _GROUP_SIZE = 8, 8


def run(
    method: Method = "rloo",
    beta: float = 0.25,
    steps: int = 400,
    step_size: float = 0.5,
    shared: bool = True,
    rater: Rater = "hurried",
    *,
    rng: np.random.Generator,
) -> Result:
    """The path of one method on the lab's answers, 64 samples a step.

    Args:
        method: Which method.
        beta: Price of a nat of KL.
        steps: Batches of 64 answers.
        step_size: Of the weights, or of the logits where each answer has its own.
        shared: The policy has a weight for each feature; otherwise a logit for each answer.
        rater: Whose comparisons the reward was fitted to.
        rng: Draws the comparisons and the answers.
    """
    world = lab_world()
    reward = learned_reward(world, rater, 100, rng=rng)
    path = _trained(world, reward, method, beta, steps, step_size, shared, rng)
    aim = _optimum(world, reward, beta)
    best = int(np.argmax(path.gold_reward))
    at = np.unique(np.linspace(0, steps, 11).round().astype(int))
    return Result(
        sentence=_sentence(method, path, best, aim),
        quantities=(
            Quantity("proxy_reward", "learned reward at the end", float(path.proxy_reward[-1])),
            Quantity("gold", "true quality at the end", float(path.gold_reward[-1])),
            Quantity("kl", "KL at the end", float(path.kl_nats[-1]), "nats"),
            Quantity("peak_gold", "highest true quality", float(path.gold_reward[best])),
            Quantity("peak_step", "step at which it was reached", float(best)),
            Quantity("gold_at_start", "true quality at the start", float(path.gold_reward[0])),
            Quantity("best_proxy", "learned reward of the optimum", float(aim.proxy_reward[-1])),
            Quantity("best_proxy_gold", "true quality of the optimum", float(aim.gold_reward[-1])),
            Quantity("best_proxy_kl", "KL of the optimum", float(aim.kl_nats[-1]), "nats"),
        ),
        chart=_chart(path, best, float(aim.kl_nats[-1])),
        table=column_table(
            {
                "step": at,
                "KL (nats)": path.kl_nats[at],
                "learned reward": path.proxy_reward[at],
                "true quality": path.gold_reward[at],
            }
        ),
    )


def _trained(
    world: AnswerSet,
    reward: FloatArray,
    method: Method,
    beta: float,
    steps: int,
    step_size: float,
    shared: bool,
    rng: np.random.Generator,
) -> OptimizationPath:
    features = world.features if shared else None
    if method == "ppo":
        size = _GROUPS * _GROUP_SIZE
        config = PpoConfig(beta=beta, batch_size=size, step_size=step_size, n_steps=steps)
        return ppo(world, reward, config=config, rng=rng, shared=features).optimised.path
    training = Training(steps, step_size, _GROUPS, record_every=1)
    of = _GROUP_METHODS[method](beta, group_size=_GROUP_SIZE)
    return policy_gradient(
        world, reward, method=of, training=training, rng=rng, shared=features
    ).path


def _optimum(world: AnswerSet, reward: FloatArray, beta: float) -> OptimizationPath:
    """The optimum of reward - beta KL; without a price all is on the highest reward."""
    if beta:
        return closed_form(world, reward, betas=[beta]).path
    top = highest_reward(world.ref_logprobs, reward)
    return record(world, reward, [top], strength=[np.inf], method="optimum", settings={}).path


def _chart(path: OptimizationPath, best: int, aim_kl: float) -> LineChart:
    x = path.strength
    kl = (
        Line("this run", x, path.kl_nats),
        other_line("the optimum", x, np.full(len(x), aim_kl)),
    )
    return LineChart(
        panels=(score_panel(path), Panel("KL (nats)", kl, height=110)),
        x_label="steps of 64 sampled answers",
        mark=place(float(best), "best true quality"),
    )


def _sentence(method: Method, path: OptimizationPath, best: int, aim: OptimizationPath) -> str:
    n = len(path.strength) - 1
    proxy, gold = path.proxy_reward, path.gold_reward
    lost = float(gold[best] - gold[-1])
    told = (
        f"from a best of {gold[best]:.2f} after {best:,}"
        if lost >= 0.05
        else "about its best on the way"
    )
    return (
        f"After {n:,} {'step' if n == 1 else 'steps'} {_NAMES[method]} has a learned reward of "
        f"{proxy[-1]:.2f} and a true quality of {gold[-1]:.2f}, {told}; the optimum of the "
        f"objective has {aim.proxy_reward[-1]:.2f} and {aim.gold_reward[-1]:.2f}."
    )


def _own_logits() -> Answer:
    together, apart = (SYSTEM.evaluate({"shared": shared}) for shared in (True, False))
    values = together.value("proxy_reward"), apart.value("proxy_reward")
    gold = together.value("gold"), apart.value("gold")
    choice = 0 if abs(values[0] - values[1]) < 0.5 else (1 if values[1] < values[0] else 2)
    return Answer(
        choice,
        f"{values[1]:.2f} in place of {values[0]:.2f}, with a true quality of {gold[1]:.2f} in "
        f"place of {gold[0]:.2f}. With a logit each, an answer is learned of only when it is "
        "drawn, and the reference hardly ever writes long ones.",
    )


SYSTEM = System(
    row="A4b",
    name="sampled-methods",
    title="RL from samples",
    sentence="Policies that generalise find the reward's errors from samples, far from the data.",
    paragraph=(
        "Real training cannot list all answers. It draws some, scores them and makes the better "
        "ones likelier: REINFORCE compares an answer with its group's mean, RLOO with the mean of "
        "the others, GRPO also divides by the group's spread, PPO uses each batch several times "
        "within a clip. Here the 576 answers are listed, so that each policy on the way is known "
        "exactly although it was reached by sampling. A policy that has one weight for each "
        "feature, as a language model shares its parameters between answers, learns from short "
        "flattering answers to write long flattering ones that it never drew. With a number of "
        "its own for each answer it cannot."
    ),
    controls=(
        Choice("method", "method", "rloo", dict(_NAMES)),
        Slider("beta", "beta, the price of a nat of KL", 0.25, 0.0, 2.0, step=0.05),
        Slider("steps", "steps", 400, 1, 600, whole=True, plays=True),
        Slider("step_size", "step size", 0.5, 0.02, 2.0, log=True),
        Switch("shared", "answers share the weights of their features", True),
        rater_choice("hurried"),
    ),
    run=run,
    questions=(
        Question(
            "Each answer gets a number of its own in place of shared weights. After as many "
            "samples, how high is the learned reward?",
            ("About as high", "Clearly lower", "Clearly higher"),
            _own_logits,
        ),
    ),
    sources=(
        "Williams (1992)",
        "Ahmadian et al. (2024), arXiv:2402.14740",
        "Shao et al. (2024), arXiv:2402.03300",
        "Schulman et al. (2017), arXiv:1707.06347",
    ),
)
