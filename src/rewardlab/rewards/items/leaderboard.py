"""Leaderboards: items in order of strength, with what can and cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.fit import ItemFit, fit_items
from rewardlab.rewards.items.model import ItemModel
from rewardlab.types import IntArray, Outcome


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Items in order of strength; ranks hold within a group only.

    Attributes:
        fit: Strengths, and what they rest on.
        groups: For each group that comparisons link, positions of its items in ``fit.names``, the
            strongest first; the largest group first.
        rank: Shape [m]; place by strength within the item's group, 1 the strongest.
        n_wins: Shape [m]; votes won.
        n_ties: Shape [m]; votes tied.
    """

    fit: ItemFit
    groups: tuple[IntArray, ...]
    rank: IntArray
    n_wins: IntArray
    n_ties: IntArray


def leaderboard(battles: Battles, model: ItemModel) -> Leaderboard:
    """The items of the battles in order of strength."""
    fit = fit_items(battles, model)
    groups = _ordered(fit)
    rank = np.zeros(len(fit.names), dtype=np.int64)
    for items in groups:
        rank[items] = np.arange(1, len(items) + 1)
    n_wins, n_ties = _outcomes(battles)
    return Leaderboard(fit, groups, rank, n_wins, n_ties)


def _ordered(fit: ItemFit) -> tuple[IntArray, ...]:
    order = np.argsort(-fit.strength, kind="stable")
    groups = [order[fit.group[order] == g] for g in range(int(fit.group.max()) + 1)]
    return tuple(sorted(groups, key=lambda items: -len(items)))


def _outcomes(battles: Battles) -> tuple[IntArray, IntArray]:
    m = battles.n_items
    a_won, tied = battles.outcome == Outcome.A, battles.outcome == Outcome.TIE
    won = np.where(a_won, battles.a, battles.b)[~tied]
    n_ties = np.bincount(battles.a[tied], minlength=m) + np.bincount(battles.b[tied], minlength=m)
    return np.bincount(won, minlength=m), n_ties
