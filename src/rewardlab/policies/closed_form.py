"""The optimum of E[r] - beta KL(pi || ref), which is pi = ref exp(r / beta) / Z."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_answers, check_positive
from rewardlab.policies.distributions import kl_nats
from rewardlab.policies.recording import Optimised, at_once, record
from rewardlab.types import FloatArray, RewardFn
from rewardlab.worlds.answer_set import AnswerSet, normalised


def gibbs(ref_logprobs: FloatArray, reward: FloatArray, beta: float) -> FloatArray:
    """Log-probabilities of ref exp(r / beta) / Z, of shape [..., n].

    Args:
        ref_logprobs: Shape [n], in nats.
        reward: Shape [..., n].
        beta: Price of a nat of KL, in units of reward, > 0; inf gives the reference.

    Raises:
        InputError: ``beta`` is not positive, shapes disagree, or a number is not finite.
    """
    check_positive("beta", beta, most=np.inf)
    check_answers(ref_logprobs, reward)
    return normalised(ref_logprobs + (reward - reward.max(axis=-1, keepdims=True)) / beta)


def objective(
    logprobs: FloatArray, ref_logprobs: FloatArray, reward: FloatArray, beta: float
) -> float:
    """J = E[r] - beta KL(pi || ref), in units of reward.

    Args:
        logprobs: Shape [n]; the policy.
        ref_logprobs: Shape [n].
        reward: Shape [n].
        beta: Price of a nat of KL, >= 0.
    """
    return float(np.exp(logprobs) @ reward) - beta * kl_nats(logprobs, ref_logprobs)


def closed_form(
    answers: AnswerSet, reward: RewardFn | FloatArray, *, betas: Sequence[float]
) -> Optimised:
    """The optimum at each beta, in the order given; the path's strength is 1 / beta.

    Args:
        answers: The world.
        reward: The proxy.
        betas: Length k, each > 0; prices of a nat of KL. The last one's policy is returned.

    Raises:
        InputError: There is no beta, or one is not positive.

    Source: Ziegler et al. (2019), arXiv:1909.08593; equation 4 of Rafailov et al. (2023),
    arXiv:2305.18290.
    """
    if not len(betas):
        raise InputError("betas: expected at least one number, got none")
    values = answers.rewards(reward)
    for beta in betas:
        check_positive("beta", beta, most=np.inf)
    check_answers(answers.ref_logprobs, values)
    prices = np.asarray(betas, dtype=np.float64)
    return record(
        answers,
        values,
        _policies(answers, values, prices),
        strength=1 / prices,
        method="closed_form",
        settings={"betas": list(betas)},
    )


def _policies(answers: AnswerSet, reward: FloatArray, betas: FloatArray) -> Iterator[FloatArray]:
    """``gibbs`` at each beta, several at a time."""
    lead, size = reward - reward.max(), at_once(answers)
    for first in range(0, len(betas), size):
        yield from normalised(answers.ref_logprobs + lead / betas[first : first + size, None])
