"""Exact planning where every action leads to one known state, with a discount.

The value of a policy solves v = r + discount v(next), a linear system; policy iteration ends at
the optimum after finitely many of them, because each step takes a strictly better policy.
"""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_indices, check_numbers
from rewardlab.types import FloatArray, IntArray

_BETTER = 1e-10
"""An action must be better by more than this, relative to the largest return, to be taken up."""


def policy_values(
    next_state: IntArray, reward: FloatArray, actions: IntArray, *, discount: float
) -> FloatArray:
    """Discounted sum of rewards from each state under a fixed policy, of shape [S].

    Args:
        next_state: Shape [S, A]; where each action leads. A state in which the world ends leads
            to itself with a reward of 0.
        reward: Shape [S, A].
        actions: Shape [S]; the action taken in each state.
        discount: In [0, 1).

    Raises:
        InputError: Shapes disagree, a state or action does not exist, a reward is not finite, or
            the discount is out of range.
    """
    if (
        next_state.ndim != 2
        or reward.shape != next_state.shape
        or actions.shape != next_state.shape[:1]
    ):
        raise InputError(
            f"policy_values: expected reward of shape {next_state.shape} and actions of shape "
            f"{next_state.shape[:1]}, got {reward.shape} and {actions.shape}"
        )
    if not 0 <= discount < 1:
        raise InputError(f"discount: expected a number in [0, 1), got {discount:g}")
    check_indices("next_state", next_state, len(next_state))
    check_indices("actions", actions, next_state.shape[1])
    check_numbers("reward", reward)
    rows = np.arange(len(actions))
    system = np.eye(len(actions))
    system[rows, next_state[rows, actions]] -= discount
    return np.asarray(np.linalg.solve(system, reward[rows, actions]))


def optimal_actions(next_state: IntArray, reward: FloatArray, *, discount: float) -> IntArray:
    """An optimal action in each state, of shape [S], by policy iteration from action 0.

    Of equally good actions the one of the last policy stays, at first action 0.

    Args:
        next_state: Shape [S, A].
        reward: Shape [S, A].
        discount: In [0, 1).

    Raises:
        InputError: See ``policy_values``.

    Source: Howard (1960), Dynamic Programming and Markov Processes.
    """
    actions = np.zeros(len(next_state), dtype=np.int64)
    rows = np.arange(len(next_state))
    while True:
        values = policy_values(next_state, reward, actions, discount=discount)
        returns = reward + discount * values[next_state]
        best = returns.argmax(axis=1)
        gain = returns[rows, best] - returns[rows, actions]
        better = gain > _BETTER * np.abs(returns).max(initial=0.0)
        if not better.any():
            return actions
        actions = np.where(better, best, actions)
