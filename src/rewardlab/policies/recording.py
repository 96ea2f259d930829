"""What every method on an answer set returns: its path, and the policy at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewardlab.policies.distributions import entropy_nats, kl_nats
from rewardlab.types import FloatArray, IntArray, OptimizationPath, RewardFn
from rewardlab.worlds.answer_set import AnswerSet

ENTROPY = "entropy_nats"
"""Name under which a path tracks the policy's entropy, beside the mean of each feature."""


@dataclass(frozen=True, slots=True)
class Optimised:
    """A policy after optimisation.

    Attributes:
        path: What happened on the way.
        logprobs: Shape [n]; log-probabilities at the last point of the path.
        likeliest: Shape [k], int64; the likeliest answer at each point, the first of equals.
        likeliest_share: Shape [k], in (0, 1]; its probability.
    """

    path: OptimizationPath
    logprobs: FloatArray
    likeliest: IntArray
    likeliest_share: FloatArray


def record(
    answers: AnswerSet,
    reward: RewardFn | FloatArray,
    policies: Iterable[FloatArray],
    *,
    strength: Sequence[float] | FloatArray,
    method: str,
    settings: Mapping[str, Any],
) -> Optimised:
    """KL, reward, gold, entropy and the mean of every feature, exactly, for each policy in turn.

    Args:
        answers: The world.
        reward: The proxy that was optimised.
        policies: Length k; log-probabilities of shape [n] each, taken one at a time.
        strength: Length k; step, n or 1 / beta of each policy.
        method: Name of the method.
        settings: What produced the path, its seed included.
    """
    values = np.column_stack([answers.rewards(reward), answers.gold, answers.features])
    means, kl, entropy, likeliest, top = [], [], [], [], []
    logprobs = answers.ref_logprobs
    for logprobs in policies:
        means.append(np.exp(logprobs) @ values)
        kl.append(kl_nats(logprobs, answers.ref_logprobs))
        entropy.append(entropy_nats(logprobs))
        likeliest.append(int(np.argmax(logprobs)))
        top.append(float(logprobs[likeliest[-1]]))
    column = np.array(means).reshape(-1, values.shape[1]).T
    tracked = dict(zip(answers.feature_names, column[2:], strict=True))
    path = OptimizationPath(
        method=method,
        strength=np.asarray(strength, dtype=np.float64),
        kl_nats=np.array(kl),
        proxy_reward=column[0],
        gold_reward=column[1],
        tracked={**tracked, ENTROPY: np.array(entropy)},
        settings=dict(settings),
    )
    return Optimised(path, logprobs, np.array(likeliest, dtype=np.int64), np.exp(np.array(top)))
