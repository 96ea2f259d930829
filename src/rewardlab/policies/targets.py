"""The policy that each group method converges to, which is not always the KL-regularised optimum.

A policy is a target where the expected update vanishes. With c = 1 for leave-one-out, 1 - 1/G for
the group mean (which holds the answer itself), and beta the price of KL:

- *KL in the reward.* The update is c pi (f - E f) with f = r - beta log(pi / ref). It vanishes
  where f is constant: pi = ref exp(r / beta) / Z, the Gibbs optimum, for any c. Dividing by the
  group's standard deviation divides all of f. It leaves sum_y f(y) E[update](y) = E[the group's
  standard deviation of f] > 0 unless f is constant, so that the target is still this one.
- *k2 in the loss.* c pi (r - E r) - beta pi (d - KL) vanishes at ref exp(c r / beta) / Z: the Gibbs
  optimum at beta / c, since c scales the reward alone.
- *k3 in the loss.* c pi (r - E r) = beta (pi - ref), so that pi = b ref / (lambda - r) with
  b = beta / c and lambda = b + E r above every reward. An answer that scores near lambda is held
  back by no logarithm: its share is set by the gap alone.
- *k1 in the loss.* Its expected gradient is 0, so that nothing holds the policy back: all goes to
  the answer of highest reward. Plain steps get there slowly: an answer's logit moves at a rate
  that holds its own probability, so a run of any practical length may sit on the best of the
  answers that were common at first.
- *Only the reward divided by the group's standard deviation, KL in the loss.* The pull of a group
  no longer depends on how much better an answer is, and grows against the KL's as the policy
  narrows. The target is the fixed point of the exact update, found by listing the multisets. In
  the limit of large groups the group's deviation is the policy's own, and there can be two fixed
  points: one reached from the reference, and the collapse on the highest reward, where the
  deviation is 0 and the division without bound (``large_group_target``).

Source: own derivations. For k2 and k3 see Tang and Munos (2025), arXiv:2506.09477; for the
forward-divergence form Vojnovic and Yun (2025), arXiv:2502.18548.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.policies.arguments import LARGEST, check_answers, check_numbers, check_positive
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.expected_updates import advantage_pull
from rewardlab.policies.policy_gradient import GroupMethod
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised

_ROOT_STEPS, _ROOT_TOLERANCE = 200, 1e-14
_LEAST_LOG_MASS = -700.0
_DAMPING = 0.4
_FIXED_POINT_STEPS, _FIXED_POINT_TOLERANCE = 5000, 1e-10
_RAREST = -600.0
"""Log-probabilities below this are taken as this where pulls are divided by probabilities."""


def target(ref_logprobs: FloatArray, reward: FloatArray, method: GroupMethod) -> FloatArray:
    """Log-probabilities of what a method converges to from the reference, of shape [n].

    Args:
        ref_logprobs: Shape [n], finite.
        reward: Shape [n].
        method: How a group becomes a gradient.

    Raises:
        InputError: Shapes disagree, a number is not finite, or there are too many multisets to
            list (``expected_updates``).
        ConvergenceError: The fixed point was not reached.
    """
    check_answers(ref_logprobs, reward)
    if method.beta == 0 or method.kl == "k1":
        return highest_reward(ref_logprobs, reward)
    if method.kl == "in_reward":
        return gibbs(ref_logprobs, reward, method.beta)
    if method.divide_by_sd:
        return _fixed_point(ref_logprobs, reward, method)
    return _held(ref_logprobs, reward, method.beta / method.share_of_gradient, method)


def large_group_target(
    ref_logprobs: FloatArray, reward: FloatArray, beta: float, *, start: FloatArray
) -> FloatArray:
    """What dividing only the reward by the group's deviation leads to with k2, for large groups.

    A fixed point is ref exp(r / (beta s)) / Z, with s the reward's standard deviation under the
    policy itself: a narrower policy has a smaller s and is pulled to a narrower one.

    Args:
        ref_logprobs: Shape [n], finite.
        reward: Shape [n].
        beta: Price of a nat of KL, > 0.
        start: Shape [n], finite; log-probabilities of the policy that training starts from.

    Raises:
        InputError: Shapes disagree, or a number is not finite or out of range.
        ConvergenceError: The fixed point was not reached.
    """
    check_positive("beta", beta)
    check_answers(ref_logprobs, reward)
    check_numbers("start", start, ref_logprobs.shape)

    def aim(logprobs: FloatArray) -> FloatArray:
        probs = np.exp(logprobs)
        deviation = float(np.sqrt(probs @ (reward - probs @ reward) ** 2))
        return gibbs(ref_logprobs, reward, max(beta * deviation, 1 / LARGEST))

    return _settled(aim, start, _DAMPING)


def highest_reward(ref_logprobs: FloatArray, reward: FloatArray) -> FloatArray:
    """All on the answers of highest reward; tied ones share as under the reference.

    Args:
        ref_logprobs: Shape [n].
        reward: Shape [n].

    Returns:
        Log-probabilities, shape [n].

    Raises:
        InputError: Shapes disagree, or a number is not finite.
    """
    check_answers(ref_logprobs, reward)
    return normalised(np.where(reward == reward.max(), ref_logprobs, -np.inf))


def forward_kl_optimum(ref_logprobs: FloatArray, reward: FloatArray, beta: float) -> FloatArray:
    """Log-probabilities of the optimum of E[r] - beta KL(ref || pi), beta ref / (lambda - r).

    The total of beta ref / (x + max r - r) falls in x = lambda - max r and is convex, so Newton's
    steps from below the root rise to it without passing it.

    Args:
        ref_logprobs: Shape [n], finite.
        reward: Shape [n].
        beta: Price of a nat of the forward divergence, > 0.

    Raises:
        InputError: ``beta`` is not positive, shapes disagree, a number is not finite, or beta ref
            is below double precision for an answer.
        ConvergenceError: lambda was not found.
    """
    check_positive("beta", beta)
    check_answers(ref_logprobs, reward)
    if ref_logprobs.min() + np.log(beta) < _LEAST_LOG_MASS:
        raise InputError(
            f"ref_logprobs: expected log(beta ref) of at least {_LEAST_LOG_MASS:g}, got "
            f"{ref_logprobs.min() + np.log(beta):g}"
        )
    mass, gap = beta * np.exp(ref_logprobs), reward.max() - reward
    x = float((mass - gap).max())
    for _ in range(_ROOT_STEPS):
        terms = mass / (x + gap)
        step = (float(terms.sum()) - 1) / float((terms / (x + gap)).sum())
        x += step
        if abs(step) <= _ROOT_TOLERANCE * x:
            return normalised(ref_logprobs - np.log(x + gap))
    raise ConvergenceError(f"forward_kl_optimum: lambda not found in {_ROOT_STEPS} steps")


def _held(
    ref_logprobs: FloatArray, reward: FloatArray, beta: float, method: GroupMethod
) -> FloatArray:
    """The optimum for a reward that does not depend on the policy, by the loss's divergence."""
    optimum = gibbs if method.kl == "k2" else forward_kl_optimum
    return optimum(ref_logprobs, reward, beta)


def _fixed_point(ref_logprobs: FloatArray, reward: FloatArray, method: GroupMethod) -> FloatArray:
    """Steps towards the optimum for what the group's pull now amounts to as a reward, pull / pi.

    For k2 each is a natural-gradient step of the exact expected update.
    """
    pull = advantage_pull(reward, method)

    def aim(logprobs: FloatArray) -> FloatArray:
        at = np.maximum(logprobs, _RAREST)
        return _held(ref_logprobs, pull(at) / np.exp(at), method.beta, method)

    return _settled(aim, ref_logprobs, _DAMPING * min(method.beta, 1.0))


def _settled(
    aim: Callable[[FloatArray], FloatArray], start: FloatArray, damping: float
) -> FloatArray:
    """The policy that is its own aim, by damped steps of log-probabilities towards the aim."""
    logprobs = start
    for _ in range(_FIXED_POINT_STEPS):
        towards = aim(logprobs)
        if float(np.abs(np.exp(towards) - np.exp(logprobs)).max()) < _FIXED_POINT_TOLERANCE:
            return logprobs
        logprobs = normalised(logprobs + damping * (towards - logprobs))
    raise ConvergenceError(f"target: no fixed point in {_FIXED_POINT_STEPS} steps")
