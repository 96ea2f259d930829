"""Which voting rule a reward is: pooled Bradley-Terry, Borda, average utility, max-min, by group.

The rules get win rates or utilities as arrays, whoever they came from.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize

from rewardlab.errors import InputError
from rewardlab.rewards.items.cells import cells_of_wins
from rewardlab.rewards.items.fit import fit_cells
from rewardlab.types import BoolArray, FloatArray

FIT_TOL = 1e-10
"""Win rates are no sample: their fit is as exact as it comes."""


def borda(win_rates: FloatArray) -> FloatArray:
    """Shape [m]; each option's mean chance of winning against the others.

    Args:
        win_rates: Shape [m, m]; chance that the row beats the column; the diagonal is not read.

    Raises:
        InputError: The shape is not [m, m] with m >= 2, or two options' chances against each
            other do not sum to 1.
    """
    rates = _checked(win_rates)
    return np.asarray(rates.sum(axis=1) / (len(rates) - 1))


def pooled_reward(win_rates: FloatArray) -> FloatArray:
    """Shape [m], logits; the Bradley-Terry fit to endless votes on all pairs alike, sum zero.

    It ranks as Borda does: at the fit, sum_j p_ij = sum_j sigma(r_i - r_j) for every i, and the
    right side grows with r_i.

    Args:
        win_rates: As ``borda``.

    Raises:
        InputError: As ``borda``.
        SeparationError: Some options always win against the others, so that no fit is finite.

    Source: Siththaranjan, Laidlaw and Hadfield-Menell (2023), theorem on Borda count,
    arXiv:2312.08358.
    """
    rates = _checked(win_rates)
    names = tuple(f"option {k}" for k in range(len(rates)))
    return fit_cells(cells_of_wins(rates), names=names, tol=FIT_TOL).strength


def _checked(win_rates: FloatArray) -> FloatArray:
    """The win rates, 0 on the diagonal."""
    m = len(win_rates)
    if win_rates.shape != (m, m) or m < 2:
        raise InputError(f"win_rates: expected shape [m, m] with m >= 2, got {win_rates.shape}")
    same = np.eye(m, dtype=bool)
    rates = np.where(same, 0.0, win_rates)
    if not (np.all(rates >= 0) and np.allclose((rates + rates.T)[~same], 1, rtol=0, atol=1e-9)):
        raise InputError("win_rates: expected chances, i against j and j against i of total 1")
    return rates


def average_utility(shares: FloatArray, utilities: FloatArray) -> FloatArray:
    """Shape [m]; sum over groups of share times utility.

    Args:
        shares: Shape [g].
        utilities: Shape [g, m].
    """
    return np.asarray(shares @ utilities)


def worst_off(utilities: FloatArray) -> FloatArray:
    """Shape [m]; the least that any group gets: maximising it is the max-min rule.

    Args:
        utilities: Shape [g, m].

    Source: Chakraborty et al. (2024), MaxMin-RLHF, arXiv:2402.08925.
    """
    return np.asarray(utilities.min(axis=0))


def spread_over_groups(shares: FloatArray, utilities: FloatArray) -> FloatArray:
    """Shape [m]; standard deviation of an option's utility over who is asked.

    With the mean it is the distributional reward where the hidden context is the group.

    Args:
        shares: Shape [g].
        utilities: Shape [g, m].

    Source: Siththaranjan et al. (2023), distributional preference learning, arXiv:2312.08358.
    """
    mean = average_utility(shares, utilities)
    return np.asarray(np.sqrt(shares @ (utilities - mean) ** 2))


def contested(utilities: FloatArray) -> BoolArray:
    """Shape [m]; True where one group likes an option more than its average one, another less.

    A group's rewards are known up to a constant, so that each is measured from its own mean.

    Args:
        utilities: Shape [g, m].
    """
    own = utilities - utilities.mean(axis=1, keepdims=True)
    return np.asarray((own.max(axis=0) > 0) & (own.min(axis=0) < 0))


def crossing(lead: Callable[[float], float], grid: FloatArray) -> float:
    """Where a lead first changes sign along a grid; NaN where it does not.

    Args:
        lead: Continuous.
        grid: Shape [n], ascending.
    """
    ahead = np.array([lead(float(at)) > 0 for at in grid])
    changes = np.flatnonzero(ahead[1:] != ahead[:-1])
    if not len(changes):
        return float("nan")
    low, high = grid[changes[0]], grid[changes[0] + 1]
    return float(optimize.brentq(lead, low, high))
