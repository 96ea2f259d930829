"""Rankings drawn from Plackett-Luce, for tests."""

from __future__ import annotations

import numpy as np

from rewardlab.preferences.item_rankings import ItemRankings
from rewardlab.types import FloatArray


def drawn_rankings(
    truth: FloatArray, n: int, listed: int, rng: np.random.Generator, *, ranked: int | None = None
) -> ItemRankings:
    """n rankings of ``listed`` items each, of which the best ``ranked`` are in order.

    Noise of a Gumbel distribution on each strength makes orders follow Plackett-Luce.
    """
    m = len(truth)
    drawn = np.argsort(rng.random((n, m)), axis=1)[:, :listed]
    noisy = truth[drawn] + rng.gumbel(size=drawn.shape)
    order = np.take_along_axis(drawn, np.argsort(-noisy, axis=1), axis=1)
    n_ranked = np.full(n, listed if ranked is None else ranked)
    first = np.arange(0, n * listed + 1, listed)
    return ItemRankings(tuple(f"item {i}" for i in range(m)), order.ravel(), first, n_ranked)
