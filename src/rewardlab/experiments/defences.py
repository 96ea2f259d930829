"""How much gold defences save in a world whose gold is known, at the same pressure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.experiments.goodhart_rewards import Rewards
from rewardlab.policies.kl_budget import best_within
from rewardlab.stats.intervals import Estimate, cluster_mean
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet

_LEVEL = 1 - 0.05 / 16
"""Level of each effect's interval, so that one matrix of sixteen in twenty has a false one."""


@dataclass(frozen=True, slots=True)
class DefendedWorld:
    """Gold gained in one world, over s repeats of training its reward models.

    Attributes:
        kind: Name of the world.
        gained: "none" or a defence -> shape [s]; gain as a share of the best possible.
        path: What was followed -> shape [b]; mean gain at each budget, in units of gold.
        budgets: Shape [b]; KL in nats, ascending.
        best: The best possible gain at full pressure, in units of gold.
    """

    kind: str
    gained: dict[str, FloatArray]
    path: dict[str, FloatArray]
    budgets: FloatArray
    best: float

    def mean(self, defence: str) -> Estimate:
        """Mean over the repeats, with its 95% interval."""
        return _mean(self.gained[defence])

    def effect(self, defence: str) -> int:
        """1 if the defence clearly helps, -1 if it clearly hurts, else 0; paired by repeat."""
        change = _mean(self.gained[defence] - self.gained["none"], level=_LEVEL)
        return int(change.low > 0) - int(change.high < 0)

    @property
    def peak(self) -> int:
        """Index of the budget at which gold under no defence is highest."""
        return int(np.argmax(self.path["none"]))

    @property
    def fall(self) -> float:
        """Share of the gain at the peak that is lost again at full pressure."""
        return float(1 - self.path["none"][-1] / self.path["none"][self.peak])


def measure_defences(
    kind: str, answers: AnswerSet, rewards: Rewards, *, pressure: float, leash: float, along: bool
) -> DefendedWorld:
    """Gold gained by the best policy within the budget, for each reward; exact but for training.

    Args:
        kind: Name of the world.
        answers: Its answers.
        rewards: What the policy is given to maximise, in each repeat.
        pressure: KL in nats up to which a reward is optimised.
        leash: KL in nats at which the leash stops.
        along: Follow every reward and gold itself on the way; otherwise only no defence.

    Raises:
        InputError: There are fewer than two repeats, so that no effect could be told from chance.
    """
    if len(rewards.single) < 2:
        raise InputError("rewards: expected at least two repeats, got fewer")
    start = float(answers.ref_probs @ answers.gold)

    def gain(reward: FloatArray, budget: float) -> FloatArray:
        policies = np.exp(best_within(answers.ref_logprobs, reward, budget))
        return policies @ answers.gold - start

    optimised = {
        "none": rewards.single,
        "average": rewards.average,
        "worst_case": rewards.worst_case,
        "edited": rewards.edited,
    }
    gained = {name: gain(reward, pressure) for name, reward in optimised.items()}
    gained["leash"] = gain(rewards.single, min(leash, pressure))
    best = float(gain(answers.gold[None], pressure)[0])
    budgets = np.linspace(0, pressure, 11)[1:]
    followed = {**optimised, "best": answers.gold[None]} if along else {"none": rewards.single}
    path = {
        name: np.array([gain(reward, budget).mean() for budget in budgets])
        for name, reward in followed.items()
    }
    shares = {name: value / best for name, value in gained.items()}
    return DefendedWorld(kind, shares, path, budgets, best)


def _mean(values: FloatArray, *, level: float = 0.95) -> Estimate:
    return cluster_mean(values, np.arange(len(values)), level=level)
