"""Bradley-Terry qualities of a few items from their wins, with sampling errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from rewardlab.errors import InputError
from rewardlab.rewards.linear import LinearFit, fit
from rewardlab.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class ItemFit:
    """Qualities of m items; only differences are identified, so they sum to zero.

    Attributes:
        quality: Shape [m], logits.
        std_error: Shape [m]; sampling error of each quality about the items' mean.
        fit: Weights behind them, in an orthonormal basis of the vectors that sum to zero.
    """

    quality: FloatArray
    std_error: FloatArray
    fit: LinearFit


def fit_items(wins: FloatArray, *, l2: float = 0.0) -> ItemFit:
    """Qualities that maximise the Bradley-Terry likelihood of the wins, less l2/2 |quality|^2.

    Args:
        wins: Shape [m, m], >= 0; how often the row's item beat the column's. Fractions are soft
            labels; the diagonal is not read.
        l2: Penalty, >= 0; above zero every item has a finite quality, even one that never loses.

    Raises:
        InputError: The wins are not square, not counts, or all zero.
        SeparationError: Without a penalty, some items only win against the others.
        ConvergenceError: Without a penalty, the comparisons do not connect all items.

    Source: Bradley and Terry (1952). In the basis of sum zero no item is singled out by being
    fixed, and the penalty treats all alike.
    """
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or len(wins) < 2:
        raise InputError(f"wins: expected shape [m, m] with m >= 2, got {wins.shape}")
    if not bool(np.all((wins >= 0) & np.isfinite(wins))):
        raise InputError("wins: expected finite numbers >= 0")
    m = len(wins)
    i, j = np.triu_indices(m, 1)
    games = wins[i, j] + wins[j, i]
    met = games > 0
    if not met.any():
        raise InputError("wins: expected at least one comparison, got none")
    basis = linalg.helmert(m).T
    fitted = fit(
        (basis[i] - basis[j])[met],
        (wins[i, j] / np.where(met, games, 1))[met],
        l2=l2,
        row_weight=games[met],
    )
    spread = np.einsum("ik,kl,il->i", basis, np.linalg.inv(fitted.hessian), basis)
    return ItemFit(basis @ fitted.weights, np.sqrt(spread), fitted)


def count_wins(winner: IntArray, loser: IntArray, n_items: int) -> FloatArray:
    """Shape [m, m]; how often the row's item beat the column's.

    Args:
        winner: Shape [n]; index of each game's winner.
        loser: Shape [n].
        n_items: m.
    """
    wins = np.zeros((n_items, n_items))
    np.add.at(wins, (winner, loser), 1.0)
    return wins
