"""Exact optimisation on many sets of equally likely answers at once, and where quality turns.

What one set of answers shows may be its own accident; these show how it lies among others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_numbers
from rewardlab.policies.closed_form import gibbs
from rewardlab.types import FloatArray, IntArray


def best_of_n_means(reward: FloatArray, values: FloatArray, n: IntArray) -> FloatArray:
    """Mean value of the best of n, drawn with replacement, for each set and n.

    With m equally likely answers and no ties the best of n has rank i or lower with probability
    (i / m)^n.

    Args:
        reward: Shape [S, m]; no two equal within a set.
        values: Shape [S, m]; what is averaged.
        n: Shape [k], each >= 1.

    Returns:
        Shape [S, k].

    Raises:
        InputError: Two answers of a set have the same reward, an n is below 1, shapes disagree, or
            a reward is not finite.
    """
    check_numbers("reward", reward, values.shape)
    if not (n >= 1).all():
        raise InputError(f"n: expected at least 1, got {np.min(n)}")
    order = np.argsort(reward, axis=1)
    if not (np.diff(np.take_along_axis(reward, order, axis=1), axis=1) > 0).all():
        raise InputError("reward: expected no two answers of a set with the same reward")
    m = reward.shape[1]
    upto = np.exp(np.log(np.arange(1, m + 1) / m)[:, None] * n)
    weights = np.diff(upto, axis=0, prepend=0.0)
    return np.asarray(np.take_along_axis(values, order, axis=1) @ weights)


def gibbs_means(reward: FloatArray, values: FloatArray, betas: Sequence[float]) -> FloatArray:
    """Mean value under the optimum of E[r] - beta KL from the uniform policy.

    Args:
        reward: Shape [S, m].
        values: Shape [S, m]; what is averaged.
        betas: Length k, each > 0.

    Returns:
        Shape [S, k].

    Raises:
        InputError: A beta is not positive, shapes disagree, or a reward is not finite.
    """
    check_numbers("reward", reward, values.shape)
    uniform = np.zeros(reward.shape[1])
    columns = [(np.exp(gibbs(uniform, reward, beta)) * values).sum(axis=1) for beta in betas]
    return np.array(columns).T


def peak_and_return(
    strength: FloatArray | IntArray, quality: FloatArray, base: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where each curve is highest, and where it is first back at its base after that.

    Args:
        strength: Shape [k], ascending.
        quality: Shape [S, k].
        base: Shape [S]; quality without optimisation.

    Returns:
        Peaks and returns, each of shape [S]; a return is infinite where the curve is still above
        its base at the largest strength.

    Raises:
        InputError: There is no strength, shapes disagree, or a number is not finite.
    """
    if not len(strength):
        raise InputError("strength: expected at least one number, got none")
    check_numbers("quality", quality, base.shape + strength.shape)
    at = quality.argmax(axis=1)
    back = (quality <= base[:, None]) & (np.arange(len(strength)) > at[:, None])
    returns = np.where(back.any(axis=1), strength[back.argmax(axis=1)], np.inf)
    return np.asarray(strength[at], dtype=np.float64), returns
