"""Bradley-Terry qualities of a few items from their wins, with sampling errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse.csgraph import connected_components

from rewardlab.errors import EstimationError, InputError, SeparationError
from rewardlab.rewards.linear import LinearFit, fit
from rewardlab.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class ItemFit:
    """Qualities of m items; only differences are identified, so they sum to zero.

    Attributes:
        quality: Shape [m], logits.
        std_error: Shape [m]; sampling error of each quality about the items' mean. With a penalty,
            the deviation under the normal prior that it stands for.
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
        SeparationError: Without a penalty, some items never lose against the others.
        EstimationError: Without a penalty, the comparisons do not connect all items.

    Source: Bradley and Terry (1952); Ford (1957) for when a fit exists. In the basis of sum zero no
    item is singled out by being fixed, and the penalty treats all alike.
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
    if l2 == 0:
        _check_connected(np.where(np.eye(m), 0, wins) > 0)
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

    Raises:
        InputError: The shapes disagree, or an index is no item's.
    """
    if winner.shape != loser.shape:
        raise InputError(f"loser: expected shape {winner.shape}, got {loser.shape}")
    check_games(winner, loser, n_items)
    wins = np.zeros((n_items, n_items))
    np.add.at(wins, (winner, loser), 1.0)
    return wins


def check_games(winner: IntArray, loser: IntArray, n_items: int) -> None:
    """Refuse games of items that are none of 0 to n_items - 1; negative ones would count back.

    Raises:
        InputError: There is such a game.
    """
    for name, items in (("winner", winner), ("loser", loser)):
        if items.size and not 0 <= items.min() <= items.max() < n_items:
            raise InputError(
                f"{name}: expected indices from 0 to {n_items - 1}, got {items.min()} to "
                f"{items.max()}"
            )


def _check_connected(beats: BoolArray) -> None:
    """A finite fit exists if and only if wins lead from every item to every other."""
    n_parts, part = connected_components(beats, connection="weak")
    if n_parts > 1:
        apart = ", ".join(map(str, np.flatnonzero(part != part[0])))
        raise EstimationError(
            f"wins: no comparison leads from item 0 to items {apart}",
            remedy="Fit them apart, or compare items of both.",
        )
    n_parts, part = connected_components(beats, connection="strong")
    for k in range(n_parts if n_parts > 1 else 0):
        inside = part == k
        if not beats[np.ix_(~inside, inside)].any():
            names = [f"item {i}" for i in np.flatnonzero(inside)]
            raise SeparationError(
                f"wins: {', '.join(names)} never lost against the others, so that no finite fit "
                "exists",
                names,
            )
