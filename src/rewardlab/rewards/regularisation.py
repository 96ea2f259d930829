"""How strong an L2 penalty to use for predictions: by log loss on prompts left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.linear import fit
from rewardlab.rewards.row_terms import log_losses
from rewardlab.types import FloatArray, IntArray

L2_GRID: tuple[float, ...] = tuple(float(10.0**k) for k in range(4, -3, -1))
"""Penalties tried, strongest first so that each fit starts near the last."""


@dataclass(frozen=True, slots=True)
class L2Choice:
    """The penalty with the least held-out log loss, and all that were tried.

    Attributes:
        l2: The choice.
        grid: Length k; the penalties tried, strongest first.
        log_loss: Shape [k]; mean held-out log loss of each, in nats.
        held_out: Shape [n]; delta of each comparison at the choice, in logits, by a fit on the
            other folds.
        fold: Shape [n]; the fold each comparison was held out in.
        at_edge: True if the choice is the strongest or the weakest penalty of several.
    """

    l2: float
    grid: tuple[float, ...]
    log_loss: FloatArray
    held_out: FloatArray
    fold: IntArray
    at_edge: bool


def choose_l2(
    differences: FloatArray,
    label: FloatArray,
    fold: IntArray,
    *,
    grid: tuple[float, ...] = L2_GRID,
    margin: FloatArray | None = None,
) -> L2Choice:
    """The penalty of ``grid`` with the least log loss on held-out folds.

    The fit sees the margins; the held-out loss does not, because it measures probabilities.

    Args:
        differences: Shape [n, d], standardised so that one penalty suits all features.
        label: Shape [n], in [0, 1].
        fold: Shape [n], int64; comparisons of one prompt share a fold.
        grid: Penalties > 0.
        margin: Shape [n], >= 0; see ``linear.fit``.

    Raises:
        InputError: There are fewer than two folds, or the grid is empty or not positive.
        ConvergenceError: A fit was not reached.
    """
    folds = np.unique(fold)
    if len(folds) < 2:
        raise InputError(f"fold: expected at least 2 folds, got {len(folds)}")
    if not grid or min(grid) <= 0:
        raise InputError("grid: expected penalties > 0")
    strongest_first = tuple(sorted(grid, reverse=True))
    delta = np.empty((len(strongest_first), len(label)))
    for k in folds:
        inside, outside = fold != k, fold == k
        x, y = differences[inside], label[inside]
        ahead = None if margin is None else margin[inside]
        weights: FloatArray | None = None
        for i, l2 in enumerate(strongest_first):
            weights = fit(x, y, l2=l2, margin=ahead, start=weights).weights
            delta[i, outside] = differences[outside] @ weights
    log_loss = np.array([log_losses(row, label).mean() for row in delta])
    best = int(np.argmin(log_loss))
    at_edge = len(strongest_first) > 1 and best in (0, len(strongest_first) - 1)
    return L2Choice(
        strongest_first[best], strongest_first, log_loss, delta[best], fold.copy(), at_edge
    )
