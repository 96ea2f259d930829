"""The highest reward that a KL budget buys: pi = ref exp(t r) / Z with t as large as it may be.

Unlike a fixed beta, a budget means the same to rewards of different scales, so that policies
optimised against different rewards can be compared at equal pressure.
"""

from __future__ import annotations

import numpy as np

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.policies.arguments import check_answers
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised

_MOST_STEPS = 200
_SHORT = 1e-11
"""A step of log t below this is the last."""
_STEEPEST = 30.0
"""log t at most, in units of 1 / range: by then only the best answers are left."""


def best_within(
    ref_logprobs: FloatArray, rewards: FloatArray, kl_nats: float | FloatArray
) -> FloatArray:
    """Log-probabilities of the policy with the highest E[r] whose KL is at most ``kl_nats``.

    Found for all rewards at once by Newton's method in log t; the KL grows with t. Where even
    the best answers alone cost no more than the budget, they are all that is left.

    Args:
        ref_logprobs: Shape [n], in nats.
        rewards: Shape [k, n]; a policy for each row.
        kl_nats: The budget, >= 0: one for all, or of shape [k] one for each reward.

    Returns:
        Shape [k, n].

    Raises:
        InputError: The budget is negative, the shapes do not fit, or a number is not finite.
        ConvergenceError: The KL was not brought to the budget.
    """
    budget = np.asarray(kl_nats)
    if not (budget >= 0).all():
        raise InputError(f"kl_nats: expected numbers of at least 0, got {budget.min():g}")
    if rewards.ndim != 2 or rewards.shape[1] != len(ref_logprobs):
        raise InputError(
            f"rewards: expected shape [k, {len(ref_logprobs)}], got {list(rewards.shape)}"
        )
    if budget.shape not in ((), (len(rewards),)):
        raise InputError(f"kl_nats: expected shape [{len(rewards)}], got {list(budget.shape)}")
    check_answers(ref_logprobs, rewards)
    top = rewards.max(axis=1, keepdims=True)
    spread = top - rewards.min(axis=1, keepdims=True)
    # A reward that is the same for every answer moves nothing, whatever its scale.
    shape = (rewards - top) / np.where(spread > 0, spread, 1.0)
    return _tilted(
        ref_logprobs, shape, _log_t(ref_logprobs, shape, np.broadcast_to(budget, len(rewards)))
    )


def _log_t(ref_logprobs: FloatArray, shape: FloatArray, budget: FloatArray) -> FloatArray:
    """Shape [k]; log t at which each KL is the budget, or the end of its range where none is.

    Newton's method on log KL as a function of log t, which is nearly straight, with a slope of 2,
    until few answers are left. A step that leaves the bracket, or is not half as long as the one
    before, goes to the bracket's middle instead.
    """
    low, high = np.full(len(shape), -_STEEPEST), np.full(len(shape), _STEEPEST)
    found = np.where(_kl_and_slope(ref_logprobs, shape, high)[0] <= budget, high, low)
    rows = np.flatnonzero((found < high) & (budget > 0))
    found[rows] = 0.0
    before = high - low
    for _ in range(_MOST_STEPS):
        if not len(rows):
            return found
        at, wanted = found[rows], budget[rows]
        kl, slope = _kl_and_slope(ref_logprobs, shape[rows], at)
        below = kl <= wanted
        low[rows], high[rows] = np.where(below, at, low[rows]), np.where(below, high[rows], at)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            gap = np.log(wanted / kl)
            step = gap * kl / slope
        # A KL that is only rounding has a slope too, and a step that looks short.
        moved, short = at + step, (np.abs(step) < _SHORT) & (np.abs(gap) < 1)
        inside = (moved > low[rows]) & (moved < high[rows])
        kept = short | (inside & (np.abs(step) < before[rows] / 2))
        found[rows] = np.where(kept, moved, (low[rows] + high[rows]) / 2)
        before[rows] = np.abs(found[rows] - at)
        rows = rows[~short & (high[rows] - low[rows] > _SHORT)]
    raise ConvergenceError(f"best_within: {len(rows)} budgets not met in {_MOST_STEPS} steps")


def _kl_and_slope(
    ref_logprobs: FloatArray, shape: FloatArray, log_t: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Each row's KL, in nats, and its derivative by log t, t^2 Var(r); of shape [k] both."""
    tilt = np.exp(log_t)[:, None] * shape
    logits = ref_logprobs + tilt
    top = logits.max(axis=1, keepdims=True)
    weights = np.exp(logits - top)
    total = weights.sum(axis=1)
    mean = np.vecdot(weights, tilt) / total
    away = tilt - mean[:, None]
    return mean - top[:, 0] - np.log(total), np.vecdot(weights, away * away) / total


def _tilted(ref_logprobs: FloatArray, shape: FloatArray, log_t: FloatArray) -> FloatArray:
    """Log-probabilities of ref exp(t r) / Z for each row's t and r, of shape [k, n]."""
    return normalised(ref_logprobs + np.exp(log_t)[:, None] * shape)
