"""PPO on listed answers: a clipped surrogate reused for several passes, and a learned baseline.

Each step draws a batch from the policy, pi_old, and charges the KL in the reward:
f = r - beta log(pi_old / ref). The advantage is A = f - V, with V the critic, here one number for
the one prompt. The batch is then passed over several times in minibatches, each time up the slope
of

    E[min(rho A, clip(rho, 1 - eps, 1 + eps) A)],  rho = pi(y) / pi_old(y).

The minimum takes the slope away where a move has already gone far enough in the direction that A
asks for: above 1 + eps for A > 0, below 1 - eps for A < 0. On the other sides it does not.

At the first gradient rho is 1, inside the clip for any eps > 0. With one pass in one minibatch
there is no other gradient, so that the clip never acts and a step is plain policy gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import LARGEST
from rewardlab.policies.policy_gradient import check_shared, sample, through
from rewardlab.policies.recording import Optimised, record
from rewardlab.types import BoolArray, FloatArray, IntArray, RewardFn
from rewardlab.worlds.answer_set import AnswerSet, normalised


@dataclass(frozen=True, slots=True)
class PpoConfig:
    """Settings of PPO.

    Attributes:
        beta: Price of a nat of KL, in the reward, >= 0.
        clip: eps, > 0; inf for no clip.
        batch_size: Answers drawn a step, >= 1.
        n_passes: Passes over a batch (epochs), >= 1.
        n_minibatches: Parts into which a pass splits the batch, 1 to ``batch_size``.
        step_size: Of the policy's logits, > 0.
        value_step_size: Of the critic, in (0, 1]; 1 sets it to a minibatch's mean.
        n_steps: Batches, >= 0.
    """

    beta: float = 0.5
    clip: float = 0.2
    batch_size: int = 64
    n_passes: int = 4
    n_minibatches: int = 1
    step_size: float = 0.5
    value_step_size: float = 0.2
    n_steps: int = 200

    def __post_init__(self) -> None:
        if not (0 <= self.beta <= LARGEST and self.clip > 0 and 0 < self.step_size <= LARGEST):
            raise InputError(
                "PpoConfig: expected clip > 0, and finite beta >= 0 and step_size > 0, got "
                f"{self.clip:g}, {self.beta:g} and {self.step_size:g}"
            )
        if min(self.n_passes, self.batch_size) < 1 or self.n_steps < 0:
            raise InputError("PpoConfig: expected n_passes and batch_size >= 1, n_steps >= 0")
        if not 1 <= self.n_minibatches <= self.batch_size:
            raise InputError(
                f"PpoConfig.n_minibatches: expected 1 to {self.batch_size}, the batch, got "
                f"{self.n_minibatches}"
            )
        if not 0 < self.value_step_size <= 1:
            raise InputError("PpoConfig.value_step_size: expected a number in (0, 1]")


@dataclass(frozen=True, slots=True)
class PpoRun:
    """What PPO did.

    Attributes:
        optimised: Its path, whose strength is the step, and the policy at its end.
        clipped_share: Shape [n_steps, n_passes]; share of a batch's answers from which the clip
            took the slope. Others count every ratio outside the clip, whether or not it still has
            a slope, which is at least as many.
        value: Shape [n_steps + 1]; the critic.
    """

    optimised: Optimised
    clipped_share: FloatArray
    value: FloatArray


def surrogate(ratio: FloatArray, advantages: FloatArray, clip: float) -> FloatArray:
    """min(rho A, clip(rho, 1 - eps, 1 + eps) A) of each answer.

    Args:
        ratio: Any shape; rho > 0.
        advantages: The same shape.
        clip: eps.

    Source: Schulman et al. (2017), equation 7, arXiv:1707.06347.
    """
    return np.minimum(ratio * advantages, np.clip(ratio, 1 - clip, 1 + clip) * advantages)


def is_clipped(ratio: FloatArray, advantages: FloatArray, clip: float) -> BoolArray:
    """True where the surrogate is flat: past the clip, on the side that the advantage asks for.

    The shape is that of ``ratio`` and ``advantages``.
    """
    far_up = (advantages > 0) & (ratio > 1 + clip)
    far_down = (advantages < 0) & (ratio < 1 - clip)
    return np.asarray(far_up | far_down)


def surrogate_slope(ratio: FloatArray, advantages: FloatArray, clip: float) -> FloatArray:
    """d surrogate / d rho: A, or 0 where clipped. The same shape as ``ratio``."""
    return np.where(is_clipped(ratio, advantages, clip), 0.0, advantages)


def ppo(
    answers: AnswerSet,
    reward: RewardFn | FloatArray,
    *,
    config: PpoConfig,
    rng: np.random.Generator,
    shared: FloatArray | None = None,
) -> PpoRun:
    """PPO from the reference policy, which is the first point of the path; the critic starts at 0.

    Args:
        answers: The world.
        reward: The proxy.
        config: Settings.
        rng: Draws answers and shuffles minibatches.
        shared: Shape [n, d]; features whose weights are what is trained (see ``policy_gradient``);
            None trains a logit for each answer.

    Raises:
        InputError: ``shared`` is not of shape [n, d], or not finite.

    Source: Schulman et al. (2017), arXiv:1707.06347; Ziegler et al. (2019), arXiv:1909.08593, for
    the KL in the reward.
    """
    values = answers.rewards(reward)
    check_shared(shared, len(answers))
    clipped = np.zeros((config.n_steps, config.n_passes))
    critic = np.zeros(config.n_steps + 1)
    optimised = record(
        answers,
        values,
        _steps(answers.ref_logprobs, values, config, rng, shared, clipped, critic),
        strength=np.arange(config.n_steps + 1, dtype=np.float64),
        method="ppo",
        settings={**asdict(config), "shared": shared is not None},
    )
    return PpoRun(optimised, clipped, critic)


def _steps(
    ref_logprobs: FloatArray,
    reward: FloatArray,
    config: PpoConfig,
    rng: np.random.Generator,
    shared: FloatArray | None,
    clipped: FloatArray,
    critic: FloatArray,
) -> Iterator[FloatArray]:
    """The policy after each batch; fills ``clipped`` and ``critic`` on the way."""
    logits, value = ref_logprobs, 0.0
    yield ref_logprobs
    for step in range(config.n_steps):
        old = normalised(logits)
        idx = sample(logits, (config.batch_size,), rng)
        charged = (reward - config.beta * (old - ref_logprobs))[idx]
        advantages = charged - value
        for one_pass in range(config.n_passes):
            order = rng.permutation(config.batch_size)
            n_clipped = 0
            for part in np.array_split(order, config.n_minibatches):
                gradient, flat = _minibatch(logits, old, idx[part], advantages[part], config.clip)
                logits = logits + config.step_size * through(gradient, shared)
                value += config.value_step_size * (float(charged[part].mean()) - value)
                n_clipped += flat
            clipped[step, one_pass] = n_clipped / config.batch_size
        critic[step + 1] = value
        yield normalised(logits)


def _minibatch(
    logits: FloatArray, old: FloatArray, idx: IntArray, advantages: FloatArray, clip: float
) -> tuple[FloatArray, int]:
    """Gradient of the mean surrogate in the logits, shape [n]; how many answers are clipped."""
    logprobs = normalised(logits)
    ratio = np.exp((logprobs - old)[idx])
    slope = surrogate_slope(ratio, advantages, clip)
    weights = slope * ratio  # d rho = rho d log pi
    total = np.bincount(idx, weights, minlength=len(logits))
    gradient = (total - np.exp(logprobs) * weights.sum()) / len(idx)
    return gradient, int(is_clipped(ratio, advantages, clip).sum())
