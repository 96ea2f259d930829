"""Battles for tests: drawn by Bradley-Terry, or between neighbours only."""

from __future__ import annotations

import numpy as np
from scipy import special

from rewardlab.preferences.battles import Battles
from rewardlab.types import IntArray


def drawn(m: int, n: int, *, ties: float = 0.1, seed: int = 0) -> Battles:
    """n battles of random pairs of m items; strengths are standard normal."""
    rng = np.random.default_rng(seed)
    a = rng.integers(m, size=n)
    b = (a + rng.integers(1, m, size=n)) % m
    return _judged(a, b, m, ties, rng)


def of_neighbours(m: int, n: int, *, reach: int = 3, seed: int = 0) -> Battles:
    """n battles of items at most ``reach`` places apart on a ring cut open."""
    rng = np.random.default_rng(seed)
    a = rng.integers(m - reach, size=n)
    return _judged(a, a + rng.integers(1, reach + 1, size=n), m, 0.0, rng)


def _judged(a: IntArray, b: IntArray, m: int, ties: float, rng: np.random.Generator) -> Battles:
    truth = rng.normal(size=m)
    lost = rng.random(len(a)) > special.expit(truth[a] - truth[b])
    outcome = np.where(rng.random(len(a)) < ties, 2, lost).astype(np.int8)
    return Battles(tuple(map(str, range(m))), a, b, outcome)
