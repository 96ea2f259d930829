"""Which responses of a prompt to compare: all pairs of a few, a ring through many."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError

ALL_UP_TO = 3
"""Responses of which every pair is compared."""


def pairs_within(
    k: int, rng: np.random.Generator, *, n_pairs: int | None = None
) -> list[tuple[int, int]]:
    """Pairs (i, j) of k responses.

    The first are the edges of a ring through all responses in random order: with k - 1 of them
    every response is connected with every other, with k each meets two others. Further ones are
    drawn from the rest.

    Args:
        k: Responses, >= 0.
        rng: Draws the ring, which response of a pair stands first, and further pairs.
        n_pairs: How many pairs, at most all k (k - 1) / 2; all for up to three responses and the
            ring beyond if not given.

    Raises:
        InputError: Fewer than one pair is asked for.
    """
    if n_pairs is not None and n_pairs < 1:
        raise InputError(f"pairs_per_prompt: expected at least 1, got {n_pairs}")
    if k < 2:
        return []
    n_all = k * (k - 1) // 2
    wanted = min(n_all, n_pairs or (n_all if k <= ALL_UP_TO else k))
    order = rng.permutation(k).tolist()
    ring = [(order[i], order[(i + 1) % k]) for i in range(k if k > 2 else 1)]
    chosen = ring[:wanted]
    if wanted > len(ring):
        there = {frozenset(pair) for pair in ring}
        rest = [(i, j) for i in range(k) for j in range(i) if frozenset((i, j)) not in there]
        drawn = rng.permutation(len(rest))[: wanted - len(ring)]
        chosen += [rest[i] for i in drawn.tolist()]
    turned = rng.random(len(chosen)) < 0.5
    return [(j, i) if turn else (i, j) for (i, j), turn in zip(chosen, turned, strict=True)]
