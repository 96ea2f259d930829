"""Advantages of a group of answers to one prompt: each reward against the others of its group.

With f_1 .. f_G the rewards of G answers drawn from the policy, and m their mean:

- *group mean*: A_i = f_i - m. The mean holds f_i itself, which is correlated with the answer: the
  expected gradient is (1 - 1/G) of the true one.
- *leave one out* (RLOO): A_i = f_i - mean of the others = (f_i - m) G / (G - 1), whose expected
  gradient is the true one.
- *divided by the group's standard deviation* (GRPO): A_i = (f_i - m) / s with
  s^2 = (1/G) sum (f_j - m)^2. However large or small the differences, the advantages of a group
  have mean 0 and variance 1.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_numbers
from rewardlab.types import FloatArray

Baseline = Literal["group_mean", "leave_one_out"]
"""What a reward is compared with: the mean of its group, or of the group's other answers."""

_ROUNDING = 1e-12


def group_advantages(
    rewards: FloatArray, *, baseline: Baseline = "group_mean", divide_by_sd: bool = False
) -> FloatArray:
    """Each answer's advantage within its group.

    Args:
        rewards: Shape [..., G], finite; each row is one group of G >= 2.
        baseline: What a reward is compared with.
        divide_by_sd: Divide by the group's standard deviation. It is the population's (divided by
            G), as in the worked examples of the literature; that of a sample, which some
            implementations take, gives sqrt((G - 1) / G) of these advantages.

    Returns:
        Shape [..., G]; zeros in a group whose rewards are all equal. Rewards that differ by less
        than 1e-12 of their size are equal up to rounding, and count as equal: dividing by their
        spread would turn rounding into advantages of full size.

    Raises:
        InputError: A group has fewer than two answers, a reward is not finite, or there is no such
            baseline.

    Source: Shao et al. (2024), arXiv:2402.03300, section 4.1; Kool, van Hoof and Welling (2019) and
    Ahmadian et al. (2024), arXiv:2402.14740, for leave-one-out; Liu et al. (2025),
    arXiv:2503.20783, for leaving the division out.
    """
    if baseline not in get_args(Baseline):
        raise InputError(f"baseline: expected one of {get_args(Baseline)}, got {baseline!r}")
    rewards = np.asarray(rewards, dtype=np.float64)
    size = rewards.shape[-1] if rewards.ndim else 0
    if size < 2:
        raise InputError(f"rewards: expected groups of at least 2 answers, got {size}")
    check_numbers("rewards", rewards)
    size_of_reward = np.abs(rewards).max(axis=-1, keepdims=True)
    spread = rewards.max(axis=-1, keepdims=True) - rewards.min(axis=-1, keepdims=True)
    differ = spread > _ROUNDING * size_of_reward
    above = np.where(differ, rewards - rewards.mean(axis=-1, keepdims=True), 0.0)
    if divide_by_sd:
        # In units of the spread first: the squares of tiny differences would be lost.
        above = above / np.where(differ, spread, 1.0)
        above = above / np.where(differ, np.sqrt((above**2).mean(axis=-1, keepdims=True)), 1.0)
    scale = size / (size - 1) if baseline == "leave_one_out" else 1.0
    return np.asarray(above * scale)


def signal_probability(success_rate: FloatArray, group_size: int) -> FloatArray:
    """1 - p^G - (1 - p)^G: the chance that a group has a right and a wrong answer, so any signal.

    Args:
        success_rate: Any shape; p, the chance that one answer is right, in [0, 1].
        group_size: G, >= 1.

    Raises:
        InputError: A rate is outside [0, 1], or the group is empty.
    """
    p = np.asarray(success_rate, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError("success_rate: expected numbers from 0 to 1")
    if group_size < 1:
        raise InputError(f"group_size: expected at least 1, got {group_size}")
    rarer = np.minimum(p, 1 - p)
    # 1 - (1 - p)^G would lose a small p in the 1.
    either = -np.expm1(group_size * np.log1p(-rarer)) - rarer**group_size
    return np.asarray(np.maximum(either, 0.0))
