"""Rounds of REINFORCE on groups: a few attempts, each against its group's mean, one nudge.

Every attempt moves its own answer's logit by step size x advantage. The advantages of a group sum
to zero, so that for a softmax this is the full policy gradient of the round: in
sum_i A_i (e_i - pi) the term in pi vanishes. It is a step of ``policy_gradient`` without a price on
KL, G times as long, for many runs at once.

Source: Williams (1992), REINFORCE; the group's mean as baseline as in Shao et al. (2024),
arXiv:2402.03300, without its division by the standard deviation.
"""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.advantages import group_advantages
from rewardlab.policies.arguments import check_indices, check_numbers
from rewardlab.policies.expected_updates import multisets
from rewardlab.types import FloatArray, IntArray
from rewardlab.worlds.answer_set import normalised


def after_round(
    logprobs: FloatArray, attempts: IntArray, reward: FloatArray, *, step_size: float
) -> FloatArray:
    """Log-probabilities after one round, of shape [..., n].

    Args:
        logprobs: Shape [..., n]; the policy of each run.
        attempts: Shape [..., G], int64; which answers each run wrote, G >= 2.
        reward: Shape [n].
        step_size: Logits per unit of advantage.

    Raises:
        InputError: Shapes disagree, an index is out of range, or a number is not finite.
    """
    check_numbers("logprobs", logprobs, logprobs.shape[:-1] + reward.shape)
    check_numbers("step_size", np.array(step_size))
    check_indices("attempts", attempts, len(reward))
    advantages = group_advantages(reward[attempts])
    wrote = attempts[..., None] == np.arange(len(reward))
    moved = (advantages[..., None] * wrote).sum(axis=-2)
    # A round of equal rewards leaves its run as it is, to the last digit.
    teaches = advantages.any(axis=-1, keepdims=True)
    return np.where(teaches, normalised(logprobs + step_size * moved), logprobs)


def expected_after_round(
    logprobs: FloatArray, reward: FloatArray, *, group_size: int, step_size: float
) -> FloatArray:
    """Mean probabilities after one round, exactly, over every group that can be written.

    Args:
        logprobs: Shape [n], finite; the policy.
        reward: Shape [n].
        group_size: G, >= 2.
        step_size: Logits per unit of advantage.

    Returns:
        Shape [n].

    Raises:
        InputError: An argument is not as asked for, or there are too many groups to list.
    """
    check_numbers("logprobs", logprobs, reward.shape)
    groups, counts, log_orders = multisets(len(reward), group_size)
    chance = np.exp(log_orders + counts @ logprobs)
    before = np.broadcast_to(logprobs, (len(groups), len(reward)))
    return np.asarray(chance @ np.exp(after_round(before, groups, reward, step_size=step_size)))


def sampled_rounds(
    logprobs: FloatArray,
    reward: FloatArray,
    *,
    n_rounds: int,
    n_runs: int,
    group_size: int,
    step_size: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, IntArray]:
    """Independent runs of rounds whose attempts are drawn from the policy as it then is.

    Args:
        logprobs: Shape [n]; every run's start.
        reward: Shape [n].
        n_rounds: R, >= 0.
        n_runs: S, >= 1.
        group_size: G, >= 2.
        step_size: Logits per unit of advantage.
        rng: Draws the attempts; each run's are independent of how many runs and rounds there are.

    Returns:
        Log-probabilities before each round and after the last, shape [R + 1, S, n]; the attempts
        of each round, shape [R, S, G].

    Raises:
        InputError: There is no run, fewer than no rounds, a group of fewer than two, or a number
            that is not finite.
    """
    check_numbers("logprobs", logprobs, reward.shape)
    check_numbers("reward", reward)
    if not (n_rounds >= 0 and n_runs >= 1 and group_size >= 2):
        raise InputError(
            "sampled_rounds: expected n_rounds >= 0, n_runs >= 1 and group_size >= 2, got "
            f"{n_rounds}, {n_runs} and {group_size}"
        )
    path = np.empty((n_rounds + 1, n_runs, len(reward)))
    attempts = np.empty((n_rounds, n_runs, group_size), dtype=np.int64)
    path[0] = logprobs
    # Each run has a stream of its own: more runs or rounds leave what was drawn as it was.
    draws = np.stack([run.random((n_rounds, group_size)) for run in rng.spawn(n_runs)], axis=1)
    for t in range(n_rounds):
        # The last edge is exactly 1 only up to rounding; no draw may land beyond it.
        edges = np.cumsum(np.exp(path[t]), axis=-1)[:, :-1]
        attempts[t] = (draws[t][..., None] >= edges[:, None, :]).sum(axis=-1)
        path[t + 1] = after_round(path[t], attempts[t], reward, step_size=step_size)
    return path, attempts
