"""What every method on an answer set returns: its path, and the policy at its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from rewardlab.policies.distributions import each_entropy_nats, each_kl_nats
from rewardlab.types import FloatArray, IntArray, OptimizationPath, RewardFn
from rewardlab.worlds.answer_set import AnswerSet

_TOGETHER = 2**16
"""Numbers in the policies that are computed together."""

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
        policies: Length k, at least 1; log-probabilities of shape [n] each, of which a few at a
            time are held.
        strength: Length k; step, n or 1 / beta of each policy.
        method: Name of the method.
        settings: What produced the path, its seed included.
    """
    values = np.column_stack([answers.rewards(reward), answers.gold, answers.features])
    means, kl, entropy, likeliest, top = [], [], [], [], []
    for some in _stacked(policies, at_once(answers)):
        # A product for each policy, whose rounding does not depend on how many are held together.
        means.append((np.exp(some)[:, None] @ values)[:, 0])
        kl.append(each_kl_nats(some, answers.ref_logprobs))
        entropy.append(each_entropy_nats(some))
        likeliest.append(some.argmax(axis=1))
        top.append(some.max(axis=1))
        logprobs = some[-1]
    column = np.concatenate(means).T
    tracked = dict(zip(answers.feature_names, column[2:], strict=True))
    path = OptimizationPath(
        method=method,
        strength=np.asarray(strength, dtype=np.float64),
        kl_nats=np.concatenate(kl),
        proxy_reward=column[0],
        gold_reward=column[1],
        tracked={**tracked, ENTROPY: np.concatenate(entropy)},
        settings=dict(settings),
    )
    return Optimised(path, logprobs, np.concatenate(likeliest), np.exp(np.concatenate(top)))


def at_once(answers: AnswerSet) -> int:
    """How many policies to compute together: enough to be quick, few enough for a cache."""
    return max(1, _TOGETHER // len(answers))


def _stacked(policies: Iterable[FloatArray], size: int) -> Iterator[FloatArray]:
    """Shape [<= size, n] each; the policies in order."""
    rest = iter(policies)
    while some := list(islice(rest, size)):
        yield np.stack(some)
