"""Policy gradients from groups of sampled answers: REINFORCE with a group mean, RLOO, and GRPO.

All are one formula. For a group y_1 .. y_G from the policy the step goes along

    (1/G) sum_i (A_i - beta w_i) grad log pi(y_i),

where A_i is the advantage (``advantages``) and w_i the KL's weight when it is in the loss
(``kl_estimators``). With the KL in the reward, A_i is the advantage of r_i - beta d_i, with
d_i = log pi(y_i) - log ref(y_i) held fixed, and there is no w_i. Answers are used once, by the
policy that drew them, so that no ratio or clip enters (those are in ``ppo``).

What a run with small steps converges to differs between these methods: see ``targets``.

With a logit for each answer a step moves only what was drawn, so that what the policy hardly ever
writes is not found in any practical time. A language model's answers share parameters. ``shared``
stands for that: with log pi = log ref + F theta - log Z, learning that one long answer scores well
makes all long answers likelier, those never drawn included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal, get_args

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.advantages import Baseline, group_advantages
from rewardlab.policies.arguments import LARGEST, check_indices, check_numbers
from rewardlab.policies.kl_estimators import Estimator, score_weight
from rewardlab.policies.recording import Optimised, record
from rewardlab.types import FloatArray, IntArray, RewardFn
from rewardlab.worlds.answer_set import AnswerSet, normalised

KlTerm = Literal["in_reward", "k1", "k2", "k3"]
"""Where the KL is charged: in each answer's reward, or in the loss by one of three estimates."""


@dataclass(frozen=True, slots=True)
class GroupMethod:
    """How a group of answers becomes a gradient; see also ``reinforce``, ``rloo`` and ``grpo``.

    Attributes:
        baseline: What a reward is compared with: "group_mean" or "leave_one_out".
        divide_by_sd: True divides by the group's standard deviation: of the reward with its KL
            charge if the KL is in the reward, of the reward alone if it is in the loss.
        kl: Where the KL is charged: "in_reward", or in the loss as "k1", "k2" or "k3".
        beta: Price of a nat of KL, >= 0.
        group_size: G, >= 2.
    """

    baseline: Baseline = "group_mean"
    divide_by_sd: bool = False
    kl: KlTerm = "in_reward"
    beta: float = 0.5
    group_size: int = 8

    def __post_init__(self) -> None:
        for name, allowed in (("baseline", get_args(Baseline)), ("kl", get_args(KlTerm))):
            if getattr(self, name) not in allowed:
                raise InputError(
                    f"GroupMethod.{name}: expected one of {', '.join(allowed)}, got "
                    f"{getattr(self, name)!r}"
                )
        if not 0 <= self.beta <= LARGEST or not 2 <= self.group_size <= LARGEST:
            raise InputError(
                "GroupMethod: expected a finite beta >= 0 and group_size >= 2, got "
                f"{self.beta:g} and {self.group_size}"
            )

    @property
    def estimator(self) -> Estimator | None:
        """The KL estimate in the loss; None with the KL in the reward."""
        return None if self.kl == "in_reward" else self.kl

    @property
    def share_of_gradient(self) -> float:
        """Mean gradient of the undivided advantages, as a share of the true one: 1 or 1 - 1/G."""
        return 1.0 if self.baseline == "leave_one_out" else 1 - 1 / self.group_size


def reinforce(beta: float, *, group_size: int = 8) -> GroupMethod:
    """REINFORCE with the group's own mean as the baseline, KL in the reward."""
    return GroupMethod("group_mean", beta=beta, group_size=group_size)


def rloo(beta: float, *, group_size: int = 8) -> GroupMethod:
    """RLOO: each answer beside the mean of the others, KL in the reward.

    Source: Ahmadian et al. (2024), arXiv:2402.14740.
    """
    return GroupMethod("leave_one_out", beta=beta, group_size=group_size)


def grpo(beta: float, *, group_size: int = 8) -> GroupMethod:
    """GRPO as published: rewards divided by the group's deviation, k3 in the loss.

    Source: Shao et al. (2024), arXiv:2402.03300, equations 3 and 4.
    """
    return GroupMethod("group_mean", True, "k3", beta, group_size)


@dataclass(frozen=True, slots=True)
class Training:
    """How long, and by what steps, a method trains.

    Attributes:
        n_steps: How many steps, >= 0.
        step_size: In logits per unit of advantage, > 0.
        groups_per_step: Groups whose gradients are averaged for a step, >= 1.
        record_every: The path has a point every so many steps, >= 1, and at the last.
    """

    n_steps: int = 400
    step_size: float = 0.1
    groups_per_step: int = 8
    record_every: int = 10

    def __post_init__(self) -> None:
        if min(self.groups_per_step, self.record_every) < 1 or self.n_steps < 0:
            raise InputError(
                "Training: expected groups_per_step and record_every of at least 1, n_steps >= 0"
            )
        if not 0 < self.step_size <= LARGEST:
            raise InputError(
                f"Training.step_size: expected a finite number above 0, got {self.step_size:g}"
            )


