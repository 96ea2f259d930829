"""Which pairs to ask people about first: those of which rewards know least."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray


def expected_disagreement(p: FloatArray) -> FloatArray:
    """Chance that two votes on a pair differ, each by a different member of an ensemble.

    With one member both votes are its own: 2 p (1 - p), largest where it cannot decide. With
    several it is largest, 1 for two members, where they are sure of opposite sides.

    Args:
        p: Shape [members, n], in [0, 1]; P(a is better) by each reward.

    Returns:
        Shape [n], in [0, 1].

    Raises:
        InputError: The shape is another, or a value is no probability.

    Source: the disagreement of a committee, Seung, Opper and Sompolinsky (1992), "Query by
    committee", here of votes drawn from the members rather than of their best guesses.
    """
    p = np.asarray(p, dtype=np.float64)
    if p.ndim != 2 or not len(p):
        raise InputError(f"p: expected shape [members, n] with a member at least, got {p.shape}")
    if not np.all((p >= 0) & (p <= 1)):
        raise InputError("p: expected probabilities in [0, 1]")
    m = len(p)
    if m == 1:
        return np.asarray(2 * p[0] * (1 - p[0]))
    total, squares = p.sum(axis=0), (p**2).sum(axis=0)
    apart = 2 * ((m - 1) * total - (total**2 - squares)) / (m * (m - 1))
    return np.asarray(np.clip(apart, 0.0, 1.0))


def places(priority: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Places 0, 1, ... of pairs in a queue, the highest priority first.

    Args:
        priority: Shape [n], finite.
        rng: Settles between equal priorities.

    Returns:
        Shape [n].

    Raises:
        InputError: A priority is not finite.
    """
    if not np.isfinite(priority).all():
        raise InputError("priority: expected finite numbers")
    order = np.lexsort((rng.random(len(priority)), -np.asarray(priority)))
    result = np.empty(len(priority))
    result[order] = np.arange(len(priority))
    return result
