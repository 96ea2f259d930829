"""Exact natural-gradient ascent on E[r] - beta KL for a softmax over listed answers.

For a softmax the Fisher matrix undoes the probabilities in the gradient, so that the natural
gradient moves each logit by eta (f - E f), where f = r - beta log(pi / ref). In log-probabilities
the distance to the optimum ref exp(r / beta) / Z shrinks by the factor 1 - eta beta a step: one
step of eta = 1 / beta lands on it, and above eta beta = 2 the steps diverge.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.policies.arguments import LARGEST
from rewardlab.policies.recording import Optimised, record
from rewardlab.types import FloatArray, RewardFn
from rewardlab.worlds.answer_set import AnswerSet


def natural_gradient_step(
    logprobs: FloatArray,
    ref_logprobs: FloatArray,
    reward: FloatArray,
    *,
    beta: float,
    step_size: float,
) -> FloatArray:
    """Log-probabilities after one step, of shape [n].

    Args:
        logprobs: Shape [n]; the policy now.
        ref_logprobs: Shape [n].
        reward: Shape [n].
        beta: Price of a nat of KL, >= 0.
        step_size: eta, in logits per unit of reward.
    """
    moved = logprobs + step_size * (reward - beta * (logprobs - ref_logprobs))
    moved -= moved.max()
    moved -= np.log(np.exp(moved).sum())
    return moved


def natural_gradient(
    answers: AnswerSet,
    reward: RewardFn | FloatArray,
    *,
    beta: float,
    step_size: float,
    n_steps: int,
) -> Optimised:
    """The path of ``n_steps`` exact steps from the reference policy, which is its first point.

    Args:
        answers: The world.
        reward: The proxy.
        beta: Price of a nat of KL, >= 0.
        step_size: eta, > 0; eta beta <= 1 never lowers J, above 2 the steps diverge.
        n_steps: How many, >= 0.

    Raises:
        InputError: An argument is outside its range.
        ConvergenceError: The steps diverged until the logits were no longer numbers.

    Source: Amari (1998); Kakade (2001) for policies.
    """
    if not (0 <= beta <= LARGEST and 0 < step_size <= LARGEST and n_steps >= 0):
        raise InputError(
            "natural_gradient: expected finite beta >= 0 and step_size > 0, and n_steps >= 0, got "
            f"{beta:g}, {step_size:g} and {n_steps}"
        )
    values = answers.rewards(reward)
    return record(
        answers,
        values,
        _steps(answers.ref_logprobs, values, beta, step_size, n_steps),
        strength=np.arange(n_steps + 1, dtype=np.float64),
        method="natural_gradient",
        settings={"beta": beta, "step_size": step_size, "n_steps": n_steps},
    )


def _steps(
    ref_logprobs: FloatArray, reward: FloatArray, beta: float, step_size: float, n_steps: int
) -> Iterator[FloatArray]:
    logprobs = ref_logprobs
    yield logprobs
    for step in range(1, n_steps + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            logprobs = natural_gradient_step(
                logprobs, ref_logprobs, reward, beta=beta, step_size=step_size
            )
        if np.isnan(logprobs).any():
            raise ConvergenceError(
                f"natural_gradient: diverged by step {step}; step_size x beta is "
                f"{step_size * beta:g}, expected at most 2"
            )
        yield logprobs
