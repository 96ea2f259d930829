"""How far Elo's ratings and ranks depend on the order in which the games are taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.elo import POINTS_PER_LOGIT, play
from rewardlab.rewards.items.fit import ItemFit, fit_items
from rewardlab.rewards.items.within_groups import ranks_within
from rewardlab.types import FloatArray, IntArray

BLOCK = 50_000
"""Games looked up at a time in all orders together, so that memory holds the orders only."""

SCORE_OF_A = np.array([1.0, 0.0, 0.5])
"""What a gets from each ``Outcome``."""


@dataclass(frozen=True, slots=True)
class OrderSpread:
    """Elo over random orders of the same m items' games, beside one fit to all of them.

    Ratings are in points and sum to zero in each group of linked items, as every game leaves their
    sum as it is; ranks are 1 for the highest rating and are taken within a group.

    Attributes:
        names: Length m.
        k: Points that a game can move at most.
        n_orders: Random orders.
        n: Games, ties among them.
        ratings: Shape [n_orders, m]; after all games, in each order.
        as_given: Shape [m]; in the order in which the games came.
        batch: Shape [m]; the maximum-likelihood fit, which knows no order.
        group: Shape [m]; codes of the groups of linked items.
    """

    names: tuple[str, ...]
    k: float
    n_orders: int
    n: int
    ratings: FloatArray
    as_given: FloatArray
    batch: FloatArray
    group: IntArray

    @property
    def mean(self) -> FloatArray:
        """Shape [m]; mean rating over the orders."""
        return np.asarray(self.ratings.mean(axis=0))

    @property
    def std(self) -> FloatArray:
        """Shape [m]; standard deviation of a rating over the orders."""
        return np.asarray(self.ratings.std(axis=0, ddof=1))

    @property
    def typical_std(self) -> float:
        """Root mean square of ``std`` over the items."""
        return float(np.sqrt(np.mean(self.std**2)))

    def rating_range(self, level: float = 0.95) -> FloatArray:
        """Shape [2, m]; between which ratings the middle share of the orders lies."""
        return np.asarray(np.quantile(self.ratings, [(1 - level) / 2, (1 + level) / 2], axis=0))

    @property
    def rank_range(self) -> IntArray:
        """Shape [2, m]; the best and the worst rank in any of the orders."""
        ranks = np.stack([ranks_within(ratings, self.group) for ratings in self.ratings])
        return np.array([ranks.min(axis=0), ranks.max(axis=0)], dtype=np.int64)

    @property
    def batch_rank(self) -> IntArray:
        """Shape [m]; ranks of the batch fit."""
        return ranks_within(self.batch, self.group)

    @property
    def swapped_share(self) -> float:
        """Mean share of pairs of linked items that an order ranks the other way than the batch."""
        return _swapped(self.ratings, self.batch, self.group)


def order_spread(
    battles: Battles,
    *,
    k: float,
    n_orders: int,
    rng: np.random.Generator,
    batch: ItemFit | None = None,
) -> OrderSpread:
    """Elo, started from 0, over random orders of the battles.

    Args:
        battles: Votes; a tie is half a win for each. Margins, covariates and sides play no part.
        k: K > 0, points.
        n_orders: At least 2.
        rng: Draws the orders.
        batch: The fit to compare with, of the same items; maximum likelihood with ties as halves
            if not given.

    Raises:
        InputError: An argument is outside its range, or ``batch`` is of other items.
        SeparationError, ConvergenceError: No batch fit is given, and none exists; see
            ``fit_items``.
    """
    if n_orders < 2:
        raise InputError(f"n_orders: expected at least 2, got {n_orders}")
    plain = Battles(battles.names, battles.a, battles.b, battles.outcome)
    fitted = fit_items(plain) if batch is None else batch
    if fitted.names != battles.names:
        raise InputError("batch: expected a fit of the same items in the same order")
    n = len(battles)
    orders = np.empty((n_orders + 1, n), dtype=np.int32 if n < 2**31 else np.int64)
    orders[0] = np.arange(n)
    for row in orders[1:]:
        row[:] = rng.permutation(n)
    ratings = np.zeros((len(orders), battles.n_items))
    for first in range(0, n, BLOCK):
        part = orders[:, first : first + BLOCK]
        a, b = battles.a[part].astype(np.int64), battles.b[part].astype(np.int64)
        ratings = play(ratings, a, b, k=k, score=SCORE_OF_A[battles.outcome[part]])
    return OrderSpread(
        names=battles.names,
        k=k,
        n_orders=n_orders,
        n=n,
        ratings=ratings[1:],
        as_given=ratings[0],
        batch=fitted.strength * POINTS_PER_LOGIT,
        group=fitted.group,
    )


def spread_sentence(spread: OrderSpread) -> str:
    """What the order alone does, in a sentence or two."""
    best, worst = spread.rank_range
    widest = int(np.argmax(worst - best))
    said = (
        f"Elo with K = {spread.k:g} moves a rating by {spread.typical_std:.0f} points (one "
        f"standard deviation) when only the order of the same {spread.n:,} games changes, over "
        f"{spread.n_orders} orders; {spread.swapped_share:.1%} of pairs of items then stand the "
        "other way round than in the fit to all games at once."
    )
    if worst[widest] > best[widest]:
        said += f" {spread.names[widest]} ranges from rank {best[widest]} to rank {worst[widest]}."
    return said


def _swapped(ratings: FloatArray, batch: FloatArray, group: IntArray) -> float:
    """Share of pairs within groups, apart from those that the batch ties, in the other order."""
    n_swapped = n_pairs = 0
    for g in np.unique(group):
        members = np.flatnonzero(group == g)
        for position, i in enumerate(members):
            others = members[position + 1 :]
            ahead = np.sign(batch[i] - batch[others])
            n_pairs += int(np.count_nonzero(ahead)) * len(ratings)
            n_swapped += int(np.sum(np.sign(ratings[:, [i]] - ratings[:, others]) * ahead < 0))
    return n_swapped / n_pairs if n_pairs else 0.0