def sampled_gradient(
    logits: FloatArray,
    ref_logprobs: FloatArray,
    sampled_idx: IntArray,
    rewards: FloatArray,
    method: GroupMethod,
) -> FloatArray:
    """The direction of ascent that sampled groups give, of shape [n] and sum 0.

    Args:
        logits: Shape [n]; the policy that drew the answers is their softmax.
        ref_logprobs: Shape [n].
        sampled_idx: Shape [..., G], int64; the answers of each group.
        rewards: Shape [..., G]; their rewards, without any KL.
        method: How a group becomes a gradient; its ``group_size`` is not used.

    Raises:
        InputError: Shapes disagree, an index is out of range, or a number is not finite.
    """
    check_numbers("logits", logits, ref_logprobs.shape)
    check_numbers("rewards", rewards, sampled_idx.shape)
    check_indices("sampled_idx", sampled_idx, len(logits))
    logprobs = normalised(logits)
    weights = group_weights(logprobs, ref_logprobs, sampled_idx, rewards, method)
    total = np.bincount(sampled_idx.ravel(), weights.ravel(), minlength=len(logits))
    return np.asarray(total - np.exp(logprobs) * weights.sum()) / weights.size


def group_weights(
    logprobs: FloatArray,
    ref_logprobs: FloatArray,
    sampled_idx: IntArray,
    rewards: FloatArray,
    method: GroupMethod,
) -> FloatArray:
    """A_i - beta w_i, of shape [..., G]: what multiplies grad log pi of each sampled answer."""
    log_ratio = (logprobs - ref_logprobs)[sampled_idx]
    charged = rewards if method.estimator else rewards - method.beta * log_ratio
    advantages = group_advantages(
        charged, baseline=method.baseline, divide_by_sd=method.divide_by_sd
    )
    if method.estimator is None:
        return advantages
    return advantages - method.beta * score_weight(log_ratio, method.estimator)


def policy_gradient(
    answers: AnswerSet,
    reward: RewardFn | FloatArray,
    *,
    method: GroupMethod,
    training: Training,
    rng: np.random.Generator,
    shared: FloatArray | None = None,
) -> Optimised:
    """The path of sampled steps from the reference policy, which is its first point.

    Args:
        answers: The world.
        reward: The proxy.
        method: How a group becomes a gradient.
        training: How many steps of what size, and groups a step.
        rng: Draws the answers.
        shared: Shape [n, d]; F, features whose weights are what is trained; None trains a logit for
            each answer.

    Raises:
        InputError: ``shared`` is not of shape [n, d], or not finite.

    Source: Williams (1992); Ahmadian et al. (2024), arXiv:2402.14740; Shao et al. (2024),
    arXiv:2402.03300.
    """
    values = answers.rewards(reward)
    check_shared(shared, len(answers))
    return record(
        answers,
        values,
        _steps(answers.ref_logprobs, values, method, training, rng, shared),
        strength=[*range(0, training.n_steps, training.record_every), training.n_steps],
        method="policy_gradient",
        settings={**asdict(method), **asdict(training), "shared": shared is not None},
    )


def _steps(
    ref_logprobs: FloatArray,
    reward: FloatArray,
    method: GroupMethod,
    training: Training,
    rng: np.random.Generator,
    shared: FloatArray | None,
) -> Iterator[FloatArray]:
    logits = ref_logprobs
    yield ref_logprobs
    for step in range(1, training.n_steps + 1):
        idx = sample(logits, (training.groups_per_step, method.group_size), rng)
        gradient = sampled_gradient(logits, ref_logprobs, idx, reward[idx], method)
        logits = logits + training.step_size * through(gradient, shared)
        if step % training.record_every == 0 or step == training.n_steps:
            yield normalised(logits)


def through(gradient: FloatArray, shared: FloatArray | None) -> FloatArray:
    """How far a step of size 1 moves each logit, shape [n], given the gradient in the logits.

    A step along the gradient in theta, F' g, moves the logits by F F' g.
    """
    return gradient if shared is None else shared @ (shared.T @ gradient)


def check_shared(shared: FloatArray | None, n_answers: int) -> None:
    """Refuse features that are not a finite matrix with a row for each answer.

    Raises:
        InputError: They are refused.
    """
    if shared is not None:
        check_numbers("shared", shared, (n_answers, shared.shape[-1]))


def sample(logits: FloatArray, shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """Indices of answers drawn from the softmax of the logits, of the shape asked for."""
    reached = np.cumsum(np.exp(logits - logits.max()))
    return np.asarray(np.searchsorted(reached, rng.random(shape) * reached[-1], side="right"))
