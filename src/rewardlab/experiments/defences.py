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
    budgets = np.linspace(0, pressure, 11)[1:]
    optimised = {
        "none": rewards.single,
        "average": rewards.average,
        "worst_case": rewards.worst_case,
        "edited": rewards.edited,
        "best": answers.gold[None],
    }
    spent = {name: budgets if along or name == "none" else budgets[-1:] for name in optimised}
    gain = {name: _gain(answers, reward, spent[name]) for name, reward in optimised.items()}
    gained = {name: found[-1] for name, found in gain.items() if name != "best"}
    gained["leash"] = _gain(answers, rewards.single, np.array([min(leash, pressure)]))[0]
    best = float(gain["best"][-1, 0])
    path = {name: found.mean(axis=1) for name, found in gain.items() if along or name == "none"}
    shares = {name: value / best for name, value in gained.items()}
    return DefendedWorld(kind, shares, path, budgets, best)


def _gain(answers: AnswerSet, reward: FloatArray, budgets: FloatArray) -> FloatArray:
    """Shape [b, s]; gold gained at each budget by each of the rewards, which are [s, n]."""
    each = np.tile(reward, (len(budgets), 1))
    policies = best_within(answers.ref_logprobs, each, np.repeat(budgets, len(reward)))
    gold = np.vecdot(np.exp(policies), answers.gold) - answers.ref_probs @ answers.gold
    return np.asarray(gold.reshape(len(budgets), len(reward)))


def _mean(values: FloatArray, *, level: float = 0.95) -> Estimate:
    return cluster_mean(values, np.arange(len(values)), level=level)
