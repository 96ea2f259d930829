"""Rewards for reasoning in steps: scores of steps made one score, and labels without people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import BoolArray, FloatArray, IntArray, Text

SCHEMES: dict[str, Callable[[FloatArray], float]] = {
    "product": np.prod,
    "min": np.min,
    "mean": np.mean,
}
"""How the scores of steps become one, by name."""


def solution_score(step_scores: FloatArray | Sequence[float], scheme: str) -> float:
    """One score for a solution.

    The product is the chance that every step is right if the scores are chances and independent;
    it falls with every further step, so that among right solutions the short ones score higher.
    The least score looks at one step only, and the mean forgives one bad step among many good ones.

    Args:
        step_scores: Shape [S], S >= 1, in [0, 1]; NaN where a step has none.
        scheme: How they are combined: product, min or mean.

    Returns:
        In [0, 1]; NaN if a step has no score.

    Raises:
        InputError: There is no step, a score is outside [0, 1], or the scheme is unknown.

    Source: Lightman et al. (2023), arXiv:2305.20050, section 2.6, for product and minimum.
    """
    if scheme not in SCHEMES:
        raise InputError(f"scheme: expected one of {', '.join(SCHEMES)}, got {scheme!r}")
    try:
        scores = np.asarray(step_scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"step_scores: expected a list of numbers, got {step_scores!r}") from None
    if scores.ndim != 1 or not len(scores):
        raise InputError(f"step_scores: expected a list of at least one, got shape {scores.shape}")
    if np.any((scores < 0) | (scores > 1)):
        raise InputError("step_scores: expected numbers from 0 to 1")
    return float(SCHEMES[scheme](scores))


@dataclass(frozen=True, slots=True)
class ProcessReward:
    """A ``RewardFn`` over the column ``step_scores``, which holds a list for each solution.

    Attributes:
        scheme: How the scores of a solution's steps become its reward: product, min or mean.
    """

    scheme: str = "product"

    def __call__(
        self, prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Sequence[Any]
    ) -> FloatArray:
        """Each solution's score, of shape [n]; see ``solution_score``.

        Raises:
            InputError: The column is missing or not of length n, or a row is no list of scores.
        """
        if "step_scores" not in columns:
            raise InputError("process reward: expected a column 'step_scores'")
        rows = columns["step_scores"]
        if len(rows) != len(responses):
            raise InputError(f"step_scores: expected {len(responses)} rows, got {len(rows)}")
        return np.array([solution_score(row, self.scheme) for row in rows])


def soft_labels(n_hits: IntArray, n_rollouts: int) -> FloatArray:
    """Share of the completions from each step that reached the answer, of the shape of ``n_hits``.

    Source: Wang et al. (2023), Math-Shepherd, arXiv:2312.08935, equation 4.

    Raises:
        InputError: There is no rollout, or there are more hits than rollouts.
    """
    hits = np.asarray(n_hits)
    if n_rollouts < 1 or np.any((hits < 0) | (hits > n_rollouts)):
        raise InputError(f"n_hits: expected 0 to n_rollouts >= 1, got n_rollouts {n_rollouts}")
    return np.asarray(hits / n_rollouts)


def hard_labels(n_hits: IntArray, n_rollouts: int) -> BoolArray:
    """True where any completion reached the answer, of the shape of ``n_hits``.

    Source: equation 3 of the same paper.

    Raises:
        InputError: There is no rollout, or there are more hits than rollouts.
    """
    return np.asarray(soft_labels(n_hits, n_rollouts) > 0)


def hard_label_chance(value: float, n_rollouts: int) -> float:
    """1 - (1 - v)^n: how likely a hard label calls a step good whose completions succeed with v.

    Args:
        value: Chance that one completion reaches the answer.
        n_rollouts: n; the more rollouts, the more bad steps are called good.

    Raises:
        InputError: The chance is outside [0, 1], or there is no rollout.
    """
    if not (0 <= value <= 1 and n_rollouts >= 1):
        raise InputError(
            f"hard_label_chance: expected value in [0, 1] and n_rollouts >= 1, got {value:g} and "
            f"{n_rollouts}"
        )
    return float(1 - (1 - value) ** n_rollouts)


def convincing_wrong(scores: FloatArray, right: BoolArray) -> IntArray:
    """Wrong solutions from the highest score down: which to have labelled first.

    Args:
        scores: Shape [n]; by the process reward.
        right: Shape [n]; whether the final answer is right.

    Returns:
        Positions of the wrong ones; those with the same score in their given order.

    Raises:
        InputError: The shapes disagree, or ``right`` holds other than True and False.

    Source: Lightman et al. (2023), arXiv:2305.20050, section 4.2.
    """
    if right.shape != scores.shape or right.dtype != np.bool_:
        raise InputError(
            f"right: expected True or False for each of {scores.shape}, got {right.dtype} of "
            f"{right.shape}"
        )
    wrong = np.flatnonzero(~right)
    return wrong[np.argsort(-scores[wrong], kind="stable")]
